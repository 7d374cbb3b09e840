import type pg from 'pg';
import { idOf, uuidOf } from '../base/ids.js';
import { inSnapshot, type Queryable } from '../db/pool.js';
import { isOwn, type RankingAddress } from '../rankings/address.js';
import { compareKeys, countBefore, isBefore, type OrderKey } from '../rankings/order.js';
import { type Mover, readMovers } from './movers.js';
import {
  aboveOf,
  liveStateOf,
  type NamedEntry,
  readStandings,
  type Standing,
  type Standings,
  UNKNOWN,
} from './standings.js';
import { type AboveRow, MOVES, type MoveRow, type MovesRow, NEXT_ABOVE } from './standings-sql.js';

/** Reading one player's standing costs as much as reading this many events. */
const EVENTS_FOR_ONE = 16;
/** A board that was unreachable for a long time is read completely, so that the events in memory are bounded. */
const MOST_EVENTS = 5_000;

const NO_MOVERS: Promise<readonly Mover[]> = Promise.resolve([]);

/** Prefixed ids of players; players are added and removed at any time. */
type WatchedRanks = Pick<ReadonlyMap<string, unknown>, 'has' | 'keys' | 'size'>;

/** Source of a round's standings. */
export type Way = 'moved' | 'read';

export interface Followed extends Standings {
  way: Way;
  /**
   * Scores that moved since the previous state, in order of rank; empty unless requested. A failure rejects only
   * for callers that await it.
   */
  movers: Promise<readonly Mover[]>;
}

/**
 * Current standings of the watched players, all at one instant: the previous state, updated by the submissions
 * since. Reads only the players who moved themselves, and those with a different player right above. Reads
 * everything if submissions are not enough: after rulings, changed rules and rounds of a ratio, after very many
 * submissions, where equal values share a display rank, in rankings of views, whose moves are not stored, and the
 * first time.
 * @param before the previous state, of the same ranking and population
 * @param withMovers read in the same instant: later entries would show players as overtaken too early
 * @throws DomainError as {@link readStandings}
 */
export async function followStandings(
  pool: pg.Pool,
  ranking: RankingAddress,
  isTest: boolean,
  watched: WatchedRanks,
  before?: Standings,
  withMovers = false,
): Promise<Followed> {
  const read = async (db: Queryable): Promise<Followed> => ({
    ...(await readStandings(db, ranking, isTest, [...watched.keys()], before)),
    way: 'read',
    movers: NO_MOVERS,
  });
  const hasMoves = isOwn(ranking) && !before?.sharesRanks;
  if (!before || !(hasMoves || withMovers)) return read(pool);
  return inSnapshot(pool, async (client) => {
    const population = { client, ranking, isTest };
    const row = hasMoves ? await readMoves(population, before, watched.size) : undefined;
    const now: Followed = row?.moves
      ? {
          ...(await moved(population, row, row.moves.map(moveOf), watched, before)),
          way: 'moved',
          movers: NO_MOVERS,
        }
      : await read(client);
    if (!withMovers) return now;
    const movers = readMovers(client, ranking.boardId, isTest, before.marks, now.marks);
    await movers.catch(() => undefined);
    return { ...now, movers };
  });
}

/** A population of a ranking, from one snapshot. */
interface Population {
  client: Queryable;
  ranking: RankingAddress;
  isTest: boolean;
}

async function readMoves(
  { client, ranking, isTest }: Population,
  { marks, version }: Standings,
  players: number,
): Promise<MovesRow | undefined> {
  const most = Math.min(MOST_EVENTS, players * EVENTS_FOR_ONE);
  const values = [uuidOf(ranking.boardId), isTest, marks.seq, version, most];
  return (await client.query<MovesRow>({ ...MOVES, values })).rows[0];
}

function moveOf([identity, rankKey, seq, replacedKey, replacedSeq]: MoveRow): SubmittedMove {
  const from = replacedKey === null ? null : { rankKey: replacedKey, seq: replacedSeq };
  return { identityId: idOf('identity', identity), from, to: { rankKey, seq } };
}

