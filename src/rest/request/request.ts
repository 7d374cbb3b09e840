import { type GraphQLInputType, getNamedType, isListType, isNonNullType } from 'graphql';
import { type ErrorCode, type ErrorDetail, invalid, type Loc } from '../../base/errors.js';
import { findUnkeepable, isWellFormed } from '../../base/text.js';
import { cursorDirection } from '../../db/sort.js';
import { findFaults, MOST_FAULTS } from '../../graphql/engine/value-faults.js';
import { asCallersSpell, asSchemaSpells, holdsMembers, isObject, typeAt } from '../spelling.js';
import { expectationOf, MISSING, withNearNames } from './faults.js';
import { type Input, isRequired, type RouteInputs } from './inputs.js';
import { type Answer, mistypedMembers, unknownMembers } from './members.js';

type RequestVariables = Record<string, unknown>;

/** An unchecked request. */
export interface RawRequest {
  /** Path parameters by name, decoded. */
  path: Record<string, string>;
  query: Record<string, string | string[] | undefined>;
  /** Undefined: no body. */
  body: unknown;
}

const NO_BODY = { msg: 'is required: send a JSON object', type: 'missing' };
const NO_OBJECT = { msg: 'must be a JSON object', type: 'object' };
const MALFORMED_BODY = { msg: 'must not contain NUL or an unpaired surrogate', type: 'text' };
const TWICE = { msg: 'must not be given more than once', type: 'repeated' };

/** An input with the functions that read it. */
interface Reader {
  input: Input;
  readQuery: QueryReader;
  list: boolean;
  members: boolean;
}

/** How a body is read. */
export interface BodyRules {
  /** Member of the body whose items were checked one by one. */
  checked?: string | undefined;
  /** Set where an unknown member that is near to an absent one is refused: what the record's responses have. */
  answer?: Answer | undefined;
  /** Refuses every unknown member. */
  exact?: boolean;
  /** Unknown members that are refused, each with the reason. */
  refused?: Readonly<Record<string, string>> | undefined;
}

/**
 * Converts requests of one route to variables of its operation. Absent inputs stay absent, null stays null, unknown
 * members are ignored unless the rules refuse them.
 */
export class RequestReader {
  readonly #readers: Reader[];
  readonly #body: boolean;

