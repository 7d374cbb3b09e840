import 'reflect-metadata';
import { randomBytes } from 'node:crypto';
import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import type { Disposal } from '../src/process/shutdown.js';
import { numberOf } from './support/arguments.js';
import { ServerCpu } from './support/cpu.js';
import { OwnGenerator } from './support/generator.js';
import { HttpConnection } from './support/http-connection.js';
import { readTraffic } from './support/traffic.js';
import { type Case, WATCHED } from './support/http-cases.js';
import { Clients, NONCE_SECONDS } from './support/http-clients.js';
import { openHttpData } from './support/http-data.js';
import { HttpLoad } from './support/http-load.js';
import type { Api } from './support/requests.js';
import { runScript } from './support/run.js';
import { openScratch, type Scratch } from './support/scratch.js';
import { type ServiceProcess, startService } from './support/service-process.js';
import { median, quantile } from './support/statistics.js';
import { say } from './support/table.js';
import { thisVersion } from './support/version.js';

/** `improving REST 16`, `… others` with 50 submissions a second beside, `… many` on a thousand boards, `… two` with two workers. */
type RowName = string;

const WHERE = ['one', 'two', 'many'] as const;
type Where = (typeof WHERE)[number];

interface Row {
  name: RowName;
  wish: Case;
  api: Api;
  connections: number;
  where: Where;
}

const CASES: Record<string, Case> = {
  improving: { name: 'submission, improving', boards: 'hot', writes: true },
  same: { name: 'submission, not improving', boards: 'hot', writes: true },
  own: { name: 'own rank', boards: 'hot', writes: false },
  around: { name: 'around me, 11', boards: 'hot', writes: false },
  top: WATCHED,
  mixed: { name: 'mixed, 80 % reads', boards: 'hot', writes: true },
};

function rowOf(name: RowName): Row {
  const [kind, api, connections, where = 'one'] = name.split(' ');
  return {
    name,
    wish: CASES[kind!]!,
    api: api === 'G' ? 'GraphQL' : 'REST',
    connections: Number(connections),
    where: where as Where,
  };
}

/** Rows of each layer, the likeliest first. After enough of them have shown a tenth the rest is left out. */
const ENOUGH = 1;

const MANY = ['improving R 16 many', 'same R 16 many', 'improving R 64 many'];
const TWO = ['improving R 16 two', 'same R 16 two', 'improving R 64 two', 'same R 64 two'];
const HTTP = ['own R 16', 'top R 16', 'own R 64'];

const LAYERS: Record<string, RowName[]> = {
  none: ['own R 16', 'improving R 16', 'mixed R 16'],
  'json-cache': ['top R 16', 'top G 16', 'top R 64', 'top R 1', 'mixed R 16', 'mixed R 64', 'top G 64'],
  'page-cache': ['top R 16', 'mixed R 16', 'top R 64', 'top G 16', 'top R 1', 'mixed R 64'],
  'page-follow': ['top R 16', 'mixed R 16', 'top R 64', 'mixed R 64'],
  'record-kept': ['mixed R 16', 'mixed R 64', 'top R 16', 'mixed G 16'],
  'known-operations': ['own G 16', 'top G 16', 'same G 16', 'own G 64', 'mixed G 16', 'own G 1'],
  documents: ['own G 16', 'same G 16'],
  'lockless-reads': ['improving R 16', 'same R 16'],
  'facts-cache': ['same R 16', 'improving R 16', 'same R 64', 'improving R 64', 'same R 1', 'same R 16 many', 'same G 16'],
  pipelining: ['improving R 64', 'same R 64', 'improving R 16', 'same R 16', 'mixed R 64', 'improving G 64', 'improving R 64 many'],
  'multi-board': [...MANY, 'same R 64 many'],
  'lock-first': TWO,
  'answer-portions': ['improving R 64', 'same R 64', 'mixed R 64', 'improving R 16'],
  'turn-start': [...MANY, 'same R 16', 'mixed R 16'],
  'coalesced-reads': ['own R 64', 'own R 16', 'around R 64', 'mixed R 16'],
  'early-sending': ['around R 64', 'around R 16', 'own R 64', 'own R 16', 'mixed R 64', 'mixed R 16'],
  patience: ['own R 16', 'around R 16', 'own R 64', 'around R 64', 'mixed R 16', 'mixed R 64'],
  'record-cache': ['own R 64', 'own R 16', 'own R 1', 'mixed R 16'],
  'joined-record-reads': ['top R 64', 'own R 64', 'own R 16', 'around R 64', 'mixed R 16', 'mixed R 64', 'own G 64'],
  'single-own': ['own R 1', 'mixed R 16', 'own R 16', 'own G 1'],
  'beside-score': ['around R 16', 'around R 64', 'around R 1'],
  'token-cache': ['own R 64', 'own R 16', 'same R 16'],
  headers: ['own R 16', 'top R 16', 'own R 64', 'own R 1', 'own G 64', 'same R 64', 'mixed R 16'],
  'whole-answers': HTTP,
  'own-match': HTTP,
  'client-router': HTTP,
  'log-pieces': HTTP,
  'plain-json-type': ['same R 64', 'same R 16', 'own G 64'],
  'nonce-blocks': ['same R 64', 'same R 16', 'same R 1'],
  'id-pool': ['same R 64', 'same R 16', 'own R 64'],
};

