import type { Knex } from 'knex';
import { isId, uuidOf } from '../../base/ids.js';
import type { RecordingAddresses } from '../../scores/recordings/address.js';
import type { WebhookEvent } from '../deliveries/event-row.js';
import { readClosings, type ToldClosing, toldClosing } from './closings.js';
import { readRewards, type ToldRewards, toldRewards } from './rewards.js';
import { readRuns, type ToldRun } from './runs.js';
import {
  boardOf,
  playerOf,
  readBoards,
  readPlayerNames,
  readTops,
  readTotals,
  type ToldBoard,
  type ToldEntry,
  toldEntry,
  topKey,
} from './standings.js';

const PODIUM = 3;

/** What an event tells. */
interface Told {
  data: object;
  players: string[];
}

/** The state that events are told with, read for a batch of them. */
interface States {
  boards: ReadonlyMap<string, ToldBoard>;
  tops: ReadonlyMap<string, ToldEntry[]>;
  totals: ReadonlyMap<string, number>;
  names: ReadonlyMap<string, string>;
  closings: ReadonlyMap<string, ToldClosing>;
  rewards: ToldRewards;
  runs: ReadonlyMap<string, ToldRun>;
}

/**
 * Makes the data of reported events from their subjects and the present state, with the board's version: a late event tells a
 * late state. Undefined for events that did not happen in the end: a board that was to open then.
 */
export async function dataOf(
  trx: Knex,
  events: readonly WebhookEvent[],
  now: Date,
  recordings: RecordingAddresses,
): Promise<Map<string, Told | undefined>> {
  const bare = events.filter(({ data }) => data === null);
  const boards = await readBoards(
    trx,
    bare.flatMap(({ boardId }) => (boardId ? [uuidOf(boardId)] : [])),
  );
  const closed = bare.flatMap(({ type, boardId }) =>
    type === 'board.closed' && boardId ? [uuidOf(boardId)] : [],
  );
  const podiums = closed.map((board) => ({ board, isTest: false, most: PODIUM }));
  const [tops, totals] =
    closed.length > 0
      ? [await readTops(trx, podiums), await readTotals(trx, closed)]
      : [new Map(), new Map()];
  const players = bare.flatMap(({ subject }) => playerIn(subject) ?? []);
  const closings = await readClosings(trx, bare);
  const rewards = await readRewards(trx, bare);
  const runs = await readRuns(trx, bare, recordings, now);
  const names = await readPlayerNames(trx, players);
  const states = { boards, tops, totals, names, closings, rewards, runs };
  return new Map(events.map((event) => [event.id, toldOf(event, states, now)]));
}

/** The bare uuid of the player that a subject names. */
function playerIn({ player_id: id }: Record<string, unknown>): string | undefined {
  return isId('identity', id) ? uuidOf(id) : undefined;
}

function toldOf(event: WebhookEvent, states: States, now: Date): Told | undefined {
  if (event.data) return { data: event.data, players: event.players };
  const { player_id: _, ...subject } = event.subject;
  const player = playerIn(event.subject);
  const named =
    player !== undefined && event.type !== 'player.erased'
      ? { player: playerOf(player, states.names.get(player) ?? null) }
      : {};
  const unnamed = event.type === 'player.erased' ? { player: { id: event.subject.player_id } } : {};
  const players = player === undefined ? [] : [player];
  if (!event.boardId) return { data: { ...subject, ...named, ...unnamed }, players };
  const board = states.boards.get(uuidOf(event.boardId));
  if (!board) return undefined;
  if (event.subject.reward_ids !== undefined) return toldRewards(event, board, states.rewards);
  const data = { board: boardOf(board), ...subject, ...named };
  if (event.type === 'run.verify') {
    const run = states.runs.get(String(subject.score_event_id));
    return run && { data: { ...data, ...run }, players };
  }
  const closing = event.subject.closing_id;
  if (closing !== undefined) {
    const told = toldClosing(event.type, board, states.closings.get(String(closing)));
    return told && { data: { board: boardOf(board), ...told.data }, players: told.players };
  }
  if (event.type === 'board.opened')
    return hasOpened(event, board, now) ? { data: { ...data, ...bounds(board) }, players } : undefined;
  if (event.type !== 'board.closed') return { data, players };
  const top = states.tops.get(topKey(board.id, false)) ?? [];
  const podium = top.map((entry) => toldEntry(board, entry));
  return {
    data: { ...data, ...bounds(board), podium, total: states.totals.get(board.id) ?? 0 },
    players: [...new Set(top.map(({ identity_id }) => identity_id))],
  };
}

/** Reported when it opened, or in advance: then it may have changed since. */
function hasOpened({ occurredAt, dueAt }: WebhookEvent, board: ToldBoard, now: Date): boolean {
  if (dueAt <= occurredAt) return true;
  const { is_active: active, starts_at: starts, ends_at: ends } = board;
  return active && (!starts || starts <= now) && (!ends || ends > now);
}

function bounds({ starts_at: starts, ends_at: ends }: ToldBoard) {
  return { starts_at: starts?.toISOString() ?? null, ends_at: ends?.toISOString() ?? null };
}
