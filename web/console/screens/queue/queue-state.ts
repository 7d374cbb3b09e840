import type { Client } from 'urql';
import { connection } from '../../api/connection.js';
import { type Fault, faultOf } from '../../api/fault.js';
import { lastDecision } from '../../api/last-decision.js';
import { Store } from '../../api/store.js';
import type { FlagStatus, FlagType } from '../../generated/graphql.js';
import { say } from '../../parts/toast.js';
import { pendingChanged } from '../../shell/pending.js';
import { t } from '../../texts.js';
import { type FlagFields, FlagsQuery, OneFlagQuery, ReviewMutation, UndoRunsMutation } from './operations.js';

export type Verdict = Exclude<FlagStatus, 'PENDING'>;

export interface Row extends FlagFields {
  /** The colleague who has decided it since, and when. */
  colleague?: { name: string; at: number };
}

export interface Filter {
  accountId: string;
  gameId: string | undefined;
  boardId: string | undefined;
  flagType: FlagType | undefined;
}

interface Decision {
  row: Row;
  status: FlagStatus;
  reason: string | null;
}

export interface QueueView {
  rows: Row[];
  /** New flags that are not yet in the list. */
  fresh: Row[];
  at: number;
  loading: boolean;
  hasMore: boolean;
  fault: Fault | undefined;
  /** Written to the trail with the next decision. */
  reason: string;
}

type Past = { flag: string; before: FlagStatus } | { review: string; player: string };

const PAGE = 100;
const NOTHING: QueueView = {
  rows: [],
  fresh: [],
  at: 0,
  loading: true,
  hasMore: false,
  fault: undefined,
  reason: '',
};

/** The list of flags that wait, the one that is open, and the decisions of this tab with their way back. */
export class Queue {
  readonly view = new Store<QueueView>(NOTHING);
  private readonly past: Past[] = [];
  private cursor: string | undefined;
  /** Flags of held runs come first; the others once all of those are read. */
  private readsHeld = true;
  private reading = false;
  /** The one decision that waits for the connection. */
  private waiting: Decision | undefined;
  /** Flags for which the viewer has seen the question about a colleague's verdict. */
  private readonly questioned = new Set<string>();
  /** Flags whose decision by this tab is not yet answered. */
  private readonly onTheWay = new Set<string>();
  private sent = Promise.resolve();

  constructor(
    private readonly client: Client,
    private readonly filter: Filter,
  ) {}

  get open(): Row | undefined {
    const { rows, at } = this.view.get();
    return rows[at];
  }

  /** Reads the first page. @param id a flag to open, read by itself if the page does not contain it */
  async start(id: string | undefined): Promise<void> {
    await this.more();
    if (!id) return;
    if (!this.rowOf(id)) {
      const { data } = await this.client.query(OneFlagQuery, { id }).toPromise();
      if (data) this.change({ rows: [data.scoreFlag, ...this.view.get().rows] });
    }
    this.go(
      Math.max(
        0,
        this.view.get().rows.findIndex((row) => row.id === id),
      ),
    );
  }

  /** Reads the next page. */
  async more(): Promise<void> {
    if (this.reading) return;
    this.reading = true;
    const { readsHeld } = this;
    const { data, error } = await this.read(this.cursor, readsHeld);
    this.reading = false;
    if (!data) return this.change({ loading: false, fault: error && faultOf(error) });
    const { nodes, pageInfo } = data.scoreFlags;
    this.readsHeld = readsHeld && pageInfo.hasNextPage;
    this.cursor = this.readsHeld === readsHeld ? (pageInfo.endCursor ?? this.cursor) : undefined;
    const known = this.known();
    const rows = [...this.view.get().rows, ...nodes.filter((row) => !known.has(row.id))];
    const hasMore = readsHeld || pageInfo.hasNextPage;
    if (readsHeld && !this.readsHeld) {
      this.change({ rows, fault: undefined });
      return this.more();
    }
    this.change({ rows, hasMore, loading: false, fault: undefined });
  }

  private read(after: string | undefined, isHeld?: boolean) {
    const variables = { ...this.filter, first: PAGE, after, isHeld };
    return this.client.query(FlagsQuery, variables, { requestPolicy: 'network-only' }).toPromise();
  }

  /** After the connection was lost: sends the waiting decision, and reads the flags that were missed. */
  async resume(): Promise<void> {
    const { waiting } = this;
    this.waiting = undefined;
    if (waiting) this.queueUp(waiting);
    if (this.view.get().rows.length === 0) return this.more();
    const { data } = await this.read(undefined);
    for (const row of data?.scoreFlags.nodes.toReversed() ?? []) this.arrived(row);
  }

  /** A new flag of the filter's game: it waits above the list until the viewer wants to see it. */
  arrived(row: Row): void {
    const { boardId, flagType } = this.filter;
    if (row.status !== 'PENDING' || this.known().has(row.id)) return;
    if ((boardId && row.boardId !== boardId) || (flagType && row.flagType !== flagType)) return;
    const view = this.view.get();
    // A list without rows has no place that could jump.
    if (view.rows.length === 0) this.change({ rows: [row] });
    else this.change({ fresh: [row, ...view.fresh] });
    pendingChanged();
  }

  showFresh(): void {
    const { rows, fresh } = this.view.get();
    this.change({ rows: [...fresh, ...rows], fresh: [], at: 0 });
  }

