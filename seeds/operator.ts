import { randomUUID } from 'node:crypto';
import { graphql } from 'graphql';
import { type App, type AppOptions, makeApp } from '../src/app.js';
import type { Context } from '../src/graph/context.js';
import { idOf, NIL_UUID } from '../src/ids.js';

/**
 * Whoever plants: a superadmin without a key, who uses the service's own GraphQL without HTTP, at a time of its choice.
 */
export class Operator {
  /** Epoch milliseconds: when what comes next happens. */
  time = Date.now();
  #app: App | undefined;

  private constructor() {}

  static async enter(options: Omit<AppOptions, 'clock'>): Promise<Operator> {
    const operator = new Operator();
    operator.#app = await makeApp({ ...options, clock: () => operator.time });
    return operator;
  }

  /**
   * @returns the data, whose shape is that of the document
   * @throws Error with the sentences of all errors
   */
  async run<T>(document: string, variables: Record<string, unknown>): Promise<T> {
    const { data, errors } = await this.#execute(document, variables);
    if (errors) throw new Error(errors.map((error) => error.message).join('; '));
    return data as T;
  }

  /** The answer to a query for something that may not be there. */
  async find<T>(document: string, variables: Record<string, unknown>): Promise<T | undefined> {
    const { data, errors } = await this.#execute(document, variables);
    const missing = errors?.every(
      ({ originalError }) => (originalError as { code?: string })?.code === 'NOT_FOUND',
    );
    if (missing) return undefined;
    if (errors) throw new Error(errors.map((error) => error.message).join('; '));
    return data as T;
  }

  /** Runs a job of the service, by its name. */
  async work(job: string): Promise<void> {
    await this.#app!.jobs.run(job);
  }

  async #execute(source: string, variableValues: Record<string, unknown>) {
    const app = this.#app!;
    const caller: Context['caller'] = {
      kind: 'admin',
      accountId: idOf('account', NIL_UUID),
      userId: idOf('user', NIL_UUID),
      keyId: idOf('apiKey', NIL_UUID),
      superAdmin: true,
    };
    const request = { headers: {}, requestId: randomUUID(), socketAddress: undefined };
    const contextValue = { ...(await app.contextOf(request)), caller };
    return graphql({ schema: app.schema, source, variableValues, contextValue });
  }

  async leave(): Promise<void> {
    await this.#app?.close();
  }
}
