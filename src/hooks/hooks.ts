import type { ErrorCode, ErrorDetail } from '../base/errors.js';
import type { Caller } from '../graphql/context.js';
import type {
  Board,
  BoardTemplateChange,
  Game,
  NewBoard,
  NewBoardTemplate,
  NewGame,
  NewScore,
  RateLimited,
  Registration,
  Score,
} from './records.js';

/**
 * The exports of a hooks module (the setting HOOKS_MODULE) and the arguments of its functions; docs/guides/extending.md
 * describes them. A module declares a hook by its type: `export const preCreateScore: Hooks['preCreateScore'] = …`.
 */

export type { ErrorCode, ErrorDetail } from '../base/errors.js';
export type { AdminCaller, AnonymousCaller, Caller, ClientCaller } from '../graphql/context.js';
export type * from './records.js';

/** Plain JSON. */
export type Json = null | boolean | number | string | Json[] | { [name: string]: Json };
export type Payload = { [name: string]: Json | undefined };

/** What a hook or a job of the module can use. */
export interface Tools {
  /**
   * Has a function of the module's `jobs` run with a payload, by any process, durable when this resolves, whatever becomes
   * of the request. Tried again, ever later, for about a day when it fails; it may run more than once.
   * @param options `delaySeconds`: not before; `key`: calls with the same key that did not begin yet are one, the newest
   * @throws Error when there is no such job
   */
  schedule(job: string, payload?: Payload, options?: { delaySeconds?: number; key?: string }): Promise<void>;
  /**
   * Runs SQL on the service's database, in a transaction of its own, on connections that only hooks use: one statement with
   * values ($1, …), or any number without. Keep tables of your own in a schema of your own.
   * @returns the rows
   */
  query<Row extends object = Record<string, unknown>>(
    sql: string,
    values?: readonly unknown[],
  ): Promise<Row[]>;
  /** A line of the service's log. */
  log(level: 'debug' | 'info' | 'warn' | 'error', facts: object, sentence: string): void;
  /** The service's clock. */
  now(): Date;
}

/** What a hook can use besides: who asked, from where. */
export interface HookTools extends Tools {
  request: {
    /** As in the header `service-request-id` and in the log. */
    id: string;
    /** The caller's address, proxies that are trusted left out. */
    ip: string | undefined;
    userAgent: string | undefined;
  };
}

/** What a hook can use that may refuse. */
export interface RefusingTools extends HookTools {
  /**
   * Ends the request with a coded error that reaches the caller as it is.
   * @param code one of the service's codes (it decides the status), but not INTERNAL
   * @param sentence for a human: what is wrong and what to do
   * @param options `retryAfterSeconds`: with RATE_LIMITED and UNAVAILABLE, the header `retry-after`
   */
  refuse(
    code: Exclude<ErrorCode, 'INTERNAL'>,
    sentence: string,
    options?: { details?: ErrorDetail[]; retryAfterSeconds?: number },
  ): never;
}

/** Undoes what a pre-hook took: called when what it let through was not written after all. */
export type Undo = () => unknown;

/**
 * Before a write, when everything else about it is in order. Whatever it throws ends the request with nothing written: what
 * `tools.refuse` throws as it is, anything else as INTERNAL. Its time is limited (10 s).
 * @returns when it is a function, an {@link Undo}
 */
export type PreHook<Input> = (input: Readonly<Input>, caller: Caller, tools: RefusingTools) => unknown;

/**
 * After a write, when it is durable; the answer waits for it, at most 10 s. What it throws is logged and undoes nothing. A
 * process that is killed between the write and the hook never calls it.
 */
export type PostHook<Record> = (
  record: Readonly<Record>,
  caller: Caller,
  tools: HookTools,
) => void | Promise<void>;

/** Work that `tools.schedule` asks for. What it throws has it tried again. */
export type HookJob = (payload: Payload, tools: Tools & { signal: AbortSignal }) => unknown;

/** All that a hooks module may export, by name, or in one object as its default export. */
export interface Hooks {
  /** Once in every process before it serves; what it throws stops the start. */
  setUp?: (tools: Tools) => unknown;
  preCreateGame?: PreHook<NewGame>;
  postCreateGame?: PostHook<Game>;
  preCreateBoard?: PreHook<NewBoard>;
  postCreateBoard?: PostHook<Board>;
  preCreateBoardTemplate?: PreHook<NewBoardTemplate>;
  preUpdateBoardTemplate?: PreHook<BoardTemplateChange>;
  preCreateScore?: PreHook<NewScore>;
  postCreateScore?: PostHook<Score>;
  postCompleteRegistration?: PostHook<Registration>;
  /** For every request, as soon as it is known who asks; anonymous when the credential is no good. */
  rateLimit?: (input: RateLimited, caller: Caller, tools: RefusingTools) => void | Promise<void>;
  /** By the names that `tools.schedule` is called with. */
  jobs?: Readonly<Record<string, HookJob>>;
}
