import type { Knex } from 'knex';
import { idOf, uuidOf } from '../../base/ids.js';
import type { Board } from '../../boards/board/board.js';
import type { PodiumPlace } from '../../boards/views/rows.js';
import { type PageRequest, readPage, windowOf } from '../../db/keyset.js';
import { runStatement } from '../../db/pool.js';
import { encodeCursor, orderPart } from '../../db/sort.js';
import type { Context } from '../../graphql/context.js';
import type { ChosenRanking } from '../../rankings/address.js';
import { withText } from '../value-text.js';
import { BoardGroup } from './view-records.js';

/** A place shown for a period. */
interface ShownPlace extends PodiumPlace {
  isDisqualified: boolean;
}

interface ListedPeriod {
  key: string;
  startsAt: Date;
  endsAt: Date;
  state: 'open' | 'closed' | 'dropped';
  /** Null for a view by tags. */
  totalCount: number | null;
  podium: ShownPlace[];
}

interface PeriodRow {
  number: number;
  key: string;
  starts_at: Date;
  ends_at: Date;
}

/** The rankings of a page's periods; of the served ones count and podium are read now. */
const RANKINGS = `
  select r.period_number as number, r.status, r.total_at_drop,
    case when r.status = 'dropped' then r.podium else ranking_podium(r.board_id, r.generation, :places) end as podium,
    case when r.status = 'dropped' then r.total_at_drop else ranked_count(r.board_id, r.generation, false) end as total
  from rankings r
  where r.board_id = :board and r.view_no = :view and r.period_number = any(:numbers::int[]) and r.group_key = ''
    and r.status <> 'building'`;

/** Periods of a view by tags without any ranking left. */
const DROPPED = `
  select u.number from unnest(:numbers::int[]) u(number)
  where exists (select from rankings r where r.board_id = :board and r.view_no = :view and r.period_number = u.number
    and r.status = 'dropped')
    and not exists (select from rankings r where r.board_id = :board and r.view_no = :view and r.period_number = u.number
      and r.status = 'live')`;

/** Players deleted since, and those excluded. Bare ids in and out. */
const FATES = `
  select u.identity_id, i.id is null or i.deleted_at is not null as gone,
    coalesce((select r.effect = 'exclude' from rulings r where r.board_id = :board and r.identity_id = u.identity_id
      order by r.seq desc limit 1), false)
    or coalesce((select not effect_counts(r.effect) from rulings r where r.board_id = :board and r.event_id = u.event_id
      order by r.seq desc limit 1), false)
      as excluded
  from unnest(:identities::uuid[], :events::uuid[]) u(identity_id, event_id)
  left join identities i on i.id = u.identity_id`;

interface RankingRow {
  number: number;
  status: 'live' | 'dropped';
  podium: PodiumPlace[] | null;
  total: number;
}

interface ListedView {
  view_no: number;
  name: string;
  by_tags: string[];
  keep_podium: number;
}

const PERIOD_ORDER = {
  text: 'periods',
  parts: [orderPart({ column: 'p.number', kind: 'integer' }, 'desc')],
};

/**
 * Periods of a view that have started, newest first. @param around number of a period: the page is the one around
 * it
 */
export async function listPeriods(
  context: Context,
  board: Board,
  view: ListedView,
  page: PageRequest,
  around?: number,
) {
  const { db } = context;
  const now = new Date(context.clock());
  const base = db('view_periods as p')
    .select('p.number', 'p.key', 'p.starts_at', 'p.ends_at')
    .where({ 'p.board_id': uuidOf(board.id), 'p.view_no': view.view_no })
    .where('p.starts_at', '<=', now);
  if (board.startsAt) base.where('p.ends_at', '>', board.startsAt);
  if (board.endsAt) base.where('p.starts_at', '<', board.endsAt);
  const filters = { board_id: board.id, view: view.name };
  const newer = around === undefined ? 0 : around + 1 + Math.floor(windowOf(page).size / 2);
  const request =
    newer === 0 ? page : { ...page, after: encodeCursor(PERIOD_ORDER, filters, { number: newer }, 'f') };
  return readPage({ db, base, order: PERIOD_ORDER, filters, request }, (rows) =>
    periodsOf(db, board, view, rows as unknown as PeriodRow[], now),
  );
}

