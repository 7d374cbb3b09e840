import type { DomainError } from '../../base/errors.js';
import type { Frame, Sink } from './sink.js';
import { type Following, isOverdue, type Listener, type LiveState, yieldTurn } from './watched.js';

const NO_STATES: readonly LiveState[] = [];

/** Makes the frame of a root value, once for all subscribers. */
type Show = (state: LiveState, root: object) => Frame | Promise<Frame>;

/** A subscriber. Frames missed while its connection has no room are flagged per item, not queued. */
interface Member {
  sink: Sink;
  /**
   * `new`: joined after the present round began; `due`: gets the present states in this round; `notified`: has received
   * them.
   */
  progress: 'new' | 'due' | 'notified';
  behind: Set<string> | undefined;
}

/** The newest frame of each item. Nearly always there is only one item: its frame needs no map. */
class Newest {
  #item: string | undefined;
  #frame: Frame | undefined;
  #others: Map<string, Frame> | undefined;

  of(item: string): Frame | undefined {
    return item === this.#item ? this.#frame : this.#others?.get(item);
  }

  set(item: string, frame: Frame): void {
    this.#item ??= item;
    if (item === this.#item) {
      this.#frame = frame;
      return;
    }
    this.#others ??= new Map();
    this.#others.set(item, frame);
  }
}

/**
 * All subscribers of the same operation with the same rights: each state is evaluated and serialized once for all of
 * them.
 */
export class LiveGroup implements Listener {
  readonly #members = new Set<Member>();
  /**
   * The only member, if there is one: own ranks make thousands of groups of one, and each dereference waits for memory.
   */
  #alone: Member | undefined;
  readonly #newest = new Newest();
  /** States that were received and not sent yet. */
  #due: readonly LiveState[] = NO_STATES;
  #following: Following | undefined;

  /** @param emptied called when the last member has left */
  constructor(
    private readonly show: Show,
    private readonly present: (error: unknown) => DomainError,
    private readonly emptied: () => void,
  ) {}

  /** Begins to listen; called before the first member joins. */
  follow(follow: (listener: Listener) => Following): void {
    this.#following = follow(this);
  }

  /** @returns ends the subscription */
  join(sink: Sink): () => void {
    const member: Member = { sink, progress: 'new', behind: undefined };
    this.#members.add(member);
    this.#count();
    this.#following?.again();
    return () => {
      if (!this.#members.delete(member)) return;
      this.#count();
      if (this.#members.size === 0) this.#end();
    };
  }

  #count(): void {
    const [first, second] = this.#members;
    this.#alone = second ? undefined : first;
  }

  beginning(): void {
    for (const member of this.#members) if (member.progress === 'new') member.progress = 'due';
  }

  notified(states: readonly LiveState[]): Promise<void> | undefined {
    this.#due = states;
    return this.#renew(states);
  }

  deliver(): Promise<void> | undefined {
    const states = this.#due;
    this.#due = NO_STATES;
    if (states.length === 0) return undefined;
    const alone = this.#alone;
    if (!alone || alone.progress === 'due') return this.#deliverAll(states);
    if (alone.progress === 'notified') this.#sendChanged(alone, states);
    return undefined;
  }

  failed(error: unknown): void {
    const shown = this.present(error);
    const members = [...this.#members];
    this.#members.clear();
    this.#count();
    this.#end();
    for (const { sink } of members) sink.end(shown);
  }

  /** Makes the frames of changed states, mostly synchronously: thousands of groups of one are notified per tick. */
  #renew(states: readonly LiveState[], from = 0): Promise<void> | undefined {
    for (let i = from; i < states.length; i += 1) {
      const state = states[i]!;
      if (!state.changed && this.#newest.of(state.item) !== undefined) continue;
      const frame = this.show(state, state.root);
      if (frame instanceof Promise) {
        return frame.then((made) => {
          this.#newest.set(state.item, made);
          return this.#renew(states, i + 1);
        });
      }
      this.#newest.set(state.item, frame);
    }
    return undefined;
  }

  async #deliverAll(states: readonly LiveState[]): Promise<void> {
    let first: Frame[] | undefined;
    for (const member of this.#members) {
      if (member.progress === 'notified') {
        this.#sendChanged(member, states);
      } else if (member.progress === 'due') {
        first ??= await this.#first(states);
        for (const frame of first) member.sink.write(frame);
        member.progress = 'notified';
      }
      if (isOverdue()) await yieldTurn();
    }
  }

  #sendChanged(member: Member, states: readonly LiveState[]): void {
    for (const state of states) if (state.changed) this.#send(member, state.item);
  }

  async #first(states: readonly LiveState[]): Promise<Frame[]> {
    const frames: Frame[] = [];
    for (const state of states) {
      const shared = state.first === state.root && this.#newest.of(state.item);
      frames.push(shared || (await this.show(state, state.first)));
    }
    return frames;
  }

  #send(member: Member, item: string): void {
    const { outlet } = member.sink;
    if (outlet.hasRoom && !member.behind) {
      member.sink.write(this.#newest.of(item)!);
      return;
    }
    if (!member.behind) {
      member.behind = new Set();
      outlet.whenRoom(() => this.#catchUp(member));
    }
    member.behind.add(item);
  }

  /** Sends the newest frame of each missed item. */
  #catchUp(member: Member): void {
    const { behind } = member;
    member.behind = undefined;
    if (!behind || !this.#members.has(member)) return;
    for (const item of behind) this.#send(member, item);
  }

  #end(): void {
    this.#following?.end();
    this.#following = undefined;
    this.emptied();
  }
}
