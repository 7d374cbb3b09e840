import 'reflect-metadata';
import { randomUUID } from 'node:crypto';
import { idOf, uuid7 } from '../src/base/ids.js';
import type { Database } from '../src/db/pool.js';
import { Builds } from '../src/rankings/upkeep/builds.js';
import { UNCHECKED } from '../src/submissions/decide/fair-play.js';
import type { Submission } from '../src/submissions/facts/submission.js';
import { ingest } from '../src/submissions/ingest.js';
import { FactsCache } from '../src/submissions/read/facts-cache.js';
import { numberOf, numbersOf } from './support/arguments.js';
import { type BuiltBoard, buildBoards } from './support/bulk-board.js';
import type { ServerCpu } from './support/cpu.js';
import { log } from './support/log.js';
import { improve } from './support/player.js';
import { runBench } from './support/run.js';
import { median } from './support/statistics.js';
import { micros, say, sayTable, size, times } from './support/table.js';
import { declareView, VIEWS } from './support/views.js';
import { walPosition } from './support/wal.js';

const NONCE_MS = 60_000;

/** Share of submissions that improve their player's entries. Each load is measured on the boards in turn. */
const LOADS = [
  { name: 'improves nothing', share: 0 },
  { name: 'middle of a period', share: 0.15 },
  { name: 'every view improved', share: 1 },
];

interface Cost {
  server: number;
  own: number;
  wal: number;
}

runBench({
  title:
    'The cost of a submission to a board with views, against one without: microseconds of CPU of Postgres and of this process (facts, decision, write; no HTTP), bytes of write-ahead log. Batches on one connection, players whose facts are cached for the most part.',
  duration: 'about 5 minutes',
  options: {
    entries: { fallback: '100k', all: '1m', doc: 'entries of each board' },
    players: { fallback: '5k', doc: 'players who submit' },
    views: {
      fallback: '0,1,2,4,6',
      doc: 'views of the boards that are compared; the first is the reference',
    },
    batches: { fallback: '16,64', doc: 'submissions in one transaction' },
    submissions: { fallback: '4k', doc: 'submissions of a slice' },
    rounds: { fallback: '5', doc: 'slices of each kind, by turns' },
  },
  async run(scratch, args) {
    const counts = args.views.split(',').map(Number);
    const made = await scratch.create();
    const wanted = {
      boards: counts.length,
      entries: numberOf(args.entries),
      players: numberOf(args.players),
    };
    const built = await buildBoards(made, wanted);
    const database = made.open();
    for (const [i, board] of built.entries()) await addViews(database, board, counts[i]!);
    await database.knex.raw('vacuum analyze entries');
    await database.knex.raw('checkpoint');
    for (const batch of numbersOf(args.batches)) {
      const rows: string[][] = [];
      for (const load of LOADS) {
        const costs = built.map(() => [] as Cost[]);
        const writers = built.map((board) => new BatchWriter(database, board));
        for (const writer of writers) await writer.run(numberOf(args.players), batch, load.share);
        for (let round = 0; round < numberOf(args.rounds); round += 1) {
          for (const [i, writer] of writers.entries()) {
            costs[i]!.push(await writer.measure(numberOf(args.submissions), batch, load.share, scratch.cpu));
          }
        }
        rows.push(...costs.map((own, i) => rowOf(load.name, counts[i]!, own, costs[0]!)));
      }
      say(
        `${size(wanted.entries)} entries, batches of ${batch}, medians of ${args.rounds} slices of ${args.submissions}`,
      );
      sayTable(['', 'views', 'CPU of Postgres', 'ratio', 'CPU here', 'ratio', 'WAL B', 'ratio'], rows);
    }
    await made.drop();
  },
});

function rowOf(load: string, views: number, own: readonly Cost[], reference: readonly Cost[]): string[] {
  const middle = (of: (cost: Cost) => number) => median(own.map(of));
  const ratio = (of: (cost: Cost) => number) =>
    times(median(own.map((cost, round) => of(cost) / of(reference[round]!))));
  const figures = [(cost: Cost) => cost.server, (cost: Cost) => cost.own] as const;
  return [
    load,
    String(views),
    ...figures.flatMap((of) => [micros(middle(of)), ratio(of)]),
    middle(({ wal }) => wal).toFixed(0),
    ratio(({ wal }) => wal),
  ];
}

/** Declares views and builds them. */
async function addViews(database: Database, { id }: BuiltBoard, count: number): Promise<void> {
  for (const view of VIEWS.slice(0, count)) await declareView(database, id, view);
  const builds = new Builds(database, Date.now, log, () => undefined);
  const started = performance.now();
  await builds.work();
  await builds.close();
  if (count > 0) say(`Built ${count} views in ${((performance.now() - started) / 1_000).toFixed(1)} s.`);
}

/** Writes batches to one board, like a process that is its only writer. */
class BatchWriter {
  readonly #cache = new FactsCache();
  #next = 0;

  constructor(
    private readonly database: Database,
    private readonly board: BuiltBoard,
  ) {}

  async measure(
    submissions: number,
    batch: number,
    share: number,
    cpu: ServerCpu | undefined,
  ): Promise<Cost> {
    const position = await this.#position();
    const [own, server] = [process.cpuUsage(), cpu?.used() ?? Number.NaN];
    await this.run(submissions, batch, share);
    const { user, system } = process.cpuUsage(own);
    return {
      server: ((cpu?.used() ?? Number.NaN) - server) / submissions,
      own: (user + system) / submissions,
      wal: ((await this.#position()) - position) / submissions,
    };
  }

  async run(submissions: number, batch: number, share: number): Promise<void> {
    const client = await this.database.writes.connect();
    const reading = { mode: 'cache' as const, reader: this.database.writes, cache: this.#cache };
    for (let written = 0; written < submissions; written += batch) {
      const items = Array.from({ length: batch }, () => this.#submission(share));
      await ingest(client, Date.now, items, UNCHECKED, reading);
    }
    client.release();
  }

  #submission(share: number): Submission {
    const { players, id, gameId } = this.board;
    this.#next += 1;
    const player = players[this.#next % players.length]!;
    const { deviceId, sessionId, identityId, name } = player;
    const nonce = { uuid: randomUUID(), expiresAt: new Date(Date.now() + NONCE_MS) };
    const improves = Math.random() < share;
    return {
      ...{ eventId: idOf('scoreEvent', uuid7()), boardId: id, identityId, isTest: false, playerName: name },
      ...{ amount: improves ? improve(player) : 0, valueDisplay: null, metadata: { level: this.#next % 50 } },
      ...{ tags: null, place: { city: null, country: this.#next % 2 ? 'DE' : 'FR', timezone: null } },
      origin: { kind: 'client', gameId, deviceId, sessionId, version: 1, nonce },
      ...{ wantPreviousRank: false, idempotency: undefined },
    };
  }

  async #position(): Promise<number> {
    const client = await this.database.pool.connect();
    try {
      return await walPosition(client);
    } finally {
      client.release();
    }
  }
}
