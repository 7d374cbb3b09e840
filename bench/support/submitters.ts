import { randomUUID } from 'node:crypto';
import { idOf, uuid7 } from '../../src/base/ids.js';
import { Metrics } from '../../src/base/metrics.js';
import type { Database } from '../../src/db/pool.js';
import { type FairPlay, UNCHECKED } from '../../src/submissions/decide/fair-play.js';
import type { Submission } from '../../src/submissions/facts/submission.js';
import { PIPELINE_DEFAULTS, SubmissionPipeline } from '../../src/submissions/queue/pipeline.js';
import type { BuiltBoard } from './bulk-board.js';
import type { ServerCpu } from './cpu.js';
import { log } from './log.js';
import { improve, type Player } from './player.js';

export interface Ingested {
  submissions: number;
  perSecond: number;
  /** Submissions per transaction, on average. */
  perBatch: number;
  /** CPU microseconds per submission. */
  ownCpu: number;
  serverCpu: number | undefined;
}

/**
 * Each SubmissionPipeline gathers statistics after its first thousand events, once, before anything is measured.
 */
const WARM_SUBMISSIONS = 2_000;
const NONCE_MS = 60_000;
const CHEAT_FACTOR = 10_000;
const NOWHERE = { city: null, country: null, timezone: null };

/**
 * Players who submit ever better runs through their own SubmissionPipeline, as many at a time as there are
 * submitters.
 */
export class Submitters {
  readonly #pipeline: SubmissionPipeline;
  #batches = 0;
  #acknowledgedAt = performance.now();
  /** Longest time between two acknowledged submissions since it was set, milliseconds. */
  longestGapMs = 0;

  /**
   * @param batch submissions in one transaction at most
   * @param cheatEvery so seldom a value is sent that no honest player reaches
   */
  constructor(
    database: Database,
    private readonly boards: readonly BuiltBoard[],
    private readonly submitters: number,
    batch: number = PIPELINE_DEFAULTS.batch,
    fairPlay: FairPlay = UNCHECKED,
    private readonly cheatEvery = Number.POSITIVE_INFINITY,
    private readonly now: () => number = Date.now,
  ) {
    const counting = () => {
      this.#batches += 1;
    };
    const options = { ...PIPELINE_DEFAULTS, batch };
    this.#pipeline = new SubmissionPipeline(database, now, log, counting, options, new Metrics(), fairPlay);
  }

  /** Submits without measuring, to warm up this SubmissionPipeline. */
  async warm(): Promise<void> {
    await this.#submitUntil((submitted) => submitted >= WARM_SUBMISSIONS);
  }

  /**
   * One submission per player, to warm up the database: after a checkpoint, such as the one that ends the build,
   * the first change of each page logs the whole page (four times the cost of later ones). In production that is
   * spread over the minutes between two checkpoints; a measurement of seconds would see nothing else.
   */
  async touch(): Promise<void> {
    const players = this.boards.reduce((sum, board) => sum + board.players.length, 0);
    await this.#submitUntil((submitted) => submitted >= players);
  }

  /** @throws the first refusal: none is expected */
  async run(seconds: number, cpu?: ServerCpu): Promise<Ingested> {
    const batches = this.#batches;
    const own = process.cpuUsage();
    const server = cpu?.used();
    const started = performance.now();
    const end = started + seconds * 1_000;
    const submissions = await this.#submitUntil(() => performance.now() >= end);
    const elapsed = (performance.now() - started) / 1_000;
    const { user, system } = process.cpuUsage(own);
    return {
      submissions,
      perSecond: submissions / elapsed,
      perBatch: submissions / (this.#batches - batches),
      ownCpu: (user + system) / submissions,
      serverCpu: cpu && server !== undefined ? (cpu.used() - server) / submissions : undefined,
    };
  }

  close(): Promise<void> {
    return this.#pipeline.close();
  }

  #acknowledged(): void {
    const now = performance.now();
    this.longestGapMs = Math.max(this.longestGapMs, now - this.#acknowledgedAt);
    this.#acknowledgedAt = now;
  }

  async #submitUntil(done: (submitted: number) => boolean): Promise<number> {
    let submitted = 0;
    const submit = async (submitter: number) => {
      const board = this.boards[submitter % this.boards.length]!;
      // Its own players, because a player's second run waits for the first one's commit.
      const turn = Math.floor(submitter / this.boards.length);
      const turns = Math.ceil(this.submitters / this.boards.length);
      const own = board.players.filter((_, i) => i % turns === turn);
      for (let i = Math.floor(Math.random() * own.length); !done(submitted); i += 1) {
        const player = own[i % own.length]!;
        const cheats = submitted % this.cheatEvery === this.cheatEvery - 1;
        const amount = cheats ? player.value * CHEAT_FACTOR : improve(player);
        await this.#pipeline.submit(submission(board, player, amount, this.now()));
        submitted += 1;
        this.#acknowledged();
      }
    };
    await Promise.all(Array.from({ length: this.submitters }, (_, submitter) => submit(submitter)));
    return submitted;
  }
}

/** As passed on by the REST route, including the nonce. */
function submission({ id, gameId }: BuiltBoard, player: Player, amount: number, now: number): Submission {
  const { deviceId, sessionId, identityId, name } = player;
  const nonce = { uuid: randomUUID(), expiresAt: new Date(now + NONCE_MS) };
  return {
    eventId: idOf('scoreEvent', uuid7()),
    boardId: id,
    identityId,
    isTest: false,
    amount,
    playerName: name,
    valueDisplay: null,
    metadata: { level: Math.floor(Math.random() * 50) },
    place: NOWHERE,
    origin: { kind: 'client', gameId, deviceId, sessionId, version: 1, nonce },
    wantPreviousRank: false,
    idempotency: undefined,
  };
}
