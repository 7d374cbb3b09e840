import type { ExecutionResult } from 'graphql';
import { DomainError, present } from '../../base/errors.js';
import type { Log } from '../../base/log.js';
import type { Metrics } from '../../base/metrics.js';
import { administers } from '../access.js';
import type { Caller, Context } from '../context.js';
import type { AnswerLimit } from '../engine/answer-limit.js';
import { type Prepared, type Variables, withDefaults } from '../engine/execute.js';
import { LiveGroup } from './group.js';
import { isPlainOperation, type LiveField } from './operation.js';
import type { Frame, Sink } from './sink.js';
import type { LiveState } from './watched.js';

/** Most concurrent live subscriptions and streams of this process. */
interface LiveLimits {
  perDevice: number;
  /** Of all subscribers to the account's boards. */
  perAccount: number;
  /** Of all anonymous subscribers at one address: without a credential, or with one of another account. */
  perAddress: number;
}

function tooMany(most: number, whose: string): DomainError {
  return new DomainError(
    'RATE_LIMITED',
    `${whose} may watch at most ${most} things live at a time: end what is no longer needed, then try again`,
  );
}

/** True for a credential of another account: it must not use up the account's own allowance. */
function isForeign(caller: Caller, accountId: string): boolean {
  if (caller.kind === 'client') return caller.accountId !== accountId;
  return !administers({ caller }, accountId);
}

/** Counts the subscribers. */
class LiveCounts {
  readonly #counts = new Map<string, number>();

  constructor(private readonly limits: LiveLimits) {}

  get total(): number {
    return this.#total;
  }

  #total = 0;

  /**
   * @param accountId the account that is watched
   * @returns ends the count of this subscriber
   * @throws DomainError RATE_LIMITED
   */
  enter({ caller, ip }: Pick<Context, 'caller' | 'ip'>, accountId: string): () => void {
    const { perDevice, perAccount, perAddress } = this.limits;
    const keys = [accountId];
    this.#check(accountId, perAccount, 'An account');
    if (caller.kind === 'client') {
      this.#check(caller.deviceId, perDevice, 'A device');
      keys.push(caller.deviceId);
    }
    if (isForeign(caller, accountId)) {
      const address = ip ?? '';
      this.#check(address, perAddress, 'Visitors of one address');
      keys.push(address);
    }
    for (const key of keys) this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
    this.#total += 1;
    return () => {
      this.#total -= 1;
      for (const key of keys) {
        const left = this.#counts.get(key)! - 1;
        if (left > 0) this.#counts.set(key, left);
        else this.#counts.delete(key);
      }
    };
  }

  #check(key: string, most: number, whose: string): void {
    if ((this.#counts.get(key) ?? 0) >= most) throw tooMany(most, whose);
  }
}

/** How a transport writes a state's result. */
export interface Spelling {
  /** Distinguishes the transport in group keys: `socket`, `stream`. */
  name: string;
  /** @param context of one of the subscribers */
  frame(state: LiveState, result: ExecutionResult, context: Context): Frame;
  /** Size limit of a frame; absent: none. */
  limit?: AnswerLimit;
}

interface Subscribing {
  prepared: Prepared;
  variables: Variables;
  live: LiveField;
  context: Context;
  spelling: Spelling;
}

function person(caller: Caller): string {
  if (caller.kind === 'admin') return caller.keyId;
  return caller.kind === 'client' ? caller.sessionId : 'visitor';
}

/**
 * All live operations of this process, over sockets and streams: each state is serialized once for all who see the
 * same.
 */
export class LiveHub {
  readonly #groups = new Map<string, LiveGroup>();
  readonly #counts: LiveCounts;
  #shown = 0;

  constructor(
    limits: LiveLimits,
    private readonly log: Log,
    metrics: Metrics,
  ) {
    this.#counts = new LiveCounts(limits);
    metrics.gauge('live_subscribers', 'Live subscriptions and streams that go on.', () => this.#counts.total);
    metrics.gauge(
      'live_groups',
      'Different live operations that go on: each is evaluated once for all its subscribers.',
      () => this.#groups.size,
    );
  }

  /** Subscribers of all groups. */
  get size(): number {
    return this.#counts.total;
  }

  /** Number of states that were evaluated and serialized since the start. */
  get shown(): number {
    return this.#shown;
  }

  /**
   * Adds a subscriber.
   * @returns ends the subscription; to be called once
   * @throws DomainError when the caller may not watch, the record does not exist, or a limit is exceeded
   */
  async subscribe(request: Subscribing, sink: Sink): Promise<() => void> {
    const { prepared, live, context, spelling } = request;
    const { operationName, operation, source } = prepared;
    const variables = withDefaults(operation, request.variables);
    const watched = await live.open(live.args, context);
    const leave = this.#counts.enter(context, watched.accountId);
    const plain = isPlainOperation(prepared, live.field);
    const rights = plain ? watched.rights : person(context.caller);
    const parts = [spelling.name, watched.key, rights, plain, operationName, variables, source];
    const key = JSON.stringify(parts);
    let group = this.#groups.get(key);
    if (!group) {
      const shows = (root: object) => {
        if (plain) return prepared.run(variables, undefined, root);
        // Each state is read anew.
        context.loaders.clear();
        return prepared.run(variables, context, root);
      };
      const write = (state: LiveState, result: ExecutionResult): Frame => {
        const frame = spelling.frame(state, result, context);
        spelling.limit?.checkWritten(frame.length);
        return frame;
      };
      const made = new LiveGroup(
        (state, root) => {
          this.#shown += 1;
          const shown = shows(root);
          return shown instanceof Promise
            ? shown.then((result) => write(state, result))
            : write(state, shown);
        },
        (error) => this.#presented(error),
        () => this.#groups.get(key) === made && this.#groups.delete(key),
      );
      made.follow((listener) => watched.follow(listener));
      this.#groups.set(key, made);
      group = made;
    }
    const end = group.join(sink);
    return () => {
      end();
      leave();
    };
  }

  #presented(error: unknown): DomainError {
    const shown = error instanceof DomainError ? error : present(error);
    if (shown.code === 'INTERNAL') this.log.error({ err: error }, 'a live feed failed');
    return shown;
  }
}
