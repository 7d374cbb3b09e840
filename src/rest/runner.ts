import { type GraphQLError, type GraphQLObjectType, getNamedType, OperationTypeNode } from 'graphql';
import { DomainError, type ErrorDetail, invalid, notFound, withDetails } from '../base/errors.js';
import { isId } from '../base/ids.js';
import { checkAccess, limitTo } from '../graphql/access.js';
import type { Context, ReadBody } from '../graphql/context.js';
import { fragmentsOf } from '../graphql/engine/check.js';
import type { Engine, Prepared, Variables } from '../graphql/engine/execute.js';
import { domainErrorOf } from '../graphql/errors.js';
import { idMessage } from '../graphql/rules.js';
import { MISSING } from './request/faults.js';
import { CheckedItems, ItemsReader } from './request/items.js';
import { answerOf } from './request/members.js';
import { type RawRequest, RequestReader } from './request/request.js';
import type { RestRoute } from './routes/rest-route.js';
import { snakeCase } from './spelling.js';

/** For requests whose body counts for nothing. */
export const NO_BODY: ReadBody = () => Promise.resolve(undefined);

/** Joins faults into one sentence. */
function sentenceOf(details: ErrorDetail[]): string {
  return details.map(({ loc, msg }) => `${loc.slice(1).join('.')} ${msg}`).join('; ');
}

/** Runs one route for any number of requests: work that does not depend on the request was done before. */
export class RouteRunner {
  readonly #reader: RequestReader;
  readonly #namesAccount: boolean;
  /** The root field that it runs, in GraphQL's spelling. */
  readonly #root: string;
  /** Members of the body that are left out where they are null. */
  readonly #absent: string[];
  /** Siblings of the body that are members of it; `absent`: not where they are null. */
  readonly #beside: { name: string; absent: boolean }[];
  /** Set for a batch. */
  readonly #items: ItemsReader | undefined;
  /** Its operation, on the schema in REST's spelling. */
  readonly prepared: Prepared;

