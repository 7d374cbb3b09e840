import { notFound } from '../../base/errors.js';
import { idOf, uuidOf } from '../../base/ids.js';
import type { Queryable } from '../../db/pool.js';
import type { OrderKey } from '../order.js';
import {
  type BoardStateRow,
  STANDINGS_BY_KEYS,
  STANDINGS_BY_SCAN,
  type StandingRow,
  type StandingsRow,
} from './standings-sql.js';

/** The score right above another. */
export interface Above extends OrderKey {
  value: number;
  playerName: string;
  identityId: string;
}

/** Where a watched player stands: its best score, and who is right above it. Ids prefixed. */
export interface Standing extends OrderKey {
  identityId: string;
  rank: number;
  value: number;
  valueDisplay: string | null;
  playerName: string;
  above: Above | null;
  /** Another one whenever anything of it is, as it was read; `UNKNOWN` once it was moved on by what happened. */
  mark: string;
}

/** How far a board's events have come. */
export interface Marks {
  /** The newest event or ruling. */
  seq: number;
  /** Of a ratio board: what it has taken from its sources. */
  isRatio: boolean;
  numeratorSeq: number;
  denominatorSeq: number;
}

/** Players of one population, of one instant. */
export interface Standings {
  version: number;
  marks: Marks;
  entryCount: number;
  /** By identity id; undefined: not on the board. */
  of: ReadonlyMap<string, Standing | undefined>;
  /** Whose may differ from the standings before. */
  changed: ReadonlySet<string>;
}

/** The mark of who is not on the board. */
const ABSENT = '-';
/** The mark of what was not read as it is now. */
export const UNKNOWN = '';

/** Looking one player up by keys costs as much as passing over so many entries. */
const SCANNED_FOR_ONE = 12;

/**
 * Where these players stand now: one statement for all of them, which answers those that moved. Where many of the board's
 * players are watched all entries are passed over once.
 * @param before what was read last: of the same board and population
 * @throws DomainError NOT_FOUND
 */
export async function readStandings(
  db: Queryable,
  boardId: string,
  isTest: boolean,
  identityIds: readonly string[],
  before?: Standings,
): Promise<Standings> {
  const marks = identityIds.map((id) => `"${uuidOf(id)}":"${markIn(before, id)}"`);
  const values = [uuidOf(boardId), isTest, `{${marks.join()}}`];
  const read = async (query: { name: string; text: string }) =>
    standingsOf((await db.query<StandingsRow>({ ...query, values })).rows[0], identityIds, before);
  if (before && before.entryCount <= identityIds.length * SCANNED_FOR_ONE) {
    const { standings, found } = await read(STANDINGS_BY_SCAN);
    // A scan meets who is there; who is not there any more is looked for.
    if (found === present(standings)) return standings;
  }
  return (await read(STANDINGS_BY_KEYS)).standings;
}

function markIn(before: Standings | undefined, id: string): string {
  if (!before?.of.has(id)) return UNKNOWN;
  return before.of.get(id)?.mark ?? ABSENT;
}

function present({ of }: Standings): number {
  let count = 0;
  for (const standing of of.values()) if (standing) count += 1;
  return count;
}

function standingsOf(
  row: StandingsRow | undefined,
  identityIds: readonly string[],
  before: Standings | undefined,
): { standings: Standings; found: number | null } {
  if (!row) throw notFound('Board');
  const of = new Map<string, Standing | undefined>();
  for (const id of identityIds) of.set(id, before?.of.get(id));
  const changed = new Set<string>();
  for (const one of row.changed ?? []) {
    const id = idOf('identity', one[0]);
    of.set(id, standingOf(one));
    changed.add(id);
  }
  return { standings: { ...boardStateOf(row), of, changed }, found: row.found };
}

/** How far a board has come. */
export function boardStateOf(row: BoardStateRow): Pick<Standings, 'version' | 'marks' | 'entryCount'> {
  const { version, seq, entry_count: entryCount, is_ratio: isRatio } = row;
  const [numeratorSeq, denominatorSeq] = [row.numerator_seq ?? 0, row.denominator_seq ?? 0];
  return { version, marks: { seq, isRatio, numeratorSeq, denominatorSeq }, entryCount };
}

function standingOf(row: StandingRow): Standing | undefined {
  const [id, mark, rank, rankKey, seq, value, valueDisplay, playerName] = row;
  if (rank === null) return undefined;
  const above = aboveOf(row[8], row[9], row[10], row[11], row[12]);
  return {
    identityId: idOf('identity', id),
    rank,
    rankKey: Number(rankKey),
    seq: seq!,
    value: value!,
    valueDisplay,
    playerName: playerName!,
    above,
    mark: mark!,
  };
}

/** @param rankKey JSON has no infinity: as a key it arrives as text */
export function aboveOf(
  value: number | null,
  playerName: string | null,
  identity: string | null,
  rankKey: number | string | null,
  seq: number | null,
): Above | null {
  if (identity === null) return null;
  const identityId = idOf('identity', identity);
  return { value: value!, playerName: playerName!, identityId, rankKey: Number(rankKey), seq: seq! };
}
