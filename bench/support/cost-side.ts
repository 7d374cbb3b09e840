import 'reflect-metadata';
import { randomBytes } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { Disposal } from '../../src/process/shutdown.js';
import { serveJobs } from './child.js';
import { ServerCpu } from './cpu.js';
import { findGenerator, type Load, OwnGenerator } from './generator.js';
import { COST_CASES } from './http-cases.js';
import { Clients, NONCE_SECONDS } from './http-clients.js';
import { HttpLoad, type Target } from './http-load.js';
import type { Api } from './requests.js';
import { versionOf } from './version.js';
import { walPosition } from './wal.js';

interface Opening {
  root: string;
  data: string;
  entries: number;
  boards: number;
  /** Processes of the service. */
  workers: number;
}

export type CostJob =
  | { open: Opening }
  | { slice: { case: string; api: Api; connections: number; seconds: number; rate?: number | undefined } };

/** One slice: the load's figures, and the cost per request or submission. CPU in microseconds. */
export interface Cost extends Load {
  gateway: number;
  postgres: number;
  /** The load generator's. */
  generator: number;
  /** Bytes that Postgres wrote to its write-ahead log. */
  wal: number;
}

/** One version of the service with its own Postgres. */
interface Side {
  service: Target;
  http: HttpLoad;
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

/**
 * Schema, credentials and start are those of that version; cases, generator and measurement are those of this one.
 */
async function open({ root, data, boards: wanted, entries, workers }: Opening): Promise<Side> {
  const version = versionOf(root);
  mkdirSync(data, { recursive: true });
  chmodSync(data, 0o711);
  const scratch = await version.openScratch(disposal, path.join(data, 'postgres'));
  const boards = await version.openHttpData(scratch, wanted, entries);
  const secrets = { jwtSecret: randomBytes(32).toString('hex'), keySecret: randomBytes(32).toString('hex') };
  const { connectionString } = boards.made;
  const settings = { connectionString, ...secrets, nonceSeconds: NONCE_SECONDS, workers };
  const service = await version.startService(settings, disposal);
  const dir = mkdtempSync(path.join(os.tmpdir(), 'leaderboard-bench-'));
  disposal.add(async () => rmSync(dir, { recursive: true, force: true }));
  const client = new pg.Client({ connectionString, application_name: 'leaderboard bench' });
  client.on('error', () => undefined);
  await client.connect();
  disposal.add(() => client.end());
  const clients = new Clients(boards, secrets, dir, version);
  await clients.findDeepPages(service.port);
  const http = new HttpLoad(clients, findGenerator(new OwnGenerator(disposal)));
  await http.warm(service);
  const postgres = await ServerCpu.find(client);
  return { service, http, gateway: ServerCpu.of(service.pid)!, postgres: postgres!, client };
}

/** @returns null if this version has no route for the case */
async function measure(
  { service, http, gateway, postgres, client }: Side,
  { case: name, api, connections, seconds, rate }: Extract<CostJob, { slice: object }>['slice'],
): Promise<Cost | null> {
  const wish = COST_CASES.find((one) => one.name === name)!;
  if (!(await http.offers(service, wish, api))) return null;
  const traffic = await http.traffic(wish, api, connections, seconds);
  const counters = async () => ({
    gateway: gateway.used(),
    postgres: postgres.used(),
    generator: ServerCpu.ended(),
    wal: await walPosition(client),
  });
  const before = await counters();
  const load = await http.send(service, traffic, connections, seconds, rate);
  const after = await counters();
  const { batch = 1 } = wish;
  const each = (of: keyof typeof before) => (after[of] - before[of]) / (load.requests * batch);
  return {
    ...load,
    perSecond: load.perSecond * batch,
    gateway: each('gateway'),
    postgres: each('postgres'),
    generator: each('generator'),
    wal: each('wal'),
  };
}
