import 'reflect-metadata';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { numberOf } from './support/arguments.js';
import { inSession } from './support/bulk-session.js';
import { OwnGenerator } from './support/generator.js';
import { CASES, type Case } from './support/http-cases.js';
import { Clients, NONCE_SECONDS } from './support/http-clients.js';
import { HttpConnection } from './support/http-connection.js';
import { type HttpData, openHttpData } from './support/http-data.js';
import { HttpLoad } from './support/http-load.js';
import { runBench } from './support/run.js';
import { startService } from './support/service-process.js';
import { count, millis, say, sayTable, times } from './support/table.js';
import { thisVersion } from './support/version.js';

const SUBMITTERS = 16;
const SEARCHES = 1_000;

runBench({
  title:
    'Submissions over 16 connections while visitors without a credential search players by name, over ' +
    'GraphQL and on the public page, as fast as they are answered.',
  duration: 'three minutes, and one more when the board is built first',
  options: {
    entries: { fallback: '1m', doc: 'entries of the board' },
    searchers: { fallback: '20', doc: 'connections of visitors' },
    seconds: { fallback: '5', doc: 'length of a slice' },
    rounds: { fallback: '3', doc: 'slices of each case, in turns; the median counts' },
    data: {
      fallback: path.join(os.tmpdir(), 'leaderboard-bench-data'),
      doc: 'directory of the board, which is kept from run to run (without DATABASE_URL)',
    },
  },
  keptIn: ({ data }) => path.resolve(data),
  async run(scratch, args, disposal) {
    const data = await openHttpData(scratch, 1, numberOf(args.entries));
    const dir = mkdtempSync(path.join(os.tmpdir(), 'leaderboard-bench-'));
    disposal.add(async () => rmSync(dir, { recursive: true, force: true }));
    const secrets = {
      jwtSecret: randomBytes(32).toString('hex'),
      keySecret: randomBytes(32).toString('hex'),
    };
    const { connectionString } = data.made;
    const service = await startService(
      { connectionString, ...secrets, nonceSeconds: NONCE_SECONDS },
      disposal,
    );
    const load = new HttpLoad(new Clients(data, secrets, dir, thisVersion), new OwnGenerator(disposal));
    await load.warm(service);
    const [seconds, rounds, searchers] = [args.seconds, args.rounds, args.searchers].map(Number) as [
      number,
      number,
      number,
    ];
    const searches = await searchesOf(data);
    const ways = [['no search', []], ...Object.entries(searches)] as [string, string[]][];
    const rows: string[][] = [];
    for (const wish of CASES.slice(0, 2)) {
      const found = ways.map(() => [] as Slice[]);
      for (let round = 0; round < rounds; round += 1) {
        for (const [k, [, requests]] of ways.entries()) {
          found[k]!.push(await slice(load, service, wish, { requests, searchers, seconds }));
        }
      }
      const middles = found.map(middle);
      for (const [k, [way]] of ways.entries()) {
        const { p50, p99, perSecond, answered, limited } = middles[k]!;
        const searched = k === 0 ? ['', ''] : [count(answered), count(limited)];
        rows.push([
          wish.name,
          way,
          millis(p50),
          times(p50 / middles[0]!.p50),
          millis(p99),
          count(perSecond),
          ...searched,
        ]);
      }
    }
    const headings = [
      'case',
      'visitors',
      'p50',
      'of none',
      'p99',
      'submissions/s',
      'searches/s',
      'refused/s',
    ];
    say(`${count(data.entries)} entries, ${SUBMITTERS} connections that submit, ${searchers} that search.`);
    sayTable(headings, rows);
  },
});

interface Slice {
  p50: number;
  p99: number;
  perSecond: number;
  /** A second. */
  answered: number;
  limited: number;
}

/** Complete requests for both kinds of search, with beginnings of names of the board's players. */
async function searchesOf({ made }: HttpData): Promise<Record<string, string[]>> {
  return inSession(made, async (client) => {
    const { rows: boards } = await client.query<{ short_code: string }>('select short_code from boards');
    const code = boards[0]!.short_code;
    const { rows } = await client.query<{ name: string }>(
      `select left(display_name, 1 + (random() * 6)::int) as name from identities tablesample system (5) limit ${SEARCHES}`,
    );
    const graphql = rows.map(({ name }) => {
      const query =
        'query ($code: String!, $name: String!) { publicBoard(by: { shortCode: $code }) { ranking { ' +
        'findEntries(name: $name, first: 50) { scoreId rank } } } }';
      const body = JSON.stringify({ query, variables: { code, name } });
      const head = `POST /graphql HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json`;
      return `${head}\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
    });
    const visit = (address: string) =>
      `GET ${address} HTTP/1.1\r\nhost: 127.0.0.1\r\naccept: text/html\r\n\r\n`;
    const page = rows.map(({ name }) => visit(`/b/${code}?player=${encodeURIComponent(name)}`));
    // The page without a search shows how much of the cost is the page itself.
    return { findPlayers: graphql, '/b/{code}?player=': page, '/b/{code}': [visit(`/b/${code}`)] };
  });
}

async function slice(
  load: HttpLoad,
  service: { port: number; pid: number },
  wish: Case,
  { requests, searchers, seconds }: { requests: string[]; searchers: number; seconds: number },
): Promise<Slice> {
  const traffic = await load.traffic(wish, 'REST', SUBMITTERS, seconds);
  const [from, until] = [performance.now() + 500, performance.now() + 500 + seconds * 1_000];
  const counts = { answered: 0, limited: 0 };
  const search = async (first: number) => {
    const connection = await HttpConnection.open(service.port);
    for (let k = first; performance.now() < until; k += 7) {
      const { status, body } = await connection.request(requests[k % requests.length]!);
      // Too many are waiting.
      const refused = status === 503;
      if (status !== 200 && !refused) throw new Error(`A search was answered ${status}: ${body}`);
      if (performance.now() > from) counts[refused ? 'limited' : 'answered'] += 1;
    }
    connection.close();
  };
  const visitors = requests.length === 0 ? [] : Array.from({ length: searchers }, (_, k) => search(k * 31));
  const [{ p50, p99, perSecond, errors }] = await Promise.all([
    load.send(service, traffic, SUBMITTERS, seconds),
    ...visitors,
  ]);
  if (errors > 0) throw new Error(`${errors} submissions failed`);
  return { p50, p99, perSecond, answered: counts.answered / seconds, limited: counts.limited / seconds };
}

function middle(slices: Slice[]): Slice {
  return slices.toSorted((a, b) => a.p50 - b.p50)[Math.floor(slices.length / 2)]!;
}
