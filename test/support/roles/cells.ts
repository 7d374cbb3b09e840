import { idOf, uuidOf } from '../../../src/base/ids.js';
import type { TestApp } from '../app.js';
import type { OpenApiContract } from '../contract.js';
import type { Data } from '../http.js';
import { startSession, unique } from '../make.js';
import { takeNonce } from '../play.js';
import { TestSocket } from '../socket.js';
import type { Wire } from '../wire.js';
import { type Actor, type Cast, WHOLE, type Whole } from './callers.js';
import { emptyDocument, fullDocument } from './documents.js';
import type { Outcome, Target } from './policies.js';
import type { Row, RowRequest } from './rows.js';
import type { Names } from './studio-shape.js';
import { refusedTo } from './unseen-table.js';

/** One request of the matrix: who, for which row and whose record, and the expected outcome. */
export interface Cell {
  actor: Actor;
  target: Target;
  expected: Outcome;
}

/** The outcome of a request, and the complete response. */
export interface Result {
  outcome: Outcome;
  text: string;
  /** For GraphQL, like the errors. */
  data?: Data | null;
  errors?: Data[];
}

/**
 * Callers with valid credentials request every target of the row.
 * @param withBad whether the others call, too, for one target: they get the same result for every row of an
 * endpoint
 */
export function cellsOf(row: Row, cast: Cast, withBad: boolean): Cell[] {
  const { cells, open } = row.policy;
  const targets = [...cells.keys()];
  const first = targets[0]!;
  return cast.actors.flatMap((actor): Cell[] => {
    if (actor.code === undefined) {
      return targets.map((target) => ({ actor, target, expected: cells.get(target)![actor.name as Whole] }));
    }
    if (!withBad) return [];
    const target = (row.whole && actor.home) || first;
    return [{ actor, target, expected: open ? cells.get(target)!.visitor : actor.code }];
  });
}

/** True if an allowed request changes, deletes or restores a record. */
export function changesWhatIsThere({ door }: Row): boolean {
  return /^((PATCH|PUT|DELETE) |POST .*\/close$|Mutation\.(update|review|restore|delete|undo|close))/.test(
    door,
  );
}

function namesOf(cast: Cast, target: Target): Names {
  if (target === 'none') return {};
  return target === 'deleted' ? cast.aurora.deleted : { live: cast.aurora, ...cast }[target].live;
}

const JSON_BODY = { 'content-type': 'application/json' };
/** An address whose location the service knows. */
const FROM_LONDON = { 'x-forwarded-for': '81.2.69.142' };
const CREDENTIAL = ['API_KEY_REQUIRED', 'TOKEN_REQUIRED'];

/** Sends the requests of the matrix to the service. */
export class Asker {
  readonly #documents = new Map<string, string>();

  constructor(
    private readonly app: TestApp,
    private readonly wire: Wire,
    private readonly contract: OpenApiContract,
    private readonly cast: Cast,
    private readonly deepest?: number,
  ) {}

  /**
   * Callers who are allowed select every field; others only a few.
   * @param omit fields not to select, e.g. `Game.devices`: a refused one can hide everything next to it
   */
  async ask(row: Row, cell: Cell, omit = refusedTo(cell.actor.name)): Promise<Result> {
    const { actor, target, expected } = cell;
    const of = { ...namesOf(this.cast, target) };
    if (row.refresh && target === 'live') {
      of.refresh_token = (await startSession(this.app, of.game_id!)).session.refreshToken;
    }
    if (row.erases && expected === 'ok') of.identity_id = await this.#likePlayer(of.identity_id!);
    const headers = await this.#headers(row, actor);
    const nonce = headers['service-client-nonce'];
    const asked = { of, home: this.cast.aurora.live, n: unique(), nonce };
    if (!row.args) return this.#rest(row, cell, asked, headers);
    const operation = this.#operation(row, asked, expected === 'ok' || row.batch === true, omit);
    return row.door.startsWith('Subscription')
      ? this.#watch(row, operation, headers)
      : this.#graph(row, operation, headers);
  }

