import { randomUUID } from 'node:crypto';
import { type DocumentNode, execute, type GraphQLSchema, parse, validate } from 'graphql';
import { type App, type AppOptions, makeApp } from '../src/app.js';
import { idOf, NIL_UUID } from '../src/base/ids.js';
import { checkPicture } from '../src/base/pictures/picture.js';
import type { PictureKind } from '../src/base/pictures/stored.js';
import { saveGamePicture } from '../src/games/pictures.js';
import type { Context } from '../src/graphql/context.js';
import { RIGHTS } from '../src/graphql/rights.js';
import { holdJobs } from '../src/jobs/lease.js';

/** A user of an account, with the key that the user acts by. Prefixed ids. */
export interface OperatorUser {
  accountId: string;
  userId: string;
  keyId: string;
}

/**
 * The caller that plants: a superadmin without a key, or a user of an account, that uses the service's own GraphQL without
 * HTTP, at a time of its choice.
 * Until it leaves, no other process' jobs run: they would end the boards of a past that is only being planted.
 */
export class Operator {
  /** Epoch milliseconds: when what comes next happens. */
  time = Date.now();
  /** The user of an account who acts; undefined: the superadmin. */
  user: OperatorUser | undefined;
  /** Few, and each run thousands of times: by their text. */
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

  /** Does work that is in the audit trail, which names people. */
  async as<T>(user: OperatorUser, work: () => Promise<T>): Promise<T> {
    this.user = user;
    try {
      return await work();
    } finally {
      this.user = undefined;
    }
  }

  /** Runs a job of the service, by its name. */
  async work(job: string): Promise<void> {
    await this.#app!.jobs.run(job);
  }

  /** Uploads a PNG to a game. */
  async upload(gameId: string, kind: PictureKind, bytes: Buffer): Promise<void> {
    const picture = await checkPicture('image/png', bytes);
    await saveGamePicture(await this.#context(), gameId, kind, picture);
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
    const { schema } = this.#app!;
    const contextValue = await this.#context();
    return execute({ schema, document: this.#document(schema, source), variableValues, contextValue });
  }

  async #context(): Promise<Context> {
    const caller: Context['caller'] = {
      kind: 'admin',
      accountId: idOf('account', NIL_UUID),
      userId: idOf('user', NIL_UUID),
      keyId: idOf('apiKey', NIL_UUID),
      ...this.user,
      superAdmin: this.user === undefined,
      role: 'admin',
      rights: RIGHTS,
      games: null,
    };
    const request = { headers: {}, requestId: randomUUID(), socketAddress: undefined };
    // Without a user it is nobody of the database.
    const work = this.user === undefined && { work: { by: 'operator', agent: 'seed' } as const };
    return Object.assign(await this.#app!.contextOf(request), { caller, ...work });
  }

  async leave(): Promise<void> {
    await this.#app?.close();
    await this.#letJobsRun?.();
  }
}
