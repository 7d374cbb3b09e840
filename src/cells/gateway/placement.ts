import { createHmac } from 'node:crypto';
import { unavailable } from '../../base/errors.js';
import type { Queryable } from '../../db/pool.js';
import type { Directory } from '../directory.js';

/** Longer than a code and the token that it is exchanged for. */
const HOURS = 24;

const OPEN = {
  name: 'open_cells',
  text: `select id, weight from cells where state = 'open' and weight > 0 order by id`,
};
const PLACE = {
  name: 'place_address',
  text: `
    insert into placements as p (email_hash, cell, expires_at) values ($1, $2, now() + interval '${HOURS} hours')
    on conflict (email_hash) do update set expires_at = excluded.expires_at,
      cell = case when p.expires_at < now() then excluded.cell else p.cell end
    returning cell`,
};
const PLACED = {
  name: 'placed_address',
  text: 'select cell from placements where email_hash = $1 and expires_at > now()',
};
const FORGET = {
  name: 'forget_placements',
  text: `
    delete from placements where email_hash in (
      select email_hash from placements where expires_at < now() order by expires_at limit 1000)`,
};

/** Selects the cells of new accounts: open ones, by weight. */
export class CellPlacement {
  readonly #pool: Queryable;

  /**
   * @param secret keys the stored hashes of addresses
   * @param isUp true for a cell of this gateway that responds
   */
  constructor(
    directory: Directory,
    private readonly secret: string,
    private readonly isUp: (cell: string) => boolean,
    private readonly random: () => number = Math.random,
  ) {
    this.#pool = directory.database.pool;
  }

  /** A cell for a new account. @throws DomainError UNAVAILABLE when none is open */
  async choose(): Promise<string> {
    const { rows } = await this.#pool.query<{ id: string; weight: number }>(OPEN);
    const open = rows.filter(({ id }) => this.isUp(id));
    let left = this.random() * open.reduce((sum, { weight }) => sum + weight, 0);
    for (const { id, weight } of open) {
      left -= weight;
      if (left < 0) return id;
    }
    throw unavailable('New accounts cannot be created right now. Try again later.');
  }

  /** The cell of an address that begins a registration: the one it was given before, otherwise a new one. */
  async place(email: string): Promise<string> {
    const placed = await this.of(email);
    const values = [this.#hash(email), placed ?? (await this.choose())];
    const { rows } = await this.#pool.query<{ cell: string }>({ ...PLACE, values });
    return rows[0]!.cell;
  }

  /** The cell of an address; undefined: it has not begun a registration. */
  async of(email: string): Promise<string | undefined> {
    const { rows } = await this.#pool.query<{ cell: string }>({ ...PLACED, values: [this.#hash(email)] });
    return rows[0]?.cell;
  }

  /** Deletes places that have expired. */
  async forget(): Promise<void> {
    await this.#pool.query(FORGET);
  }

  #hash(email: string): Buffer {
    return createHmac('sha256', this.secret).update(`placement ${email}`).digest();
  }
}
