import type { Client } from 'urql';
import { faultOf } from '../../api/fault.js';
import { Store } from '../../api/store.js';
import type { FlagStatus } from '../../generated/graphql.js';
import { pendingChanged } from '../../shell/pending.js';
import { t } from '../../texts.js';
import { Decisions } from './decisions.js';
import { OneFlagQuery, QueueQuery } from './operations.js';
import {
  type Filter,
  type Flag,
  fits,
  isPending,
  NONE,
  NOTHING,
  type QueueView,
  type Row,
  replaced,
  rowsOf,
  toggled,
  type Verdict,
  waits,
  withFlags,
} from './rows.js';

const PAGE = 40;

/** The players whose flags wait, and the one that is open. */
export class Queue {
  readonly view = new Store<QueueView>(NOTHING);
  private cursor: string | undefined;
  /** Where the streams of flags were when the list was first read: subscriptions continue from there. */
  live: string | undefined;
  private reading = false;
  /** Where a range of picked players begins. */
  private anchor = 0;
  private readonly decisions: Decisions;

  constructor(
    private readonly client: Client,
    private readonly filter: Filter,
  ) {
    this.decisions = new Decisions(client, this);
  }

  get open(): Row | undefined {
    const { rows, at } = this.view.get();
    return rows[at];
  }

  /** Reads the first page. @param id a flag to open, read by itself if the page does not contain it */
  async start(id: string | undefined): Promise<void> {
    await this.more();
    if (!id) return;
    if (!this.all().some((flag) => flag.id === id)) {
      const { data } = await this.client.query(OneFlagQuery, { id }).toPromise();
      if (data) this.add([data.scoreFlag]);
    }
    this.show(id);
  }

  /** Opens the player of a flag, and the flag. */
  show(id: string): void {
    const at = this.view.get().rows.findIndex(({ flags }) => flags.some((flag) => flag.id === id));
    this.go(Math.max(0, at));
    const flag = this.open?.flags.findIndex((flag) => flag.id === id) ?? 0;
    this.change({ flag: Math.max(0, flag) });
  }

  /** Reads the next page; of those that a filter leaves empty, the one after. */
  async more(): Promise<void> {
    if (this.reading) return;
    this.reading = true;
    const { data, error } = await this.read(this.cursor);
    this.reading = false;
    if (!data) return this.change({ loading: false, fault: error && faultOf(error) });
    const { nodes, pageInfo, liveCursor } = data.flaggedPlayers;
    this.live ??= liveCursor;
    this.cursor = pageInfo.endCursor ?? this.cursor;
    const { rows } = this.view.get();
    const known = new Set(rows.map(({ id }) => id));
    const added = rowsOf(nodes).filter(({ id }) => !known.has(id));
    const { hasNextPage: hasMore } = pageInfo;
    this.change({
      rows: [...rows, ...added],
      hasMore,
      loading: hasMore && added.length === 0,
      fault: undefined,
    });
    if (hasMore && added.length === 0) return this.more();
  }

  private read(after: string | undefined) {
    const { accountId, ...filter } = this.filter;
    const variables = { accountId, filter, first: PAGE, after };
    return this.client.query(QueueQuery, variables, { requestPolicy: 'network-only' }).toPromise();
  }

  /** After the connection was lost: sends the waiting decision, and reads the flags that were missed. */
  async resume(): Promise<void> {
    this.decisions.resume();
    if (this.view.get().rows.length === 0) return this.more();
    const { data } = await this.read(undefined);
    const read = data?.flaggedPlayers.nodes.toReversed() ?? [];
    for (const flag of read.flatMap(({ flags }) => flags)) this.arrived(flag);
  }

  /** A new flag: it waits above the list until the viewer wants to see it, or a decision would include it unseen. */
  arrived(flag: Flag): void {
    if (!isPending(flag) || !fits(this.filter, flag) || this.all().some(({ id }) => id === flag.id)) return;
    const { rows, fresh } = this.view.get();
    // A list without rows has no place that could jump.
    if (rows.length === 0) this.add([flag]);
    else this.change({ fresh: [flag, ...fresh] });
    pendingChanged();
  }

  showFresh(): void {
    const { fresh } = this.view.get();
    this.change({ fresh: [] });
    this.add(fresh);
    this.go(0);
  }

  private add(flags: Flag[]): void {
    this.change({ rows: withFlags(this.view.get().rows, flags) });
  }

