import type { Client } from 'urql';
import { connection } from '../../api/connection.js';
import { type Fault, faultOf } from '../../api/fault.js';
import { lastDecision } from '../../api/last-decision.js';
import { Store } from '../../api/store.js';
import type { FlagConfidence, FlagStatus, FlagType, TrustTier } from '../../generated/graphql.js';
import { say } from '../../parts/toast.js';
import { pendingChanged } from '../../shell/pending.js';
import { t } from '../../texts.js';
import { type FlagFields, OneFlagQuery, QueueQuery, ReviewMutation, UndoRunsMutation } from './operations.js';

export type Verdict = Exclude<FlagStatus, 'PENDING'>;

export interface Flag extends FlagFields {
  /** The colleague who has decided it since, and when. */
  colleague?: { name: string; at: number } | undefined;
}

/** A player with the flags that are reviewed together, the most urgent first. */
export interface Row {
  id: string;
  name: string;
  slug: string | undefined;
  flags: Flag[];
  /** All that wait, which can be more than are read. */
  pending: number;
}

export interface Filter {
  accountId: string;
  gameId: string | undefined;
  boardId: string | undefined;
  flagType: FlagType | undefined;
  confidence: FlagConfidence | undefined;
  trustTier: TrustTier | undefined;
}

interface Decision {
  /** As they were before. */
  flags: Flag[];
  /** Of each flag; undefined: the former status of each, for an undo. */
  status: Verdict | undefined;
  reason: string | null;
  /** The player, or how many. */
  who: string;
}

export interface QueueView {
  rows: Row[];
  /** New flags that are not yet in the list. */
  fresh: Flag[];
  at: number;
  /** The flag that is looked at, of the open player's. */
  flag: number;
  /** Flags of the open player that the next decision leaves out. */
  leftOut: ReadonlySet<string>;
  /** Players who are decided together. */
  picked: ReadonlySet<string>;
  loading: boolean;
  hasMore: boolean;
  fault: Fault | undefined;
  /** Written to the trail with the next decision. */
  reason: string;
}

type Past = Decision | { review: string; player: string };

const PAGE = 40;
/** Flags of one review at most. */
const MOST = 100;
const NONE: ReadonlySet<string> = new Set();
const NOTHING: QueueView = {
  rows: [],
  fresh: [],
  at: 0,
  flag: 0,
  leftOut: NONE,
  picked: NONE,
  loading: true,
  hasMore: false,
  fault: undefined,
  reason: '',
};

/** The set with the member, or without it. */
function toggled(set: ReadonlySet<string>, member: string): Set<string> {
  const changed = new Set(set);
  if (!changed.delete(member)) changed.add(member);
  return changed;
}

export const isPending = ({ status }: Flag) => status === 'PENDING';
export const waits = ({ flags }: Row) => flags.some(isPending);

function rowOf(flag: Flag): Row {
  const { identityId: id, identity, game } = flag;
  return { id, name: identity?.displayName ?? '', slug: game?.slug, flags: [flag], pending: 1 };
}

