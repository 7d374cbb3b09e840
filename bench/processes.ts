import 'reflect-metadata';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { numberOf, numbersOf } from './support/arguments.js';
import { buildBoards } from './support/bulk-board.js';
import { inSession } from './support/bulk-session.js';
import { CommitTimes } from './support/commit-times.js';
import { OwnGenerator } from './support/generator.js';
import { NONCE_SECONDS } from './support/http-clients.js';
import { LiveCrowd } from './support/live-crowd.js';
import { LivePlayers } from './support/live-players.js';
import type { Detail } from './support/load-generator.js';
import { runBench } from './support/run.js';
import type { ScratchDatabase } from './support/scratch.js';
import { startService } from './support/service-process.js';
import { median, quantile } from './support/statistics.js';
import { count, millis, say, sayMarkdown } from './support/table.js';

const TOP = `subscription ($id: ID!) { boardChanged(boardId: $id, first: 20) {
  version entryCount scores { nodes { rank playerName value } } } }`;

/** Submissions for a second at full speed; what is not sent is left. */
const MOST_PER_SECOND = 5_000;

interface Slice {
  submissions: Detail;
  /** Milliseconds from a commit to its arrival at a viewer, while a steady rate is submitted. */
  delays: number[];
  connections: number;
}

runBench({
  title:
    'One, two and four processes of the service on one database: submissions to one board at full speed, the delay of live messages at a steady rate, and connections to Postgres. Processes, Postgres and clients share the machine.',
  duration: 'about 3 minutes',
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
    const secrets = {
      jwtSecret: randomBytes(32).toString('hex'),
      keySecret: randomBytes(32).toString('hex'),
    };
    const made = await scratch.create();
    const [board] = await buildBoards(made, {
      ...{ boards: 1, entries: numberOf(args.entries), players: 5_000 },
    });
    const dir = mkdtempSync(path.join(os.tmpdir(), 'leaderboard-bench-'));
    disposal.add(async () => rmSync(dir, { recursive: true, force: true }));
    const commits = await CommitTimes.note(made);
    const seats = new LivePlayers(board!, secrets, dir);
    const generator = new OwnGenerator(disposal);
    const [seconds, connections, rate] = [args.seconds, args.connections, args.rate].map(Number) as [
      number,
      number,
      number,
    ];

    const measure = async (workers: number): Promise<Slice> => {
      const env = { LIVE_PER_ADDRESS: '1000000', LOG_LEVEL: 'warn' };
      const { connectionString } = made;
      const settings = { connectionString, ...secrets, nonceSeconds: NONCE_SECONDS, workers, env };
      const service = await startService(settings, disposal);
      const submit = (time: number, atRate?: number) =>
        generator.run({
          ...{ port: service.port, connections, seconds: time, rate: atRate },
          traffic: seats.submissions(Math.ceil((atRate ?? MOST_PER_SECOND) * time * 1.1)),
        });
      await submit(2);
      const submissions = await submit(seconds);
      const live = await watchers(service.port);
      const [seen] = await Promise.all([live.watch(seconds), submit(seconds, rate)]);
      const found = await connectionsOf(made);
      await live.close();
      await service.stop();
      return { submissions, delays: await commits.latencies(seen.samples, false), connections: found };
    };

    const watchers = (port: number) => {
      const tokens = seats.tokens(numberOf(args.viewers));
      const greetings = tokens.map((token) => ({ Authorization: `Bearer ${token}` }));
      const subscribe = { query: TOP, variables: { id: board!.id } };
      return LiveCrowd.open('live', 1, port, { path: '/graphql', greetings, subscribe }, disposal);
    };

    const numbers = numbersOf(args.processes);
    const slices = new Map<number, Slice[]>(numbers.map((workers) => [workers, []]));
    for (let round = 0; round < numberOf(args.rounds); round += 1) {
      for (const workers of round % 2 === 0 ? numbers : numbers.toReversed()) {
        const slice = await measure(workers);
        slices.get(workers)!.push(slice);
        const { perSecond, p99, errors } = slice.submissions;
        say(
          `${workers} process(es): ${count(perSecond)} submissions/s, p99 ${millis(p99)}, ${errors} errors, ` +
            `live p50 ${millis(quantile(slice.delays, 0.5))}, ${slice.connections} connections`,
        );
      }
    }
    say('');
    sayMarkdown(
      ['processes', 'submissions/s', 'p50', 'p99', 'live p50', 'live p99', 'connections'],
      [...slices].map(([workers, own]) => {
        const of = (figure: (slice: Slice) => number) => median(own.map(figure));
        return [
          String(workers),
          count(of(({ submissions }) => submissions.perSecond)),
          millis(of(({ submissions }) => submissions.p50)),
          millis(of(({ submissions }) => submissions.p99)),
          millis(of(({ delays }) => quantile(delays, 0.5))),
          millis(of(({ delays }) => quantile(delays, 0.99))),
          count(of(({ connections: open }) => open)),
        ];
      }),
    );
  },
});

/** Connections of the service to the database, LISTEN and jobs included. */
async function connectionsOf(made: ScratchDatabase): Promise<number> {
  const { rows } = await inSession(made, (client) =>
    client.query<{ open: number }>(
      `select count(*)::int as open from pg_stat_activity
       where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'`,
    ),
  );
  return rows[0]!.open;
}
