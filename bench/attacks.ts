import 'reflect-metadata';
import { createHash, randomBytes } from 'node:crypto';
import { Agent, request } from 'node:http';
import { type PerformanceEntry, PerformanceObserver } from 'node:perf_hooks';
import { setTimeout as delay, setImmediate } from 'node:timers/promises';
import { brotliCompressSync } from 'node:zlib';
import { parseJson } from '../src/base/json/json.js';
import { MOST_BYTES, MOST_LINES, ROWS_A_STATEMENT } from '../src/scores/imports/chunks.js';
import type { ImportFormat } from '../src/scores/imports/import.js';
import { linesOf } from '../src/scores/imports/lines.js';
import { type ImportRow, LineReader } from '../src/scores/imports/rows.js';
import { numberOf } from './support/arguments.js';
import { ServerCpu } from './support/cpu.js';
import { faultyDocuments } from './support/faulty-documents.js';
import { runBench } from './support/run.js';
import { type ServiceProcess, startService } from './support/service-process.js';
import { median } from './support/statistics.js';
import { count, millis, sayMarkdown, times } from './support/table.js';

/** 56 bytes that inflate to 4 MiB. */
const BOMB = brotliCompressSync(`{"content":"","x":[${'[],'.repeat(1_398_000)}0],"__proto__":0}`);
const NO_TAGS = { board: { dimensions: [], format: null }, ofPlayers: [] };
const CHUNKS = '/v1/imports/imp_00000000-0000-7000-8000-000000000000/chunks';
const WARM_REQUESTS = 300;
/** A document costs more than a body that is not read: of the requests of a slice, a tenth is enough. */
const DOCUMENTS_SHARE = 10;
/** Until the garbage collections during a measurement are known. */
const OBSERVED_MS = 50;

runBench({
  title:
    'The cost of three attacks: refusals of a body that inflates to 4 MiB beside refusals of an empty ' +
    'one, refusals of GraphQL documents with hundreds of errors beside one with a single error, and the ' +
    'longest turn of the event loop while the largest chunks of an import are read.',
  duration: 'about 2 minutes',
  options: {
    pairs: { fallback: '7', doc: 'pairs of slices, and readings of each chunk; the medians count' },
    requests: { fallback: '500', doc: 'requests of a slice, one after the other' },
  },
  async run(scratch, args, disposal) {
    const [pairs, requests] = [numberOf(args.pairs), numberOf(args.requests)];
    const made = await scratch.create();
    const secrets = {
      jwtSecret: randomBytes(32).toString('hex'),
      keySecret: randomBytes(32).toString('hex'),
    };
    const refusals: string[][] = [];
    for (const [status, limit] of [
      [401, 'off'],
      [429, '1'],
    ] as const) {
      const service = await startService(
        { connectionString: made.connectionString, ...secrets, env: { HTTP_RATE_LIMIT: limit } },
        disposal,
      );
      refusals.push(await refusalsOf(service, status, pairs, requests));
      await service.stop();
    }
    const service = await startService({ connectionString: made.connectionString, ...secrets }, disposal);
    const documents = await faultyDocuments(service, pairs, Math.ceil(requests / DOCUMENTS_SHARE));
    await service.stop();
    await made.drop();
    sayMarkdown(['document of a stranger', 'characters', 'CPU, one error', 'CPU', 'ratio'], documents);
    sayMarkdown(
      ['refused with', 'CPU, empty body', `CPU, ${BOMB.length} bytes that inflate to 4 MiB`, 'ratio'],
      refusals,
    );
    const chunks: string[][] = [];
    for (const [name, format, content] of CONTENTS) {
      const readings: Reading[] = [];
      for (let n = 0; n < pairs; n += 1) readings.push(await read(format, content));
      const middle = (of: (reading: Reading) => number) => millis(median(readings.map(of)));
      chunks.push([
        name,
        (content.length / 2 ** 20).toFixed(1),
        ...[middle(({ body }) => body), middle(({ all }) => all), middle(({ longest }) => longest)],
        ...[middle(({ work }) => work), middle(({ json }) => json), middle(({ hash }) => hash)],
      ]);
    }
    sayMarkdown(
      [
        ...['chunk of', 'MiB', 'body parsed', 'lines read', 'longest turn', 'without a collection'],
        ...['rows of a statement', 'hash'],
      ],
      chunks,
    );
  },
});

