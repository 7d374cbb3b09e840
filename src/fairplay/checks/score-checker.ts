import type pg from 'pg';
import type { Clock } from '../../base/clock.js';
import { idOf } from '../../base/ids.js';
import type { Log } from '../../base/log.js';
import type { Database } from '../../db/pool.js';
import type { AntiCheatSettings } from '../../games/anti-cheat-settings.js';
import type { BoardFacts, Facts } from '../../scores/submit/decide.js';
import { ACCEPTED, type CheckResult, type FairPlay, type Objected } from '../../scores/submit/fair-play.js';
import type { Submission } from '../../scores/submit/submission.js';
import { FLAGS, flagsOf } from '../flags/watch.js';
import { BoardSpreads } from './board-spreads.js';
import { check } from './checks.js';
import { recordFlags } from './record-flags.js';
import {
  type CheckSettings,
  countUpTo,
  gameThresholds,
  serviceThresholds,
  type Thresholds,
} from './thresholds.js';

/** Runs the checks of decisions.md section 7 on every submission, and writes flags for their findings. */
export class ScoreChecker implements FairPlay {
  readonly #enabled: boolean;
  readonly #service: Thresholds;
  readonly #games = new WeakMap<object, Thresholds>();
  readonly #spreads: BoardSpreads;
  /** Running batches by board, and the account that got flags in one of them. */
  readonly #underWay = new Map<string, { batches: number; flagged: string | undefined }>();

  constructor(
    db: Database,
    clock: Clock,
    log: Log,
    settings: CheckSettings,
    /** Marks a topic and announces it to the other processes. */
    private readonly changed: (topic: string) => void,
  ) {
    this.#enabled = settings.antiCheat;
    this.#service = serviceThresholds(settings);
    this.#spreads = new BoardSpreads(db.pool, clock, log);
  }

  async prepare(boardId: string, populations: readonly boolean[]): Promise<void> {
    if (!this.#enabled) return;
    const known = this.#underWay.get(boardId);
    if (known) known.batches += 1;
    else this.#underWay.set(boardId, { batches: 1, flagged: undefined });
    for (const isTest of populations) await this.#spreads.refresh(boardId, isTest);
  }

  countUpTo(board: BoardFacts): number | null {
    return this.#isOn(board) ? countUpTo(this.#thresholds(board)) : null;
  }

  judge(board: BoardFacts, facts: Facts, item: Submission, at: number): CheckResult {
    if (!this.#isOn(board)) return ACCEPTED;
    const thresholds = this.#thresholds(board);
    const history = {
      recent: facts.recent.asOf(at),
      acceptedInHour: facts.accepted_in_hour ?? null,
      acceptedCount: facts.accepted_count ?? 0,
      bestValue: facts.best_value,
      entryValue: facts.entry_ranked ? facts.entry_value : null,
    };
    const submitted = {
      boardType: board.board_type,
      sortDirection: board.sort_direction,
      tier: facts.trust_tier ?? thresholds.defaultTier,
      at,
      amount: item.amount,
    };
    const crowd = this.#spreads.of(item.boardId, item.isTest, board.generation, board.seq);
    const { disposition, hits } = check(history, submitted, thresholds, crowd);
    return hits.length === 0 ? ACCEPTED : { disposition, objections: hits };
  }

  record(
    client: pg.PoolClient,
    board: BoardFacts,
    boardId: string,
    at: Date,
    objected: readonly Objected[],
  ): Promise<void> {
    const underWay = this.#underWay.get(idOf('board', boardId));
    if (underWay) underWay.flagged = idOf('account', board.account_id);
    return recordFlags(client, board, boardId, at, objected);
  }

  /** Also called after a batch that was rolled back: readers that look then find no new flags. */
  ended(boardId: string): void {
    const underWay = this.#underWay.get(boardId);
    if (!underWay) return;
    underWay.batches -= 1;
    // The other running batch may have written its flags later: its own end marks the topic again.
    if (underWay.batches === 0) this.#underWay.delete(boardId);
    if (underWay.flagged === undefined) return;
    this.changed(FLAGS);
    this.changed(flagsOf(underWay.flagged));
  }

  #isOn(board: BoardFacts): boolean {
    return this.#enabled && board.anti_cheat_enabled;
  }

  #thresholds({ anti_cheat_settings: own }: BoardFacts): Thresholds {
    if (!own) return this.#service;
    // Batches read their boards, each with a settings object of its own; every submission of the batch requests the
    // thresholds.
    const known = this.#games.get(own) ?? gameThresholds(this.#service, own as AntiCheatSettings);
    this.#games.set(own, known);
    return known;
  }
}
