import { setImmediate } from 'node:timers/promises';
import { idOf } from '../../base/ids.js';
import { type Database, inSnapshot, type Queryable } from '../../db/pool.js';
import { checkedAntiCheatSettings } from '../../games/anti-cheat-settings.js';
import { loadGame } from '../../games/read.js';
import { type AntiCheatSettingsInput, checkedInput } from '../../games/thresholds.js';
import { adminOf } from '../../graphql/access.js';
import type { Context } from '../../graphql/context.js';
import { readStatistics } from '../checks/board-spreads.js';
import type { Assessment } from '../checks/checks.js';
import type { Hit } from '../checks/finding.js';
import { explainFinding } from '../checks/reasons.js';
import {
  type CheckSettings,
  gameThresholds,
  serviceThresholds,
  type Thresholds,
} from '../checks/thresholds.js';
import { Replay } from './replay.js';
import { type Played, type PlayedBoard, readPlayers, readVerdicts, readWindow } from './window.js';

/** Submissions checked between two turns of the event loop: some milliseconds. */
const STEP = 200;
const MOST_EXAMPLES = 10;

/** The findings of the checks with some settings. */
interface Outcome {
  flagged: number;
  rejected: number;
  /** Players with a finding. */
  players: number;
  /** Findings among submissions that were decided as cheating, and as fair. */
  confirmedCheats: number;
  falsePositives: number;
  checks: { flagType: Hit['check']; count: number }[];
}

/** A submission that only one of the two settings objects to. */
interface Difference {
  scoreEventId: string;
  flagType: Hit['check'];
  rejects: boolean;
  explanation: string;
}

interface FairPlayPreview {
  submissions: number;
  since: Date | null;
  confirmedCheats: number;
  falsePositives: number;
  now: Outcome;
  after: Outcome;
  found: Difference[];
  lost: Difference[];
}

class Tally {
  readonly #players = new Set<string>();
  readonly #checks = new Map<Hit['check'], number>();
  flagged = 0;
  rejected = 0;
  confirmedCheats = 0;
  falsePositives = 0;

  add({ disposition, hits }: Assessment, player: string, verdict: boolean | undefined): void {
    if (disposition === 'accepted') return;
    this[disposition] += 1;
    this.#players.add(player);
    for (const hit of hits) this.#checks.set(hit.check, (this.#checks.get(hit.check) ?? 0) + 1);
    if (verdict === true) this.confirmedCheats += 1;
    if (verdict === false) this.falsePositives += 1;
  }

  get outcome(): Outcome {
    const { flagged, rejected, confirmedCheats, falsePositives } = this;
    const checks = [...this.#checks].map(([flagType, count]) => ({ flagType, count }));
    return { flagged, rejected, players: this.#players.size, confirmedCheats, falsePositives, checks };
  }
}

/** Checks the newest accepted submissions of a game again, with its present settings and with others. */
export class FairPlayEffect {
  readonly #service: Thresholds;

  constructor(
    private readonly database: Database,
    private readonly settings: CheckSettings,
  ) {
    this.#service = serviceThresholds(settings);
  }

  /** @throws DomainError NOT_FOUND, FORBIDDEN, VALIDATION_FAILED as the update of a game; UNAVAILABLE at the statement timeout */
  async preview(
    context: Context,
    gameId: string,
    given: AntiCheatSettingsInput | null,
  ): Promise<FairPlayPreview> {
    adminOf(context);
    const own = checkedInput(given, 'settings');
    const game = await loadGame(context, gameId);
    const after = gameThresholds(this.#service, own);
    const now = gameThresholds(this.#service, checkedAntiCheatSettings(game.antiCheatSettings));
    const isOn = this.settings.antiCheat && game.antiCheatEnabled;
    return inSnapshot(this.database.pool, async (db) => {
      const work = new Comparison(db, isOn ? now : undefined, this.settings.antiCheat ? after : undefined);
      const window = await readWindow(db, gameId);
      for (const [board, events] of window) await work.compare(board, events);
      return work.result();
    });
  }
}

class Comparison {
  readonly #now = new Tally();
  readonly #after = new Tally();
  #submissions = 0;
  #since = Infinity;
  #cheats = 0;
  #fair = 0;
  readonly #found: (Difference & { at: number })[] = [];
  readonly #lost: (Difference & { at: number })[] = [];

  /** Undefined thresholds: nothing is checked. */
  constructor(
    private readonly db: Queryable,
    private readonly now: Thresholds | undefined,
    private readonly after: Thresholds | undefined,
  ) {}

  async compare(board: PlayedBoard, events: readonly Played[]): Promise<void> {
    const verdicts = await readVerdicts(this.db, board.id, events);
    for (const cheat of verdicts.values()) {
      if (cheat) this.#cheats += 1;
      else this.#fair += 1;
    }
    this.#submissions += events.length;
    for (const { at } of events) this.#since = Math.min(this.#since, at);
    if (!this.now && !this.after) return;
    const players = await readPlayers(this.db, board.id, events);
    const statistics = await readStatistics(this.db, board.id, false);
    const replayOf = (thresholds: Thresholds | undefined) =>
      thresholds && new Replay(board, thresholds, statistics, players, events);
    const [now, after] = [replayOf(this.now), replayOf(this.after)];
    for (const [i, event] of events.entries()) {
      if (i % STEP === STEP - 1) await setImmediate();
      const verdict = verdicts.get(event.seq);
      const before = now?.check(event) ?? NOTHING;
      const then = after?.check(event) ?? NOTHING;
      this.#now.add(before, event.identity_id, verdict);
      this.#after.add(then, event.identity_id, verdict);
      note(this.#found, board, event, before, then);
      note(this.#lost, board, event, then, before);
    }
  }

  result(): FairPlayPreview {
    return {
      submissions: this.#submissions,
      since: this.#submissions === 0 ? null : new Date(this.#since),
      confirmedCheats: this.#cheats,
      falsePositives: this.#fair,
      now: this.#now.outcome,
      after: this.#after.outcome,
      found: newest(this.#found),
      lost: newest(this.#lost),
    };
  }
}

const NOTHING: Assessment = { disposition: 'accepted', hits: [] };

/** Keeps a submission to which only `other` objects. */
function note(
  kept: (Difference & { at: number })[],
  { board_type: boardType, sort_direction: sortDirection, format, unit }: PlayedBoard,
  event: Played,
  one: Assessment,
  other: Assessment,
): void {
  const hit = other.hits[0];
  if (one.hits.length > 0 || !hit) return;
  kept.push({
    at: event.at,
    scoreEventId: idOf('scoreEvent', event.id),
    flagType: hit.check,
    rejects: other.disposition === 'rejected',
    explanation: explainFinding(
      { flagType: hit.check, metadata: hit.metadata },
      { boardType, sortDirection, format, unit },
    ),
  });
}

function newest<T extends { at: number }>(kept: T[]): T[] {
  return kept.toSorted((a, b) => b.at - a.at).slice(0, MOST_EXAMPLES);
}