/** Alternates slices of refusals without a body and with the bomb. */
async function refusalsOf(service: ServiceProcess, status: number, pairs: number, requests: number) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const refuse = (body: Buffer | undefined) =>
    new Promise<number | undefined>((resolve, reject) => {
      const headers = { 'content-type': 'application/json', ...(body && { 'content-encoding': 'br' }) };
      const sent = request(
        { agent, port: service.port, host: '127.0.0.1', path: CHUNKS, method: 'POST', headers },
        (answer) => answer.resume().once('end', () => resolve(answer.statusCode)),
      );
      sent.once('error', reject).end(body);
    });
  const cpu = ServerCpu.of(service.pid)!;
  const slice = async (body: Buffer | undefined, size: number) => {
    const before = cpu.used();
    let others = 0;
    for (let n = 0; n < size; n += 1) if ((await refuse(body)) !== status) others += 1;
    // The limit allows one request a minute.
    if (others > size / 100) throw new Error(`${others} of ${size} answers are no ${status}`);
    return (cpu.used() - before) / size;
  };
  for (const body of [undefined, BOMB]) await slice(body, WARM_REQUESTS);
  const [empty, bomb]: [number[], number[]] = [[], []];
  for (let n = 0; n < pairs; n += 1) {
    empty.push(await slice(undefined, requests));
    bomb.push(await slice(BOMB, requests));
  }
  agent.destroy();
  const ratio = median(bomb.map((used, n) => used / empty[n]!));
  return [String(status), `${count(median(empty))} µs`, `${count(median(bomb))} µs`, times(ratio)];
}

/** CPU milliseconds of the whole process: with several garbage-collecting threads, more than the loop pauses. */
interface Reading {
  body: number;
  all: number;
  longest: number;
  /** The longest turn without a garbage collection. */
  work: number;
  json: number;
  hash: number;
}

/** Processes a chunk like the service, from its body to the JSON of its statements. */
async function read(format: ImportFormat, content: string): Promise<Reading> {
  const body = JSON.stringify({ number: 1, format, content });
  const parsed = cpuOf(() => parseJson(body));
  const reader = new LineReader(new Date(), NO_TAGS);
  const collections: PerformanceEntry[] = [];
  const observer = new PerformanceObserver((list) => collections.push(...list.getEntries()));
  observer.observe({ entryTypes: ['gc'] });
  const turns: { from: number; to: number; cpu: number }[] = [];
  const began = process.cpuUsage();
  let reading = true;
  const watching = (async () => {
    while (reading) {
      const [from, before] = [performance.now(), process.cpuUsage()];
      await setImmediate();
      turns.push({ from, to: performance.now(), cpu: since(before) });
    }
  })();
  for await (const line of linesOf(format, content)) reader.take(line);
  reading = false;
  const all = since(began);
  await watching;
  await delay(OBSERVED_MS);
  observer.disconnect();
  const collects = ({ from, to }: { from: number; to: number }) =>
    collections.some(({ startTime, duration }) => startTime < to && startTime + duration > from);
  const longestOf = (some: typeof turns) => Math.max(...some.map(({ cpu }) => cpu));
  const longest = longestOf(turns);
  const work = longestOf(turns.filter((turn) => !collects(turn)));
  const rows: ImportRow[] = reader.read.rows.slice(0, ROWS_A_STATEMENT);
  const json = cpuOf(() => JSON.stringify(rows));
  const hash = cpuOf(() => createHash('sha256').update(`${format}\n${content}`).digest());
  return { body: parsed, all, longest, work, json, hash };
}

function since(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

function cpuOf(work: () => unknown): number {
  const before = process.cpuUsage();
  work();
  return since(before);
}

/** As many lines as a chunk may have. */
function filled(head: string, line: (n: number) => string): string {
  let content = head;
  for (let n = 0; n < MOST_LINES - 1; n += 1) {
    const next = line(n);
    if (content.length + next.length > MOST_BYTES) break;
    content += next;
  }
  return content;
}

const FURTHER = Array.from({ length: 61 }, (_, n) => `c${n}`);

const CONTENTS: [string, ImportFormat, string][] = [
  [
    'CSV, metadata',
    'csv',
    filled(
      'external_key,value,occurred_at,metadata\n',
      (n) => `player-${n},${n},2024-01-01T00:00:00Z,"{""x"": ""${'x'.repeat(350)}""}"\n`,
    ),
  ],
  [
    'CSV, 64 columns',
    'csv',
    filled(
      `external_key,player_name,value,${FURTHER.join()}\n`,
      (n) => `p${n},Player,${n},${FURTHER.join()}\n`,
    ),
  ],
  ['CSV, lines of other cells than columns', 'csv', filled('external_key,value\n', () => 'p,1,2\n')],
  [
    'NDJSON',
    'ndjson',
    filled(
      '',
      (n) => `${JSON.stringify({ external_key: `p${n}`, value: n, metadata: { x: 'x'.repeat(350) } })}\n`,
    ),
  ],
];