/** The players whose flags wait, the one that is open, and the decisions of this tab with their way back. */
export class Queue {
  readonly view = new Store<QueueView>(NOTHING);
  private readonly past: Past[] = [];
  private cursor: string | undefined;
  private reading = false;
  /** Where a range of picked players begins. */
  private anchor = 0;
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
    if (!this.all().some((flag) => flag.id === id)) {
      const { data } = await this.client.query(OneFlagQuery, { id }).toPromise();
      if (data) this.add([data.scoreFlag]);
    }
    this.show(id);
  }

  /** Opens the player of a flag, and the flag. */
  private show(id: string): void {
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
    const { nodes, pageInfo } = data.flaggedPlayers;
    this.cursor = pageInfo.endCursor ?? this.cursor;
    const { rows } = this.view.get();
    const known = new Set(rows.map(({ id }) => id));
    const added = nodes.flatMap(({ identityId: id, identity, game, flags, pendingFlags: pending }) =>
      known.has(id) ? [] : [{ id, name: identity?.displayName ?? '', slug: game?.slug, flags, pending }],
    );
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
    const { waiting } = this;
    this.waiting = undefined;
    if (waiting) this.queueUp(waiting);
    if (this.view.get().rows.length === 0) return this.more();
    const { data } = await this.read(undefined);
    const read = data?.flaggedPlayers.nodes.toReversed() ?? [];
    for (const flag of read.flatMap(({ flags }) => flags)) this.arrived(flag);
  }

  /** A new flag: it waits above the list until the viewer wants to see it, or a decision would include it unseen. */
  arrived(flag: Flag): void {
    const { boardId, flagType, confidence, trustTier } = this.filter;
    if (flag.status !== 'PENDING' || this.all().some(({ id }) => id === flag.id)) return;
    if ((boardId && flag.boardId !== boardId) || (flagType && flag.flagType !== flagType)) return;
    if (confidence && flag.confidence !== confidence) return;
    if (trustTier && flag.identity?.trustTier !== trustTier) return;
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

  /** Puts flags to their players, and these on top. */
  private add(flags: Flag[]): void {
    let { rows } = this.view.get();
    for (const flag of flags.toReversed()) {
      const known = rows.find(({ id }) => id === flag.identityId);
      const row = known
        ? { ...known, flags: [flag, ...known.flags], pending: known.pending + 1 }
        : rowOf(flag);
      rows = [row, ...rows.filter((other) => other !== known)];
    }
    this.change({ rows });
  }

  /** The newest flag that is known: a subscription continues after it. */
  get newest(): string | undefined {
    return this.all().sort((a, b) => Date.parse(b.createdAt) - Date.parse(a.createdAt))[0]?.id;
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
    if (this.onTheWay.has(id)) return;
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
    const asked = flags.find((flag) => flag.colleague && !isPending(flag) && !this.questioned.has(flag.id));
    if (asked) {
      for (const { id } of flags) this.questioned.add(id);
      say(t.queue.askAgain(asked.colleague!.name));
      return;
    }
    const who = rows.length === 1 ? rows[0]!.name : t.queue.players(rows.length);
    const decision = { flags, status, reason: reason || null, who };
    if (!connection.get().live) {
      if (this.waiting) {
        say(t.queue.oneWaits);
        return;
      }
      this.waiting = decision;
      say(t.queue.waitsForConnection(who));
    } else this.queueUp(decision);
    this.past.push(decision);
    this.replace(flags.map((flag) => ({ ...flag, status, colleague: undefined })));
    this.change({ reason: '', picked: NONE, leftOut: NONE });
    const left = this.open?.flags.findIndex(isPending) ?? -1;
    if (rows.length === 1 && this.open?.id === rows[0]!.id && left >= 0) this.look(left);
    else this.nextUndecided();
  }

  /** One decision after the other: an undo never overtakes its decision. */
  private queueUp(decision: Decision): void {
    for (const { id } of decision.flags) this.onTheWay.add(id);
    this.sent = this.sent.then(() => this.send(decision));
  }

  private async send({ flags, status, reason, who }: Decision): Promise<void> {
    let left = flags;
    let rank: number | undefined;
    while (left.length > 0) {
      const to = status ?? left[0]!.status;
      const some = (status ? left : left.filter((flag) => flag.status === to)).slice(0, MOST);
      const variables = { ids: some.map(({ id }) => id), status: to, reason };
      const single = flags.length === 1;
      const { data, error } = await this.client
        .mutation(ReviewMutation, { ...variables, single, identityId: some[0]!.identityId })
        .toPromise();
      if (error) return this.failed({ flags: left, status, reason, who }, faultOf(error));
      for (const { id } of some) this.onTheWay.delete(id);
      rank = data?.reviewScoreFlags.scoreFlags[0]?.board?.ranking?.entry?.rank;
      left = left.filter((flag) => !some.includes(flag));
    }
    pendingChanged();
    if (!status) return say(t.queue.takenBack(who));
    lastDecision.set({ player: who, verdict: t.queue.verdicts[status], at: Date.now() });
    say(t.queue.decided[status](who, flags.length, rank), () => this.undo());
  }

  /** What was not saved is as before. */
  private failed(decision: Decision, fault: Fault): void {
    const { flags, status, who } = decision;
    for (const { id } of flags) this.onTheWay.delete(id);
    if (fault.code === 'OFFLINE' && !this.waiting) {
      this.waiting = decision;
      say(t.queue.waitsForConnection(who));
      return;
    }
    if (status) {
      this.replace(flags);
      const made = this.past.findLast(
        (past) => 'flags' in past && past.flags.includes(flags[0]!),
      ) as Decision;
      if (made) made.flags = made.flags.filter((flag) => !flags.includes(flag));
      if (made?.flags.length === 0) this.past.splice(this.past.indexOf(made), 1);
    }
    say(t.queue.failed(who, fault.message));
  }

  /** Notes a decision about all runs, so that it can be undone as one. */
  reviewed(review: string, player: string): void {
    this.past.push({ review, player });
  }

  undo(): void {
    const last = this.past.pop();
    if (!last) say(t.queue.nothingToUndo);
    else if ('review' in last) void this.undoRuns(last.review, last.player);
    else {
      this.replace(last.flags);
      this.show(last.flags[0]!.id);
      this.queueUp({ ...last, status: undefined, reason: null });
    }
  }

  private async undoRuns(id: string, player: string): Promise<void> {
    const { error } = await this.client.mutation(UndoRunsMutation, { id }).toPromise();
    say(error ? t.queue.failed(player, faultOf(error).message) : t.queue.runsTakenBack(player));
    await this.refreshRows();
  }

  /** Reads the list's first page again, whose states a decision about all runs has changed. */
  async refreshRows(): Promise<void> {
    const open = this.open?.id;
    this.cursor = undefined;
    this.change({ rows: [], fresh: [], picked: NONE, at: 0, loading: true });
    await this.more();
    this.go(
      Math.max(
        0,
        this.view.get().rows.findIndex((row) => row.id === open),
      ),
    );
    pendingChanged();
  }

  private all(): Flag[] {
    const { rows, fresh } = this.view.get();
    return [...fresh, ...rows.flatMap(({ flags }) => flags)];
  }

  private replace(flags: Flag[]): void {
    const changed = new Map(flags.map((flag) => [flag.id, flag]));
    const rows = this.view
      .get()
      .rows.map((row) =>
        row.flags.some(({ id }) => changed.has(id))
          ? { ...row, flags: row.flags.map((flag) => changed.get(flag.id) ?? flag) }
          : row,
      );
    this.change({ rows });
  }

  private change(changes: Partial<QueueView>): void {
    this.view.set({ ...this.view.get(), ...changes });
  }
}
