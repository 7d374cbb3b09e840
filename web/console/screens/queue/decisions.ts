import type { Client } from 'urql';
import { connection } from '../../api/connection.js';
import { type Fault, faultOf } from '../../api/fault.js';
import { lastDecision } from '../../api/last-decision.js';
import { say } from '../../parts/toast.js';
import { pendingChanged } from '../../shell/pending.js';
import { t } from '../../texts.js';
import { ReviewMutation, UndoRunsMutation } from './operations.js';
import { type Flag, isPending, type Verdict } from './rows.js';
import { settled } from './settled.js';

export interface Decision {
  /** As they were before. */
  flags: Flag[];
  /** Of each flag; undefined: the former status of each, for an undo. */
  status: Verdict | undefined;
  reason: string | null;
  /** The player, or how many. */
  who: string;
}

type Past = Decision | { review: string; player: string };

/** The list whose flags are decided. */
interface Decided {
  replace(flags: Flag[]): void;
  show(id: string): void;
  refreshRows(): Promise<void>;
}

/** Flags of one review at most. */
const MOST = 100;

/** The decisions of this tab, sent one after the other, with their way back. */
export class Decisions {
  private readonly past: Past[] = [];
  /** The one decision that waits for the connection. */
  private waiting: Decision | undefined;
  /** Flags for which the viewer has seen the question about a colleague's verdict. */
  private readonly questioned = new Set<string>();
  /** Flags whose decision by this tab is not yet answered. */
  private readonly onTheWay = new Set<string>();
  private sent = Promise.resolve();

  constructor(
    private readonly client: Client,
    private readonly list: Decided,
  ) {}

  isOnTheWay(id: string): boolean {
    return this.onTheWay.has(id);
  }

  /** @returns false if it is not made: another one waits, or the viewer has to see a colleague's verdict first */
  make(decision: Decision): boolean {
    const { flags, status, who } = decision;
    const asked = flags.find((flag) => flag.colleague && !isPending(flag) && !this.questioned.has(flag.id));
    if (asked) {
      for (const { id } of flags) this.questioned.add(id);
      say(t.queue.askAgain(asked.colleague!.name));
      return false;
    }
    if (!connection.get().live) {
      if (this.waiting) {
        say(t.queue.oneWaits);
        return false;
      }
      this.waiting = decision;
      say(t.queue.waitsForConnection(who));
    } else this.queueUp(decision);
    this.past.push(decision);
    this.list.replace(flags.map((flag) => ({ ...flag, status: status!, colleague: undefined })));
    return true;
  }

  /** Sends the decision that waited for the connection. */
  resume(): void {
    const { waiting } = this;
    this.waiting = undefined;
    if (waiting) this.queueUp(waiting);
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
      this.list.replace(flags);
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
      this.list.replace(last.flags);
      this.list.show(last.flags[0]!.id);
      this.queueUp({ ...last, status: undefined, reason: null });
    }
  }

  private async undoRuns(id: string, player: string): Promise<void> {
    const { error } = await this.client.mutation(UndoRunsMutation, { id }).toPromise();
    if (!error) await settled(this.client, id);
    say(error ? t.queue.failed(player, faultOf(error).message) : t.queue.runsTakenBack(player));
    await this.list.refreshRows();
  }
}
