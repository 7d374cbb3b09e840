import type { Knex } from 'knex';
import { uuid7, uuidOf } from '../../src/ids.js';
import type { BoardType, KeepStrategy, SortDirection, Submission } from '../../src/scores/submission.js';

/** The records that a score plane test stands on, written straight into the tables. Ids prefixed. */
export interface World {
  accountId: string;
  gameId: string;
}

const AT = new Date('2026-01-01T00:00:00Z');
const STAMPS = { created_at: AT, updated_at: AT };

export async function makeWorld(knex: Knex): Promise<World> {
  const account = uuid7();
  const game = uuid7();
  const slug = `world-${account.slice(-12)}`;
  await knex('accounts').insert({ id: account, name: slug, slug, status: 'active', ...STAMPS });
  await knex('games').insert({
    id: game,
    account_id: account,
    name: slug,
    slug,
    anti_cheat_enabled: false,
    tags: [],
    ...STAMPS,
  });
  return { accountId: `acc_${account}`, gameId: `gam_${game}` };
}

export interface BoardRules {
  boardType: BoardType;
  sortDirection: SortDirection;
  keepStrategy: KeepStrategy;
}

export async function makeBoard(knex: Knex, world: World, rules: BoardRules): Promise<string> {
  const id = uuid7();
  const columns = {
    board_type: rules.boardType,
    sort_direction: rules.sortDirection,
    keep_strategy: rules.keepStrategy,
  };
  await knex('boards').insert({
    id,
    account_id: uuidOf(world.accountId),
    game_id: uuidOf(world.gameId),
    name: `board ${id}`,
    slug: `board-${id.slice(-12)}`,
    short_code: id.replaceAll('-', '').slice(-16).toUpperCase(),
    is_active: true,
    is_published: true,
    tags: [],
    ...columns,
    ...STAMPS,
  });
  await knex('board_rankings').insert({ board_id: id, generation: 1, seq: 0, version: 0, ...columns });
  return `brd_${id}`;
}

export async function makeIdentities(knex: Knex, world: World, count: number): Promise<string[]> {
  const rows = Array.from({ length: count }, (_, i) => ({
    id: uuid7(),
    account_id: uuidOf(world.accountId),
    game_id: uuidOf(world.gameId),
    kind: 'custom',
    external_key: `player ${i} ${uuid7()}`,
    display_name: `Player ${i}`,
    ...STAMPS,
  }));
  await knex.batchInsert('identities', rows, 500);
  return rows.map((row) => `ide_${row.id}`);
}

/** A submission by the account's own administrator. */
export function submissionOf(
  world: World,
  boardId: string,
  identityId: string,
  of: Partial<Submission> & Pick<Submission, 'amount' | 'isTest'>,
): Submission {
  return {
    eventId: `sev_${uuid7()}`,
    boardId,
    identityId,
    playerName: undefined,
    valueDisplay: null,
    metadata: null,
    place: { city: null, country: null, timezone: null },
    origin: { kind: 'admin', accountId: world.accountId, superAdmin: false },
    wantPreviousRank: false,
    idempotency: undefined,
    ...of,
  };
}

/** As a review does: a ruling takes a number of the board's sequence, then the event's player is derived again. Bare ids. */
export async function ruleOn(
  knex: Knex,
  boardId: string,
  { eventId, identityId }: { eventId: string; identityId: string },
  effect: 'exclude' | 'include' | 'review',
  at: Date,
): Promise<void> {
  const board = uuidOf(boardId);
  await knex.transaction(async (trx) => {
    const [row] = await trx('board_rankings').where('board_id', board).increment('seq', 1).returning('seq');
    await trx('rulings').insert({ board_id: board, seq: row.seq, event_id: eventId, effect, ruled_at: at });
    await trx.raw(
      'select rederive(board_id, generation, ?::uuid[], ?) from board_rankings where board_id = ?',
      [[identityId], at, board],
    );
  });
}

/** Has a board served by other rules. @param small up to what size it is done at once */
export async function changeRules(
  knex: Knex,
  boardId: string,
  rules: BoardRules,
  at: Date,
  small: number,
): Promise<void> {
  const board = uuidOf(boardId);
  await knex.transaction(async (trx) => {
    await trx('board_rankings').where('board_id', board).forUpdate().first();
    await trx('boards').where('id', board).update({
      board_type: rules.boardType,
      sort_direction: rules.sortDirection,
      keep_strategy: rules.keepStrategy,
    });
    await trx.raw('select follow_rules(?, ?, ?)', [board, at, small]);
  });
}
