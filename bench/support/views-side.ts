import 'reflect-metadata';
import { randomUUID } from 'node:crypto';
import { idOf, uuid7 } from '../../src/base/ids.js';
import type { Database } from '../../src/db/pool.js';
import { Disposal } from '../../src/process/shutdown.js';
import type { Builds } from '../../src/rankings/upkeep/builds.js';
import type { UNCHECKED } from '../../src/submissions/decide/fair-play.js';
import type { Submission } from '../../src/submissions/facts/submission.js';
import type { ingest } from '../../src/submissions/ingest.js';
import type { FactsCache } from '../../src/submissions/read/facts-cache.js';
import type { BuiltBoard, buildBoards } from './bulk-board.js';
import { serveJobs } from './child.js';
import type { ServerCpu } from './cpu.js';
import { log } from './log.js';
import { improve } from './player.js';
import type { openScratch, Scratch } from './scratch.js';
import { partsOf } from './version.js';
import { type declareView, VIEWS } from './views.js';
import { walPosition } from './wal.js';

const NONCE_MS = 60_000;

/** Of one submission: CPU of Postgres and of the process that writes, microseconds; bytes of write-ahead log. */
export interface ViewCost {
  server: number;
  own: number;
  wal: number;
}

interface Slice {
  /** Index among the boards. */
  board: number;
  submissions: number;
  batch: number;
  /** Of submissions that improve their player's entries. */
  share: number;
}

export type ViewJob =
  | { open: { root: string; entries: number; players: number; views: number[] } }
  | { slice: Slice };

interface Parts {
  ingest: typeof ingest;
  FactsCache: typeof FactsCache;
  UNCHECKED: typeof UNCHECKED;
  Builds: typeof Builds;
  buildBoards: typeof buildBoards;
  declareView: typeof declareView;
  openScratch: typeof openScratch;
}

/** Compiled modules in dist/, with their paths, and names, in the version of 26 November 2026. */
const PLACES: Record<keyof Parts, string[]> = {
  ingest: ['src/submissions/ingest.js', 'src/scores/submit/ingest.js'],
  FactsCache: ['src/submissions/read/facts-cache.js', 'src/scores/submit/pipeline/facts-cache.js'],
  UNCHECKED: ['src/submissions/decide/fair-play.js', 'src/scores/submit/fair-play.js'],
  Builds: ['src/rankings/upkeep/builds.js', 'src/scores/upkeep/views.js ViewUpkeep'],
  buildBoards: ['bench/support/bulk-board.js'],
  declareView: ['bench/support/views.js'],
  openScratch: ['bench/support/scratch.js'],
};

interface Side {
  scratch: Scratch;
  writers: BatchWriter[];
}

const disposal = new Disposal();
let side: Promise<Side> | undefined;

serveJobs<ViewJob, ViewCost | null>(async (job) => {
  if ('slice' in job) {
    const { scratch, writers } = await side!;
    return writers[job.slice.board]!.measure(job.slice, scratch.cpu);
  }
  side = open(job.open);
  await side;
  return null;
});

for (const signal of ['SIGTERM', 'disconnect'] as const) {
  process.removeAllListeners(signal);
  process.once(signal, () => void disposal.run().then(() => process.exit(0)));
}

/** Boards of one version, on a Postgres of their own. */
async function open({ root, entries, players, views }: Extract<ViewJob, { open: object }>['open']) {
  const version = partsOf<Parts>(root, PLACES);
  const scratch = await version.openScratch(disposal);
  const made = await scratch.create();
  const built = await version.buildBoards(made, { boards: views.length, entries, players });
  const database = made.open();
  for (const [i, board] of built.entries()) await addViews(version, database, board, views[i]!);
  await database.knex.raw('vacuum analyze entries');
  await database.knex.raw('checkpoint');
  return { scratch, writers: built.map((board) => new BatchWriter(version, database, board)) };
}

/** Declares views and builds them. */
async function addViews(version: Parts, database: Database, { id }: BuiltBoard, count: number) {
  for (const view of VIEWS.slice(0, count)) await version.declareView(database, id, view);
  const builds = new version.Builds(database, Date.now, log, () => undefined);
  await builds.work();
  await builds.close();
}

/** Writes batches to one board, like a process that is its only writer. */
class BatchWriter {
  readonly #cache;
  #next = 0;

  constructor(
    private readonly version: Parts,
    private readonly database: Database,
    private readonly board: BuiltBoard,
  ) {
    this.#cache = new version.FactsCache();
  }

  async measure(slice: Slice, cpu: ServerCpu | undefined): Promise<ViewCost> {
    const { submissions } = slice;
    const position = await this.#position();
    const [own, server] = [process.cpuUsage(), cpu?.used() ?? Number.NaN];
    await this.#run(slice);
    const { user, system } = process.cpuUsage(own);
    return {
      server: ((cpu?.used() ?? Number.NaN) - server) / submissions,
      own: (user + system) / submissions,
      wal: ((await this.#position()) - position) / submissions,
    };
  }

  async #run({ submissions, batch, share }: Slice): Promise<void> {
    const client = await this.database.writes.connect();
    const reading = { mode: 'cache' as const, reader: this.database.writes, cache: this.#cache };
    for (let written = 0; written < submissions; written += batch) {
      const items = Array.from({ length: batch }, () => this.#submission(share));
      await this.version.ingest(client, Date.now, items, this.version.UNCHECKED, reading);
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
