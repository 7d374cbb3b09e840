import {
  coerceInputValue,
  type GraphQLInputType,
  isInputObjectType,
  isListType,
  isNonNullType,
} from 'graphql';
import { cursorDirection } from '../db/cursor.js';
import type { ErrorDetail } from '../errors.js';
import { findMalformedText, isWellFormed } from '../text.js';
import { expectationOf, MISSING } from './expectations.js';
import { type Input, isRequired, type RouteInputs } from './inputs.js';
import { snakeCase } from './names.js';
import { type QueryReader, queryReader } from './query-text.js';

type Loc = ErrorDetail['loc'];
type Variables = Record<string, unknown>;

/** A request as the edge hands it over, nothing of it looked at yet. */
export interface RawRequest {
  /** By name, decoded. */
  path: Record<string, string>;
  query: Record<string, string | string[] | undefined>;
  /** Undefined: there was none. */
  body: unknown;
}

const MALFORMED = { msg: 'must not hold NUL or an unpaired surrogate', type: 'text' };
const TWICE = { msg: 'must be given once', type: 'repeated' };

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The input object type that callers spell in snake_case below this type, if any. */
function objectBelow(type: GraphQLInputType): boolean {
  if (isNonNullType(type) || isListType(type)) return objectBelow(type.ofType);
  return isInputObjectType(type);
}

/** Member names of input objects as the schema spells them; names it does not know are left out. */
function renamed(value: unknown, type: GraphQLInputType): unknown {
  if (isNonNullType(type)) return renamed(value, type.ofType);
  if (isListType(type)) return Array.isArray(value) ? value.map((item) => renamed(item, type.ofType)) : value;
  if (!isInputObjectType(type) || !isObject(value)) return value;
  const known: Record<string, unknown> = {};
  for (const field of Object.values(type.getFields())) {
    const member = value[snakeCase(field.name)];
    if (member !== undefined) known[field.name] = renamed(member, field.type);
  }
  return known;
}

/** The type at `path` inside `type`; paths end at leaves. */
function typeAt(type: GraphQLInputType, path: readonly (string | number)[]): GraphQLInputType {
  let found = type;
  for (const step of path) {
    if (isNonNullType(found)) found = found.ofType;
    if (isListType(found)) found = found.ofType;
    else if (isInputObjectType(found)) found = found.getFields()[step]!.type;
  }
  return found;
}

interface Reader {
  input: Input;
  readQuery: QueryReader;
  list: boolean;
  nested: boolean;
}

/**
 * Turns requests of one route into variables of its operation. What is absent stays absent, null stays null, unknown
 * members are left out.
 */
export class RequestReader {
  readonly #readers: Reader[];
  readonly #body: boolean;

