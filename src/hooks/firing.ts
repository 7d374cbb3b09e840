import type { Knex } from 'knex';
import type { Clock } from '../base/clock.js';
import { DomainError, isDatabaseAway, OutcomeUnknown, present, SetupError } from '../base/errors.js';
import type { Log } from '../base/log.js';
import { rolledBack } from '../db/names.js';
import type { Database } from '../db/pool.js';
import { auditedWrite } from '../graphql/author.js';
import type { Context } from '../graphql/context.js';
import type { Extend } from '../graphql/schema.js';
import type { Job } from '../jobs/job.js';
import { extendSchema } from './extension/extend.js';
import type { Hooks, PostHook, PreHook, Undo } from './hooks.js';
import { type CallerFacts, queueName, Toolbox, within } from './tools.js';

/** Longest time that a request waits for a hook. */
const HOOK_MS = 10_000;

type Functions = Required<Hooks>;
type PreName =
  | 'preCreateGame'
  | 'preCreateBoard'
  | 'preCreateBoardTemplate'
  | 'preUpdateBoardTemplate'
  | 'preCreateScore';
type PostName = 'postCreateGame' | 'postCreateBoard' | 'postCreateScore' | 'postCompleteRegistration';
type InputOf<N extends PreName | PostName> = Parameters<Functions[N]>[0];

interface HooksParts {
  database: Database;
  clock: Clock;
  log: Log;
}

/** Calls a deployment's hooks. An absent hook costs one property access. Hooks get copies of the data. */
export class FiringHooks {
  readonly #toolbox: Toolbox;

  constructor(
    private readonly hooks: Hooks,
    private readonly parts: HooksParts,
    private readonly longestMillis = HOOK_MS,
  ) {
    const { database, clock, log } = parts;
    const jobs = Object.keys(hooks.jobs ?? {});
    const { knex: db, connectionString } = database;
    this.#toolbox = new Toolbox({ db, connectionString, clock, log, jobs });
  }

  /** The module's jobs, for the service's queue. */
  get jobs(): Job[] {
    return Object.entries(this.hooks.jobs ?? {}).map(([name, run]) => ({
      name: queueName(name),
      description: `The job ${name} of the hooks module.`,
      run: async ({ payload, signal }) => {
        await run(payload as Parameters<typeof run>[0], { ...this.#toolbox.tools, signal });
        return { done: 1 };
      },
    }));
  }

  /** Adds the module's fields to the GraphQL schema; undefined: it has none. @throws SetupError with a sentence for each fault */
  get extend(): Extend | undefined {
    const { typeDefs, resolvers = {} } = this.hooks;
    if (typeDefs === undefined) return undefined;
    const toolsOf = (context: Context) => this.#toolbox.refusingTools(context);
    const extension = { typeDefs: [typeDefs].flat(), resolvers, toolsOf, longestMillis: this.longestMillis };
    return (own, find, shown) => extendSchema(own, extension, find, shown);
  }

  /** Call once, before serving. @throws SetupError */
  async setUp(): Promise<void> {
    try {
      await this.hooks.setUp?.(this.#toolbox.tools);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      throw new SetupError(
        `setUp of HOOKS_MODULE failed (${why.split('\n')[0]}). Fix the module, or unset HOOKS_MODULE.`,
      );
    }
  }

  close(): Promise<void> {
    return this.#toolbox.close();
  }

  has(name: PreName | PostName): boolean {
    return this.hooks[name] !== undefined;
  }

  /** Calls the hook for a request, which may refuse it. @throws DomainError the refusal of the hook */
  async admit(facts: Context, method: string, route: string): Promise<void> {
    const { rateLimit } = this.hooks;
    if (!rateLimit) return;
    const tools = this.#toolbox.refusingTools(facts);
    await this.#ask('rateLimit', facts.requestId, async () =>
      rateLimit({ method, route }, facts.caller, tools),
    );
  }

  /**
   * Calls a pre-hook, then writes. The hook's effect is undone when nothing was written.
   * @param wrote true if the result of `write` was written now
   * @throws DomainError the refusal of the hook, INTERNAL when it fails; any error of `write`
   */
  async guard<N extends PreName, T>(
    name: N,
    facts: CallerFacts,
    input: InputOf<N>,
    write: () => Promise<T>,
    wrote: (result: T) => boolean = () => true,
  ): Promise<T> {
    const hook = this.hooks[name] as PreHook<InputOf<N>, CallerFacts['caller']> | undefined;
    if (!hook) return write();
    const tools = this.#toolbox.refusingTools(facts);
    const asking = async () => hook(copyOf(input), facts.caller, tools);
    const undo = await this.#ask(name, facts.requestId, asking, (late) => this.#undo(name, late));
    let result: T;
    try {
      result = await write();
    } catch (error) {
      // If the write may have happened after all, the hook's effect stays.
      const unknown =
        error instanceof OutcomeUnknown || (!(error instanceof DomainError) && isDatabaseAway(error));
      if (!unknown) await this.#undo(name, undo);
      throw error;
    }
    if (!wrote(result)) await this.#undo(name, undo);
    return result;
  }

  /**
   * The same for a write that is one transaction of records: it is first tried and rolled back, so that the hook is
   * called only for a write that would succeed, and no transaction waits for the hook.
   */
  async guardTransaction<N extends PreName, T>(
    name: N,
    context: Context,
    input: (written: T) => InputOf<N>,
    write: (trx: Knex.Transaction) => Promise<T>,
  ): Promise<T> {
    if (!this.has(name)) return auditedWrite(context, write);
    const tried = await rolledBack(context.db, write);
    return this.guard(name, context, input(tried), () => auditedWrite(context, write));
  }

  /** Calls a post-hook. Its failure is logged; the write is kept. */
  async after<N extends PostName>(name: N, facts: CallerFacts, record: InputOf<N>): Promise<void> {
    const hook = this.hooks[name] as PostHook<InputOf<N>, CallerFacts['caller']> | undefined;
    if (!hook) return;
    try {
      const tools = this.#toolbox.hookTools(facts);
      await within(this.longestMillis, async () => hook(copyOf(record), facts.caller, tools));
    } catch (error) {
      const details = { err: error, hook: name, requestId: facts.requestId };
      this.parts.log.error(details, 'a post-hook failed; the record was written');
    }
  }

  /** Any error of a hook, refusals apart, counts as the hook's fault, whatever its type. */
  async #ask<T>(
    name: string,
    requestId: string,
    ask: () => Promise<T>,
    late?: (result: T) => unknown,
  ): Promise<T> {
    try {
      return await within(this.longestMillis, ask, late);
    } catch (error) {
      if (error instanceof DomainError) throw error;
      this.parts.log.error({ err: error, hook: name, requestId }, 'a hook failed; nothing was written');
      throw present(new Error(`The hook ${name} failed`));
    }
  }

  async #undo(name: string, undo: unknown): Promise<void> {
    if (typeof undo !== 'function') return;
    try {
      await (undo as Undo)();
    } catch (error) {
      this.parts.log.error({ err: error, hook: name }, "a hook's undo function failed");
    }
  }
}

/** A copy: changes that a hook makes to it have no effect. Absent members stay absent. */
function copyOf<T extends object>(input: T): T {
  const present = Object.entries(input).filter(([, value]) => value !== undefined);
  return structuredClone(Object.fromEntries(present)) as T;
}
