import type { Knex } from 'knex';
import { notFound } from '../base/errors.js';
import { type IdKind, uuidOf } from '../base/ids.js';
import type { Row, RowClass, Rows } from '../db/row.js';
import { recordColumns } from '../db/sort.js';
import { accountScope, adminOf, listedRows, ofWhole, requireAccount } from '../graphql/access.js';
import { readRecords, type SortedRequest } from '../graphql/connection.js';
import type { Context } from '../graphql/context.js';
import { recordsById } from '../graphql/loader.js';
import { inLiveAccount } from './read.js';

interface Filters {
  accountId?: string | null;
  isDeleted?: boolean | null;
}

/**
 * The reads of records that belong to an account as a whole: callers who are limited to games see none.
 * @param name of a record, in faults
 */
export function wholeAccountReads<R extends Row & { accountId: string }>(
  type: RowClass<R>,
  kind: IdKind,
  name: string,
) {
  const table = type.tableName;
  const sortable = recordColumns(table, kind);
  const reachable = (db: Knex): Rows<R> => type.query(db).whereRaw(inLiveAccount(table));
  const live = (db: Knex) => reachable(db).whereNull(`${table}.deleted_at`);
  const byId = recordsById(type, live);

  /** @throws DomainError NOT_FOUND, FORBIDDEN */
  async function load(context: Context, id: string): Promise<R> {
    const record = await context.loaders.of(byId).load(id);
    if (!record) throw notFound(name);
    requireAccount(context, ofWhole(record));
    return record;
  }

  /** Those of the caller's account; a superadmin may name another or see all. */
  function list(context: Context, page: SortedRequest, { accountId, isDeleted }: Filters) {
    const scope = accountScope(context, accountId);
    const rows = listedRows(context, isDeleted, live, reachable, table);
    if (scope) rows.where(`${table}.account_id`, uuidOf(scope));
    if (adminOf(context).games) rows.whereRaw('false');
    const filters = { account_id: scope, deleted: isDeleted || undefined };
    return readRecords(context.db, { type, sortable, rows, filters }, page);
  }

  return { sortable, reachable, live, load, list };
}
