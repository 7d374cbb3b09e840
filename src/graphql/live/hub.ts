import type { DocumentNode, ExecutionResult } from 'graphql';
import { DomainError, present } from '../../base/errors.js';
import type { Log } from '../../base/log.js';
import type { Metrics } from '../../base/metrics.js';
import type { Caller, Context } from '../context.js';
import type { AnswerLimit } from '../engine/answer-limit.js';
import { type Prepared, type Variables, withDefaults } from '../engine/execute.js';
import { Allowances, type LiveLimits, Shared } from './allowance.js';
import { LiveGroup } from './group.js';
import { isPlainOperation, type LiveField } from './operation.js';
import type { Frame, Sink } from './sink.js';
import type { LiveState, Watched } from './watched.js';

/** Parsed documents take about this many times their text. */
const DOCUMENT_FACTOR = 100;
/** Memory of a group besides its frames. */
const GROUP_BYTES = 16_384;
/** The state that a frame was made of takes about as much again. */
const FRAME_FACTOR = 2;

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
  readonly #groups = new Map<string, { group: LiveGroup; memory: Shared }>();
  readonly #allowances: Allowances;
  readonly #documents = new WeakMap<DocumentNode, Shared>();
  #shown = 0;

  constructor(
    limits: LiveLimits,
    private readonly log: Log,
    metrics: Metrics,
  ) {
    this.#allowances = new Allowances(limits);
    metrics.gauge('live_subscribers', 'Open live subscriptions and streams.', () => this.#allowances.total);
    metrics.gauge(
      'live_groups',
      'Distinct live operations that are open; each is evaluated once for all its subscribers.',
      () => this.#groups.size,
    );
  }

  /** Subscribers of all groups. */
  get size(): number {
    return this.#allowances.total;
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
    const share = this.#allowances.enter(context, watched.accountId, (error) => sink.end(error));
    const text = this.#documentOf(prepared);
    text.join(share);
    const leave = () => {
      text.leave(share);
      this.#allowances.leave(share);
    };
    try {
      share.check();
    } catch (error) {
      leave();
      throw error;
    }
    const plain = isPlainOperation(prepared, live.field);
    const rights = plain ? watched.rights : person(context.caller);
    const parts = [spelling.name, watched.key, rights, plain, operationName, variables, source];
    const key = JSON.stringify(parts);
    const begun = this.#groups.get(key);
    const { group, memory } = begun ?? this.#begin(key, { ...request, variables }, watched, plain);
    memory.join(share);
    const end = group.join(sink);
    return () => {
      end();
      memory.leave(share);
      leave();
    };
  }

  #documentOf({ document, source }: Prepared): Shared {
    const shared = this.#documents.get(document);
    if (shared) return shared;
    const made = new Shared(DOCUMENT_FACTOR * source.length);
    this.#documents.set(document, made);
    return made;
  }

  #begin(
    key: string,
    { prepared, variables, context, spelling }: Subscribing,
    watched: Watched,
    plain: boolean,
  ) {
    const memory = new Shared(GROUP_BYTES + key.length);
    const sizes = new Map<string, number>();
    let size = 0;
    const shows = (root: object) => {
      if (plain) return prepared.run(variables, undefined, root);
      // Each state is read again.
      context.loaders.clear();
      return prepared.run(variables, context, root);
    };
    const write = (state: LiveState, result: ExecutionResult): Frame => {
      const frame = spelling.frame(state, result, context);
      spelling.limit?.checkWritten(frame.length);
      size += frame.length - (sizes.get(state.item) ?? 0);
      sizes.set(state.item, frame.length);
      memory.resize(GROUP_BYTES + key.length + FRAME_FACTOR * size);
      return frame;
    };
    const group: LiveGroup = new LiveGroup(
      (state, root) => {
        this.#shown += 1;
        const shown = shows(root);
        return shown instanceof Promise ? shown.then((result) => write(state, result)) : write(state, shown);
      },
      (error) => this.#presented(error),
      () => this.#groups.get(key)?.group === group && this.#groups.delete(key),
    );
    group.follow((listener) => watched.follow(listener));
    const begun = { group, memory };
    this.#groups.set(key, begun);
    return begun;
  }

  #presented(error: unknown): DomainError {
    const shown = error instanceof DomainError ? error : present(error);
    if (shown.code === 'INTERNAL') this.log.error({ err: error }, 'a live feed failed');
    return shown;
  }
}
