import { randomUUID } from 'node:crypto';
import { type DocumentNode, execute, type GraphQLSchema, parse, validate } from 'graphql';
import { type App, type AppOptions, makeApp } from '../src/app.js';
import { idOf, NIL_UUID } from '../src/base/ids.js';
import type { Context } from '../src/graphql/context.js';
import { holdJobs } from '../src/jobs/lease.js';

/**
 * The caller that plants: a superadmin without a key, who uses the service's own GraphQL without HTTP, at a time of its choice.
 * Until it leaves, no other process' jobs run: they would end the boards of a past that is only being planted.
 */
export class Operator {
  /** Epoch milliseconds: when what comes next happens. */
  time = Date.now();
  /** Few, and each asked thousands of times: by their text. */
  readonly #documents = new Map<string, DocumentNode>();
  #app: App | undefined;
  #letJobsRun: (() => Promise<void>) | undefined;

  private constructor() {}

  static async enter(options: Omit<AppOptions, 'clock'>): Promise<Operator> {
    const operator = new Operator();
    operator.#letJobsRun = await holdJobs(options.database.connectionString);
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

  /** @throws Error when it does not fit the schema */
  #document(schema: GraphQLSchema, source: string): DocumentNode {
    const known = this.#documents.get(source);
    if (known) return known;
    const document = parse(source);
    const [fault] = validate(schema, document);
    if (fault) throw fault;
    this.#documents.set(source, document);
    return document;
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
    const contextValue = Object.assign(await app.contextOf(request), { caller });
    const { schema } = app;
    return execute({ schema, document: this.#document(schema, source), variableValues, contextValue });
  }

  async leave(): Promise<void> {
    await this.#app?.close();
    await this.#letJobsRun?.();
  }
}