  /** @param engine the engine of the schema in REST's spelling */
  constructor(
    engine: Engine,
    readonly rest: RestRoute,
  ) {
    this.prepared = engine.prepare(rest.document, rest.route.operation);
    const { who, body, batchOf, extraMembers, refused } = rest.route;
    this.#root = body.split('.')[0]!;
    const isStrict =
      (who === 'admin' || who === 'superadmin') &&
      (rest.definition.operation === OperationTypeNode.MUTATION || extraMembers === 'refused') &&
      extraMembers !== 'ignored';
    this.#reader = new RequestReader(rest, {
      checked: batchOf && 'items',
      answer: isStrict ? answerOf(rest.selection.selectionSet, fragmentsOf(rest.document)) : undefined,
      refused: batchOf ? undefined : refused,
    });
    this.#absent = Object.values(rest.type.getFields())
      .filter(({ extensions }) => extensions.absentIfNull)
      .map(({ name }) => snakeCase(name));
    const owner = getNamedType(rest.field.type) as GraphQLObjectType;
    this.#beside = (rest.route.beside ?? []).map((name) => ({
      name: snakeCase(name),
      absent: owner.getFields()[name]!.extensions.absentIfNull === true,
    }));
    if (batchOf) this.#items = new ItemsReader(rest.spoken.get('items')!, refused);
    this.#namesAccount = rest.inputs.some(({ where, name }) => where === 'body' && name === 'account_id');
  }

  /**
   * Checks credential, role, named account and the request's own faults, then runs the operation.
   * @param path the path's parameters, decoded
   * @param readBody reads the request's body, after the checks of the caller
   * @returns the response body, or its cached JSON
   * @throws DomainError; any other error is a bug that the envelope logs
   */
  async run(
    context: Context,
    path: RawRequest['path'],
    query: RawRequest['query'],
    readBody: ReadBody,
  ): Promise<unknown> {
    const bodyOf = () =>
      readBody({ known: context.caller.kind !== 'anonymous', upTo: this.rest.route.maxBodyBytes });
    try {
      return await this.#answer(context, path, query, bodyOf);
    } catch (error) {
      // The error of an invalid session comes first.
      await context.requireValidSession();
      throw await this.#named(error, bodyOf);
    }
  }

  async #answer(
    context: Context,
    path: RawRequest['path'],
    query: RawRequest['query'],
    bodyOf: () => Promise<unknown>,
  ): Promise<unknown> {
    const items = this.#items && new CheckedItems(this.#items);
    const sound = async () => items!.sound(await bodyOf());
    const variables = await this.#read(context, path, query, items ? sound : bodyOf);
    const parts = this.prepared.partsRun();
    const result = await this.prepared.run(variables, context, parts);
    if (result.errors) throw this.#errorOf(result.errors[0]!, 'data' in result, variables);
    const make = () => this.bodyOf(result.data as Record<string, unknown>);
    if (items) return items.answer(make(), context.requestId, (loc) => this.#reader.locOf(loc));
    return parts?.jsonOf(this.rest.keys, make) ?? make();
  }

  /**
   * Returns the variables of a live operation.
   * @throws DomainError
   */
  async subscription(
    context: Context,
    path: RawRequest['path'],
    query: RawRequest['query'],
  ): Promise<Variables> {
    const variables = await this.#read(context, path, query, () => Promise.resolve(undefined));
    const details = this.#reader.faultsOf(variables);
    if (details.length > 0) throw invalid(details);
    return variables;
  }

  /** @throws DomainError 400 (no JSON), 401, 403, 413, 415, 422 */
  async #read(
    context: Context,
    path: RawRequest['path'],
    query: RawRequest['query'],
    bodyOf: () => Promise<unknown>,
  ): Promise<Variables> {
    const check = (accountId: unknown) => checkAccess(this.rest.allow, context, accountId, this.#root);
    check(query.account_id);
    const body = await bodyOf();
    if (this.#namesAccount) check((body as { account_id?: unknown } | null | undefined)?.account_id);
    const { variables, faults } = this.#reader.read({ path, query, body });
    // An empty value counts as absent.
    if (this.rest.limited && query.account_id) {
      if (isId('account', query.account_id)) limitTo(context, query.account_id);
      else faults.push({ loc: ['query', 'account_id'], msg: idMessage('account'), type: 'id' });
    }
    if (faults.length > 0) throw invalid(this.#reader.faultsOf(variables, faults));
    return variables;
  }

  /** @param ran false if the variables were refused, before any resolver */
  #errorOf(error: GraphQLError, ran: boolean, variables: Variables): Error {
    if (!ran) {
      const details = this.#reader.faultsOf(variables);
      const code = this.#reader.refusalOf(details);
      if (code) return new DomainError(code, sentenceOf(details));
      if (details.length > 0) return invalid(details);
    }
    return this.explained(error);
  }

  /** Adds the probably intended names to the faults of missing members. */
  async #named(error: unknown, bodyOf: () => Promise<unknown>): Promise<unknown> {
    if (!(error instanceof DomainError) || !error.details?.some(({ type }) => type === MISSING.type))
      return error;
    return withDetails(error, this.#reader.named(error.details, await bodyOf()));
  }

  /** Returns a resolver's error with the caller's names in its `loc`. */
  explained(error: Error): Error {
    const shown = domainErrorOf(error);
    if (shown.code === 'INTERNAL') return error;
    if (!shown.details) return shown;
    const details = shown.details.map((detail) => ({ ...detail, loc: this.#reader.locOf(detail.loc) }));
    const code = this.#reader.refusalOf(details);
    if (code) return new DomainError(code, sentenceOf(details));
    return withDetails(shown, details);
  }

  /** Returns the response body within a result's data. */
  bodyOf(data: Record<string, unknown>): unknown {
    let found: unknown = data;
    for (const key of this.rest.keys) found = (found as Record<string, unknown> | null)?.[key];
    if (found == null) throw notFound(this.rest.type.name);
    if (this.rest.paged) return listEnvelope(found as SelectedConnection);
    const body = found as Record<string, unknown>;
    for (const name of this.#absent) if (body[name] === null) delete body[name];
    if (this.#beside.length === 0) return body;
    const parent = data[this.rest.keys[0]!] as Record<string, unknown>;
    const shown = this.#beside.filter(({ name, absent }) => !absent || parent[name] !== null);
    return { ...body, ...Object.fromEntries(shown.map(({ name }) => [name, parent[name]])) };
  }
}

/** A connection as the operations of lists select it, in REST's spelling. */
interface SelectedConnection {
  nodes: unknown[];
  page_info: {
    has_next_page: boolean;
    has_previous_page: boolean;
    start_cursor: string | null;
    end_cursor: string | null;
  };
}

/** The response of every list. */
interface ListEnvelope {
  data: unknown[];
  pagination: {
    count: number;
    has_next: boolean;
    has_prev: boolean;
    next_cursor: string | null;
    prev_cursor: string | null;
  };
}

/** Converts a connection to REST's list, for all lists. */
function listEnvelope({ nodes, page_info: page }: SelectedConnection): ListEnvelope {
  return {
    data: nodes,
    pagination: {
      count: nodes.length,
      has_next: page.has_next_page,
      has_prev: page.has_previous_page,
      next_cursor: page.has_next_page ? page.end_cursor : null,
      prev_cursor: page.has_previous_page ? page.start_cursor : null,
    },
  };
}
