import 'reflect-metadata';
import { randomBytes } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { Disposal } from '../../src/process/shutdown.js';
import { serveJobs } from './child.js';
import type { ServerCpu } from './cpu.js';
import type { Load } from './generator.js';
import type { Course } from './http-course.js';
import type { Api } from './requests.js';

export type CostJob =
  | { open: { root: string; data: string; entries: number } }
  | { slice: { case: string; api: Api; connections: number; seconds: number } };

/** One slice: the load's figures, and the cost of one request. CPU in microseconds. */
export interface Cost extends Load {
  gateway: number;
  postgres: number;
  /** Bytes that Postgres wrote to its log. */
  wal: number;
}

/** One version of the service with its own Postgres; all but this file is loaded from that version's build. */
interface Side {
  course: Course;
  cases: typeof import('./http-cases.js').CASES;
  gateway: ServerCpu;
  postgres: ServerCpu;
  client: pg.Client;
}

const disposal = new Disposal();
let side: Promise<Side> | undefined;

serveJobs<CostJob, Cost | null>(async (job) => {
  if ('slice' in job) return measure(await side!, job.slice);
  side = open(job.open);
  await side;
  return null;
});

for (const signal of ['SIGTERM', 'disconnect'] as const) {
  process.removeAllListeners(signal);
  process.once(signal, () => void disposal.run().then(() => process.exit(0)));
}

async function open({ root, data, entries }: { root: string; data: string; entries: number }): Promise<Side> {
  const load = (name: string) => require(path.join(root, 'dist', 'bench', 'support', name));
  const { openScratch } = load('scratch.js') as typeof import('./scratch.js');
  const { openHttpData } = load('http-data.js') as typeof import('./http-data.js');
  const { CASES } = load('http-cases.js') as typeof import('./http-cases.js');
  const { Course } = load('http-course.js') as typeof import('./http-course.js');
  const { startService } = load('service-process.js') as typeof import('./service-process.js');
  const { findGenerator, OwnGenerator } = load('generator.js') as typeof import('./generator.js');
  const { ServerCpu } = load('cpu.js') as typeof import('./cpu.js');
  mkdirSync(data, { recursive: true });
  chmodSync(data, 0o711);
  const scratch = await openScratch(disposal, path.join(data, 'postgres'));
  const boards = await openHttpData(scratch, 1, entries);
  const secrets = { jwtSecret: randomBytes(32).toString('hex'), keySecret: randomBytes(32).toString('hex') };
  const { connectionString } = boards.made;
  const service = await startService({ connectionString, ...secrets, nonceSeconds: 3_600 }, disposal);
  const dir = mkdtempSync(path.join(os.tmpdir(), 'leaderboard-bench-'));
  disposal.add(async () => rmSync(dir, { recursive: true, force: true }));
  const client = new pg.Client({ connectionString, application_name: 'leaderboard bench' });
  client.on('error', () => undefined);
  await client.connect();
  disposal.add(() => client.end());
  const generator = findGenerator(new OwnGenerator(disposal));
  const parts = { scratch, data: boards, secrets, dir, generator, service, workers: 1, seconds: 1 };
  const course = new Course({ ...parts, bare: service });
  await course.begin();
  return { course, cases: CASES, gateway: ServerCpu.of(service.pid)!, postgres: scratch.cpu!, client };
}

async function measure(
  { course, cases, gateway, postgres, client }: Side,
  { case: name, api, connections, seconds }: Extract<CostJob, { slice: object }>['slice'],
): Promise<Cost> {
  const wanted = cases.find((one) => one.boards === 'hot' && one.name === name);
  if (!wanted) throw new Error(`No case “${name}” in this version.`);
  const traffic = await course.traffic(wanted, api, seconds);
  const before = [gateway.used(), postgres.used(), await walPosition(client)] as const;
  const load = await course.load(course.parts.service, traffic, connections, seconds);
  const each = (used: number) => used / load.requests;
  return {
    ...load,
    gateway: each(gateway.used() - before[0]),
    postgres: each(postgres.used() - before[1]),
    wal: each((await walPosition(client)) - before[2]),
  };
}

async function walPosition(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ bytes: string }>(
    `select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0') as bytes`,
  );
  return Number(rows[0]!.bytes);
}