const WARMING: Record<string, Api> = { 'improving mixed top own': 'REST', 'mixed own': 'GraphQL' };

interface Slice {
  perSecond: number;
  cpu: number;
  errors: number;
}

interface Place {
  service: ServiceProcess;
  http: HttpLoad;
  gateway: ServerCpu;
}

runScript(
  {
    title:
      'Each layer that exists for speed, off and on by turns in one service: requests a second, CPU of node and Postgres.',
    duration: 'half an hour',
    options: {
      layers: { fallback: '.', doc: 'only those whose name matches' },
      rows: { fallback: '.', doc: 'only those whose name matches' },
      pairs: { fallback: '16', doc: 'pairs of slices' },
      requests: { fallback: '250', doc: 'of a slice' },
      enough: { fallback: String(ENOUGH), doc: 'rows with a tenth after which a layer is done' },
      entries: { fallback: '200k', doc: 'entries of the board' },
      data: { fallback: path.join(os.tmpdir(), 'leaderboard-bench-ablation'), doc: 'directory of the database' },
      out: { fallback: 'ablation.jsonl', doc: 'results are appended here; those in it are not measured again' },
    },
  },
  async (args, disposal) => {
    const scratch = await openScratch(disposal, path.join(args.data, 'postgres'));
    
    const dir = mkdtempSync(path.join(os.tmpdir(), 'leaderboard-bench-'));
    disposal.add(async () => rmSync(dir, { recursive: true, force: true }));
    const file = path.join(dir, 'off');
    const done = existsSync(args.out)
      ? readFileSync(args.out, 'utf8')
          .trim()
          .split('\n')
          .filter(Boolean)
          .map((line) => JSON.parse(line) as { layer: string; row: string; gain: number })
      : [];
    for (const where of WHERE) {
      let place: Place | undefined;
      for (const [layer, rows] of Object.entries(LAYERS)) {
        if (!new RegExp(args.layers).test(layer)) continue;
        for (const name of rows) {
          const row = rowOf(name);
          if (row.where !== where || !new RegExp(args.rows).test(name)) continue;
          if (done.some((one) => one.layer === layer && one.row === name)) continue;
          const shown = done.filter((one) => one.layer === layer && one.gain >= 1.1).length;
          if (layer !== 'none' && shown >= Number(args.enough)) continue;
          place ??= await open(scratch, where, numberOf(args.entries), file, dir, disposal);
          const found = await measure(place, scratch, file, layer, row, Number(args.pairs), Number(args.requests));
          done.push(found);
          appendFileSync(args.out, `${JSON.stringify(found)}\n`);
          say(
            `${layer}  ${name}  rate ${found.rate.toFixed(2)} cpu ${found.cpu.toFixed(2)}  [${spread(found.rates)} | ${spread(found.cpus)}]  ${found.perSecond.toFixed(0)}/s ${found.micros.toFixed(0)} µs  errors ${found.errors}`,
          );
        }
      }
      await place?.service.stop();
    }
  },
);