  go(at: number): void {
    const { rows, hasMore } = this.view.get();
    this.change({ at: Math.max(0, Math.min(rows.length - 1, at)), flag: 0, leftOut: NONE });
    if (hasMore && at > rows.length - PAGE / 2) void this.more();
  }

  move(by: number): void {
    this.go(this.view.get().at + by);
  }

  /** Another flag of the open player. */
  look(flag: number): void {
    const last = (this.open?.flags.length ?? 1) - 1;
    this.change({ flag: Math.max(0, Math.min(last, flag)) });
  }

  /** Leaves a flag of the open player out of the next decision, or not any more. */
  leaveOut(flag = this.open?.flags[this.view.get().flag]): void {
    const { leftOut } = this.view.get();
    if (flag) this.change({ leftOut: toggled(leftOut, flag.id) });
  }

  /** Picks a player for a decision about several, or not any more. */
  pick(at = this.view.get().at): void {
    const { rows, picked } = this.view.get();
    const row = rows[at];
    this.anchor = at;
    if (row) this.change({ picked: toggled(picked, row.id) });
  }

  /** Picks all from the last picked one, or from the open one, to this. */
  pickTo(at: number): void {
    const { rows, picked, at: open } = this.view.get();
    if (picked.size === 0) this.anchor = open;
    const [from, to] = [Math.min(this.anchor, at), Math.max(this.anchor, at)];
    this.change({
      picked: new Set([...picked, ...rows.slice(Math.max(0, from), to + 1).map(({ id }) => id)]),
    });
  }

  unpick(): void {
    this.change({ picked: NONE });
  }

  nextUndecided(): void {
    const { rows, at } = this.view.get();
    const after = rows.findIndex((row, index) => index > at && waits(row));
    this.go(after >= 0 ? after : Math.max(0, rows.findIndex(waits)));
  }

  setReason(reason: string): void {
    this.change({ reason });
  }

  /** A decision of a colleague, or of this viewer in another window. */
  heard(id: string, status: FlagStatus, name: string, at: number): void {
    if (this.decisions.isOnTheWay(id)) return;
    const flag = this.all().find((flag) => flag.id === id);
    if (!flag || flag.status === status) return;
    this.replace([{ ...flag, status, colleague: { name, at } }]);
    pendingChanged();
  }

  /** What the next decision is about: the picked players, or the open one. */
  private chosen(): Row[] {
    const { rows, picked, at } = this.view.get();
    return picked.size > 0 ? rows.filter(({ id }) => picked.has(id)) : rows.slice(at, at + 1);
  }

  decide(status: Verdict): void {
    const { reason, leftOut } = this.view.get();
    const rows = this.chosen();
    const all = rows.flatMap(({ flags }) => flags).filter(({ id }) => !leftOut.has(id));
    const waiting = all.filter(isPending);
    const flags = waiting.length > 0 ? waiting : all.filter((flag) => flag.status !== status);
    if (flags.length === 0) return;
    const who = rows.length === 1 ? rows[0]!.name : t.queue.players(rows.length);
    if (!this.decisions.make({ flags, status, reason: reason || null, who })) return;
    this.change({ reason: '', picked: NONE, leftOut: NONE });
    const left = this.open?.flags.findIndex(isPending) ?? -1;
    if (rows.length === 1 && this.open?.id === rows[0]!.id && left >= 0) this.look(left);
    else this.nextUndecided();
  }

  /** Notes a decision about all runs, so that it can be undone as one. */
  reviewed(review: string, player: string): void {
    this.decisions.reviewed(review, player);
  }

  undo(): void {
    this.decisions.undo();
  }

  /** Reads the list's first page again, whose states a decision about all runs has changed. */
  async refreshRows(): Promise<void> {
    const open = this.open?.id;
    this.cursor = undefined;
    this.change({ rows: [], fresh: [], picked: NONE, at: 0, loading: true });
    await this.more();
    this.go(this.view.get().rows.findIndex((row) => row.id === open));
    pendingChanged();
  }

  private all(): Flag[] {
    const { rows, fresh } = this.view.get();
    return [...fresh, ...rows.flatMap(({ flags }) => flags)];
  }

  replace(flags: Flag[]): void {
    this.change({ rows: replaced(this.view.get().rows, flags) });
  }

  private change(changes: Partial<QueueView>): void {
    this.view.set({ ...this.view.get(), ...changes });
  }
}
