import type { GraphQLSchema } from 'graphql';
import { emptyDocument, fullDocument } from './roles/documents.js';
import { GRAPH_ROWS } from './roles/graph-rows.js';
import { REST_ROWS } from './roles/rest-rows.js';
import { namesIn, type Row } from './roles/rows.js';
import type { Names, Studio } from './roles/studio-shape.js';
import { refusedTo } from './roles/unseen-table.js';
import { TestSocket } from './socket.js';
import { PATIENCE_MS } from './wait.js';
import { Wire } from './wire.js';

// Every reading row of the role matrix, asked for the records of one account: for comparisons before and after a move.

/** Of the process or the cell and not of the account, or another answer each time. */
const OTHER = [
  / (\/v1|\/v1\/health|\/health\/\w+|\/openapi\.json|\/metrics)$/,
  /jam[-_]?code/i,
  /nonce|Query\.jobs/,
];

const ROWS: Row[] = [...REST_ROWS, ...GRAPH_ROWS].filter(
  ({ door, type }) =>
    /^(GET |Query\.|Subscription\.)/.test(door) &&
    !OTHER.some((other) => other.test(door)) &&
    !/^Jam/.test(type ?? ''),
);
/** Not more than exports run in a process. */
const AT_ONCE = 2;

export type Reader = 'visitor' | 'player' | 'admin' | 'superadmin';

/** The answer to one read. */
export interface Read {
  name: string;
  text: string;
  /** Of a refusal; undefined: something was shown. */
  code: string | undefined;
}

/** A service that is asked. */
interface Asked {
  url: string;
  schema: GraphQLSchema;
  /** The superadmin's credential there. */
  superadmin: Record<string, string>;
}

/**
 * All reads that one reader is let in to, for the records of an account.
 * @param brief true: as little as possible is asked for
 */
export async function readAccount(
  asked: Asked,
  studio: Studio,
  reader: Reader,
  brief = false,
): Promise<Read[]> {
  const { player, owner } = studio;
  const headers = {
    visitor: {},
    player: player.client.headers,
    admin: owner.headers,
    superadmin: asked.superadmin,
  }[reader];
  const wire = new Wire(asked.url, PATIENCE_MS);
  const reads: Read[] = [];
  const left = ROWS.filter(
    (row) =>
      row.policy.cells.get('live')?.[reader] === 'ok' &&
      namesIn(row).every((name) => studio.live[name] !== undefined),
  );
  const work = async () => {
    for (let row = left.shift(); row; row = left.shift()) {
      const name = [reader, row.door, row.label].filter(Boolean).join(' ');
      const answer = await (row.args
        ? graph(asked, wire, row, studio.live, headers, brief ? undefined : reader)
        : rest(wire, row, studio.live, headers));
      reads.push({ name, ...answer, text: answer.text.replace(REQUEST_ID, 'of a request') });
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  wire.close();
  return reads.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

const REQUEST_ID = /[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/g;
const IN_PATH = /{(\w+)}/g;

type Headers = Record<string, string>;

async function rest(
  wire: Wire,
  { door, query }: Row,
  of: Names,
  headers: Headers,
): Promise<Omit<Read, 'name'>> {
  const search = Object.entries(query?.({ of, home: of, n: 0 }) ?? {}) as [string, string][];
  const path = door.slice('GET '.length).replace(IN_PATH, (_all, name: string) => of[name]!);
  const { status, body, text } = await wire.send({
    method: 'GET',
    path: search.length > 0 ? `${path}?${new URLSearchParams(search)}` : path,
    headers,
  });
  return { text: `${status} ${text}`, code: status < 300 ? undefined : body.code };
}

async function graph(
  { url, schema }: Asked,
  wire: Wire,
  { door, args, type }: Row,
  of: Names,
  headers: Headers,
  reader: Reader | undefined,
): Promise<Omit<Read, 'name'>> {
  const variables = args!({ of, home: of, n: 0 });
  const wish = { given: Object.keys(variables), ...(type && { of: type }) };
  const query = reader
    ? fullDocument(schema, door, { ...wish, omit: refusedTo(reader) })
    : emptyDocument(schema, door, wish);
  if (door.startsWith('Subscription')) {
    const socket = await TestSocket.connect(url, headers);
    const { type: kind, payload } = await socket.run(query, variables);
    await socket.close();
    return {
      text: JSON.stringify(payload),
      code: (kind === 'next' ? payload.errors : payload)?.[0].extensions.code,
    };
  }
  const { body, text } = await wire.send({
    method: 'POST',
    path: '/graphql',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ query, variables }),
  });
  const shown = body.data?.[door.split('.')[1]!];
  const something = Array.isArray(shown) ? shown.some((one) => one !== null) : shown != null;
  return { text, code: something ? undefined : (body.errors?.[0]?.extensions.code ?? 'null') };
}
