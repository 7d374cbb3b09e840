import type { Data } from '../http.js';
import { type Policy, policyOf } from './policies.js';
import type { Names } from './studio-shape.js';

/** The parameters of a request to an endpoint. */
export interface RowRequest {
  /** Names of the target's studio; empty for the target `none`. */
  of: Names;
  /** Names of the studio "aurora", whatever the target is. */
  home: Names;
  /** A number unique to this request in the run. */
  n: number;
  /** Set for rows that need one. */
  nonce?: string | undefined;
}

/** One line of the matrix: an endpoint of the service with its policy. */
export interface Row {
  /** `GET /v1/accounts/{account_id}`, `Query.account`. */
  door: string;
  /** Distinguishes rows of one endpoint. */
  label: string;
  policy: Policy;
  /** REST: query text and body. GraphQL: arguments. */
  query?: (request: RowRequest) => Record<string, string | undefined>;
  body?: (request: RowRequest) => Data;
  args?: (request: RowRequest) => Data;
  /** A PNG picture to upload. */
  file?: Buffer;
  /** The type to select on an interface. */
  type?: string;
  /** At most this many steps from record to record: with fewer, lists of the last records fit into the limits, too. */
  deepest?: number;
  /** True: lists without what is in them. */
  bare?: boolean;
  /** True if game clients need a nonce. */
  nonce?: boolean;
  /** True if callers with an invalid credential also send a valid request, for a board of their own studio. */
  whole?: boolean;
  /** A batch of one item, whose error every caller selects. */
  batch?: boolean;
  /** True if it erases the target's player: each allowed caller gets one like it. */
  erases?: boolean;
  /** True if the target's user is a superadmin during the request. */
  chief?: boolean;
  /** True if a request uses up the target's refresh token: each request gets a new one, if possible. */
  refresh?: boolean;
}

type More = Partial<Omit<Row, 'door' | 'policy'>>;

/** A REST route. `{...}` in its path are the target's names. */
export function rest(door: string, policy: string, more: More = {}): Row {
  return { door, policy: policyOf(policy), label: '', ...more };
}

/** A field of Query, Mutation or Subscription with its arguments. */
export function field(door: string, policy: string, args: Row['args'] = () => ({}), more: More = {}): Row {
  return { door, policy: policyOf(policy), label: '', args, ...more };
}

const DELETE = { deleted: true };
const RESTORE = { deleted: false };

/** The text `Changed` is another one in each request, so that each changes something. */
function varied(body: Data, n: number): Data {
  const vary = (value: unknown) =>
    typeof value === 'string' && value.endsWith('Changed') ? `${value} ${n}` : value;
  return Object.fromEntries(Object.entries(body).map(([name, value]) => [name, vary(value)]));
}

/** An update over REST: a change, a deletion and a restoration. */
export function restUpdate(
  path: string,
  body: Data,
  policies: [string, string] = ['ADMIN_RECORD', 'ADMIN_DELETE'],
): Row[] {
  const door = `PATCH ${path}`;
  return [
    rest(door, policies[0], { body: ({ n }) => varied(body, n) }),
    rest(door, policies[1], { body: () => DELETE, label: 'delete' }),
    rest(door, policies[1], { body: () => RESTORE, label: 'restore' }),
  ];
}

/** The same as a mutation. `name`: of the id in the target's names. */
export function fieldUpdate(
  door: string,
  name: string,
  input: Data,
  policies: [string, string] = ['ADMIN_RECORD', 'ADMIN_DELETE'],
): Row[] {
  const record =
    (more: Data) =>
    ({ of, n }: RowRequest) => ({ input: { id: of[name], ...varied(more, n) } });
  const deletion = door.replace(/\.(update|review)/, '.delete');
  return [field(door, policies[0], record(input)), field(deletion, policies[1], record({}))];
}

/** Updates over REST that only a superadmin of the account may make. */
export function restUpdateOfChief(path: string, body: Data, policy: string): Row[] {
  return restUpdate(path, body, [policy, policy]).map(ofChief);
}

/** The same as mutations. */
export function fieldUpdateOfChief(door: string, name: string, input: Data, policy: string): Row[] {
  return fieldUpdate(door, name, input, [policy, policy]).map(ofChief);
}

export function ofChief(row: Row): Row {
  return { ...row, label: [row.label, 'of a superadmin'].filter(Boolean).join(' '), chief: true };
}

/** `node`, `nodes` and, if possible, `restore` of one kind. */
export function nodeRows(type: string, name: string, policy: string, restore?: string): Row[] {
  const rows = [
    field('Query.node', policy, ({ of }) => ({ id: of[name] }), { type, label: type }),
    field('Query.nodes', policy, ({ of }) => ({ ids: [of[name]] }), { type, label: type }),
  ];
  if (restore)
    rows.push(
      field('Mutation.restore', restore, ({ of }) => ({ input: { id: of[name] } }), { type, label: type }),
    );
  return rows;
}

/** The target's names used by a row. */
export function namesIn({ door, query, body, args }: Row): string[] {
  const used = [...door.matchAll(/{(\w+)}/g)].map(([, name]) => name!);
  const of = new Proxy({} as Names, {
    get: (_of, name) => {
      used.push(String(name));
      return 'name';
    },
  });
  for (const make of [query, body, args]) make?.({ of, home: of, n: 0 });
  return used;
}
