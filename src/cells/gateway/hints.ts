import { type DocumentNode, parse, type ValueNode, visit } from 'graphql';
import { LRUCache } from 'lru-cache';
import { isId } from '../../base/ids.js';
import { LIMITS } from '../../graphql/engine/cost.js';

/** Most ids that are looked up for one request. */
const MOST_IDS = 20;

/** Parameters whose text leads to an account or a cell, in lower case without underscores. */
const NAMING = [
  'verificationtoken',
  'refreshtoken',
  'email',
  'shortcode',
  'code',
  'gameslug',
  'game',
  'slug',
  'accountslug',
  'subject',
  'domain',
] as const;
type Naming = (typeof NAMING)[number];
const isNaming = (name: string): name is Naming => (NAMING as readonly string[]).includes(name);

const spelled = (name: string) => name.replaceAll('_', '').toLowerCase();

/** The texts of a request that can name its account, and no others: a body may contain any number. */
export class NameHints {
  /** Of accounts, games and boards. */
  readonly ids = new Set<string>();
  readonly #texts = new Map<Naming, string>();

  get isEmpty(): boolean {
    return this.ids.size === 0 && this.#texts.size === 0;
  }

  /** @param parameter as the caller spells it */
  take(parameter: string, text: string): void {
    const name = spelled(parameter);
    if (isNaming(name) && !this.#texts.has(name)) this.#texts.set(name, text);
    if (this.ids.size === MOST_IDS) return;
    if (isId('account', text) || isId('game', text) || isId('board', text)) this.ids.add(text);
  }

  /** Takes all texts below a value of JSON, the highest first. */
  takeAll(parameter: string, root: unknown): void {
    const found: [string, unknown][] = [[parameter, root]];
    for (const [at, value] of found) {
      if (typeof value === 'string') this.take(at, value);
      else if (Array.isArray(value)) for (const member of value) found.push([at, member]);
      else if (typeof value === 'object' && value !== null)
        for (const entry of Object.entries(value)) found.push(entry);
    }
  }

  /** The first text of one of the parameters. */
  text(...parameters: Naming[]): string | undefined {
    const named = parameters.find((name) => this.#texts.has(name));
    return named && this.#texts.get(named);
  }
}

/** The content of a request that can name its account. */
export interface Content {
  names: NameHints;
  /** Root fields of GraphQL that it runs. */
  fields: string[];
  /** It reads, and its answer may be one list. */
  mayList: boolean;
}

/** REST routes whose operation decides where they go. */
const FIELDS: [RegExp, string][] = [
  [/^POST (\/v1)?\/register\/initiate\/?$/, 'initiateRegistration'],
  [/^POST (\/v1)?\/register\/resend(-code)?\/?$/, 'resendRegistrationCode'],
  [/^POST \/v1\/accounts\/?$/, 'createAccount'],
];

interface RestRequest {
  method: string;
  path: string;
  query: Record<string, string | string[] | undefined>;
  /** Undefined: none, or not read. */
  body: unknown;
  /** Paths of lists. */
  lists: ReadonlySet<string>;
}

/** The content of a request of REST or of a page. */
export function restContent({ method, path, query, body, lists }: RestRequest): Content {
  const names = new NameHints();
  const [, room = '', ...rest] = path.split('/');
  if (room === 'b' && rest[0]) names.take('shortcode', rest[0]);
  else if (room === 'games' && rest[0]) names.take('gameslug', rest[0]);
  else for (const text of rest) names.take('id', text);
  names.takeAll('', query);
  names.takeAll('', body);
  const fields = FIELDS.filter(([form]) => form.test(`${method} ${path}`)).map(([, field]) => field);
  return { names, fields, mayList: method === 'GET' && lists.has(path.replace(/\/$/, '')) };
}

/** The content of a request that is not read. */
export const UNREAD: Content = { names: new NameHints(), fields: [], mayList: false };

/** An argument or a member of one, by its literal or its variable. */
interface Slot {
  name: string;
  text?: string;
  variable?: string;
}

interface Slots {
  slots: Slot[];
  fields: string[];
  mayList: boolean;
}

const known = new LRUCache<string, Slots>({
  maxSize: 2_000_000,
  maxEntrySize: 20_000,
  sizeCalculation: (_slots, source) => source.length + 500,
});

/** The content of an operation of GraphQL. A document with faults has none: the service names them. */
export function graphqlContent(source: unknown, variables: unknown): Content {
  if (typeof source !== 'string') return UNREAD;
  const { slots, fields, mayList } = slotsOf(source);
  const given = (typeof variables === 'object' && variables !== null ? variables : {}) as Record<
    string,
    unknown
  >;
  const names = new NameHints();
  for (const { name, text, variable } of slots) {
    if (text !== undefined) names.take(name, text);
    else names.takeAll(name, given[variable!]);
  }
  return { names, fields, mayList };
}

function slotsOf(source: string): Slots {
  let found = known.get(source);
  if (!found) {
    try {
      found = readSlots(parse(source, { noLocation: true, maxTokens: LIMITS.tokens }));
    } catch {
      found = { slots: [], fields: [], mayList: false };
    }
    known.set(source, found);
  }
  return found;
}

function readSlots(document: DocumentNode): Slots {
  const slots: Slot[] = [];
  const fields: string[] = [];
  const take = (name: string, value: ValueNode): void => {
    if (value.kind === 'StringValue') slots.push({ name, text: value.value });
    else if (value.kind === 'Variable') slots.push({ name, variable: value.name.value });
    else if (value.kind === 'ListValue') for (const member of value.values) take(name, member);
    else if (value.kind === 'ObjectValue')
      for (const member of value.fields) take(member.name.value, member.value);
  };
  let [operations, readsOne] = [0, true];
  visit(document, {
    OperationDefinition: ({ operation, selectionSet }) => {
      operations += 1;
      const [first, ...others] = selectionSet.selections;
      readsOne &&= operation === 'query' && first!.kind === 'Field' && others.length === 0;
      for (const selected of selectionSet.selections)
        if (selected.kind === 'Field') fields.push(selected.name.value);
    },
    Argument: ({ name, value }) => take(name.value, value),
  });
  return { slots, fields, mayList: readsOne && operations === 1 };
}
