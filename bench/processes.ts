import 'reflect-metadata';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { numberOf, numbersOf } from './support/arguments.js';
import { buildBoards } from './support/bulk-board.js';
import { inSession } from './support/bulk-session.js';
import { CommitTimes } from './support/commit-times.js';
import { ServerCpu } from './support/cpu.js';
import { OwnGenerator } from './support/generator.js';
import { NONCE_SECONDS } from './support/http-clients.js';
import { LiveCrowd } from './support/live-crowd.js';
import { LivePlayers } from './support/live-players.js';
import type { Detail } from './support/load-generator.js';
import { type Nginx, startNginx } from './support/nginx.js';
import { runBench } from './support/run.js';
import type { ScratchDatabase } from './support/scratch.js';
import { type ServiceProcess, startService } from './support/service-process.js';
import { median, quantile } from './support/statistics.js';
import { count, millis, say, sayMarkdown } from './support/table.js';

const TOP = `subscription ($id: ID!) { boardChanged(boardId: $id, first: 20) {
  version entries { totalCount nodes { rank playerName value } } } }`;

/** Submissions for a second at full speed; unsent ones are dropped. */
const MOST_PER_SECOND = 5_000;

/** Seconds of submissions to each process before anything is measured, because first requests run interpreted. */
const WARM = { seconds: 10, rate: 60 };

interface Slice {
  submissions: Detail;
  /** CPU milliseconds per thousand submissions. */
  gateways: number;
  nginx: number;
  postgres: number;
  /** Milliseconds from a commit to its arrival at a viewer, while a steady rate is submitted. */
  delays: number[];
}

