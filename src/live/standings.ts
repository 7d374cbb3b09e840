import { notFound } from '../base/errors.js';
import { idOf, uuidOf } from '../base/ids.js';
import type { Queryable } from '../db/pool.js';
import { isOwn, type RankingAddress } from '../rankings/address.js';
import type { OrderKey } from '../rankings/order.js';
import { type Both, ofRanking, type RankedQuery } from '../rankings/ranked.js';
import { droppedRanking, goneView } from '../rankings/window.js';
import {
  type BoardStateRow,
  STANDINGS_BY_KEYS,
  STANDINGS_BY_SCAN,
  type StandingRow,
  type StandingsRow,
} from './standings-sql.js';

/** An entry with the player's name. Ids prefixed. */
export interface NamedEntry extends OrderKey {
  identityId: string;
  /** The display rank; null: the unique rank. */
  displayRank: number | null;
  value: number;
  valueDisplay: string | null;
  playerName: string;
}

/** A watched player's place: the best entry and the score right above it. */
export interface Standing extends NamedEntry {
  rank: number;
  above: NamedEntry | null;
  /** Differs whenever a field of the standing as read differs; `UNKNOWN` after the standing was updated from moves without a read. */
  mark: string;
}

/** Progress of a board's events. */
export interface Marks {
  /** The newest event or ruling. */
  seq: number;
  /** For a ratio board: how far it has read its sources. */
  isRatio: boolean;
  numeratorSeq: number;
  denominatorSeq: number;
}

/** Standings of players in a population of a ranking at one instant. */
export interface Standings {
  version: number;
  marks: Marks;
  entryCount: number;
  /** Equal values share a display rank, so moves do not determine the next state. */
  sharesRanks: boolean;
  /** Standings by identity id; undefined: not on the board. */
  byPlayer: ReadonlyMap<string, Standing | undefined>;
  /** Players whose standings may differ from the previous ones. */
  changed: ReadonlySet<string>;
}

/** The mark of a player that is not on the board. */
const ABSENT = '-';
/** The mark of a standing that was not read in its current form. */
export const UNKNOWN = '';

/** Looking one player up by key costs as much as scanning this many entries. */
const SCANNED_FOR_ONE = 12;

/**
 * Reads these players' current standings in one statement, which returns those that moved. If many of the ranking's
 * players are watched, all entries are scanned once.
 * @param before the standings read last, of the same ranking and population
 * @throws DomainError NOT_FOUND, INVALID_VIEW for a view that was dropped, and for a ranking of which only podium
 * and total are left
 */
export async function readStandings(
  db: Queryable,
  ranking: RankingAddress,
  isTest: boolean,
  identityIds: readonly string[],
  before?: Standings,
): Promise<Standings> {
  const marks = identityIds.map((id) => `"${uuidOf(id)}":"${markIn(before, id)}"`);
  const values = [isTest, `{${marks.join()}}`];
  const read = async (query: Both<RankedQuery>) => {
    const [row] = (await db.query<StandingsRow>(ofRanking(query, ranking, values))).rows;
    if (!row) throw isOwn(ranking) ? notFound('Board') : goneView();
    if (row.state === 'dropped') throw droppedRanking();
    return standingsOf(row, identityIds, before);
  };
  if (before && !before.sharesRanks && before.entryCount <= identityIds.length * SCANNED_FOR_ONE) {
    const { standings, found } = await read(STANDINGS_BY_SCAN);
    // A scan only finds players on the board; others are looked up.
    if (found === presentStanding(standings) && !standings.sharesRanks) return standings;
  }
  return (await read(STANDINGS_BY_KEYS)).standings;
}

function markIn(before: Standings | undefined, id: string): string {
  if (!before?.byPlayer.has(id)) return UNKNOWN;
  return before.byPlayer.get(id)?.mark ?? ABSENT;
}

function presentStanding({ byPlayer }: Standings): number {
  let count = 0;
  for (const standing of byPlayer.values()) if (standing) count += 1;
  return count;
}

function standingsOf(
  row: StandingsRow,
  identityIds: readonly string[],
  before: Standings | undefined,
): { standings: Standings; found: number | null } {
  const byPlayer = new Map<string, Standing | undefined>();
  for (const id of identityIds) byPlayer.set(id, before?.byPlayer.get(id));
  const changed = new Set<string>();
  for (const one of row.changed ?? []) {
    const id = idOf('identity', one[0]);
    byPlayer.set(id, standingOf(one));
    changed.add(id);
  }
  return { standings: { ...liveStateOf(row), byPlayer, changed }, found: row.found };
}

/** Progress of a board. */
export function liveStateOf(
  row: BoardStateRow,
): Pick<Standings, 'version' | 'marks' | 'entryCount' | 'sharesRanks'> {
  const { version, seq, entry_count: entryCount, is_ratio: isRatio, shares_ranks: sharesRanks } = row;
  const [numeratorSeq, denominatorSeq] = [row.numerator_seq ?? 0, row.denominator_seq ?? 0];
  return { version, marks: { seq, isRatio, numeratorSeq, denominatorSeq }, entryCount, sharesRanks };
}

function standingOf(row: StandingRow): Standing | undefined {
  const [id, mark, rank, rankKey, seq, value, valueDisplay, playerName] = row;
  if (rank === null) return undefined;
  const above = aboveOf(row[8], row[9], row[10], row[11], row[12], row[15], row[14]);
  return {
    identityId: idOf('identity', id),
    rank,
    displayRank: row[13],
    rankKey: Number(rankKey),
    seq: seq!,
    value: value!,
    valueDisplay,
    playerName: playerName!,
    above,
    mark: mark!,
  };
}

/** @param rankKey JSON has no infinity, so it arrives as text */
export function aboveOf(
  value: number | null,
  playerName: string | null,
  identity: string | null,
  rankKey: number | string | null,
  seq: number | null,
  valueDisplay: string | null,
  displayRank: number | null = null,
): NamedEntry | null {
  if (identity === null) return null;
  const identityId = idOf('identity', identity);
  return {
    ...{ value: value!, valueDisplay, playerName: playerName!, identityId, displayRank },
    ...{ rankKey: Number(rankKey), seq: seq! },
  };
}