  /** Written directly to the database, because the player's account or game may be deleted or suspended. */
  async #likePlayer(id: string): Promise<string> {
    const { rows } = await this.app.database.knex.raw<{ rows: { id: string }[] }>(
      `insert into identities (id, account_id, game_id, kind, external_key, display_name, created_at, updated_at, deleted_at)
       select gen_random_uuid(), account_id, game_id, kind, gen_random_uuid()::text, display_name, created_at, updated_at, deleted_at
       from identities where id = ? returning id`,
      [uuidOf(id)],
    );
    return idOf('identity', rows[0]!.id);
  }

  async #headers(row: Row, { name, caller, nonce }: Actor): Promise<Record<string, string>> {
    if (row.whole && nonce) return { ...caller.headers, 'service-client-nonce': nonce };
    const isClient = WHOLE.includes(name as Whole) && 'authorization' in caller.headers;
    if (!row.nonce || !isClient) return caller.headers;
    return { ...caller.headers, 'service-client-nonce': await takeNonce(caller) };
  }

  async #rest(row: Row, cell: Cell, asked: RowRequest, headers: Record<string, string>): Promise<Result> {
    const [method, template] = row.door.split(' ') as [string, string];
    const path = template.replace(/{(\w+)}/g, (_whole, name: string) => asked.of[name] ?? fail(row, name));
    const query = Object.entries(row.query?.(asked) ?? {}).filter(
      (pair): pair is [string, string] => pair[1] !== undefined,
    );
    const search = query.length > 0 ? `?${new URLSearchParams(query)}` : '';
    const given = row.body?.(asked);
    const isToldFirst = given && !row.whole && !row.policy.open && this.#isToldFirst(row, cell, given);
    // A caller who may not call, or not name the account, is refused before the rest is checked.
    const body = given && JSON.stringify(isToldFirst ? faulty(given) : given);
    const answer = await this.wire.send({
      method,
      path: path + search,
      headers: { ...(row.file ? { 'content-type': 'image/png' } : JSON_BODY), ...FROM_LONDON, ...headers },
      body: row.file ?? body,
    });
    const faults = this.contract.faultsOf(method, path, answer.status, answer.headers, answer.body);
    if (faults.length > 0)
      throw new Error(`${row.door}: ${faults.join('; ')}\n${answer.status} ${answer.text}`);
    const outcome = answer.status < 300 ? (batchFault(answer.body) ?? 'ok') : answer.body.code;
    return { outcome, text: answer.text };
  }

  #isToldFirst({ policy }: Row, { actor, target, expected }: Cell, { account_id }: Data): boolean {
    if (expected === actor.code || CREDENTIAL.includes(expected)) return true;
    // If every administrator is refused, whatever they name, the endpoint is for superadmins only.
    const { admin, rival } = policy.cells.get(target)!;
    if (expected === 'SUPERADMIN_REQUIRED' && admin === rival) return true;
    const homes: Record<string, string> = {
      admin: this.cast.aurora.live.account_id!,
      rival: this.cast.borealis.live.account_id!,
    };
    return expected === 'FORBIDDEN' && account_id !== undefined && account_id !== homes[actor.name];
  }

  async #graph(row: Row, operation: Operation, headers: Record<string, string>): Promise<Result> {
    const { body, text } = await this.wire.send({
      method: 'POST',
      path: '/graphql',
      headers: { ...JSON_BODY, ...FROM_LONDON, ...headers },
      body: JSON.stringify(operation),
    });
    return { outcome: outcomeOf(row, body), text, data: body.data, errors: body.errors };
  }

  async #watch(row: Row, { query, variables }: Operation, headers: Record<string, string>): Promise<Result> {
    const socket = await TestSocket.connect(this.app.url, headers);
    const { type, payload } = await socket.run(query, variables);
    await socket.close();
    return {
      outcome: type === 'next' ? outcomeOf(row, payload) : payload[0].extensions.code,
      text: JSON.stringify(payload),
      data: payload.data,
      errors: payload.errors,
    };
  }

  #operation(row: Row, asked: RowRequest, whole: boolean, omit: string[]): Operation {
    const variables = Object.fromEntries(
      Object.entries(row.args!(asked)).filter(([, value]) => value !== undefined),
    );
    // A batch's refusals are in its results.
    const deepest = row.batch ? undefined : (row.deepest ?? this.deepest);
    const wish = {
      given: Object.keys(variables),
      of: row.type,
      omit,
      deepest,
      ...(row.bare && { bare: true }),
    };
    const key = JSON.stringify([row.door, wish, whole]);
    const make = whole ? fullDocument : emptyDocument;
    const query = this.#documents.get(key) ?? make(this.app.app.schema, row.door, wish);
    this.#documents.set(key, query);
    return { query, variables };
  }
}

/** A body that names the same account and is otherwise invalid. */
function faulty(body: Data): Data {
  return Object.fromEntries(Object.keys(body).map((name) => [name, name === 'account_id' ? body[name] : {}]));
}

interface Operation {
  query: string;
  variables: Data;
}

/** The code of the only item of a batch; undefined: it was stored, or it is not a batch. */
function batchFault(answer: Data): Outcome | undefined {
  const result = answer?.results?.[0];
  return result?.error?.code ?? result?.code;
}

function fail(row: Row, name: string): never {
  throw new Error(`${row.door}: no studio has a ${name}: give it one in studio.ts`);
}

/** Nested fields may be refused as long as something is shown; a fault of the service counts anywhere. */
function outcomeOf(row: Row, { data, errors = [] }: Data): Outcome {
  const codes: string[] = errors.map(({ extensions }: Data) => extensions.code);
  if (codes.includes('INTERNAL')) return 'INTERNAL';
  const shown = data?.[row.door.split('.')[1]!];
  const fault = batchFault(shown);
  if (fault) return fault;
  const something = Array.isArray(shown) ? shown.some((item) => item !== null) : shown != null;
  return something ? 'ok' : (codes[0] ?? 'null');
}
