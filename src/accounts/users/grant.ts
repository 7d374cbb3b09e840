import type { Knex } from 'knex';
import { DomainError, invalidField } from '../../base/errors.js';
import { idOf, uuidOf } from '../../base/ids.js';
import { runStatement } from '../../db/pool.js';
import { type Access, adminOf, requireRight } from '../../graphql/access.js';
import { type KeyScope, rightsOf, rightsOfScope, type UserRole } from './role.js';
import type { User } from './user.js';

/** What a user, an invitation or a key gives to whoever has it. */
interface Granted {
  role: UserRole;
  gameIds: readonly string[] | null;
  /** Of a key; undefined: a person. */
  scopes?: readonly KeyScope[] | null;
}

/**
 * Refuses to give, or to act on, rights and games that the caller does not have: whoever changes a user's address or makes it a
 * key can act as that user. With the scope `people`, a key manages people within the whole role of its user; keys that it makes
 * have at most its own scopes.
 * @throws DomainError FORBIDDEN
 */
export function requireGranting(access: Access, { role, gameIds, scopes }: Granted): void {
  const { superAdmin, role: own, rights: ofKey, games } = adminOf(access);
  if (superAdmin) return;
  const isKey = scopes !== undefined;
  const rights = ofKey.includes('people') && !isKey ? rightsOf(own, null) : ofKey;
  const given = [...rightsOf(role, scopes ?? null), ...(scopes ?? []).flatMap(rightsOfScope)];
  const missing = given.find((right) => !rights.includes(right));
  if (missing) {
    throw new DomainError(
      'FORBIDDEN',
      `This needs the right "${missing}", which this API key does not have: nobody can act on more rights than their own.`,
    );
  }
  if (games && !gameIds?.every((id) => games.includes(id))) {
    throw new DomainError('FORBIDDEN', 'This needs rights in more games than this API key has.');
  }
}

/** The caller's own user, or with the right `people` any other. @throws DomainError FORBIDDEN */
export function requirePerson(access: Access, { id, gameIds }: Pick<User, 'id' | 'gameIds'>): void {
  const { superAdmin, userId, games } = adminOf(access);
  if (superAdmin || userId === id) return;
  requireRight(access, 'people');
  if (games && !gameIds?.every((game) => games.includes(game))) {
    throw new DomainError('FORBIDDEN', 'This needs rights in all games of the user.');
  }
}

/** SQL: the games of a key's user. */
export const GAMES_OF_KEY = '(select u.game_ids from users u where u.id = api_keys.user_id)';

/** A condition on users, with their id and games: that {@link requirePerson} lets the caller pass. */
export function visiblePeople(access: Access, id: string, games: string): [sql: string, values: unknown[]] {
  const { superAdmin, userId, rights, games: own } = adminOf(access);
  if (superAdmin) return ['true', []];
  if (!rights.includes('people')) return [`${id} = ?`, [uuidOf(userId)]];
  if (!own) return ['true', []];
  return [`(${id} = ? or ${games} <@ ?::uuid[])`, [uuidOf(userId), own.map(uuidOf)]];
}

const OTHER_GAMES = `
  select g.id from unnest(?::uuid[]) g(id)
  where not exists (select from games x where x.id = g.id and x.account_id = ?::uuid and x.deleted_at is null) limit 1`;

/**
 * The games that a user or a key is limited to.
 * @throws DomainError VALIDATION_FAILED, GAME_NOT_IN_ACCOUNT
 */
export async function givenGames(
  trx: Knex.Transaction,
  accountId: string,
  gameIds: readonly string[] | null | undefined,
): Promise<string[] | null> {
  if (!gameIds) return null;
  if (gameIds.length === 0)
    throw invalidField(['gameIds'], 'must name at least one game, or be null for all');
  const ids = [...new Set(gameIds)];
  const { rows } = await runStatement<{ id: string }>(trx, OTHER_GAMES, [ids.map(uuidOf), uuidOf(accountId)]);
  if (rows[0]) {
    throw new DomainError('GAME_NOT_IN_ACCOUNT', `The account has no game ${idOf('game', rows[0].id)}.`);
  }
  return ids;
}
