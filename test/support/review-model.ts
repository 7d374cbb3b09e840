import { uuidOf } from '../../src/base/ids.js';
import type { Database } from '../../src/db/pool.js';
import type { Data } from './http.js';

export type Status = 'pending' | 'confirmed_cheat' | 'false_positive' | 'dismissed';
export type Effect = 'include' | 'review' | 'exclude';

/** A submission as the log has it. Ids prefixed. */
export interface Event {
  id: string;
  board: string;
  player: string;
  isTest: boolean;
  seq: number;
  amount: number;
}

export interface KnownFlag {
  /** Unknown until it was seen: reviews of runs add flags of their own. */
  id: string | undefined;
  event: Event;
  /** The decisions, by hand or by a review of runs. */
  log: { status: Status; by: string | undefined }[];
  deleted: boolean;
  addedBy: string | undefined;
}

/** A plain model of flags: each is what the decisions say that were not taken back. */
export class FlagModel {
  readonly #flags: KnownFlag[] = [];
  readonly undone = new Set<string>();

  raise(event: Event, id: string): void {
    this.#flags.push({ id, event, log: [], deleted: false, addedBy: undefined });
  }

  #standing({ log }: KnownFlag) {
    return log.filter(({ by }) => by === undefined || !this.undone.has(by));
  }

  status(flag: KnownFlag): Status {
    return this.#standing(flag).at(-1)?.status ?? 'pending';
  }

  live(): KnownFlag[] {
    return this.#flags.filter(({ deleted }) => !deleted);
  }

  deleted(): KnownFlag[] {
    return this.#flags.filter(({ deleted }) => deleted);
  }

  /** By hand; what it is already is no decision. */
  decide(flag: KnownFlag, status: Status): void {
    if (this.status(flag) !== status) flag.log.push({ status, by: undefined });
  }

  decideAll(events: Event[], status: Status, by: string): void {
    for (const event of events) {
      let flags = this.live().filter((known) => known.event.id === event.id);
      if (flags.length === 0 && status === 'confirmed_cheat') {
        const added: KnownFlag = { id: undefined, event, log: [], deleted: false, addedBy: by };
        this.#flags.push(added);
        flags = [added];
      }
      for (const known of flags) known.log.push({ status, by });
    }
  }

  takeBack(by: string): void {
    this.undone.add(by);
    for (const known of this.live()) {
      if (known.addedBy && this.#standing(known).length === 0) known.deleted = true;
    }
  }

  restore(flag: KnownFlag): void {
    flag.deleted = false;
    flag.addedBy = undefined;
  }

  /** Learns the ids of flags that reviews of runs have added: one an event at a time. */
  meet(rows: { id: string; eventId: string }[]): void {
    const known = new Set(this.#flags.map(({ id }) => id));
    for (const unnamed of this.#flags.filter(({ id }) => id === undefined)) {
      unnamed.id = rows.find((row) => row.eventId === unnamed.event.id && !known.has(row.id))?.id;
      known.add(unnamed.id);
    }
  }

  effect(event: Event): Effect {
    const statuses = this.live()
      .filter((known) => known.event.id === event.id)
      .map((known) => this.status(known));
    if (statuses.includes('confirmed_cheat')) return 'exclude';
    return statuses.includes('pending') ? 'review' : 'include';
  }

  caught(player: string): boolean {
    return this.live().some(
      (known) => known.event.player === player && this.status(known) === 'confirmed_cheat',
    );
  }
}

/** An entry as a line: population, value, number that decides ties, status. */
function line(isTest: boolean, value: number, seq: number, status: string): string {
  return `${isTest} ${value} ${seq} ${status}`;
}

type Held = Event & { effect: Effect };

/** A board's entries by a plain replay of the events: ranked entries in order, then the hidden ones. */
export function expectedEntries(board: Data, events: Held[]): { ranked: string[]; hidden: number } {
  const sign = board.sortDirection === 'ASC' ? 1 : -1;
  const ranked: { isTest: boolean; value: number; seq: number; status: string }[] = [];
  let hidden = 0;
  for (const isTest of [false, true]) {
    const own = events.filter((event) => event.isTest === isTest);
    const groups =
      board.keepStrategy === 'ALL' && board.boardType !== 'COUNTER'
        ? own.map((event) => [event])
        : byPlayer(own);
    for (const group of groups) {
      const counting = group.filter(({ effect }) => effect !== 'exclude');
      if (counting.length === 0) hidden += 1;
      else ranked.push({ isTest, ...replayed(board, counting, sign) });
    }
  }
  ranked.sort((a, b) => Number(a.isTest) - Number(b.isTest) || sign * (a.value - b.value) || a.seq - b.seq);
  return { ranked: ranked.map(({ isTest, value, seq, status }) => line(isTest, value, seq, status)), hidden };
}

function byPlayer(events: Held[]): Held[][] {
  const groups = new Map<string, Held[]>();
  for (const event of events) groups.set(event.player, [...(groups.get(event.player) ?? []), event]);
  return [...groups.values()];
}

function replayed(board: Data, events: Held[], sign: number): { value: number; seq: number; status: string } {
  const statusOf = ({ effect }: Held) => (effect === 'review' ? 'under_review' : 'active');
  const [first, ...rest] = events as [Held, ...Held[]];
  let entry = { value: first.amount, seq: first.seq, status: statusOf(first) };
  for (const event of rest) {
    if (board.boardType === 'COUNTER') {
      const value = entry.value + event.amount;
      const status = entry.status === 'under_review' ? entry.status : statusOf(event);
      entry = { value, seq: value === entry.value ? entry.seq : event.seq, status };
    } else if (board.keepStrategy === 'LAST') {
      const seq = event.amount === entry.value ? entry.seq : event.seq;
      entry = { value: event.amount, seq, status: statusOf(event) };
    } else if (board.keepStrategy === 'BEST' && sign * event.amount < sign * entry.value) {
      entry = { value: event.amount, seq: event.seq, status: statusOf(event) };
    }
  }
  return entry;
}

/** A board's entries in the form of {@link expectedEntries}. */
export async function boardEntries(
  db: Database,
  boardId: string,
): Promise<{ ranked: string[]; hidden: number }> {
  const rows: Data[] = await db
    .knex('entries as e')
    .join('board_rankings as r', (on) =>
      on.on('r.board_id', 'e.board_id').andOn('r.generation', 'e.generation'),
    )
    .where('e.board_id', uuidOf(boardId))
    .orderBy(['e.is_test', 'e.rank_key', 'e.seq'])
    .select('e.*');
  return {
    ranked: rows
      .filter(({ ranked }) => ranked)
      .map((row) => line(row.is_test, row.value, row.seq, row.status)),
    hidden: rows.filter(({ ranked, status }) => !ranked && status === 'rejected').length,
  };
}