runBench({
  title:
    'One, two and four processes of the service on one database, behind nginx, which gives them requests ' +
    'and sockets in turn: submissions to one board at full speed with the CPU of a thousand, the delay of ' +
    'live messages at a steady rate, and connections to Postgres. Processes, nginx, Postgres and clients ' +
    'share the machine.',
  duration: 'about 5 minutes',
  options: {
    entries: { fallback: '50k', doc: 'entries of the board' },
    processes: { fallback: '1,2,4', doc: 'numbers of processes, by turns' },
    connections: { fallback: '64', doc: 'connections that submit' },
    viewers: { fallback: '200', doc: 'sockets that watch the first 20' },
    rate: { fallback: '50', doc: 'submissions a second while live messages are timed' },
    seconds: { fallback: '5', doc: 'length of a slice' },
    rounds: { fallback: '3', doc: 'slices of each' },
  },
  async run(scratch, args, disposal) {
    const [seconds, connections, rate] = [args.seconds, args.connections, args.rate].map(Number) as [
      number,
      number,
      number,
    ];
    const secrets = {
      jwtSecret: randomBytes(32).toString('hex'),
      keySecret: randomBytes(32).toString('hex'),
    };
    const made = await scratch.create();
    const entries = numberOf(args.entries);
    const [board] = await buildBoards(made, { boards: 1, entries, players: 5_000 });
    const dir = mkdtempSync(path.join(os.tmpdir(), 'leaderboard-bench-'));
    disposal.add(async () => rmSync(dir, { recursive: true, force: true }));
    const commits = await CommitTimes.note(made);
    const seats = new LivePlayers(board!, secrets, dir);
    const generator = new OwnGenerator(disposal);
    const { connectionString } = made;
    const env = { LIVE_PER_ADDRESS: '1000000', LOG_LEVEL: 'warn', TRUSTED_PROXIES: '127.0.0.1' };
    const settings = { connectionString, ...secrets, nonceSeconds: NONCE_SECONDS, env };

    const services: ServiceProcess[] = [];
    /** Puts nginx in front of some of the processes. */
    const behind = async <T>(
      used: readonly ServiceProcess[],
      work: (nginx: Nginx) => Promise<T>,
    ): Promise<T> => {
      const nginx = await startNginx(
        used.map((service) => service.port),
        disposal,
      );
      return work(nginx).finally(nginx.stop);
    };
    const submit = (port: number, time: number, atRate?: number) =>
      generator.run({
        ...{ port, connections, seconds: time, rate: atRate },
        traffic: seats.submissions(Math.ceil((atRate ?? MOST_PER_SECOND) * time * 1.1)),
      });

    const measure = (used: readonly ServiceProcess[]): Promise<Slice> =>
      behind(used, async ({ port, pid }) => {
        const cpu = () => ({
          gateways: used.reduce((sum, service) => sum + ServerCpu.of(service.pid)!.used(), 0),
          nginx: ServerCpu.of(pid)!.used(),
          postgres: scratch.cpu?.used() ?? Number.NaN,
        });
        const before = cpu();
        const submissions = await submit(port, seconds);
        const after = cpu();
        // Microseconds per request are milliseconds per thousand.
        const each = (of: keyof typeof before) => (after[of] - before[of]) / submissions.requests;
        const live = await watchers(port);
        const [seen] = await Promise.all([live.watch(seconds), submit(port, seconds, rate)]);
        await live.close();
        return {
          ...{ submissions, gateways: each('gateways'), nginx: each('nginx'), postgres: each('postgres') },
          delays: await commits.latencies(seen.samples, false),
        };
      });

    const watchers = (port: number) => {
      const tokens = seats.tokens(numberOf(args.viewers));
      const greetings = tokens.map((token) => ({ Authorization: `Bearer ${token}` }));
      const subscribe = { query: TOP, variables: { id: board!.id } };
      return LiveCrowd.open('live', 1, port, { path: '/graphql', greetings, subscribe }, disposal);
    };

    const numbers = numbersOf(args.processes).toSorted((one, other) => one - other);
    const found = new Map<number, number>();
    for (const processes of numbers) {
      while (services.length < processes) services.push(await startService(settings, disposal));
      await behind(services, ({ port }) => submit(port, WARM.seconds, WARM.rate * processes));
      found.set(processes, await connectionsOf(made));
      say(`${processes} process(es) have ${found.get(processes)} connections`);
    }
    const slices = new Map<number, Slice[]>(numbers.map((processes) => [processes, []]));
    for (let round = 0; round < numberOf(args.rounds); round += 1) {
      for (const processes of round % 2 === 0 ? numbers : numbers.toReversed()) {
        // Others in each round, so that all are as warm.
        const used = Array.from({ length: processes }, (_, n) => services[(round + n) % services.length]!);
        const slice = await measure(used);
        slices.get(processes)!.push(slice);
        const { errors, refusal = '' } = slice.submissions;
        say(`${processes} process(es): ${figuresOf([slice]).join(', ')}; ${errors} errors ${refusal}`);
      }
    }
    say('');
    sayMarkdown(
      ['processes', ...HEADINGS, 'connections'],
      [...slices].map(([processes, own]) => [
        String(processes),
        ...figuresOf(own),
        count(found.get(processes)!),
      ]),
    );
  },
});

const HEADINGS = [
  ...['submissions/s', 'p50', 'p99', 'CPU of 1,000: gateways', 'nginx', 'Postgres'],
  ...['live p50', 'live p95'],
];

/** Medians of slices, in the order of the headings. */
function figuresOf(slices: readonly Slice[]): string[] {
  const of = (figure: (slice: Slice) => number) => median(slices.map(figure));
  return [
    count(of(({ submissions }) => submissions.perSecond)),
    millis(of(({ submissions }) => submissions.p50)),
    millis(of(({ submissions }) => submissions.p99)),
    millis(of(({ gateways }) => gateways)),
    millis(of(({ nginx }) => nginx)),
    millis(of(({ postgres }) => postgres)),
    millis(of(({ delays }) => quantile(delays, 0.5))),
    millis(of(({ delays }) => quantile(delays, 0.95))),
  ];
}

/** Connections of all processes to the database, LISTEN and jobs included. */
async function connectionsOf(made: ScratchDatabase): Promise<number> {
  const { rows } = await inSession(made, (client) =>
    client.query<{ open: number }>(
      `select count(*)::int as open from pg_stat_activity
       where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'`,
    ),
  );
  return rows[0]!.open;
}
