import 'reflect-metadata';
import { randomBytes, randomUUID } from 'node:crypto';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { SetupError } from '../src/base/errors.js';
import { idOf, uuid7 } from '../src/base/ids.js';
import { Announcer } from '../src/db/announcer/announcer.js';
import { Changes } from '../src/db/changes.js';
import type { Database } from '../src/db/pool.js';
import type { Disposal } from '../src/process/shutdown.js';
import { Builds } from '../src/rankings/upkeep/builds.js';
import { pipelineOptions, SubmissionPipeline } from '../src/submissions/queue/pipeline.js';
import { numberOf } from './support/arguments.js';
import { type BuiltBoard, buildBoards } from './support/bulk-board.js';
import { ServerCpu } from './support/cpu.js';
import { LiveCrowd } from './support/live-crowd.js';
import { log } from './support/log.js';
import { improve } from './support/player.js';
import { runBench } from './support/run.js';
import type { Scratch } from './support/scratch.js';
import { type ServiceProcess, startService } from './support/service-process.js';
import { median } from './support/statistics.js';
import { say, sayTable, times } from './support/table.js';
import { versionOf } from './support/version.js';
import { declareView, VIEWS } from './support/views.js';

const WINDOW = `subscription ($id: ID!) { boardChanged(boardId: $id, view: "country", where: [{name: "country", value: "DE"}], first: 20) {
  version entries { totalCount nodes { rank playerName value } } } }`;
const NONCE_MS = 60_000;
/** Submitters of the watched country are in the ranking already. */
const GERMANS = 500;

interface Cost {
  /** CPU milliseconds per second, of the sending process and of Postgres. */
  service: number;
  postgres: number;
  /** Per second and subscriber. */
  messages: number;
}

runBench({
  title:
    'Sockets that watch the top 20 of one country while players of others submit: CPU of the process that ' +
    'sends and of Postgres for a second. This version and the version before by turns, on one database.',
  duration: 'about 3 minutes',
  options: {
    against: { fallback: '', doc: 'checkout of the version before, installed and compiled' },
    entries: { fallback: '10k', doc: 'entries of the board' },
    subscribers: { fallback: '1k', doc: 'sockets' },
    rate: { fallback: '100', doc: 'submissions a second' },
    shares: { fallback: '0,0.1,1', doc: 'share of the submissions that are of the watched country' },
    seconds: { fallback: '5', doc: 'length of a slice' },
    rounds: { fallback: '5', doc: 'slices of each version' },
  },
  async run(scratch, args, disposal) {
    if (args.against === '') throw new SetupError('--against names the checkout of the version before.');
    const before = versionOf(path.resolve(args.against));
    const made = await scratch.create();
    const [board] = await buildBoards(made, {
      boards: 1,
      entries: numberOf(args.entries),
      players: 2 * GERMANS,
    });
    const database = made.open();
    await declareView(database, board!.id, VIEWS.find(({ name }) => name === 'country')!);
    const builds = new Builds(database, Date.now, log, () => undefined);
    await builds.work();
    await builds.close();
    const secrets = {
      jwtSecret: randomBytes(32).toString('hex'),
      keySecret: randomBytes(32).toString('hex'),
    };
    const env = { LIVE_PER_ADDRESS: '1000000', LOG_LEVEL: 'warn' };
    const settings = { connectionString: made.connectionString, ...secrets, env };
    const sides = [
      { name: 'before', service: await before.startService(settings, disposal) },
      { name: 'now', service: await startService(settings, disposal) },
    ];
    const writer = await Writer.open(made.connectionString, database, board!, disposal);
    await writer.run(100, GERMANS / 100, 1);
    const rows: string[][] = [];
    for (const share of args.shares.split(',').map(Number)) {
      const costs = sides.map(() => [] as Cost[]);
      for (let round = 0; round < numberOf(args.rounds); round += 1) {
        for (const [i, { service }] of sides.entries()) {
          const crowd = await openCrowd(service, board!, numberOf(args.subscribers), disposal);
          await writer.run(numberOf(args.rate), 1, share);
          const slice = () => writer.run(numberOf(args.rate), Number(args.seconds), share);
          costs[i]!.push(
            await measure(scratch, service, crowd, numberOf(args.subscribers), Number(args.seconds), slice),
          );
          await crowd.close();
        }
      }
      for (const [i, { name }] of sides.entries()) rows.push(rowOf(share, name, costs[i]!, costs[0]!));
    }
    await writer.close();
    say(
      `${args.subscribers} subscribers, ${args.rate} submissions a second, medians of ${args.rounds} slices of ${args.seconds} s`,
    );
    sayTable(['share', 'version', 'messages/s each', 'CPU ms/s', 'ratio', 'Postgres ms/s', 'ratio'], rows);
  },
});

