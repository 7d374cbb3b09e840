import { randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import { uuid7, uuidOf } from '../../src/base/ids.js';
import type { BoardType, KeepStrategy, SortDirection } from '../../src/boards/board/board.js';
import type { TiePolicy } from '../../src/boards/board/tie-policy.js';
import type { Origin, Submission } from '../../src/submissions/facts/submission.js';

/** The records a score plane test needs, written straight into the tables. Ids prefixed. */
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
  /** Default: the earliest of equals first. */
  tiePolicy?: TiePolicy;
}

export async function makeBoard(knex: Knex, world: World, rules: BoardRules): Promise<string> {
  const id = uuid7();
  const columns = {
    board_type: rules.boardType,
    sort_direction: rules.sortDirection,
    keep_strategy: rules.keepStrategy,
    tie_policy: rules.tiePolicy ?? 'earliest',
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

/** A player who submits from a device, without a nonce. */
export interface Seat {
  identityId: string;
  origin: Omit<Extract<Origin, { kind: 'client' }>, 'nonce'>;
}

/** Players, each with a device and a new session. */
export async function makeSeats(knex: Knex, world: World, count: number): Promise<Seat[]> {
  const seats: Seat[] = [];
  for (const identityId of await makeIdentities(knex, world, count)) {
    const [device, session] = [uuid7(), uuid7()];
    const common = {
      account_id: uuidOf(world.accountId),
      game_id: uuidOf(world.gameId),
      identity_id: uuidOf(identityId),
      status: 'active',
      ...STAMPS,
    };
    await knex('devices').insert({
      ...{ id: device, client_fingerprint: device, platform: '', metadata: {} },
      ...{ first_seen_at: AT, last_seen_at: AT, ...common },
    });
    const end = new Date(AT.getTime() + 365 * 86_400_000);
    await knex('device_sessions').insert({
      ...{ id: session, device_id: device, test_mode: false, version: 1 },
      ...{ expires_at: end, refresh_expires_at: end, ...common },
    });
    const ids = { deviceId: `dev_${device}`, sessionId: `dse_${session}` };
    seats.push({ identityId, origin: { kind: 'client', gameId: world.gameId, version: 1, ...ids } });
  }
  return seats;
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
    metadata: of.amount % 3 === 0 ? null : { amount: String(of.amount) },
    place: { city: null, country: null, timezone: null },
    origin: { kind: 'admin', accountId: world.accountId, superAdmin: false },
    wantPreviousRank: false,
    idempotency: undefined,
    ...of,
  };
}

/** By the player's own client, with a fresh nonce. */
export function clientSubmission(
  world: World,
  boardId: string,
  { identityId, origin }: Seat,
  now: number,
  of: Partial<Submission> & Pick<Submission, 'amount'>,
): Submission {
  const nonce = { uuid: randomUUID(), expiresAt: new Date(now + 60_000) };
  return submissionOf(world, boardId, identityId, { isTest: false, origin: { ...origin, nonce }, ...of });
}

/**
 * Like a review: a ruling takes a number in the board's sequence, then the event's player is derived again. Bare
 * ids.
 */
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
    await trx.raw('select rederive(board_id, ?::uuid[], ?) from board_rankings where board_id = ?', [
      [identityId],
      at,
      board,
    ]);
  });
}

/** Changes the rules of a board. @param small up to which size this happens immediately */
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
    await trx('boards')
      .where('id', board)
      .update({
        board_type: rules.boardType,
        sort_direction: rules.sortDirection,
        keep_strategy: rules.keepStrategy,
        tie_policy: rules.tiePolicy ?? 'earliest',
      });
    await trx.raw('select apply_rules(?, ?, ?)', [board, at, small]);
  });
}

/** Changes a tag of a player; boards follow once a process picks it up. */
export async function setTag(
  knex: Knex,
  identityId: string,
  name: string,
  value: string | null,
  now: Date,
): Promise<void> {
  const identity_id = uuidOf(identityId);
  await knex.transaction(async (trx) => {
    const tags = trx('player_tags');
    if (value === null) await tags.where({ identity_id, name }).delete();
    else {
      await tags
        .insert({ identity_id, name, value, updated_at: now })
        .onConflict(['identity_id', 'name'])
        .merge();
    }
    const due = { identity_id, ticket: randomUUID(), leased_until: now };
    await trx('player_tags_due').insert(due).onConflict('identity_id').merge();
  });
}