  /** The newest flag that is known: a subscription continues after it. */
  get newest(): string | undefined {
    const { rows, fresh } = this.view.get();
    const all = [...fresh, ...rows].sort((a, b) => Date.parse(b.createdAt) - Date.parse(a.createdAt));
    return all[0]?.id;
  }

  go(at: number): void {
    const { rows, hasMore } = this.view.get();
    this.change({ at: Math.max(0, Math.min(rows.length - 1, at)) });
    if (hasMore && at > rows.length - PAGE / 2) void this.more();
  }

  move(by: number): void {
    this.go(this.view.get().at + by);
  }

  nextUndecided(): void {
    const { rows, at } = this.view.get();
    const after = rows.findIndex((row, index) => index > at && row.status === 'PENDING');
    this.go(
      after >= 0
        ? after
        : Math.max(
            0,
            rows.findIndex((row) => row.status === 'PENDING'),
          ),
    );
  }

  setReason(reason: string): void {
    this.change({ reason });
  }

  /** A decision of a colleague, or of this viewer in another window. */
  heard(id: string, status: FlagStatus, name: string, at: number): void {
    if (this.onTheWay.has(id)) return;
    const row = this.rowOf(id);
    if (!row || row.status === status) return;
    this.replace(id, { status, colleague: { name, at } });
    pendingChanged();
  }

  decide(status: Verdict): void {
    const row = this.open;
    if (!row) return;
    if (row.colleague && row.status !== 'PENDING' && !this.questioned.has(row.id)) {
      this.questioned.add(row.id);
      say(t.queue.askAgain(row.colleague.name));
      return;
    }
    const { reason } = this.view.get();
    const decision = { row, status, reason: reason || null };
    if (!connection.get().live) {
      if (this.waiting) {
        say(t.queue.oneWaits);
        return;
      }
      this.waiting = decision;
      say(t.queue.waitsForConnection(row.identity?.displayName ?? ''));
    } else this.queueUp(decision);
    if (status !== row.status) this.past.push({ flag: row.id, before: row.status });
    this.replace(row.id, { status, colleague: undefined });
    this.change({ reason: '' });
    this.nextUndecided();
  }

  /** One decision after the other: an undo never overtakes its decision. */
  private queueUp(decision: Decision): void {
    this.onTheWay.add(decision.row.id);
    this.sent = this.sent.then(() => this.send(decision));
  }

  private async send(decision: Decision): Promise<void> {
    const { row, status, reason } = decision;
    const variables = { id: row.id, identityId: row.identityId, status, reason };
    const { data, error } = await this.client.mutation(ReviewMutation, variables).toPromise();
    this.onTheWay.delete(row.id);
    const player = row.identity?.displayName ?? '';
    if (error) {
      const fault = faultOf(error);
      if (fault.code === 'OFFLINE' && !this.waiting) {
        this.waiting = decision;
        return say(t.queue.waitsForConnection(player));
      }
      this.replace(row.id, { status: row.status, colleague: row.colleague });
      const made = this.past.findLastIndex((past) => 'flag' in past && past.flag === row.id);
      if (made >= 0) this.past.splice(made, 1);
      return say(t.queue.failed(player, fault.message));
    }
    pendingChanged();
    if (status === 'PENDING') return say(t.queue.takenBack(player));
    lastDecision.set({ player, verdict: t.queue.verdicts[status], at: Date.now() });
    const place = data?.reviewScoreFlag.scoreFlag.board?.ranking?.entry?.rank;
    say(t.queue.decided[status](player, place), () => this.undo());
  }

  /** Notes a decision about all runs, so that it can be undone as one. */
  reviewed(review: string, player: string): void {
    this.past.push({ review, player });
  }

  undo(): void {
    const last = this.past.pop();
    if (!last) say(t.queue.nothingToUndo);
    else if ('review' in last) void this.undoRuns(last.review, last.player);
    else this.undoFlag(last);
  }

  private undoFlag(last: { flag: string; before: FlagStatus }): void {
    const row = this.rowOf(last.flag);
    if (!row) return;
    this.replace(row.id, { status: last.before });
    this.go(this.view.get().rows.findIndex(({ id }) => id === row.id));
    this.queueUp({ row, status: last.before, reason: null });
  }

  private async undoRuns(id: string, player: string): Promise<void> {
    const { error } = await this.client.mutation(UndoRunsMutation, { id }).toPromise();
    say(error ? t.queue.failed(player, faultOf(error).message) : t.queue.runsTakenBack(player));
    await this.refreshRows();
  }

  /** Reads the flags of the list's first page again, whose states a decision about all runs has changed. */
  async refreshRows(): Promise<void> {
    const open = this.open?.id;
    this.cursor = undefined;
    this.readsHeld = true;
    this.change({ rows: [], fresh: [], at: 0, loading: true });
    await this.more();
    const index = this.view.get().rows.findIndex((row) => row.id === open);
    this.go(Math.max(0, index));
    pendingChanged();
  }

  private rowOf(id: string): Row | undefined {
    return this.view.get().rows.find((row) => row.id === id);
  }

  private known(): Set<string> {
    const { rows, fresh } = this.view.get();
    return new Set([...rows, ...fresh].map((row) => row.id));
  }

  private replace(id: string, changes: Partial<Row>): void {
    const rows = this.view.get().rows.map((row) => (row.id === id ? { ...row, ...changes } : row));
    this.change({ rows });
  }

  private change(changes: Partial<QueueView>): void {
    this.view.set({ ...this.view.get(), ...changes });
  }
}
