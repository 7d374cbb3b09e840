import 'reflect-metadata';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { numberOf } from './support/arguments.js';
import { memberPids } from './support/cpu.js';
import { OwnGenerator } from './support/generator.js';
import { CASES, IMPROVING } from './support/http-cases.js';
import { Clients, NONCE_SECONDS } from './support/http-clients.js';
import { HttpConnection } from './support/http-connection.js';
import { openHttpData } from './support/http-data.js';
import { checkAnswers } from './support/rank-check.js';
import { scoresOf } from './support/requests.js';
import { runBench } from './support/run.js';
import { startService } from './support/service-process.js';
import { count, say, sayTable, sayUpkeep } from './support/table.js';
import { thisVersion } from './support/version.js';

/** One load; its requests are prepared in between, while the service is idle for a moment. */
const LOAD_SECONDS = 20;
const MOST_A_SECOND = 8_000;
const REST_MS = 10_000;

interface Reading {
  minutes: number;
  submissions: number;
  perSecond: number;
  /** Mebibytes. */
  resident: number;
  heap: number;
}

runBench({
  title:
    'Memory of the service over time, under submissions without a pause, and how soon after its start it answers right.',
  duration: 'about 6 minutes; with --all about 40',
  options: {
    entries: { fallback: '100k', all: '1m', doc: 'entries of the board' },
    submissions: { fallback: '1m', doc: 'submissions to make at least' },
    minutes: { fallback: '1', all: '30', doc: 'how long to go on at least' },
    connections: { fallback: '64', doc: 'connections, each submitting again as soon as it is answered' },
    workers: { fallback: '1', doc: 'processes of the service (WORKERS)' },
    data: {
      fallback: path.join(os.tmpdir(), 'leaderboard-bench-data'),
      doc: 'directory of the boards, which are kept from run to run (without DATABASE_URL)',
    },
  },
  keptIn: ({ data }) => path.resolve(data),
  async run(scratch, args, disposal) {
    const data = await openHttpData(scratch, 1, numberOf(args.entries));
    const secrets = {
      jwtSecret: randomBytes(32).toString('hex'),
      keySecret: randomBytes(32).toString('hex'),
    };
    const dir = mkdtempSync(path.join(os.tmpdir(), 'leaderboard-bench-'));
    disposal.add(async () => rmSync(dir, { recursive: true, force: true }));
    const clients = new Clients(data, secrets, dir, thisVersion);
    const ranks = CASES.find(({ name }) => name === 'own rank')!;

    const { connectionString } = data.made;
    const settings = {
      connectionString,
      ...secrets,
      nonceSeconds: NONCE_SECONDS,
      workers: numberOf(args.workers),
    };
    // Written just before it is needed; the next traffic replaces it.
    const questions = () => clients.traffic(ranks, 'REST', 1);
    const first = await questions();
    const started = performance.now();
    const service = await startService(settings, disposal);
    const { port, pid } = service;
    const scores = scoresOf.REST;
    const { wrong } = await checkAnswers(data, { port, traffic: first, scores, most: 1 });
    const soon = performance.now() - started;
    say(
      `First answer ${(soon / 1_000).toFixed(2)} s after the start, its rank ${wrong === 0 ? 'right' : 'WRONG'}.`,
    );

    await delay(REST_MS);
    const readings: Reading[] = [];
    const began = performance.now();
    let submissions = 0;
    const read = async (perSecond: number) => {
      const minutes = (performance.now() - began) / 60_000;
      readings.push({ minutes, submissions, perSecond, resident: residentOf(pid), heap: await heapOf(port) });
      return minutes;
    };
    await read(0);
    say(
      `Idle: ${readings[0]!.resident.toFixed(0)} MiB resident, ${readings[0]!.heap.toFixed(0)} MiB of heap in use.`,
    );
    const own = new OwnGenerator(disposal);
    for (let minutes = 0; submissions < numberOf(args.submissions) || minutes < Number(args.minutes); ) {
      const traffic = await clients.traffic(IMPROVING, 'REST', LOAD_SECONDS * MOST_A_SECOND);
      const connections = numberOf(args.connections);
      const load = await own.run({ port, connections, seconds: LOAD_SECONDS, traffic });
      if (load.errors > 0) throw new Error(`A submission was refused: ${load.refusal}`);
      submissions += load.requests;
      minutes = await read(load.perSecond);
    }
    await delay(REST_MS);
    await read(0);
    sayReadings(readings);
    const after = await checkAnswers(data, { port, traffic: await questions(), scores });
    say(`${after.wrong} of ${after.ranks} ranks wrong at the end.`);
    const [idle, most] = [readings[0]!, Math.max(...readings.map(({ resident }) => resident))];
    const { minutes } = readings.at(-1)!;
    sayUpkeep([
      [
        'start',
        `first answer after ${(soon / 1_000).toFixed(1)} s`,
        `its rank ${wrong === 0 ? 'right' : 'WRONG'}`,
      ],
      [
        'memory',
        `${idle.resident.toFixed(0)} MiB idle, at most ${most.toFixed(0)} MiB`,
        `${count(submissions)} submissions in ${minutes.toFixed(0)} minutes; ${after.wrong} of ${after.ranks} ranks wrong`,
      ],
    ]);
  },
});

/** Mebibytes of a process and its children. */
function residentOf(pid: number): number {
  const pages = memberPids(pid).map((member) => {
    const status = readFileSync(`/proc/${member}/status`, 'latin1');
    return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1]);
  });
  return pages.reduce((sum, kibibytes) => sum + kibibytes, 0) / 1_024;
}

async function heapOf(port: number): Promise<number> {
  const connection = await HttpConnection.open(port);
  const { body } = await connection.request('GET /metrics HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n');
  connection.close();
  return Number(/^nodejs_heap_size_used_bytes (\S+)/m.exec(body.toString())?.[1]) / 2 ** 20;
}

/** About twenty lines, and a comparison of the second half with the first. */
function sayReadings(readings: readonly Reading[]): void {
  const step = Math.max(1, Math.floor(readings.length / 20));
  const shown = readings.filter((_, i) => i % step === 0 || i === readings.length - 1);
  const rows = shown.map(({ minutes, submissions, perSecond, resident, heap }) => [
    minutes.toFixed(1),
    count(submissions),
    count(perSecond),
    resident.toFixed(0),
    heap.toFixed(0),
  ]);
  sayTable(['minutes', 'submissions', 'per s', 'resident MiB', 'heap MiB'], rows);
  const under = readings.slice(1, -1);
  const most = (of: readonly Reading[]) => Math.max(...of.map(({ resident }) => resident)).toFixed(0);
  const half = Math.ceil(under.length / 2);
  if (under.length > 1) {
    say(
      `Most in the first half ${most(under.slice(0, half))} MiB, in the second ${most(under.slice(half))} MiB.`,
    );
  }
}
