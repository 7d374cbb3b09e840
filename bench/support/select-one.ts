import type { Queryable } from '../../src/db/pool.js';
import type { Operation } from './alternate.js';

/** The least that a statement can cost: prepared, on the same connection as the statements compared with it. */
export function selectOne(db: Queryable): Operation {
  return { name: 'SELECT 1', run: () => db.query({ name: 'one', text: 'select 1 as one' }) };
}