async function open(
  scratch: Scratch,
  where: Where,
  entries: number,
  file: string,
  dir: string,
  disposal: Disposal,
): Promise<Place> {
  writeFileSync(file, '');
  const data = where === 'many' ? await openHttpData(scratch, 1_000, 300) : await openHttpData(scratch, 1, entries);
  const secrets = { jwtSecret: randomBytes(32).toString('hex'), keySecret: randomBytes(32).toString('hex') };
  const { connectionString } = data.made;
  const quiet = new pg.Client({ connectionString });
  await quiet.connect();
  await quiet.query('alter system set autovacuum = off');
  await quiet.query('select pg_reload_conf()');
  await quiet.end();
  const service = await startService(
    {
      ...{ connectionString, ...secrets, nonceSeconds: NONCE_SECONDS, workers: where === 'two' ? 2 : 1 },
      env: { ABLATION_FILE: where === 'two' ? file : 'http' },
    },
    disposal,
  );
  const clientsIn = (name: string) => new Clients(data, secrets, mkdtempSync(path.join(dir, name)), thisVersion);
  const clients = clientsIn('main');
  const warming = where === 'many' ? { 'improving same': 'REST' as const } : WARMING;
  if (where !== 'many') await clients.findDeepPages(service.port);
  const http = new HttpLoad(clients, new OwnGenerator(disposal));
  for (const [name, api] of Object.entries(warming)) {
    for (const kind of name.split(' ')) {
      const traffic = await http.clients.traffic(CASES[kind]!, api, 2_000);
      await http.send(service, traffic, 32, 120, { count: 2_000 });
    }
  }
  return { service, http, gateway: ServerCpu.of(service.pid)! };
}

/** The quarters. */
function spread(values: readonly number[]): string {
  return [0.25, 0.75].map((q) => quantile(values, q).toFixed(2)).join('–');
}

async function throwSwitch(port: number, where: Where, file: string, layer: string): Promise<void> {
  if (where === 'two') {
    writeFileSync(file, layer);
    await delay(400);
    return;
  }
  const connection = await HttpConnection.open(port);
  await connection.request(`GET /ablate/${layer} HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n`);
  connection.close();
}

async function measure(
  place: Place,
  scratch: Scratch,
  file: string,
  layer: string,
  row: Row,
  pairs: number,
  requests: number,
) {
  const { service, http, gateway } = place;
  http.clients.seats = undefined;
  const count = row.connections === 1 ? Math.round(requests / 2) : row.connections === 64 ? requests * 2 : requests;
  const warm = 3 * count;
  const traffic = await http.clients.traffic(row.wish, row.api, 2 * (warm + pairs * count));
  const texts = readTraffic(traffic);
  const open = Array.from({ length: row.connections }, () => HttpConnection.open(service.port));
  const connections = await Promise.all(open);
  const used = () => gateway.used() + scratch.cpu!.used();
  let sent = 0;
  const slice = async (off: boolean, wanted: number): Promise<Slice> => {
    await throwSwitch(service.port, row.where, file, off ? layer : '');
    const end = sent + wanted;
    let errors = 0;
    const before = used();
    const began = performance.now();
    await Promise.all(
      connections.map(async (connection) => {
        while (sent < end) {
          const text = texts[sent % texts.length]!;
          sent += 1;
          const { status } = await connection.request(text);
          if (status < 200 || status > 299) errors += 1;
        }
      }),
    );
    const elapsed = (performance.now() - began) / 1_000;
    return { perSecond: wanted / elapsed, cpu: (used() - before) / wanted, errors };
  };
  await slice(true, warm);
  await slice(false, warm);
  const on: Slice[] = [];
  const off: Slice[] = [];
  for (let k = 0; k < pairs; k += 1) {
    if (k % 2 === 0) {
      off.push(await slice(true, count));
      on.push(await slice(false, count));
    } else {
      on.push(await slice(false, count));
      off.push(await slice(true, count));
    }
  }
  await throwSwitch(service.port, row.where, file, '');
  for (const connection of connections) connection.close();
  const rates = on.map(({ perSecond }, i) => perSecond / off[i]!.perSecond);
  const cpus = on.map(({ cpu }, i) => off[i]!.cpu / cpu);
  const rate = median(rates);
  const cpu = median(cpus);
  return {
    ...{ layer, row: row.name, rate, cpu, gain: Math.max(rate, cpu), rates, cpus },
    perSecond: median(on.map((one) => one.perSecond)),
    micros: median(on.map((one) => one.cpu)),
    errors: [...on, ...off].reduce((sum, { errors }) => sum + errors, 0),
  };
}