async function moved(
  population: Population,
  row: MovesRow,
  moves: readonly SubmittedMove[],
  watched: WatchedRanks,
  before: Standings,
): Promise<Standings> {
  const movers = new Set(moves.map(({ identityId }) => identityId));
  const [stayed, absent, unknown]: [Standing[], string[], string[]] = [[], [], []];
  for (const [id, standing] of before.byPlayer) {
    if (!watched.has(id)) continue;
    if (movers.has(id)) unknown.push(id);
    else if (standing) stayed.push(standing);
    else absent.push(id);
  }
  if (stayed.length + absent.length + unknown.length < watched.size) {
    for (const id of watched.keys()) if (!before.byPlayer.has(id)) unknown.push(id);
  }
  // One pass: all players except those who moved are still sorted.
  const { standings, changed, besides } = moveOn(stayed.sort(compareKeys), moves);
  const [read, above] = await Promise.all([
    readWatchedStandings(population, unknown),
    lookAbove(population, besides),
  ]);

  for (const standing of besides) standing.above = above.get(standing.identityId) ?? null;
  const byPlayer = new Map<string, Standing | undefined>();
  for (const standing of standings) byPlayer.set(standing.identityId, standing);
  for (const id of unknown) byPlayer.set(id, read.get(id));
  for (const id of absent) byPlayer.set(id, undefined);
  const differing = new Set(unknown);
  for (const { identityId } of changed) differing.add(identityId);
  return { ...liveStateOf(row), byPlayer, changed: differing };
}

async function readWatchedStandings(
  { client, ranking, isTest }: Population,
  ids: readonly string[],
): Promise<Standings['byPlayer']> {
  return ids.length === 0 ? new Map() : (await readStandings(client, ranking, isTest, ids)).byPlayer;
}

async function lookAbove(
  { client, ranking, isTest }: Population,
  keys: readonly Standing[],
): Promise<Map<string, NamedEntry | null>> {
  if (keys.length === 0) return new Map();
  const { rows } = await client.query<{ above: AboveRow[] }>({
    ...NEXT_ABOVE,
    values: [
      uuidOf(ranking.boardId),
      isTest,
      keys.map(({ identityId }) => uuidOf(identityId)),
      keys.map(({ rankKey }) => rankKey),
      keys.map(({ seq }) => seq),
    ],
  });
  return new Map(rows[0]!.above.map(([id, ...above]) => [idOf('identity', id), aboveOf(...above)]));
}

/** Effect of a submission on the order of its population. */
interface SubmittedMove {
  identityId: string;
  /** The key that was removed; null: none was. */
  from: OrderKey | null;
  to: OrderKey;
}

interface MovedOn {
  /** In board order; unchanged standings are the same objects. */
  standings: Standing[];
  /** The changed standings. */
  changed: Standing[];
  /** Changed standings whose next player above left or was displaced: the next player above must be looked up. */
  besides: Standing[];
}

/** Written out, as thousands are made per tick: a generic copy looks up every property. */
function atRank(
  { identityId, value, valueDisplay, playerName, above, rankKey, seq }: Standing,
  rank: number,
): Standing {
  const displayRank = null;
  return {
    identityId,
    rank,
    displayRank,
    rankKey,
    seq,
    value,
    valueDisplay,
    playerName,
    above,
    mark: UNKNOWN,
  };
}

/**
 * Applies moves to ranks: no player has to be looked up for the moves of others. Costs one search per move, and one pass.
 * @param order players in board order, without the players of the moves
 */
function moveOn(order: readonly Standing[], moves: readonly SubmittedMove[]): MovedOn {
  // Change of rank from a position on.
  const shifts = new Int32Array(order.length + 1);
  const besides = new Set<number>();
  for (const { from, to } of moves) {
    if (from) {
      const place = countBefore(order, from);
      shifts[place]! -= 1;
      const above = order[place]?.above;
      if (above?.seq === from.seq && above.rankKey === from.rankKey) besides.add(place);
    }
    const place = countBefore(order, to);
    shifts[place]! += 1;
    // Only the first player below the key: for later ones, the next player above does not change.
    const next = order[place];
    if (next && !(next.above && isBefore(to, next.above))) besides.add(place);
  }
  const moved: MovedOn = { standings: [], changed: [], besides: [] };
  let shift = 0;
  for (let place = 0; place < order.length; place += 1) {
    shift += shifts[place]!;
    const isBeside = besides.has(place);
    const standing = order[place]!;
    if (shift === 0 && !isBeside) {
      moved.standings.push(standing);
      continue;
    }
    const now = atRank(standing, standing.rank + shift);
    moved.standings.push(now);
    moved.changed.push(now);
    if (isBeside) moved.besides.push(now);
  }
  return moved;
}