async function periodsOf(
  db: Knex,
  board: Board,
  view: ListedView,
  rows: PeriodRow[],
  now: Date,
): Promise<ListedPeriod[]> {
  const key = { board: uuidOf(board.id), view: view.view_no, numbers: rows.map(({ number }) => number) };
  const isGrouped = view.by_tags.length > 0;
  const dropped = new Set<number>();
  let rankings = new Map<number, RankingRow>();
  if (isGrouped) {
    const gone = await runStatement<{ number: number }>(db, DROPPED, key);
    for (const { number } of gone.rows) dropped.add(number);
  } else {
    const shown = await runStatement<RankingRow>(db, RANKINGS, {
      ...key,
      places: Math.max(3, view.keep_podium),
    });
    rankings = new Map(shown.rows.map((row) => [row.number, row]));
    for (const { number, status } of shown.rows) if (status === 'dropped') dropped.add(number);
  }
  const places = await shownPlaces(
    db,
    board,
    [...rankings.values()].filter(({ status }) => status === 'dropped'),
  );
  return rows.map(({ number, key, starts_at, ends_at }) => {
    const ranking = rankings.get(number);
    const live = ranking?.status === 'live' ? (ranking.podium ?? []) : [];
    return {
      key,
      // A board takes no submissions outside of its own bounds.
      startsAt: board.startsAt && board.startsAt > starts_at ? board.startsAt : starts_at,
      endsAt: board.endsAt && board.endsAt < ends_at ? board.endsAt : ends_at,
      state: dropped.has(number) ? 'dropped' : stateOf(board, ends_at, now),
      totalCount: isGrouped ? null : (ranking?.total ?? 0),
      podium: (places.get(number) ?? live.map((place) => ({ ...place, isDisqualified: false }))).map(
        (place) => withText(board, place),
      ),
    };
  });
}

function stateOf(board: Board, endsAt: Date, now: Date): 'open' | 'closed' {
  return endsAt > now && !(board.endsAt && board.endsAt <= now) ? 'open' : 'closed';
}

/** Podiums of dropped rankings: deleted players are left out, places stay. */
async function shownPlaces(
  db: Knex,
  board: Board,
  rankings: readonly RankingRow[],
): Promise<Map<number, ShownPlace[]>> {
  const all = rankings.flatMap(({ podium }) => podium ?? []);
  if (all.length === 0) return new Map();
  const { rows } = await runStatement<{ identity_id: string; gone: boolean; excluded: boolean }>(db, FATES, {
    board: uuidOf(board.id),
    identities: all.map(({ identityId }) => uuidOf(identityId)),
    events: all.map(({ scoreId }) => uuidOf(scoreId)),
  });
  const fates = new Map(rows.map((row) => [idOf('identity', row.identity_id), row]));
  return new Map(
    rankings.map(({ number, podium }) => [
      number,
      (podium ?? []).flatMap((place) => {
        const fate = fates.get(place.identityId);
        return !fate || fate.gone ? [] : [{ ...place, isDisqualified: fate.excluded }];
      }),
    ]),
  );
}

const GROUP_ORDER = {
  text: 'groups',
  parts: [orderPart({ column: 'r.group_key', kind: 'text' }, 'asc')],
};

interface GroupRow {
  group_key: string;
  status: 'live' | 'dropped';
  total: number;
}

/** Groups of a view's period that have or had entries, by their values. */
export async function listGroups(
  { db, clock }: Context,
  board: Board,
  view: ListedView,
  { period, span, key }: Pick<ChosenRanking, 'period' | 'span' | 'key'>,
  request: PageRequest,
) {
  const now = new Date(clock());
  const base = db('rankings as r')
    .select('r.group_key', 'r.status')
    .select(
      db.raw(
        `case when r.status = 'dropped' then r.total_at_drop else ranked_count(r.board_id, r.generation, false) end as total`,
      ),
    )
    .where({ 'r.board_id': uuidOf(board.id), 'r.view_no': view.view_no, 'r.period_number': period })
    .whereNot('r.status', 'building');
  const filters = { board_id: board.id, view: view.name, of: key };
  return readPage({ db, base, order: GROUP_ORDER, filters, request }, (rows) =>
    (rows as unknown as GroupRow[]).map(({ group_key, status, total }) => {
      const values = group_key.split(',');
      return Object.assign(new BoardGroup(), {
        key: group_key,
        where: Object.fromEntries(view.by_tags.map((tag, index) => [tag, values[index] ?? ''])),
        state: status === 'dropped' ? 'dropped' : span ? stateOf(board, new Date(span.endsAt), now) : 'open',
        totalCount: total,
      });
    }),
  );
}

const NEWEST_EVENT = `
  select e.country, e.tags
  from (
    select :board::uuid as id
    union all
    select u.id from ratio_configs c, unnest(array[c.numerator_board_id, c.denominator_board_id]) u(id) where c.board_id = :board) b
  cross join lateral (select v.country, v.tags, v.created_at from score_events v
    where v.board_id = b.id and v.is_test = :isTest and v.identity_id = :identity order by v.seq desc limit 1) e
  order by e.created_at desc limit 1`;

/**
 * Tags of a player's newest submission to a board or, for a ratio board, to one of its sources; undefined: none.
 */
export async function newestTags(
  db: Knex,
  boardId: string,
  isTest: boolean,
  identityId: string,
): Promise<Record<string, string | null> | undefined> {
  const { rows } = await runStatement<{ country: string | null; tags: Record<string, string | null> | null }>(
    db,
    NEWEST_EVENT,
    { board: uuidOf(boardId), isTest, identity: uuidOf(identityId) },
  );
  return rows[0] && { ...rows[0].tags, country: rows[0].country };
}
