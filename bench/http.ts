import 'reflect-metadata';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { SetupError } from '../src/base/errors.js';
import type { Disposal } from '../src/process/shutdown.js';
import { numberOf, numbersOf } from './support/arguments.js';
import type { BareJob } from './support/bare-route.js';
import { Child } from './support/child.js';
import { findGenerator, type Generator, OwnGenerator } from './support/generator.js';
import { CASES, type Case } from './support/http-cases.js';
import { Clients, NONCE_SECONDS } from './support/http-clients.js';
import { Course } from './support/http-course.js';
import { type HttpData, openHttpData } from './support/http-data.js';
import { HttpLoad } from './support/http-load.js';
import { type Row, sayHttpTable } from './support/http-table.js';
import type { Api } from './support/requests.js';
import { runBench } from './support/run.js';
import { beyondSaturation, nearSaturation } from './support/saturation.js';
import type { Scratch } from './support/scratch.js';
import { startService } from './support/service-process.js';
import { count, say } from './support/table.js';
import { thisVersion } from './support/version.js';

type Option =
  | 'entries'
  | 'boards'
  | 'workers'
  | 'connections'
  | 'api'
  | 'cases'
  | 'seconds'
  | 'extras'
  | 'data';

runBench({
  title:
    'The service from the client’s side, HTTP in and HTTP out, beside a bare Koa route (body parsed, ' +
    'token checked from a cache, one prepared SELECT 1); ranks are compared with row_number() during and ' +
    'after each case, and all answers of cases that write with the replayed events.',
  duration:
    'an hour and a half, 2 minutes more when the boards are built first; a quarter of it for 16 ' +
    'connections and one board; with --all some hours and 40 GB on disk',
  options: {
    entries: { fallback: '1m', all: '1m,10m', doc: 'entries of the hot board' },
    boards: { fallback: '1000', doc: 'boards that submissions are spread over, of 1,000 entries each' },
    workers: { fallback: '1', doc: 'processes of the service (WORKERS), e.g. 1,2 to compare' },
    connections: { fallback: '16,64,256', doc: 'connections, each asking again as soon as it is answered' },
    api: { fallback: 'REST,GraphQL', doc: 'which of the two' },
    cases: { fallback: '.', doc: 'only those whose name (“hot: own rank”) matches this expression' },
    seconds: { fallback: '5', all: '15', doc: 'length of a slice' },
    extras: {
      fallback: 'yes',
      doc: 'measure p99 at 80 % of saturation and the behaviour beyond it, yes or no',
    },
    data: {
      fallback: path.join(os.tmpdir(), 'leaderboard-bench-data'),
      doc: 'directory of the boards, which are kept from run to run (without DATABASE_URL)',
    },
  },
  keptIn: ({ data }) => path.resolve(data),
  async run(scratch, args, disposal) {
    const cases = CASES.filter((asked) => new RegExp(args.cases, 'i').test(`${asked.boards}: ${asked.name}`));
    const rows: Row[] = [];
    for (const entries of numbersOf(args.entries)) {
      rows.push(...(await measure(scratch, args, disposal, cases, entries)));
    }
    sayHttpTable(rows);
  },
});

/** All cases: first those of the hot board, then those of many boards. */
async function measure(
  scratch: Scratch,
  args: Record<Option, string>,
  disposal: Disposal,
  cases: Case[],
  entries: number,
): Promise<Row[]> {
  const rows: Row[] = [];
  const sets = [
    { boards: 'hot', count: 1, each: entries },
    { boards: 'many', count: numberOf(args.boards), each: 1_000 },
  ] as const;
  const own = new OwnGenerator(disposal);
  const generator = findGenerator(own);
  for (const set of sets) {
    const asked = cases.filter(({ boards }) => boards === set.boards);
    if (asked.length === 0) continue;
    const data = await openHttpData(scratch, set.count, set.each);
    say(`${count(set.count)} board(s) of ${count(set.each)} entries; load by ${generator.name}.`);
    const { courses, end } = await openCourses(scratch, data, generator, args, disposal);
    for (const course of courses) await course.begin();
    for (const connections of numbersOf(args.connections)) {
      for (const one of asked) {
        // One right after the other, so that the machine doesn't make the difference.
        for (const course of courses) rows.push(...(await course.run(one, apis(args.api), connections)));
      }
    }
    if (set.boards === 'hot' && args.extras === 'yes') {
      for (const course of courses) {
        await nearSaturation(course, own);
        await beyondSaturation(course, own);
      }
    }
    await end();
  }
  return rows;
}

/** The bare route and a service for each number of workers, all on the same database. */
async function openCourses(
  scratch: Scratch,
  data: HttpData,
  generator: Generator,
  args: Record<Option, string>,
  disposal: Disposal,
): Promise<{ courses: Course[]; end(): Promise<void> }> {
  const secrets = { jwtSecret: randomBytes(32).toString('hex'), keySecret: randomBytes(32).toString('hex') };
  const { connectionString } = data.made;
  const dir = mkdtempSync(path.join(os.tmpdir(), 'leaderboard-bench-'));
  disposal.add(async () => rmSync(dir, { recursive: true, force: true }));
  const bare = new Child<BareJob, number>('bare-route', disposal);
  const barePort = await bare.ask({ connectionString, jwtSecret: secrets.jwtSecret });
  const reference = { port: barePort, pid: bare.pid };
  const seconds = Number(args.seconds);
  const clients = new Clients(data, secrets, dir, thisVersion);
  const http = new HttpLoad(clients, generator);
  const parts = { scratch, data, clients, bare: reference, seconds };
  const courses: Course[] = [];
  for (const workers of numbersOf(args.workers)) {
    const settings = { connectionString, ...secrets, nonceSeconds: NONCE_SECONDS, workers };
    courses.push(new Course({ ...parts, workers, service: await startService(settings, disposal) }, http));
  }
  return {
    courses,
    end: async () => {
      await bare.end();
      for (const { parts: of } of courses) await of.service.stop();
    },
  };
}

function apis(text: string): Api[] {
  return text.split(',').map((api) => {
    if (api !== 'REST' && api !== 'GraphQL') throw new SetupError(`--api is REST or GraphQL, not ${api}.`);
    return api;
  });
}
