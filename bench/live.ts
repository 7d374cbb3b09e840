import 'reflect-metadata';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { numberOf } from './support/arguments.js';
import type { BroadcastJob } from './support/bare-broadcast.js';
import { buildBoards } from './support/bulk-board.js';
import { Child } from './support/child.js';
import { CommitTimes } from './support/commit-times.js';
import { ServerCpu } from './support/cpu.js';
import { OwnGenerator } from './support/generator.js';
import { NONCE_SECONDS } from './support/http-clients.js';
import { LiveCrowd } from './support/live-crowd.js';
import { LivePlayers } from './support/live-players.js';
import type { Detail } from './support/load-generator.js';
import { runBench } from './support/run.js';
import { startService } from './support/service-process.js';
import { median, quantile } from './support/statistics.js';
import { count, micros, millis, say, sayMarkdown, sayTable, times } from './support/table.js';
import type { Traffic } from './support/traffic.js';

const TOP = `subscription ($id: ID!) { boardChanged(boardId: $id, first: 20) {
  version entries { totalCount nodes { rank playerName value } } } }`;
const RANK = `subscription ($id: ID!) { rankChanged(boardId: $id, identityIds: ["me"]) {
  version entry { rank value } previousRank totalCount nextAbove { rank value playerName } gapToNext } }`;

const SUBMITTERS = 32;
const WARM_SECONDS = 3;

interface Slice {
  messages: number;
  perSecond: number;
  /** CPU microseconds per message: of the sending process; of the reference. */
  cpu: number;
  bare: number;
  postgres: number | undefined;
  p50: number;
  p99: number;
  submitted: number;
}

function residentBytes(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1]) * 1_024;
}

