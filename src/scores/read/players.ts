import type { Knex } from 'knex';
import { uuidOf } from '../../base/ids.js';
import { readPage } from '../../db/keyset.js';
import type { Queryable } from '../../db/pool.js';
import { orderOf, PageConnection, type SortedRequest } from '../../graphql/connection.js';
import type { Context } from '../../graphql/context.js';
import type { Identity } from '../../players/identities/identity.js';
import { type FindByNameArgs, findingOf } from '../../players/search.js';
import type { RankingAddress } from '../../rankings/address.js';
import { ofRanking, oneRanking } from '../../rankings/ranked.js';
import { type EntryKey, LISTED_COLUMNS, rankOfEntry, readScores, scoresOfRows } from '../../rankings/read.js';
import { ENTRY, SHOWN_EVENT } from '../../rankings/rows.js';
import type { Score } from '../../rankings/score.js';
import { SORTABLE } from '../sortable.js';
import { scoreInText } from '../value-text.js';
import { scoreFor } from '../visibility.js';
import type { TestFilter } from './list-request.js';

/** Players with a matching name to read, and where every run counts, the runs of all of them together. */
const PLAYERS_LOOKED_AT = 100;
const RUNS_LOOKED_AT = 1_000;

// Names are searched in the players' table, not in the ranking: an index there would cost every submission.
const FIND = oneRanking(
  'find_entries',
  { is_test: 'boolean', game_id: 'uuid', typed: 'text', beginnings: 'text[]', most: 'int' },
  (ranked, u) => `
    with u as materialized (select * from ${u}), named as materialized (
      select f.id from u cross join lateral find_players(u.game_id, u.typed, u.beginnings, ${PLAYERS_LOOKED_AT}) f(id)
    ), found as materialized (
      select e.*, b.tie_policy
      from u
      cross join lateral (${ranked.board}) b
      cross join named n
      cross join lateral (
        select x.* from entries x
        where b.board_type <> 'run_runs' and x.board_id = b.board_id and x.generation = b.generation
          and x.is_test = u.is_test and x.slot = n.id and x.ranked
        union all
        (select x.* from (
          select v.id from score_events v
          where b.board_type = 'run_runs' and v.board_id = b.board_id and v.is_test = u.is_test and v.identity_id = n.id
          order by v.seq desc limit (select ${RUNS_LOOKED_AT} / greatest(count(*), 1) from named)) v
        join entries x on x.board_id = b.board_id and x.generation = b.generation and x.is_test = u.is_test
          and x.slot = v.id and x.ranked
        order by x.rank_key, x.seq limit 1)) e
      order by e.rank_key, e.seq limit (select most from u)
    )
    select ${ENTRY} as entry, r.rank, d.rank as display
    from found e
    ${SHOWN_EVENT}
    ${rankOfEntry('e.tie_policy')}
    order by e.rank_key, e.seq`,
);

/**
 * Finds entries of players with a word of their present names that begins with a text, best first. Of very many matching players the
 * alphabetically first are read; where every run counts, each player's best of its newest runs is found: as many runs as
 * make {@link RUNS_LOOKED_AT} together.
 */
export async function findEntries(
  db: Queryable,
  gameId: string,
  ranking: RankingAddress,
  isTest: boolean,
  { name, first }: FindByNameArgs,
): Promise<Score[]> {
  const { values, ...query } = ofRanking(FIND, ranking, [isTest, uuidOf(gameId), ...findingOf(name), first]);
  return readScores(db, query, values);
}

/**
 * Lists a player's scores on all boards of its game, with their ranks. Entries have no index by player: each board's entry
 * is found by its key, and where every run counts, entries are found by their events.
 * @throws DomainError INVALID_SORT, INVALID_CURSOR, CURSOR_MISMATCH, VALIDATION_FAILED
 */
export async function listIdentityScores(
  pool: Queryable,
  context: Context,
  identity: Identity,
  page: SortedRequest,
  isTest: TestFilter,
): Promise<PageConnection<Score>> {
  const { db } = context;
  const base = db
    .queryBuilder()
    .select('e.*')
    .from(entriesOf(db, identity, isTest).as('e'));
  const filters = { identity_id: identity.id, is_test: isTest };
  const query = { db, base, order: orderOf(SORTABLE, page), filters, request: page };
  return new PageConnection(
    await readPage(query, async (rows) => {
      const scores = await scoresOfRows(pool, rows as unknown as EntryKey[]);
      return Promise.all(scores.map((score) => scoreInText(context, scoreFor(context, score))));
    }),
  );
}

function entriesOf(db: Knex, identity: Identity, isTest: TestFilter): Knex.QueryBuilder {
  const player = uuidOf(identity.id);
  const populations = isTest === 'all' ? [false, true] : [isTest];
  const boards = db('boards as d')
    .join('board_rankings as b', 'b.board_id', 'd.id')
    .where('d.game_id', uuidOf(identity.gameId))
    .whereNull('d.deleted_at');
  const entries = boards
    .clone()
    .select(LISTED_COLUMNS)
    .join('entries as e', (on) => on.on('e.board_id', 'b.board_id').on('e.generation', 'b.generation'))
    .whereIn('e.is_test', populations)
    .where('e.ranked', true);
  const single = entries.clone().whereNot('b.board_type', 'run_runs').where('e.slot', player);
  const runs = entries.where('b.board_type', 'run_runs').whereRaw(
    `e.slot = any(array(select v.id from score_events v
        where v.board_id = d.id and v.is_test in (false, true) and v.identity_id = ?))`,
    [player],
  );
  return db.queryBuilder().unionAll([single, runs], true);
}