  constructor(private readonly route: RouteInputs) {
    this.#readers = route.inputs.map((input) => {
      const bare = isNonNullType(input.type) ? input.type.ofType : input.type;
      const nested = objectBelow(bare);
      return { input, readQuery: queryReader(bare), list: isListType(bare), nested };
    });
    this.#body = route.inputs.some(({ where }) => where === 'body');
  }

  /**
   * @returns variables that are not coerced yet, and the faults of what cannot become a variable at all. Coercion is
   * the executor's work; {@link faultsOf} explains it when it fails.
   */
  read(request: RawRequest): { variables: Variables; faults: ErrorDetail[] } {
    const variables: Variables = {};
    const faults: ErrorDetail[] = [];
    const { body } = request;
    if (this.#body) {
      if (isObject(body)) {
        const malformed = findMalformedText(body);
        if (malformed) faults.push({ loc: ['body', ...malformed], ...MALFORMED });
      } else {
        const missing = body === undefined ? { ...MISSING, msg: 'is required: a JSON object' } : undefined;
        faults.push({ loc: ['body'], ...(missing ?? { msg: 'must be a JSON object', type: 'object' }) });
      }
    }
    const members = isObject(body) ? body : {};
    for (const reader of this.#readers) {
      const { input } = reader;
      let value: unknown;
      if (input.where === 'body') value = this.#fromBody(reader, members[input.name], faults);
      else if (input.where === 'query') value = this.#fromQuery(reader, request.query[input.name], faults);
      else value = this.#text(input, request.path[input.name]!, faults);
      if (input.field === undefined) {
        if (value !== undefined) variables[input.variable] = value;
      } else {
        variables[input.variable] ??= {};
        if (value !== undefined) (variables[input.variable] as Variables)[input.field] = value;
      }
    }
    if (this.route.paged) turnAround(variables);
    return { variables, faults };
  }

  #text({ where, name }: Pick<Input, 'where' | 'name'>, text: string, faults: ErrorDetail[]): string {
    if (!isWellFormed(text)) faults.push({ loc: [where, name], ...MALFORMED });
    return text;
  }

  #fromBody({ input, list, nested }: Reader, value: unknown, faults: ErrorDetail[]): unknown {
    if (value === undefined || value === null) return value;
    // GraphQL would take a single value for a list of one.
    if (list && !Array.isArray(value)) {
      faults.push({ loc: ['body', input.name], ...expectationOf(input.type, value, '') });
      return undefined;
    }
    return nested ? renamed(value, input.type) : value;
  }

  #fromQuery(
    { input, readQuery }: Pick<Reader, 'input' | 'readQuery'>,
    text: string | string[] | undefined,
    faults: ErrorDetail[],
  ): unknown {
    if (text === undefined) return undefined;
    if (typeof text !== 'string') {
      faults.push({ loc: ['query', input.name], ...TWICE });
      return undefined;
    }
    const value = readQuery(this.#text(input, text, faults));
    if (value === undefined) {
      faults.push({ loc: ['query', input.name], ...expectationOf(input.type, text, '') });
    }
    return value;
  }

  /**
   * What is wrong with the variables, all of it at once.
   * @param known faults of reading; inputs that have one are not looked at again
   */
  faultsOf(variables: Variables, known: ErrorDetail[] = []): ErrorDetail[] {
    const faults = [...known];
    const explained = new Set(known.map(({ loc }) => loc.slice(0, 2).join('.')));
    for (const { input } of this.#readers) {
      // Without a body, everything that it should hold is missing: no need to say so.
      if (explained.has(input.where) || explained.has(`${input.where}.${input.name}`)) continue;
      const given = variables[input.variable];
      const value = input.field === undefined ? given : (given as Variables | undefined)?.[input.field];
      const loc = [input.where, input.name];
      if (value === undefined) {
        if (isRequired(input)) faults.push({ loc, ...MISSING });
        continue;
      }
      coerceInputValue(value, input.type, (path, refused, error) => {
        const missing = /^Field "(\w+)" of required type/.exec(error.message)?.[1];
        const below = [...loc, ...path.map((step) => (typeof step === 'string' ? snakeCase(step) : step))];
        if (missing) faults.push({ loc: [...below, snakeCase(missing)], ...MISSING });
        else faults.push({ loc: below, ...expectationOf(typeAt(input.type, path), refused, error.message) });
      });
    }
    return faults;
  }

  /** `loc` of a resolver's fault (argument or input field first, camelCase) as the caller wrote it. */
  locOf(loc: Loc): Loc {
    const input = this.route.spoken.get(String(loc[0]));
    if (!input) return loc;
    const below = loc.slice(1);
    const names = objectBelow(input.type)
      ? below.map((step) => (typeof step === 'string' ? snakeCase(step) : step))
      : below;
    return [input.where, input.name, ...names];
  }
}

/** A cursor that leads back is Relay's `before`. What is no cursor is left to the list, which refuses it. */
function turnAround(variables: Variables): void {
  if (typeof variables.after !== 'string' || !leadsBack(variables.after)) return;
  variables.before = variables.after;
  variables.last = variables.first;
  delete variables.after;
  delete variables.first;
}

function leadsBack(cursor: string): boolean {
  try {
    return cursorDirection(cursor) === 'b';
  } catch {
    return false;
  }
}
