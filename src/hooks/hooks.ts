import type { ErrorCode, ErrorDetail } from '../base/errors.js';
import type { Caller, SentRequest } from '../graphql/context.js';
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
export type { AdminCaller, AnonymousCaller, Caller, ClientCaller, SentRequest } from '../graphql/context.js';
export type * from './records.js';

/** Plain JSON. */
export type Json = null | boolean | number | string | Json[] | { [name: string]: Json };
export type Payload = { [name: string]: Json | undefined };

/** Services for hooks and jobs of the module. */
export interface Tools {
  /**
   * Schedules a function of the module's `jobs` with a payload, to be run by any process; durable when this resolves,
   * whatever becomes of the request. After failures it is retried with growing pauses for about a day; it may run more
   * than once.
   * @param options `delaySeconds`: not before; `key`: calls with the same key that have not begun yet are merged; the
   * newest one is kept
   * @throws Error when there is no such job
   */
  schedule(job: string, payload?: Payload, options?: { delaySeconds?: number; key?: string }): Promise<void>;
  /**
   * Runs SQL on the service's database, in its own transaction, on connections that only hooks use: one statement with
   * values ($1, …), or any number without. Keep your tables in your own schema.
   * @returns the rows
   */
  query<Row extends object = Record<string, unknown>>(
    sql: string,
    values?: readonly unknown[],
  ): Promise<Row[]>;
  /** Writes a line to the service's log. */
  log(level: 'debug' | 'info' | 'warn' | 'error', facts: object, sentence: string): void;
  /** The service's clock. */
  now(): Date;
}

/** The request that a hook is called for. */
export interface HookRequest extends SentRequest {
  /** The request's id, as in the header `service-request-id` and in the log. */
  id: string;
  /** The caller's network address, with trusted proxies left out. */
  ip: string | undefined;
  userAgent: string | undefined;
}

/** Services for hooks of a request: its caller and origin, too. */
export interface HookTools extends Tools {
  request: HookRequest;
}

/** The service itself, which makes the boards of templates. */
export interface ServiceCaller {
  kind: 'service';
}

/** The same tools for hooks that the service's own work calls, too: then there is no request. */
export type OwnWork<T extends HookTools> = Omit<T, 'request'> & { request: HookRequest | undefined };

/** Services for hooks that may refuse a request. */
export interface RefusingTools extends HookTools {
  /**
   * Ends the request with a coded error that reaches the caller unchanged.
   * @param code one of the service's codes (it determines the status), but not INTERNAL
   * @param sentence for a human: the fault and its remedy
   * @param options `retryAfterSeconds`: with RATE_LIMITED and UNAVAILABLE, the header `retry-after`
   */
  refuse(
    code: Exclude<ErrorCode, 'INTERNAL'>,
    sentence: string,
    options?: { details?: ErrorDetail[]; retryAfterSeconds?: number },
  ): never;
}

/** Undoes the effect of a pre-hook: called when the write that it allowed did not happen. */
export type Undo = () => unknown;

/**
 * Called before a write, after all other checks. Any error ends the request with nothing written: an error of
 * `tools.refuse` reaches the caller unchanged, any other as INTERNAL. Its time is limited (10 s).
 * @returns an {@link Undo}, if it returns a function
 */
export type PreHook<Input, By = Caller, Given = RefusingTools> = (
  input: Readonly<Input>,
  caller: By,
  tools: Given,
) => unknown;

/**
 * Called after a write, when it is durable; the answer waits for it, at most 10 s. Its errors are logged and undo
 * nothing. If the process is killed between the write and the hook, the hook is never called.
 */
export type PostHook<Record, By = Caller, Given = HookTools> = (
  record: Readonly<Record>,
  caller: By,
  tools: Given,
) => void | Promise<void>;

/** A job that `tools.schedule` starts. If it throws, it is retried. */
export type HookJob = (payload: Payload, tools: Tools & { signal: AbortSignal }) => unknown;

