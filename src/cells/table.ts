import { SetupError } from '../base/errors.js';
import type { Directory } from './directory.js';

/** A cell in the directory. */
interface CellRow {
  id: string;
  state: string;
  weight: number;
  accounts: number;
  /** True once its database has registered its names. */
  joined: boolean;
  /** Names whose outcome is not known. */
  unsettled: number;
}

const LIST = `
  select c.id, c.state, c.weight, c.adopted_at is not null as joined,
    (select count(*)::int from accounts a where a.cell = c.id) as accounts,
    (select count(*)::int from names n where n.cell = c.id and n.state <> 'held') as unsettled
  from cells c order by c.id`;

const ADD = `
  insert into cells as c (id, weight) values ($1, coalesce($2, 1))
  on conflict (id) do update set state = 'open', weight = coalesce($2, c.weight)`;

export async function listCells({ database }: Directory): Promise<CellRow[]> {
  return (await database.pool.query<CellRow>(LIST)).rows;
}

/** Makes a cell known, or opens it again for new accounts. @param weight undefined: 1, or as it is */
export async function addCell({ database }: Directory, cell: string, weight?: number): Promise<void> {
  await database.pool.query(ADD, [cell, weight ?? null]);
}

/** Ends new accounts on a cell; those that it has stay. @throws SetupError when there is no such cell */
export async function drainCell({ database }: Directory, cell: string): Promise<void> {
  const { rowCount } = await database.pool.query(`update cells set state = 'draining' where id = $1`, [cell]);
  if (rowCount === 0)
    throw new SetupError(`The directory has no cell ${cell}. List all with "leaderboard cells list".`);
}
