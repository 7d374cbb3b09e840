import type { Knex } from 'knex';
import { accountForWrite, inLiveAccount } from '../accounts/read.js';
import { DomainError, notFound } from '../base/errors.js';
import { idOf, uuid7, uuidOf } from '../base/ids.js';
import { checkedSlug, slugify } from '../base/slug.js';
import { runStatement } from '../db/pool.js';
import { deletionOf, freeSlug, insertRecord, lockRecord, saveRecord, writeUnique } from '../db/save.js';
import { type Access, ofGame, requireAccount } from '../graphql/access.js';
import { auditedWrite } from '../graphql/author.js';
import type { Context } from '../graphql/context.js';
import { changedColumns, newColumns } from '../graphql/records/record.js';
import type { FiringHooks } from '../hooks/firing.js';
import { type CreateGameInput, Game, gameFields, type UpdateGameInput } from './game.js';
import { inLiveGame, reachableGames } from './read.js';
import { givenSettings } from './thresholds.js';

/** What a new game has by its input alone. @throws DomainError VALIDATION_FAILED (antiCheatSettings), INVALID_SLUG */
export function checkedGame(input: CreateGameInput) {
  const slug = input.slug == null ? undefined : checkedSlug(input.slug);
  const antiCheatSettings = givenSettings(input) ?? null;
  return { columns: { ...newColumns(gameFields, input), antiCheatSettings }, slug };
}

/**
 * @throws DomainError VALIDATION_FAILED (antiCheatSettings), NOT_FOUND, FORBIDDEN, INVALID_SLUG, BOARD_NOT_IN_GAME,
 * CONFLICT (name or slug), and the refusal of a hook
 */
export async function createGame(
  context: Context,
  hooks: FiringHooks,
  input: CreateGameInput,
): Promise<Game> {
  const { columns, slug } = checkedGame(input);
  const { antiCheatSettings: typed, antiCheatObject, ...others } = input;
  const isSet = typed !== undefined || antiCheatObject !== undefined;
  const requested = { ...others, ...(isSet && { antiCheatSettings: columns.antiCheatSettings }) };
  const now = new Date(context.clock());
  const write = async (trx: Knex.Transaction) => {
    await accountForWrite(trx, context, { ...input, gameId: null });
    const id = idOf('game', uuid7(now.getTime()));
    const { defaultBoardId } = columns;
    if (defaultBoardId !== null) {
      const board = await defaultBoard(trx, context, defaultBoardId, inLiveGame('boards'));
      if (board.accountId !== input.accountId) throw notOf('account');
    }
    const insert = (db: Knex.Transaction, slug: string) =>
      insertRecord(db, Game, {
        id,
        ...columns,
        slug,
        logo: null,
        cover: null,
        prizesHeldAt: null,
        createdAt: now,
        updatedAt: now,
      });
    if (slug) return insert(trx, slug);
    const wanted = slugify(columns.name, 'game');
    const taken = Game.query(trx).whereNull('deleted_at');
    return writeUnique(
      trx,
      'games_slug_key',
      () => freeSlug(taken, wanted, { db: trx, kind: 'game_slug' }),
      insert,
    );
  };
  const game = await hooks.guardTransaction('preCreateGame', context, () => requested, write);
  const { deletedAt, logo, cover, prizesHeldAt, ...record } = game;
  await hooks.after('postCreateGame', context, record);
  return game;
}

/**
 * Changes, deletes or restores a game and notifies its readers.
 * @throws DomainError VALIDATION_FAILED (antiCheatSettings), NOT_FOUND, FORBIDDEN, BOARD_NOT_IN_GAME, CONFLICT
 */
export async function updateGame(context: Context, id: string, input: UpdateGameInput): Promise<Game> {
  const antiCheatSettings = givenSettings(input);
  const now = new Date(context.clock());
  const game = await auditedWrite(context, async (trx) => {
    const game = await lockRecord(Game, reachableGames(trx), id, 'Game');
    const deletion = deletionOf(game, input, now, 'Game');
    requireAccount(context, ofGame(game));
    if (input.defaultBoardId != null && input.defaultBoardId !== game.defaultBoardId) {
      const board = await defaultBoard(trx, context, input.defaultBoardId, inLiveAccount('boards'));
      if (board.gameId !== game.id) throw notOf('game');
    }
    const changes = { ...changedColumns(gameFields, input), antiCheatSettings };
    await saveRecord(trx, game, { ...changes, ...deletion }, now);
    return game;
  });
  context.changed(game.id);
  return game;
}

const BOARD_PLACE =
  'select game_id, account_id from boards where id = ? and deleted_at is null and rehearsal_of_id is null and ';

/**
 * The default board of a game.
 * @param reachable condition on it: the game may be one that this change restores
 * @throws DomainError NOT_FOUND, FORBIDDEN
 */
async function defaultBoard(trx: Knex.Transaction, access: Access, id: string, reachable: string) {
  const sql = BOARD_PLACE + reachable;
  const { rows } = await runStatement<{ game_id: string; account_id: string }>(trx, sql, [uuidOf(id)]);
  const board = rows[0];
  if (!board) throw notFound('Board');
  const place = { accountId: idOf('account', board.account_id), gameId: idOf('game', board.game_id) };
  requireAccount(access, place);
  return place;
}

function notOf(owner: 'account' | 'game'): DomainError {
  return new DomainError('BOARD_NOT_IN_GAME', `The default board must belong to the same ${owner}.`);
}
