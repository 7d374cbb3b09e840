import { EventEmitter } from 'node:events';
import { LRUCache } from 'lru-cache';
import type { Queryable } from '../../db/pool.js';

/** A period of a view, with its number in the view's rankings. */
export interface ViewedPeriod {
  number: number;
  key: string;
  startsAt: number;
  endsAt: number;
}

/** Periods around a moment. */
interface Neighbours {
  current: ViewedPeriod | undefined;
  previous: ViewedPeriod | undefined;
  /** Epoch milliseconds: from when on, and up to when, they are so. */
  from: number;
  until: number;
}

interface Row {
  number: number;
  key: string;
  starts_at: Date;
  ends_at: Date;
}

const COLUMNS = 'number, key, starts_at, ends_at';
const NEWEST = {
  name: 'newest_view_periods',
  text: `select ${COLUMNS} from view_periods where board_id = $1::uuid and view_no = $2::int and starts_at <= $3::timestamptz
    order by starts_at desc limit 2`,
};
const BY_KEY = {
  name: 'view_period_by_key',
  text: `select ${COLUMNS} from view_periods where board_id = $1::uuid and view_no = $2::int and key = $3::text`,
};

/** In a gap a season may be declared at any moment. */
const GAP_MS = 1_000;
const MOST_VIEWS = 10_000;
const MOST_KEYS = 10_000;

function periodOf({ number, key, starts_at, ends_at }: Row): ViewedPeriod {
  return { number, key, startsAt: starts_at.getTime(), endsAt: ends_at.getTime() };
}

/** Periods that have begun never change: each is read once. */
export class PeriodReads {
  readonly #around = new LRUCache<string, Neighbours>({ max: MOST_VIEWS });
  readonly #byKey = new LRUCache<string, ViewedPeriod>({ max: MOST_KEYS });

  constructor(private readonly db: Queryable) {
    // After a lost connection the server may be set back to an earlier state.
    if (db instanceof EventEmitter) db.on('remove', () => this.#clear());
  }

  #clear(): void {
    this.#around.clear();
    this.#byKey.clear();
  }

  /** The period that contains `now`, if any, and the one that ended last. @param board bare uuid @param now epoch milliseconds */
  async around(board: string, viewNo: number, now: number): Promise<Neighbours> {
    const name = `${board} ${viewNo}`;
    const cached = this.#around.get(name);
    if (cached && cached.from <= now && now < cached.until) return cached;
    const { rows } = await this.db.query<Row>({ ...NEWEST, values: [board, viewNo, new Date(now)] });
    const [newest, before] = rows.map(periodOf);
    const isOpen = newest !== undefined && now < newest.endsAt;
    const neighbours: Neighbours = isOpen
      ? { current: newest, previous: before, from: newest.startsAt, until: newest.endsAt }
      : { current: undefined, previous: newest, from: now, until: now + GAP_MS };
    this.#around.set(name, neighbours);
    return neighbours;
  }

  /** The period with this key, if it has begun. */
  async byKey(board: string, viewNo: number, key: string, now: number): Promise<ViewedPeriod | undefined> {
    const name = `${board} ${viewNo} ${key}`;
    const cached = this.#byKey.get(name);
    if (cached && cached.startsAt <= now) return cached;
    const { rows } = await this.db.query<Row>({ ...BY_KEY, values: [board, viewNo, key] });
    const period = rows[0] && periodOf(rows[0]);
    // One that has not begun may still change, and has no ranking.
    if (!period || period.startsAt > now) return undefined;
    this.#byKey.set(name, period);
    return period;
  }
}
