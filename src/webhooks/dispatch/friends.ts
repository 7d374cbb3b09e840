import type pg from 'pg';
import { idOf, uuidOf } from '../../base/ids.js';
import { inSnapshot, type Queryable } from '../../db/pool.js';
import { type Mover, readMovers } from '../../live/movers.js';
import type { Marks } from '../../live/standings.js';
import { isBefore, type OrderKey } from '../../rankings/order.js';
import { bestSlotOf } from '../../rankings/ranked.js';
import type { OvertakenPlayer } from './overtaken.js';
import type { ToldEntry } from './standings.js';

/** Players who moved that are looked at, the first ones, and lists that one of them is on. */
const MOST_MOVERS = 1_000;
const MOST_LISTS = 1_000;
/** Players of one board that are reported at once, from the first rank on. */
const MOST_OVERTAKEN = 100;

/** A population of a board, and how far it was compared; null: not yet. Bare uuids. */
interface Compared {
  board: string;
  isTest: boolean;
  from: Marks | null;
}

export interface Passed {
  /** How far it is compared now. */
  to: Marks;
  overtaken: OvertakenPlayer[];
}

const MARKS = {
  name: 'webhook_marks',
  text: `select seq, board_type = 'ratio' as "isRatio", coalesce(numerator_seq, 0) as "numeratorSeq",
    coalesce(denominator_seq, 0) as "denominatorSeq"
    from board_rankings where board_id = $1::uuid`,
};

// Who lists one of the movers `m`, is behind it now, and was ahead of it: `w` is where it was, by its own move or because it stayed.
const PASSED = {
  name: 'webhook_friends_passed',
  text: `
    with b as materialized (
      select board_id, generation, board_type from board_rankings where board_id = $1::uuid
    ), m as materialized (
      select * from unnest($3::uuid[], $4::float8[], $5::bigint[], $6::float8[], $7::bigint[], $8::int[])
        m(id, rank_key, seq, before_key, before_seq, rank)
    ), passed as materialized (
      select distinct on (e.rank_key, e.seq) e.id, e.identity_id, e.player_name, e.value, e.value_display, e.rank_key, e.seq,
        b.board_id, b.generation,
        w.rank_key as was_key, w.seq as was_seq, m.id as by_identity, m.rank as by_rank, ${bestSlotOf('m.id')} as by_slot
      from b cross join (select * from m order by rank limit ${MOST_MOVERS}) m
      cross join lateral (select l.identity_id from friend_lists l where l.friend_id = m.id limit ${MOST_LISTS}) l
      cross join lateral (select x.* from entries x where x.board_id = b.board_id and x.generation = b.generation
        and x.is_test = $2::boolean
        and x.slot = ${bestSlotOf('l.identity_id')} and x.ranked limit 1) e
      left join m f on f.id = l.identity_id
      cross join lateral (select case when f.id is null then e.rank_key else f.before_key end as rank_key,
        case when f.id is null then e.seq else f.before_seq end as seq) w
      where (m.rank_key, m.seq) < (e.rank_key, e.seq) and w.rank_key is not null
        and (m.before_key is null or (w.rank_key, w.seq) < (m.before_key, m.before_seq))
      order by e.rank_key, e.seq, m.rank limit ${MOST_OVERTAKEN}
    )
    select p.id, p.identity_id, p.player_name, p.value, p.value_display, r.rank::int, p.was_key, p.was_seq, q.rank::int as was_rank,
      json_build_object('id', y.id, 'identity_id', p.by_identity, 'player_name', y.player_name, 'value', y.value,
        'value_display', y.value_display,
        'rank', p.by_rank) as by
    from passed p
    join entries y on y.board_id = p.board_id and y.generation = p.generation and y.is_test = $2::boolean
      and y.slot = p.by_slot and y.ranked
    cross join lateral rank_of(p.board_id, p.generation, $2::boolean, p.rank_key, p.seq) r
    cross join lateral rank_of(p.board_id, p.generation, $2::boolean, p.was_key, p.was_seq) q
    order by r.rank`,
};

type Entry = Omit<ToldEntry, 'board_id' | 'is_test'>;

interface PassedRow extends Entry {
  was_key: number;
  was_seq: number;
  /** Rank of where it was, among the entries of now. */
  was_rank: number;
  by: Entry;
}

/**
 * Players whom a player on their friend list overtook by a run of its own, for each of the boards: all in one snapshot. Who fell by
 * a run of its own was not overtaken by those who stayed.
 */
export function readPassedByFriends(pool: pg.Pool, boards: readonly Compared[]): Promise<Passed[]> {
  return inSnapshot(pool, async (db) => {
    const all: Passed[] = [];
    for (const one of boards) all.push(await passedOn(db, one));
    return all;
  });
}

async function passedOn(db: Queryable, { board, isTest, from }: Compared): Promise<Passed> {
  const to = (await db.query<Marks>({ ...MARKS, values: [board] })).rows[0]!;
  if (!from) return { to, overtaken: [] };
  const movers = await readMovers(db, idOf('board', board), isTest, from, to);
  if (movers.length === 0) return { to, overtaken: [] };
  const { rows } = await db.query<PassedRow>({
    ...PASSED,
    values: [
      board,
      isTest,
      movers.map(({ identityId }) => uuidOf(identityId)),
      movers.map(({ rankKey }) => rankKey),
      movers.map(({ seq }) => seq),
      movers.map(({ before }) => before?.rankKey ?? null),
      movers.map(({ before }) => before?.seq ?? null),
      movers.map(({ rank }) => rank),
    ],
  });
  const population = { board_id: board, is_test: isTest };
  const overtaken = rows.map(({ was_key, was_seq, was_rank, by, ...entry }) => ({
    overtaken: { ...population, ...entry },
    previousRank: formerRank({ rankKey: was_key, seq: was_seq }, was_rank, movers),
    by: { ...population, ...by },
  }));
  return { to, overtaken };
}

/** The rank of a place without the moves: those who came to be ahead of it are taken away, and those who left from there added. */
function formerRank(place: OrderKey, rank: number, movers: readonly Mover[]): number {
  let former = rank;
  for (const mover of movers) {
    if (isBefore(mover, place)) former -= 1;
    if (mover.before && isBefore(mover.before, place)) former += 1;
  }
  return former;
}
