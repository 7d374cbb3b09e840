import type { Queryable } from '../../db/pool.js';
import { notFound } from '../../errors.js';
import { idOf, uuidOf } from '../../ids.js';
import type { OrderKey } from '../read.js';
import { bestSlotOf } from './place.js';

/** Where a watched player stands: its best score, and who is right above it. Ids prefixed. */
export interface Standing extends OrderKey {
  rank: number;
  value: number;
  valueDisplay: string | null;
  playerName: string;
  above: { value: number; playerName: string; identityId: string } | null;
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
  /** By identity id; who is not on the board is missing. */
  of: Map<string, Standing>;
}

// Everybody by the keys of a few index pages each: no statement for each of thousands.
const STANDINGS = {
  name: 'watched_standings',
  text: `
    with b as materialized (
      select board_id, generation, version, seq, board_type, numerator_seq, denominator_seq, ranked_count(board_id, generation, $2::boolean) as entry_count
      from board_rankings where board_id = $1::uuid)
    select b.version, b.seq, b.entry_count, b.numerator_seq, b.denominator_seq, b.board_type = 'ratio' as is_ratio, (
      select json_agg(json_build_array(u.id, r.rank, e.rank_key, e.seq, e.value, e.value_display, e.player_name,
        a.value, a.player_name, a.identity_id))
      from (select w.id, ${bestSlotOf('w.id')} as slot from unnest($3::uuid[]) w(id)) u
      cross join lateral (select x.* from entries x
        where x.board_id = b.board_id and x.generation = b.generation and x.is_test = $2::boolean and x.slot = u.slot and x.ranked limit 1) e
      cross join lateral rank_of(b.board_id, b.generation, $2::boolean, e.rank_key, e.seq) r
      left join lateral (select x.value, x.player_name, x.identity_id from entries x
        where x.board_id = b.board_id and x.generation = b.generation and x.is_test = $2::boolean and x.ranked
          and (x.rank_key, x.seq) < (e.rank_key, e.seq)
        order by x.rank_key desc, x.seq desc limit 1) a on true) as standings
    from b`,
};

type Row = [
  id: string,
  rank: number,
  rankKey: number | string,
  seq: number,
  value: number,
  valueDisplay: string | null,
  playerName: string,
  aboveValue: number | null,
  aboveName: string | null,
  aboveIdentity: string | null,
];

interface StandingsRow {
  version: number;
  seq: number;
  entry_count: number;
  is_ratio: boolean;
  numerator_seq: number | null;
  denominator_seq: number | null;
  standings: Row[] | null;
}

function standingOf(row: Row): Standing {
  const [, rank, rankKey, seq, value, valueDisplay, playerName, aboveValue, aboveName, aboveIdentity] = row;
  const above =
    aboveIdentity === null
      ? null
      : { value: aboveValue!, playerName: aboveName!, identityId: idOf('identity', aboveIdentity) };
  // JSON has no infinity: as a key it arrives as text.
  return { rank, rankKey: Number(rankKey), seq, value, valueDisplay, playerName, above };
}

/** Where these players stand now: one statement for all of them. @throws DomainError NOT_FOUND */
export async function readStandings(
  db: Queryable,
  boardId: string,
  isTest: boolean,
  identityIds: readonly string[],
): Promise<Standings> {
  const values = [uuidOf(boardId), isTest, identityIds.map(uuidOf)];
  const { rows } = await db.query<StandingsRow>({ ...STANDINGS, values });
  const [row] = rows;
  if (!row) throw notFound('Board');
  const { version, seq, entry_count: entryCount, is_ratio: isRatio } = row;
  const [numeratorSeq, denominatorSeq] = [row.numerator_seq ?? 0, row.denominator_seq ?? 0];
  const of = new Map((row.standings ?? []).map((one) => [idOf('identity', one[0]), standingOf(one)]));
  return { version, marks: { seq, isRatio, numeratorSeq, denominatorSeq }, entryCount, of };
}
