import type { Knex } from 'knex';
import { uuidOf } from '../../base/ids.js';
import { readPage } from '../../db/keyset.js';
import type { Queryable } from '../../db/pool.js';
import { parseSort } from '../../db/sort.js';
import type { SortedPageArgs } from '../../graphql/connection.js';
import type { Context } from '../../graphql/context.js';
import type { Identity } from '../../players/identities/identity.js';
import { IdentityScorePage } from '../schema/connection.js';
import { scoreFor } from '../visibility.js';
import { SORTABLE } from './list.js';
import type { TestFilter } from './list-request.js';
import { type EntryKey, LISTED_COLUMNS, scoresOfRows } from './read.js';

/**
 * Lists a player's scores on all boards of its game, with their ranks. Entries have no index by player: each board's entry
 * is found by its key, and where every run counts, entries are found by their events.
 * @throws DomainError INVALID_SORT, INVALID_CURSOR, CURSOR_MISMATCH, VALIDATION_FAILED
 */
export async function listIdentityScores(
  pool: Queryable,
  context: Context,
  identity: Identity,
  page: SortedPageArgs,
  isTest: TestFilter,
): Promise<IdentityScorePage> {
  const { db } = context;
  const base = db
    .queryBuilder()
    .select('e.*')
    .from(entriesOf(db, identity, isTest).as('e'));
  const filters = { identity_id: identity.id, is_test: isTest };
  const query = { db, base, order: parseSort(SORTABLE, page.sort), filters, request: page };
  return new IdentityScorePage(
    await readPage(query, async (rows) => {
      const scores = await scoresOfRows(pool, rows as unknown as EntryKey[]);
      return scores.map((score) => scoreFor(context, score));
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