/** A record of the service: the value of a field whose type is one of the service's. Only its id is for modules. */
export interface ServiceRecord {
  readonly id: string;
}

/** Reads the values of many keys at once; a key that is missing in the map has none. */
export type BatchRead<Value> = (
  keys: readonly string[],
  context: ResolverContext,
) => Promise<ReadonlyMap<string, Value>>;

/** Services for the module's resolvers. An error of `refuse`, `graphql` and `record` reaches the caller unchanged. */
export interface ResolverContext extends RefusingTools {
  caller: Caller;
  /**
   * Runs a query of the service's GraphQL API, the module's own fields included, with the caller's rights and within
   * the limits of any query.
   * @returns its data
   */
  graphql<Data extends object = Record<string, unknown>>(
    query: string,
    variables?: Record<string, unknown>,
  ): Promise<Data>;
  /**
   * Reads a record of any kind by its id, with the caller's rights, to be returned from a field of its type. The
   * records of one operation are read together.
   * @returns null if there is none that the caller may see
   */
  record(id: string): Promise<ServiceRecord | null>;
  /**
   * Reads a value together with those that other objects of the operation ask of the same function.
   * @param read one function for all calls, e.g. a constant of the module
   */
  batch<Value>(read: BatchRead<Value>, key: string): Promise<Value | undefined>;
}

/**
 * Returns the value of a field, within 10 s. The parent of a field on a type of the service has the type's plain
 * fields, e.g. `id`; elsewhere it is the value that the module returned. Any error besides a refusal reaches the caller
 * as INTERNAL. A query's resolver changes nothing: it may run twice.
 */
export type Resolver<Parent = never, Args = never> = (
  parent: Parent,
  args: Args,
  context: ResolverContext,
) => unknown;

/** The events of a field on Subscription. */
export interface SubscriptionResolver<Args = never> {
  /**
   * Returns the events: objects that have the field's value under its name, or the parents of `resolve`. The signal is
   * aborted when the subscription ends.
   */
  subscribe: (
    parent: undefined,
    args: Args,
    context: ResolverContext & { signal: AbortSignal },
  ) => AsyncIterable<unknown> | Promise<AsyncIterable<unknown>>;
  resolve?: Resolver;
}

/**
 * By type and field. Types of the module may have `__resolveType` (interfaces, unions), internal values (enums), and
 * `serialize`, `parseValue`, `parseLiteral` (scalars).
 */
export type Resolvers = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** All exports of a hooks module, by name, or in one object as its default export. */
export interface Hooks {
  /** Called once in every process before it serves; an error stops the start. */
  setUp?: (tools: Tools) => unknown;
  preCreateGame?: PreHook<NewGame>;
  postCreateGame?: PostHook<Game>;
  /** Called for boards of templates, too, by the service itself: an error is the template's `lastError`. */
  preCreateBoard?: PreHook<NewBoard, Caller | ServiceCaller, OwnWork<RefusingTools>>;
  postCreateBoard?: PostHook<Board, Caller | ServiceCaller, OwnWork<HookTools>>;
  preCreateBoardTemplate?: PreHook<NewBoardTemplate>;
  preUpdateBoardTemplate?: PreHook<BoardTemplateChange>;
  preCreateScore?: PreHook<NewScore>;
  postCreateScore?: PostHook<Score>;
  postCompleteRegistration?: PostHook<Registration>;
  /** Called for every request, as soon as the caller is known; anonymous when the credential is invalid. */
  rateLimit?: (input: RateLimited, caller: Caller, tools: RefusingTools) => void | Promise<void>;
  /** By the names that are passed to `tools.schedule`. */
  jobs?: Readonly<Record<string, HookJob>>;
  /** Fields and types that the module adds to the GraphQL schema; its directives are `@allow` and `@cost`. */
  typeDefs?: string | readonly string[];
  /** The resolvers of `typeDefs`. */
  resolvers?: Resolvers;
}
