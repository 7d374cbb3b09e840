import { type DocumentNode, parse, type ValueNode, visit } from 'graphql';
import { LRUCache } from 'lru-cache';

/** A text of a request under the name of its parameter, in lower case without underscores. */
export interface Hint {
  name: string;
  text: string;
}

/** The content of a request that can name its account. */
export interface Content {
  hints: Hint[];
  /** Root fields of GraphQL that it runs. */
  fields: string[];
  /** It reads, and its answer may be one list. */
  mayList: boolean;
}

const spelled = (name: string) => name.replaceAll('_', '').toLowerCase();

/** Collects all texts below a value of JSON. */
function collect(name: string, root: unknown, hints: Hint[]): void {
  const open: [string, unknown][] = [[spelled(name), root]];
  for (let next = open.pop(); next; next = open.pop()) {
    const [at, value] = next;
    if (typeof value === 'string') hints.push({ name: at, text: value });
    else if (Array.isArray(value)) for (const member of value) open.push([at, member]);
    else if (typeof value === 'object' && value !== null)
      for (const [key, member] of Object.entries(value)) open.push([spelled(key), member]);
  }
}

/** REST routes whose operation decides where they go. */
const FIELDS: [RegExp, string][] = [
  [/^POST (\/v1)?\/register\/initiate\/?$/, 'registerInitiate'],
  [/^POST (\/v1)?\/register\/resend(-code)?\/?$/, 'registerResend'],
  [/^POST \/v1\/accounts\/?$/, 'createAccount'],
];

interface RestRequest {
  method: string;
  path: string;
  query: Record<string, string | string[] | undefined>;
  body: unknown;
  /** Paths of lists. */
  lists: ReadonlySet<string>;
}

/** The content of a request of REST or of a page. */
export function restContent({ method, path, query, body, lists }: RestRequest): Content {
  const hints: Hint[] = [];
  const [, room = '', ...rest] = path.split('/');
  if (room === 'b' && rest[0]) hints.push({ name: 'shortcode', text: rest[0] });
  else if (room === 'games' && rest[0]) hints.push({ name: 'gameslug', text: rest[0] });
  else for (const text of rest) hints.push({ name: 'id', text });
  collect('', query, hints);
  collect('', body, hints);
  const fields = FIELDS.filter(([form]) => form.test(`${method} ${path}`)).map(([, field]) => field);
  return { hints, fields, mayList: method === 'GET' && lists.has(path.replace(/\/$/, '')) };
}

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

const MOST_TOKENS = 10_000;
const known = new LRUCache<string, Slots>({
  maxSize: 2_000_000,
  maxEntrySize: 20_000,
  sizeCalculation: (_slots, source) => source.length + 500,
});

/** The content of an operation of GraphQL. A document with faults has none: the service names them. */
export function graphqlContent(source: unknown, variables: unknown): Content {
  if (typeof source !== 'string') return { hints: [], fields: [], mayList: false };
  const { slots, fields, mayList } = slotsOf(source);
  const given = (typeof variables === 'object' && variables !== null ? variables : {}) as Record<
    string,
    unknown
  >;
  const hints: Hint[] = [];
  for (const { name, text, variable } of slots) {
    if (text !== undefined) hints.push({ name, text });
    else collect(name, given[variable!], hints);
  }
  return { hints, fields, mayList };
}

function slotsOf(source: string): Slots {
  let found = known.get(source);
  if (!found) {
    try {
      found = readSlots(parse(source, { noLocation: true, maxTokens: MOST_TOKENS }));
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
    if (value.kind === 'StringValue') slots.push({ name: spelled(name), text: value.value });
    else if (value.kind === 'Variable') slots.push({ name: spelled(name), variable: value.name.value });
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
