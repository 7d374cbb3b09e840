import { SetupError } from '../../base/errors.js';
import type { Queryable } from '../../db/pool.js';
import { OLDEST_KNOWN } from '../../db/schema/migrate.js';
import { LEFT_TABLES, MOVED_TABLES, type MovedTable, OF_ACCOUNT } from './tables.js';

/** A table whose rows move. */
export interface Shape extends MovedTable {
  name: string;
  columns: string[];
  key: string[];
  /** Columns of the key with their types, as a column list. */
  keyTypes: string;
  /** References to users: those of other accounts, as a superadmin, are not on the other cell. */
  users: string[];
  /** Columns that hold numbers of transactions, which mean nothing on another server. */
  transactions: string[];
  /** True if deleted rows have an index of their own. */
  deletable: boolean;
}

interface ShapeRow {
  name: string;
  columns: string[];
  types: string[];
  key: string[];
  users: string[] | null;
}

const SHAPES = `
  select c.relname as name, a.columns, a.types, k.key, u.users
  from pg_class c
  cross join lateral (
    select array_agg(a.attname::text order by a.attnum) as columns,
      array_agg(format_type(a.atttypid, a.atttypmod) order by a.attnum) as types
    from pg_attribute a where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped) a
  left join lateral (
    select array_agg(a.attname::text order by x.n) as key
    from pg_index i cross join lateral unnest(i.indkey) with ordinality x(number, n)
    join pg_attribute a on a.attrelid = c.oid and a.attnum = x.number
    where i.indrelid = c.oid and i.indisprimary) k on true
  left join lateral (
    select array_agg(a.attname::text) as users
    from pg_constraint f join pg_attribute a on a.attrelid = c.oid and a.attnum = f.conkey[1]
    where f.conrelid = c.oid and f.contype = 'f' and f.confrelid = 'users'::regclass and cardinality(f.conkey) = 1) u on true
  where c.relkind in ('r', 'p') and c.relnamespace = 'public'::regnamespace
  order by 1`;

// Which processes may start is each cell's own, e.g. since its first tickets.
const SCHEMA = `
  select (select array_agg(name order by name) from migrations) as migrations,
    (select array_agg(name || ' ' || checksum order by name) from migration_checksums where name <> '${OLDEST_KNOWN}') as checksums`;

/** The tables that move, in the order of their list. @throws SetupError when the database has one that is in no list */
export async function readShapes(database: Queryable): Promise<Shape[]> {
  const { rows } = await database.query<ShapeRow>(SHAPES);
  const unknown = rows.filter(({ name }) => !(name in MOVED_TABLES) && !(name in LEFT_TABLES));
  if (unknown.length > 0) {
    throw new SetupError(
      `The database has tables that this release cannot move (${unknown.map(({ name }) => name).join(', ')}). ` +
        `Install the release that matches the schema.`,
    );
  }
  const byName = new Map(rows.map((row) => [row.name, row]));
  return Object.entries(MOVED_TABLES).flatMap(([name, table]) => {
    const row = byName.get(name);
    return row ? [shapeOf(row, table)] : [];
  });
}

function shapeOf({ name, columns, types, key, users }: ShapeRow, table: MovedTable): Shape {
  return {
    ...table,
    name,
    columns,
    key,
    keyTypes: key.map((column) => `"${column}" ${types[columns.indexOf(column)]}`).join(', '),
    users: users ?? [],
    transactions: columns.filter((_, index) => types[index] === 'xid8'),
    deletable: columns.includes('deleted_at') && table.way === 'account',
  };
}

/** @throws SetupError when the two databases do not have the same schema */
export async function requireSameSchema(source: Queryable, target: Queryable): Promise<void> {
  const [here, there] = await Promise.all([source.query(SCHEMA), target.query(SCHEMA)]);
  if (JSON.stringify(here.rows) !== JSON.stringify(there.rows)) {
    throw new SetupError(
      'The two cells have different schemas. Run "npm run migrate" with the same release on both first.',
    );
  }
}

export const listOf = (columns: readonly string[]) => columns.map((column) => `"${column}"`).join(', ');

export const sameKey = ({ key }: Shape, a: string, b: string) =>
  key.map((column) => `${a}."${column}" = ${b}."${column}"`).join(' and ');

/**
 * The columns of a row, `t`, as the other cell gets them.
 * @param transaction number of the transaction that writes them there; undefined: for a comparison
 */
export function movedValues(shape: Shape, account: string, transaction?: string): string {
  return shape.columns
    .map((column) => {
      if (shape.way === 'self' && column === 'status') return `'moved'::text`;
      if (shape.transactions.includes(column)) {
        return transaction === undefined
          ? `t."${column}" is not null`
          : `case when t."${column}" is not null then '${transaction}'::xid8 end`;
      }
      if (!shape.users.includes(column)) return `t."${column}"`;
      return `case when exists (select from users u where u.id = t."${column}" and u.account_id = '${account}') then t."${column}" end`;
    })
    .join(', ');
}

/** The rows of an account, as `t`. By two conditions where deleted rows have an index of their own. */
export function accountRows({ name, way, deletable }: Shape, account: string): string {
  const condition = OF_ACCOUNT[way].replaceAll('$1', `'${account}'::uuid`);
  const rows = `select t.* from ${name} t where ${condition}`;
  if (!deletable) return `(${rows}) t`;
  return `(${rows} and t.deleted_at is null union all ${rows} and t.deleted_at is not null) t`;
}
