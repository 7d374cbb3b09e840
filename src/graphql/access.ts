import { type GraphQLSchema, isObjectType } from 'graphql';
import { Extensions } from 'type-graphql';
import { DomainError } from '../base/errors.js';
import { isId, uuidOf } from '../base/ids.js';
import { refuseMoved } from '../db/moved.js';
import { sharesNames } from '../db/names.js';
import type { AdminCaller, ClientCaller, Context } from './context.js';
import { RIGHTS, type Right } from './rights.js';

const ALLOW = 'allow';
const BELOW = 'allowBelow';

/** A kind of caller. */
export type Role = 'admin' | 'superadmin' | 'client' | 'anyone';

/** Who may use a field: administrators with this right, or another kind of caller. */
export type Grant = Right | Exclude<Role, 'admin'>;

export type Access = Pick<Context, 'caller' | 'credentialError' | 'keyHeader'>;

/**
 * Who may use a root field, declared on its resolver; of several rights one is enough. GraphQL and REST both check them
 * before anything else.
 */
export function Allow(grants: Grant | Grant[]): MethodDecorator {
  return Extensions({ [ALLOW]: [grants].flat() });
}

/** For a field below a record that is null for all but administrators with the right. */
export function ForAdministrators(right: Right = 'read'): MethodDecorator {
  return Extensions({ [BELOW]: [right] });
}

/** Makes such fields null for others. */
export function guardBelow(schema: GraphQLSchema): void {
  for (const type of Object.values(schema.getTypeMap()).filter(isObjectType)) {
    for (const field of Object.values(type.getFields())) {
      const grants = field.extensions[BELOW] as Grant[] | undefined;
      const { resolve } = field;
      if (!grants || !resolve) continue;
      field.resolve = (source, args, context: Context, info) =>
        hasRole(grants, context) ? resolve(source, args, context, info) : null;
    }
  }
}

/** Returns what {@link Allow} declared on a field of the schema; undefined: nothing. */
export function grantsOf(extensions: Readonly<Record<string, unknown>>): Grant[] | undefined {
  return extensions[ALLOW] as Grant[] | undefined;
}

/** Returns what a field of the schema declares for schemas as text; undefined: nothing. */
export function shownGrants(extensions: Readonly<Record<string, unknown>>): Grant[] | undefined {
  return grantsOf(extensions) ?? (extensions[BELOW] as Grant[] | undefined);
}

export function rightsIn(grants: readonly Grant[]): Right[] {
  return grants.filter((grant): grant is Right => RIGHTS.includes(grant as Right));
}

/** The kinds of callers among them. */
export function rolesOf(grants: readonly Grant[]): Role[] {
  const others = grants.filter((grant): grant is Exclude<Role, 'admin'> => !RIGHTS.includes(grant as Right));
  return others.length < grants.length ? ['admin', ...others] : others;
}

/**
 * Checks a request in this order: credential, role, then the account that the request names.
 * @param accountId the request's account id as sent, before any validation; validation reports malformed ones
 * @throws DomainError 401 or 403
 */
export function checkAccess(grants: readonly Grant[], access: Access, accountId: unknown): void {
  const { caller, credentialError } = access;
  if (grants.includes('anyone')) return;
  if (credentialError) throw credentialError;
  checkGrants(grants, access);
  if (!isId('account', accountId) || caller.kind === 'anonymous') return;
  if (caller.kind === 'admin' && caller.superAdmin) return;
  if (accountId !== caller.accountId) throw foreign();
}

/**
 * For requests of a superadmin that name an account: other callers are refused with their credentials when theirs is on
 * another database. Undefined where nothing has to be read. @throws DomainError ACCOUNT_MOVED
 */
export function refuseElsewhere({ caller, db }: Context, accountId: unknown): Promise<void> | undefined {
  if (caller.kind !== 'admin' || !caller.superAdmin || !isId('account', accountId) || !sharesNames(db)) {
    return undefined;
  }
  return refuseMoved(db, 'accounts', 't.id = ?', [uuidOf(accountId)]);
}

/** True if a field with these grants is the caller's to use. */
export function hasRole(grants: readonly Grant[], { caller }: Pick<Context, 'caller'>): boolean {
  if (caller.kind === 'anonymous') return grants.includes('anyone');
  if (caller.kind === 'client') return grants.includes('client');
  return hasRight(caller, grants) || (caller.superAdmin && grants.includes('superadmin'));
}

function hasRight({ rights }: AdminCaller, grants: readonly Grant[]): boolean {
  return grants.some((grant) => rights.includes(grant as Right));
}

