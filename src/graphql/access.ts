import { Extensions } from 'type-graphql';
import { DomainError } from '../base/errors.js';
import { isId } from '../base/ids.js';
import type { AdminCaller, ClientCaller, Context } from './context.js';

export type Role = 'admin' | 'superadmin' | 'client' | 'anyone';

export type Access = Pick<Context, 'caller' | 'credentialError' | 'keyHeader'>;

/** Who may use a root field. Declared once there; GraphQL and REST both check it before anything else. */
export function Allow(roles: Role | Role[]): MethodDecorator {
  return Extensions({ allow: [roles].flat() });
}

/** What {@link Allow} declared on a field of the schema; undefined: nothing. */
export function rolesOf(extensions: Readonly<Record<string, unknown>>): Role[] | undefined {
  return extensions.allow as Role[] | undefined;
}

/**
 * The order of decisions.md section 2: credential, then role, then the account that the request names.
 * @param accountId the request's account id as sent, before any validation; malformed ones are left to it
 * @throws DomainError 401 or 403
 */
export function checkAccess(roles: Role[], access: Access, accountId: unknown): void {
  const { caller, credentialError } = access;
  if (roles.includes('anyone')) return;
  if (credentialError) throw credentialError;
  checkRole(roles, access);
  if (!isId('account', accountId) || caller.kind === 'anonymous') return;
  if (caller.kind === 'admin' && caller.superAdmin) return;
  if (accountId !== caller.accountId) throw foreign();
}

function checkRole(roles: Role[], { caller, keyHeader }: Omit<Access, 'credentialError'>): void {
  const admins = roles.includes('admin') || roles.includes('superadmin');
  if (caller.kind === 'admin' && admins) {
    if (caller.superAdmin || roles.includes('admin')) return;
    throw new DomainError('SUPERADMIN_REQUIRED', 'Only a superadmin may do this');
  }
  if (caller.kind === 'client' && roles.includes('client')) return;
  if (admins) {
    throw new DomainError('API_KEY_REQUIRED', `An API key is needed: send it in the header ${keyHeader}`);
  }
  throw new DomainError(
    'TOKEN_REQUIRED',
    'A device access token is needed: send it as "authorization: Bearer <token>", without an API key beside it',
  );
}

function foreign(): DomainError {
  return new DomainError('FORBIDDEN', 'This belongs to another account');
}

/** The caller of a field that {@link Allow} keeps for administrators. */
export function adminOf(access: Access): AdminCaller {
  checkRole(['admin'], access);
  return access.caller as AdminCaller;
}

/** The caller of a field that {@link Allow} keeps for game clients. */
export function clientOf(access: Access): ClientCaller {
  checkRole(['client'], access);
  return access.caller as ClientCaller;
}

/** A record of another account that is named by id: 403. Superadmins act anywhere, unless they named an account. */
export function requireAccount({ caller }: Access, accountId: string): void {
  if (caller.kind === 'anonymous') throw foreign();
  const everywhere = caller.kind === 'admin' && caller.superAdmin;
  const reached = everywhere ? (caller.within ?? accountId) : caller.accountId;
  if (reached !== accountId) throw foreign();
}

/** The rest of a superadmin's request is for this account alone; that others may name it was checked before. */
export function limitTo(context: Context, accountId: string): void {
  const { caller } = context;
  if (caller.kind === 'admin') context.caller = { ...caller, within: accountId };
}

/** Game clients reach what is of their own game only. @throws DomainError FORBIDDEN */
export function requireGame({ caller }: Access, gameId: string): void {
  if (caller.kind === 'client' && caller.gameId !== gameId) {
    throw new DomainError('FORBIDDEN', 'This belongs to another game');
  }
}

/** The game a list is limited to; undefined: not by who asks. */
export function gameScope({ caller }: Access): string | undefined {
  return caller.kind === 'client' ? caller.gameId : undefined;
}

/** Whether the caller administers the account: what is published is read by administrators of others, too. */
export function administers({ caller }: Pick<Context, 'caller'>, accountId: string): boolean {
  return caller.kind === 'admin' && (caller.superAdmin || caller.accountId === accountId);
}

/** For what would make its doer a superadmin, or lock one out. @throws DomainError with this code and sentence */
export function requireSuperadmin(
  access: Access,
  code: 'SUPERADMIN_REQUIRED' | 'FORBIDDEN',
  sentence: string,
): void {
  if (!adminOf(access).superAdmin) throw new DomainError(code, sentence);
}

/** The account a list is limited to; undefined: all of them (a superadmin who named none). */
export function accountScope({ caller }: Access, named: string | null | undefined): string | undefined {
  if (caller.kind === 'admin' && caller.superAdmin) return named ?? undefined;
  if (caller.kind === 'anonymous') throw foreign();
  return caller.accountId;
}
