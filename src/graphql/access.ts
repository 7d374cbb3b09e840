import {
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  isObjectType,
} from 'graphql';
import { DomainError } from '../base/errors.js';
import { isId, uuidOf } from '../base/ids.js';
import { refuseMoved } from '../db/moved.js';
import { sharesNames } from '../db/names.js';
import type { AdminCaller, ClientCaller, Context } from './context.js';
import { BELOW, type Grant, listRights, type Right, rightsIn } from './rights.js';

export type Access = Pick<Context, 'caller' | 'credentialError' | 'keyHeader'>;

/** Makes such fields null for others. Lists below a record need the right `read`, as those that are root fields do. */
export function guardBelow(schema: GraphQLSchema): void {
  const roots = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()];
  const isRoot = (type: GraphQLObjectType) => roots.includes(type);
  const isList = ({ type }: { type: GraphQLOutputType }) => getNamedType(type).name.endsWith('Connection');
  for (const type of Object.values(schema.getTypeMap()).filter(isObjectType)) {
    for (const field of Object.values(type.getFields())) {
      const grants = field.extensions[BELOW] as Grant[] | undefined;
      const { resolve } = field;
      if (!resolve) continue;
      if (grants) {
        field.resolve = (source, args, context: Context, info) =>
          hasRole(grants, context) ? resolve(source, args, context, info) : null;
      } else if (!isRoot(type) && isList(field)) {
        const rights = listRights(field.extensions);
        field.resolve = (source, args, context: Context, info) => {
          requireRight(context, ...rights);
          return resolve(source, args, context, info);
        };
      }
    }
  }
}

/**
 * All that a sign-in without the passkey that its account demands may do, whatever the interface: read itself, add the first
 * passkey, and sign out ({@link requireOwnSession}). Every other root field, route and stream refuses it, public ones too.
 */
const WITHOUT_PASSKEY: ReadonlySet<string> = new Set([
  'me',
  'newPasskeyOptions',
  'addPasskey',
  'endConsoleSession',
  'updateApiKey',
]);

/**
 * Checks a request in this order: credential, role, then the account that the request names.
 * @param accountId the request's account id as sent, before any validation; validation reports malformed ones
 * @param operation the root field; undefined: what no sign-in without its passkey may do
 * @throws DomainError 401 or 403
 */
export function checkAccess(
  grants: readonly Grant[],
  access: Access,
  accountId: unknown,
  operation?: string,
): void {
  const { caller, credentialError } = access;
  if (caller.kind === 'admin' && caller.needsPasskey && !WITHOUT_PASSKEY.has(operation ?? ''))
    throw passkeyRequired();
  if (grants.includes('anyone')) return;
  if (credentialError) throw credentialError;
  checkGrants(grants, access);
  if (!isId('account', accountId) || caller.kind === 'anonymous') return;
  if (caller.kind === 'admin' && caller.superAdmin) return;
  if (accountId !== caller.accountId) throw foreign();
}

/**
 * Guards requests of a superadmin that name an account: other callers are refused with their credentials when theirs is on
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
    throw missingRight(caller, rights);
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

const ADD_PASSKEY =
  'Your account requires a passkey. Add one under "Your sign-ins" in the console, then sign in with it.';

function passkeyRequired(): DomainError {
  return new DomainError('PASSKEY_REQUIRED', ADD_PASSKEY);
}

/** A sign-in without its passkey ends itself and no other key. @throws DomainError PASSKEY_REQUIRED */
export function requireOwnSession(access: Access, keyId: string): void {
  const caller = adminOf(access);
  if (caller.needsPasskey && caller.keyId !== keyId) throw passkeyRequired();
}

/** @param rights of which one would be enough */
function missingRight({ needsPasskey }: AdminCaller, rights: readonly Right[]): DomainError {
  if (needsPasskey) return passkeyRequired();
  const named = rights.map((right) => `"${right}"`).join(' or ');
  return new DomainError('FORBIDDEN', `This needs the right ${named}, which this API key does not have.`);
}

/** Requires rights beyond those of the operation. @throws DomainError FORBIDDEN when an administrator has none of the rights */
export function requireRight({ caller }: Access, ...rights: Right[]): void {
  if (caller.kind === 'admin' && !hasRight(caller, rights)) throw missingRight(caller, rights);
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

/** Whose a record is. `gameId` is null for what belongs to the account as a whole; absent: it has a rule of its own. */
export interface Owned {
  accountId: string;
  gameId?: string | null;
}

/** A game, as the owner of itself. */
export function ofGame({ id, accountId }: { id: string; accountId: string }): Required<Owned> {
  return { accountId, gameId: id };
}

/** What belongs to an account as a whole, whatever games it names. */
export function ofWhole({ accountId }: { accountId: string }): Required<Owned> {
  return { accountId, gameId: null };
}

/**
 * Refuses a named record of another account with 403, and administrators who are limited to games what is not of one of
 * them. Superadmins may act in any account, unless the request names one.
 */
export function requireAccount({ caller }: Access, { accountId, gameId }: Owned): void {
  if (caller.kind === 'anonymous') throw foreign();
  const everywhere = caller.kind === 'admin' && caller.superAdmin;
  const reached = everywhere ? (caller.within ?? accountId) : caller.accountId;
  if (reached !== accountId) throw foreign();
  if (caller.kind === 'admin' && gameId !== undefined && !reachesGame(caller, gameId))
    throw otherGame(gameId);
}

function reachesGame({ games }: AdminCaller, gameId: string | null): boolean {
  return games === null || (gameId !== null && games.includes(gameId));
}

function otherGame(gameId: string | null): DomainError {
  const needed = gameId === null ? 'in all games of the account' : `in the game ${gameId}`;
  return new DomainError('FORBIDDEN', `This needs rights ${needed}, which this API key does not have.`);
}

/** Limits rows to the games of an administrator who is limited to some. @param column of the game */
export function withinGames<Q extends { whereIn(column: string, values: string[]): Q }>(
  { caller }: Access,
  rows: Q,
  column: string,
): Q {
  return caller.kind === 'admin' && caller.games ? rows.whereIn(column, caller.games.map(uuidOf)) : rows;
}

/**
 * Limits the rest of a superadmin's request to this account; checkAccess has refused other callers that name a foreign
 * account.
 */
export function limitTo(context: Context, accountId: string): void {
  const { caller } = context;
  if (caller.kind === 'admin') context.caller = { ...caller, within: accountId };
}

/** Lets the rest of a write's request read the record that it changed, which is its response. */
export function letRead(context: Context): void {
  const { caller } = context;
  if (caller.kind === 'admin') context.caller = { ...caller, rights: [...caller.rights, 'read'] };
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

/**
 * True if the caller may read the record as an administrator; published records are also read by administrators of other
 * accounts.
 */
export function administers(
  { caller }: Pick<Context, 'caller'>,
  { accountId, gameId }: Required<Owned>,
  ...rights: Right[]
): boolean {
  const needed = rights.length > 0 ? rights : (['read'] as const);
  if (caller.kind !== 'admin' || !needed.some((right) => caller.rights.includes(right))) return false;
  return caller.superAdmin || (caller.accountId === accountId && reachesGame(caller, gameId));
}

/** Guards changes that make a user superadmin or lock a superadmin out. @throws DomainError with this code and sentence */
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