runBench({
  title:
    'Live subscribers of one board on one service process, while others submit, against a bare broadcast ' +
    'of the same bytes by ws beside the same submissions.',
  duration: 'about 1 minute; with --all about 3',
  options: {
    entries: { fallback: '10k', doc: 'entries of the board' },
    subscribers: { fallback: '1k', all: '10k', doc: 'sockets that watch the top 20' },
    ranks: { fallback: '200', all: '1k', doc: 'sockets that watch a rank of their own each' },
    rate: { fallback: '100', all: '500', doc: 'submissions a second' },
    processes: { fallback: '2', doc: 'processes of clients' },
    seconds: { fallback: '5', all: '10', doc: 'length of a slice' },
    rounds: { fallback: '3', doc: 'slices of each' },
  },
  async run(scratch, args, disposal) {
    const [subscribers, ranks, rate] = [args.subscribers, args.ranks, args.rate].map(numberOf) as [
      number,
      number,
      number,
    ];
    const [seconds, rounds] = [Number(args.seconds), numberOf(args.rounds)];
    const secrets = {
      jwtSecret: randomBytes(32).toString('hex'),
      keySecret: randomBytes(32).toString('hex'),
    };
    const made = await scratch.create();
    const players = Math.max(ranks, SUBMITTERS * 16);
    const [board] = await buildBoards(made, { boards: 1, entries: numberOf(args.entries), players });
    const { connectionString } = made;
    const commits = await CommitTimes.note(made);
    const dir = mkdtempSync(path.join(os.tmpdir(), 'leaderboard-bench-'));
    disposal.add(async () => rmSync(dir, { recursive: true, force: true }));
    const env = { LIVE_PER_ADDRESS: '1000000', LOG_LEVEL: 'warn' };
    const settings = { connectionString, ...secrets, nonceSeconds: NONCE_SECONDS, env };
    const service = await startService(settings, disposal);
    // Submissions go through another process, so that the sending process spends its CPU only on sending.
    const entrance = await startService(settings, disposal);
    const bare = new Child<BroadcastJob, number>('bare-broadcast', disposal);
    const barePort = await bare.ask({ kind: 'listen' });
    const generator = new OwnGenerator(disposal);
    const seats = new LivePlayers(board!, secrets, dir);
    const prepare = (time: number) => seats.submissions(Math.ceil(rate * time * 1.1));
    const submit = (traffic: Traffic, time: number): Promise<Detail> =>
      generator.run({ port: entrance.port, connections: SUBMITTERS, seconds: time, traffic, rate });
    const cpuOf = async (pid: number, work: Promise<unknown>) => {
      const cpu = ServerCpu.of(pid);
      const before = cpu?.used() ?? Number.NaN;
      await work;
      return (cpu?.used() ?? Number.NaN) - before;
    };
    await submit(prepare(WARM_SECONDS), WARM_SECONDS);

    const measure = async (name: string, tokens: Record<string, string>[], query: string, isOwn: boolean) => {
      const greetings = tokens;
      const idle = residentBytes(service.pid);
      const open = { path: '/graphql', greetings, subscribe: { query, variables: { id: board!.id } } };
      const live = await LiveCrowd.open('live', numberOf(args.processes), service.port, open, disposal);
      const memory = (residentBytes(service.pid) - idle) / tokens.length;
      const warming = submit(prepare(WARM_SECONDS), WARM_SECONDS);
      let { texts } = await live.watch(WARM_SECONDS);
      await warming;
      const measured: Omit<Slice, 'bare'>[] = [];
      for (let round = 0; round < rounds; round += 1) {
        const traffic = prepare(seconds);
        const postgres = scratch.cpu?.used();
        const submitting = submit(traffic, seconds);
        const watching = live.watch(seconds);
        // As long as messages are counted; submitters may take longer.
        const used = await cpuOf(service.pid, watching);
        const postgresUsed = postgres === undefined ? undefined : scratch.cpu!.used() - postgres;
        const seen = await watching;
        const load = await submitting;
        if (seen.texts.length > 0) texts = seen.texts;
        const latencies = await commits.latencies(seen.samples, isOwn);
        measured.push({
          messages: seen.messages,
          perSecond: seen.messages / tokens.length / seconds,
          cpu: used / seen.messages,
          postgres: postgresUsed && postgresUsed / seen.messages,
          p50: quantile(latencies, 0.5),
          p99: quantile(latencies, 0.99),
          submitted: load.perSecond,
        });
      }
      await live.close();
      // The same number of messages a second with the same submissions, because a busy machine makes every message
      // more expensive.
      const others = { path: '/', greetings, subscribe: null };
      const reference = await LiveCrowd.open('bare', numberOf(args.processes), barePort, others, disposal);
      const slices: Slice[] = [];
      for (const slice of measured) {
        const perSecond = Math.max(1, slice.perSecond);
        const traffic = prepare(seconds);
        const same = isOwn ? texts : texts.slice(0, 1);
        const broadcast = bare.ask({ kind: 'broadcast', texts: same, perSecond, seconds });
        const used = await cpuOf(bare.pid, Promise.all([broadcast, submit(traffic, seconds)]));
        slices.push({ ...slice, bare: used / (await broadcast) });
      }
      await reference.close();
      return { name, slices, memory, subscribers: tokens.length, bytes: texts[0]!.length };
    };
    const visitors = Array.from({ length: subscribers }, () => ({}));
    const top = await measure('top 20', visitors, TOP, false);
    const own = seats.tokens(ranks).map((token) => ({ authorization: `Bearer ${token}` }));
    const rank = await measure('own rank', own, RANK, true);
    say(`${rate} submissions a second wanted; medians of ${rounds} slices of ${seconds} s`);
    sayFigures([top, rank]);
  },
});

interface Measured {
  name: string;
  slices: Slice[];
  /** Bytes a subscriber. */
  memory: number;
  subscribers: number;
  /** Of a message. */
  bytes: number;
}

function sayFigures(measured: Measured[]): void {
  const rows = measured.map(({ name, slices, memory, subscribers, bytes }) => {
    const middle = (figure: (slice: Slice) => number | undefined) =>
      median(slices.map((slice) => figure(slice) ?? Number.NaN));
    return [
      name,
      count(subscribers),
      count(bytes),
      count(middle(({ submitted }) => submitted)),
      middle(({ perSecond }) => perSecond).toFixed(1),
      millis(middle(({ p50 }) => p50)),
      millis(middle(({ p99 }) => p99)),
      micros(middle(({ cpu }) => cpu)),
      micros(middle(({ bare }) => bare)),
      times(middle(({ cpu, bare }) => cpu / bare)),
      micros(middle(({ postgres }) => postgres)),
      `${(memory / 1_024).toFixed(1)} kB`,
    ];
  });
  const each = ['submitted/s', 'messages/s each', 'p50', 'p99'];
  const cost = ['CPU a message', 'of bare ws', 'ratio', 'of Postgres', 'memory each'];
  const headings = ['', 'subscribers', 'bytes', ...each, ...cost];
  sayTable(headings, rows);
  say('\nFor docs/performance.md:\n');
  sayMarkdown(headings, rows);
}