async function openCrowd(service: ServiceProcess, { id }: BuiltBoard, count: number, disposal: Disposal) {
  const greetings = Array.from({ length: count }, () => ({}));
  const open = { path: '/graphql', greetings, subscribe: { query: WINDOW, variables: { id } } };
  return LiveCrowd.open('live', 1, service.port, open, disposal);
}

async function measure(
  scratch: Scratch,
  { pid }: ServiceProcess,
  crowd: LiveCrowd,
  subscribers: number,
  seconds: number,
  write: () => Promise<void>,
): Promise<Cost> {
  const cpu = ServerCpu.of(pid)!;
  const [service, postgres] = [cpu.used(), scratch.cpu?.used() ?? Number.NaN];
  const [seen] = await Promise.all([crowd.watch(seconds), write()]);
  return {
    service: (cpu.used() - service) / 1_000 / seconds,
    postgres: ((scratch.cpu?.used() ?? Number.NaN) - postgres) / 1_000 / seconds,
    messages: seen.messages / subscribers / seconds,
  };
}

function rowOf(share: number, name: string, own: readonly Cost[], reference: readonly Cost[]): string[] {
  const middle = (of: (cost: Cost) => number) => median(own.map(of));
  const ratio = (of: (cost: Cost) => number) =>
    times(median(own.map((cost, round) => of(cost) / of(reference[round]!))));
  const figures = [(cost: Cost) => cost.service, (cost: Cost) => cost.postgres];
  return [
    ...[String(share), name, middle(({ messages }) => messages).toFixed(1)],
    ...figures.flatMap((of) => [middle(of).toFixed(1), ratio(of)]),
  ];
}

/** Submits at a rate, like a process of this version: each commit is announced with its change. */
class Writer {
  #next = 0;

  private constructor(
    private readonly board: BuiltBoard,
    private readonly pipeline: SubmissionPipeline,
    private readonly announcer: Announcer,
  ) {}

  static async open(
    connectionString: string,
    database: Database,
    board: BuiltBoard,
    disposal: Disposal,
  ): Promise<Writer> {
    const announcer = new Announcer(connectionString, new Changes(), log);
    await announcer.start();
    disposal.add(() => announcer.close());
    const committed = announcer.announce.bind(announcer);
    const pipeline = new SubmissionPipeline(database, Date.now, log, committed, pipelineOptions(10));
    return new Writer(board, pipeline, announcer);
  }

  async run(rate: number, seconds: number, share: number): Promise<void> {
    const begun = performance.now();
    const submitted: Promise<unknown>[] = [];
    for (let n = 0; n < rate * seconds; n += 1) {
      const wait = begun + (n * 1_000) / rate - performance.now();
      if (wait > 1) await delay(wait);
      submitted.push(this.pipeline.submit(this.#submission(Math.random() < share)));
    }
    await Promise.all(submitted);
  }

  #submission(isGerman: boolean) {
    const { players, id, gameId } = this.board;
    this.#next += 1;
    // The even ones are in the watched country.
    const player = players[(2 * this.#next + (isGerman ? 0 : 1)) % players.length]!;
    const { deviceId, sessionId, identityId, name } = player;
    const nonce = { uuid: randomUUID(), expiresAt: new Date(Date.now() + NONCE_MS) };
    return {
      ...{ eventId: idOf('scoreEvent', uuid7()), boardId: id, identityId, isTest: false, playerName: name },
      ...{ amount: improve(player), valueDisplay: null, metadata: null, tags: null },
      place: { city: null, country: isGerman ? 'DE' : 'FR', timezone: null },
      origin: { kind: 'client' as const, gameId, deviceId, sessionId, version: 1, nonce },
      ...{ wantPreviousRank: false, idempotency: undefined },
    };
  }

  async close(): Promise<void> {
    await this.pipeline.close();
    await this.announcer.close();
  }
}
