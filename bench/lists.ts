import 'reflect-metadata';
import { randomBytes } from 'node:crypto';
import { bootstrap } from '../src/accounts/keys/bootstrap.js';
import { SetupError } from '../src/base/errors.js';
import { idOf } from '../src/base/ids.js';
import type { Disposal } from '../src/process/shutdown.js';
import { alternate, type Latency, type Operation } from './support/alternate.js';
import { numberOf } from './support/arguments.js';
import { type BuiltBoard, buildBoards } from './support/bulk-board.js';
import { HttpConnection } from './support/http-connection.js';
import { runBench } from './support/run.js';
import type { Scratch } from './support/scratch.js';
import { startService } from './support/service-process.js';
import { micros, sayTable, sayUpkeep, size, times } from './support/table.js';

const LIMIT = 20;
const ROUNDS = { rounds: 10, sliceMillis: 150 };
const KEY_PREFIX = 'svc_';
const EMAIL = 'bench@localhost';

interface Page {
  data: { id: string; created_at: string }[];
  pagination: { next_cursor: string | null; prev_cursor: string | null };
}

/** A service whose score events are all on one board, and one connection to it. */
interface Events {
  board: BuiltBoard;
  /** In the middle of the board's history. */
  middle: Page['data'][number];
  get(query: string): Promise<Page>;
}

/** The requests measured on both tables. */
interface Walk {
  name: string;
  query(events: Events): string;
}

const WALKS: Walk[] = [
  { name: 'all accounts', query: () => 'sort=created_at:desc' },
  { name: 'all accounts, oldest first', query: () => 'sort=created_at:asc' },
  { name: 'one account', query: ({ board }) => `account_id=${board.accountId}` },
  { name: 'one board', query: ({ board }) => `board_id=${board.id}` },
  { name: 'one board, oldest first', query: ({ board }) => `board_id=${board.id}&sort=created_at:asc` },
  { name: 'one board, by id', query: ({ board }) => `board_id=${board.id}&sort=id:asc` },
];

runBench({
  title:
    `GET /v1/score-events, ${LIMIT} a page: first pages, pages in the middle and back from there, against ` +
    `the same pages of a small table. Medians.`,
  duration: 'some minutes, most of them to build the large table',
  options: {
    rows: { fallback: '1m', doc: 'score events of the large table' },
    small: { fallback: '100', doc: 'score events of the small one' },
  },
  async run(scratch, args, disposal) {
    const [rows, few] = [numberOf(args.rows), numberOf(args.small)];
    if (few <= 2 * LIMIT)
      throw new SetupError(`Tables of more than ${2 * LIMIT} events have pages in the middle.`);
    // Connections are opened once both services run, because the service closes idle ones.
    const built = [await build(scratch, few), await build(scratch, rows)] as const;
    const small = await serve(built[0], disposal);
    const large = await serve(built[1], disposal);
    const table: string[][] = [];
    for (const walk of WALKS) {
      const places = await pagesOf(large, walk);
      for (const [place, reference] of (await pagesOf(small, walk)).entries()) {
        const figures = await alternate(reference, [places[place]!], ROUNDS);
        table.push([walk.name, ...rowOf(reference.name, figures)]);
      }
    }
    sayTable(['', 'page', size(few), size(rows), 'p99', 'ratio'], table);
    const [slowest] = [...table].sort(
      (one, other) => Number.parseFloat(other[5]!) - Number.parseFloat(one[5]!),
    );
    const [walk, page, , median, , ratio] = slowest!;
    sayUpkeep([
      [
        `pages of ${LIMIT} of ${size(rows)} events`,
        `at most ${ratio} of ${few} events`,
        `${walk}, ${page}: ${median}`,
      ],
    ]);
  },
});

interface Built {
  connectionString: string;
  keySecret: string;
  /** Of a superadmin. */
  key: string;
  board: BuiltBoard;
  middle: Page['data'][number];
}

async function build(scratch: Scratch, entries: number): Promise<Built> {
  const made = await scratch.create();
  const [board] = await buildBoards(made, { boards: 1, entries, players: 0 });
  const keySecret = randomBytes(32).toString('hex');
  const { knex } = made.open();
  const key = await bootstrap(knex, { keyPrefix: KEY_PREFIX, keySecret }, { email: EMAIL }, new Date());
  const row = await knex('score_events')
    .where('seq', Math.ceil(entries / 2))
    .first('id', 'created_at');
  await made.close();
  const middle = { id: idOf('scoreEvent', row.id), created_at: row.created_at.toISOString() };
  return { connectionString: made.connectionString, keySecret, key: key!, board: board!, middle };
}

async function serve({ connectionString, keySecret, key, board, middle }: Built, disposal: Disposal) {
  const jwtSecret = randomBytes(32).toString('hex');
  const { port } = await startService({ connectionString, jwtSecret, keySecret }, disposal);
  const connection = await HttpConnection.open(port);
  disposal.add(async () => connection.close());
  const get = async (query: string) => {
    const head = `GET /v1/score-events?limit=${LIMIT}&${query} HTTP/1.1\r\nhost: localhost\r\nservice-api-key: ${key}\r\n\r\n`;
    const { status, body } = await connection.request(head);
    if (status !== 200) throw new Error(`${query}: ${status} ${body}`);
    return JSON.parse(body.toString()) as Page;
  };
  return { board, middle, get };
}

/** The first page, one beyond the event in the middle, and the page before that. */
async function pagesOf(events: Events, walk: Walk): Promise<Operation[]> {
  const query = walk.query(events);
  const page = (name: string, cursor?: string): Operation => ({
    name,
    run: async () => {
      const { data } = await events.get(cursor === undefined ? query : `${query}&cursor=${cursor}`);
      if (data.length !== LIMIT) throw new Error(`${name} of ${walk.name} has ${data.length} events`);
    },
  });
  const { pagination } = await events.get(query);
  const middle = moved(pagination.next_cursor!, events.middle);
  const { pagination: there } = await events.get(`${query}&cursor=${middle}`);
  return [page('first'), page('middle', middle), page('back', there.prev_cursor!)];
}

/** Moves the cursor to another event. */
function moved(cursor: string, { id, created_at: at }: Page['data'][number]): string {
  const state = JSON.parse(Buffer.from(cursor, 'base64url').toString());
  const p = state.p.length > 0 ? [at] : [];
  return Buffer.from(JSON.stringify({ ...state, p, id })).toString('base64url');
}

function rowOf(name: string, [small, large]: Latency[]): string[] {
  return [name, micros(small!.median), micros(large!.median), micros(large!.p99), times(large!.ratio)];
}