function checkGrants(grants: readonly Grant[], { caller, keyHeader }: Omit<Access, 'credentialError'>): void {
  const rights = rightsIn(grants);
  const admins = rights.length > 0 || grants.includes('superadmin');
  if (caller.kind === 'admin' && admins) {
    if (caller.superAdmin && grants.includes('superadmin')) return;
    if (rights.length === 0) throw new DomainError('SUPERADMIN_REQUIRED', 'Only a superadmin can do this.');
    if (hasRight(caller, grants)) return;
    throw missingRight(rights);
  }
  if (caller.kind === 'client' && grants.includes('client')) return;
  if (admins) {
    throw new DomainError('API_KEY_REQUIRED', `API key required. Send it in the header ${keyHeader}.`);
  }
  throw new DomainError(
    'TOKEN_REQUIRED',
    'Device access token required. Send it as "authorization: Bearer <token>", and no API key.',
  );
}

/** @param rights of which one would be enough */
function missingRight(rights: readonly Right[]): DomainError {
  const named = rights.map((right) => `"${right}"`).join(' or ');
  return new DomainError('FORBIDDEN', `This needs the right ${named}, which this API key does not have.`);
}

/** Refuses an administrator without the right. @throws DomainError FORBIDDEN */
export function requireRight({ caller }: Access, right: Right): void {
  if (caller.kind === 'admin' && !caller.rights.includes(right)) throw missingRight([right]);
}

function foreign(): DomainError {
  return new DomainError('FORBIDDEN', 'This belongs to another account.');
}

/** Returns the caller of a field that {@link Allow} restricts to administrators. */
export function adminOf(access: Access): AdminCaller {
  checkGrants(['own'], access);
  return access.caller as AdminCaller;
}

/** Returns the caller of a field that {@link Allow} restricts to game clients. */
export function clientOf(access: Access): ClientCaller {
  checkGrants(['client'], access);
  return access.caller as ClientCaller;
}

/**
 * Refuses a named record of another account with 403. Superadmins may act in any account, unless the request names one.
 */
export function requireAccount({ caller }: Access, accountId: string): void {
  if (caller.kind === 'anonymous') throw foreign();
  const everywhere = caller.kind === 'admin' && caller.superAdmin;
  const reached = everywhere ? (caller.within ?? accountId) : caller.accountId;
  if (reached !== accountId) throw foreign();
}

/**
 * Limits the rest of a superadmin's request to this account; checkAccess has refused other callers that name a foreign
 * account.
 */
export function limitTo(context: Context, accountId: string): void {
  const { caller } = context;
  if (caller.kind === 'admin') context.caller = { ...caller, within: accountId };
}

/** Refuses a game client the records of other games. @throws DomainError FORBIDDEN */
export function requireGame({ caller }: Access, gameId: string): void {
  if (caller.kind === 'client' && caller.gameId !== gameId) {
    throw new DomainError('FORBIDDEN', 'This belongs to another game.');
  }
}

/** Returns the game that a list is limited to; undefined: the caller sets no limit. */
export function gameScope({ caller }: Access): string | undefined {
  return caller.kind === 'client' ? caller.gameId : undefined;
}

/** True if the caller administers the account; published records are also read by administrators of other accounts. */
export function administers({ caller }: Pick<Context, 'caller'>, accountId: string): boolean {
  return caller.kind === 'admin' && (caller.superAdmin || caller.accountId === accountId);
}

/** For changes that make a user superadmin or lock a superadmin out. @throws DomainError with this code and sentence */
export function requireSuperadmin(
  access: Access,
  code: 'SUPERADMIN_REQUIRED' | 'FORBIDDEN',
  sentence: string,
): void {
  if (!adminOf(access).superAdmin) throw new DomainError(code, sentence);
}

/** Returns the account that a list is limited to; undefined: all accounts (a superadmin who named none). */
export function accountScope({ caller }: Access, named: string | null | undefined): string | undefined {
  if (caller.kind === 'admin' && caller.superAdmin) return named ?? undefined;
  if (caller.kind === 'anonymous') throw foreign();
  return caller.accountId;
}

/**
 * The rows that a list begins with: those that are not deleted, or the deleted ones, which administrators may restore.
 * @throws DomainError API_KEY_REQUIRED when another caller asks for deleted ones
 */
export function listedRows<Q extends { whereNotNull(column: string): Q }>(
  context: Context,
  deleted: boolean | null | undefined,
  live: (db: Context['db']) => Q,
  reachable: (db: Context['db']) => Q,
  table: string,
): Q {
  if (!deleted) return live(context.db);
  adminOf(context);
  return reachable(context.db).whereNotNull(`${table}.deleted_at`);
}