  constructor(
    private readonly route: RouteInputs,
    private readonly rules: BodyRules = {},
  ) {
    this.#readers = route.inputs.map((input) => {
      const bare = isNonNullType(input.type) ? input.type.ofType : input.type;
      return { input, readQuery: queryReader(bare), list: isListType(bare), members: holdsMembers(bare) };
    });
    this.#body = route.inputs.some(({ where }) => where === 'body');
  }

  /**
   * @returns variables that are not coerced yet, and the faults of values that cannot become a variable. The executor
   * coerces the variables; {@link faultsOf} explains a failure.
   */
  read(request: RawRequest): { variables: RequestVariables; faults: ErrorDetail[] } {
    const variables: RequestVariables = {};
    const faults: ErrorDetail[] = [];
    const body = this.#body ? this.#checkedBody(request.body, faults) : {};
    for (const reader of this.#readers) {
      const { input } = reader;
      let value: unknown;
      if (input.where === 'body') value = this.#fromBody(reader, body[input.name], faults);
      else if (input.where === 'query') value = this.#fromQuery(reader, request.query[input.name], faults);
      else value = this.#text(input, request.path[input.name]!, faults);
      if (input.field === undefined) {
        if (value !== undefined) variables[input.variable] = value;
      } else {
        variables[input.variable] ??= {};
        if (value !== undefined) (variables[input.variable] as RequestVariables)[input.field] = value;
      }
    }
    if (this.route.paged) turnAround(variables);
    return { variables, faults };
  }

  #checkedBody(body: unknown, faults: ErrorDetail[]): Record<string, unknown> {
    if (!isObject(body)) {
      faults.push({ loc: ['body'], ...(body === undefined ? NO_BODY : NO_OBJECT) });
      return {};
    }
    const { checked, answer, exact, refused = {} } = this.rules;
    for (const [name, msg] of Object.entries(refused)) {
      if (body[name] != null) faults.push({ loc: ['body', name], msg, type: 'refused' });
    }
    const isChecked = checked !== undefined && Array.isArray(body[checked]);
    const unkeepable = findUnkeepable(isChecked ? { ...body, [checked]: null } : body);
    if (!unkeepable) {
      if (exact) faults.push(...unknownMembers(body, this.#members()));
      if (answer) faults.push(...mistypedMembers(body, this.#members(), answer));
      return body;
    }
    const fault = { ...unkeepable, loc: ['body', ...unkeepable.loc] };
    // Later code must not traverse a value that is nested too deeply.
    if (fault.type === 'depth') throw invalid([fault]);
    faults.push(fault);
    return body;
  }

  #text({ where, name }: Input, text: string, faults: ErrorDetail[]): string {
    if (!isWellFormed(text)) faults.push({ loc: [where, name], ...MALFORMED_BODY });
    return text;
  }

  #fromBody({ input, list, members }: Reader, value: unknown, faults: ErrorDetail[]): unknown {
    if (value === undefined || value === null) return value;
    // GraphQL would accept a single value as a list of one.
    if (list && !Array.isArray(value)) {
      faults.push({ loc: ['body', input.name], ...expectationOf(input.type, value, '') });
      return undefined;
    }
    return members ? asSchemaSpells(value, input.type) : value;
  }

  #fromQuery(
    { input, readQuery }: Reader,
    text: string | string[] | undefined,
    faults: ErrorDetail[],
  ): unknown {
    if (text === undefined || text === '') return undefined;
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
   * Returns the faults of the variables, up to a bound.
   * @param known faults of reading; their inputs are not checked again
   */
  faultsOf(variables: RequestVariables, known: ErrorDetail[] = []): ErrorDetail[] {
    const faults = [...known];
    const explained = new Set(known.map(({ loc }) => loc.slice(0, 2).join('.')));
    for (const { input } of this.#readers) {
      // Without a body all of its members are missing: only the body is reported.
      if (explained.has(input.where) || explained.has(`${input.where}.${input.name}`)) continue;
      const given = variables[input.variable];
      const value =
        input.field === undefined ? given : (given as RequestVariables | undefined)?.[input.field];
      const loc = [input.where, input.name];
      if (value === undefined) {
        if (isRequired(input)) faults.push({ loc, ...MISSING });
        continue;
      }
      const bounds = { most: MOST_FAULTS - faults.length, suggestions: false };
      findFaults(value, input.type, bounds, (path, refused, error) => {
        const missing = /^Field "(\w+)" of required type/.exec(error.message)?.[1];
        const way = missing ? [...path, missing] : path;
        const expected = missing ? MISSING : expectationOf(typeAt(input.type, path), refused, error.message);
        faults.push({ loc: [...loc, ...asCallersSpell(way, input.type)], ...expected });
      });
    }
    return faults;
  }

  #members(): Input[] {
    return this.#readers.map(({ input }) => input).filter(({ where }) => where === 'body');
  }

  /** Adds the probably intended names to the faults. @param body as received */
  named(faults: ErrorDetail[], body: unknown): ErrorDetail[] {
    if (!isObject(body)) return faults;
    return withNearNames(faults, body, new Set(this.#members().map(({ name }) => name)));
  }

  /** Returns the input-specific code of the faults if it is the same for all; otherwise undefined. */
  refusalOf(faults: ErrorDetail[]): ErrorCode | undefined {
    const codes = faults.map(({ loc }) => this.#inputAt(loc)?.refusal);
    return codes.every((code) => code === codes[0]) ? codes[0] : undefined;
  }

  #inputAt([where, name]: Loc): Input | undefined {
    return this.#readers.find(({ input }) => input.where === where && input.name === name)?.input;
  }

  /** Converts the `loc` of a resolver's fault (argument or input field first, camelCase) to the caller's names. */
  locOf(loc: Loc): Loc {
    const { spoken } = this.route;
    // The second: a member of an input object that the operation puts together.
    const at = [0, 1].find((index) => spoken.has(String(loc[index]))) ?? 0;
    const input = spoken.get(String(loc[at]));
    if (!input) return loc;
    const below = loc.slice(at + 1);
    return [
      input.where,
      input.name,
      ...(holdsMembers(input.type) ? asCallersSpell(below, input.type) : below),
    ];
  }
}

/** Moves a backward cursor to Relay's `before`. An invalid cursor is left to the list, which refuses it. */
function turnAround(variables: RequestVariables): void {
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

const INTEGER = /^[+-]?\d{1,17}$/;
const NUMBER_PATTERN = /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d{1,4})?$/i;
const BOOLEANS = new Map([
  ['true', true],
  ['1', true],
  ['false', false],
  ['0', false],
]);

/** Parses the text of a query parameter of one type; undefined: invalid. */
type QueryReader = (text: string) => unknown;

function integer(largest: number): QueryReader {
  return (text) => (INTEGER.test(text) && Math.abs(Number(text)) <= largest ? Number(text) : undefined);
}

const READERS: Record<string, QueryReader> = {
  Int: integer(2 ** 31 - 1),
  SafeInt: integer(Number.MAX_SAFE_INTEGER),
  Float: (text) => (NUMBER_PATTERN.test(text) ? Number(text) : undefined),
  Boolean: (text) => BOOLEANS.get(text),
};

/** Types that are not in the table (ids, enums, times, the service's own scalars) parse text themselves. */
function queryReader(type: GraphQLInputType): QueryReader {
  return READERS[getNamedType(type).name] ?? ((text) => text);
}
