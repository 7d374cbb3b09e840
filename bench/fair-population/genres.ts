import type { BoardType, SortDirection } from '../../src/boards/board/board.js';
import type { AntiCheatSettings } from '../../src/games/anti-cheat-settings.js';
import type { Random } from './random.js';

/** A player's traits in a game, created once. */
export interface Talent {
  /** Standard deviations above the average player. */
  skill: number;
  /** How much the player gains from practice; 1: average. */
  learning: number;
}

/** A kind of game with one board. */
export interface Genre {
  name: string;
  boardType: BoardType;
  sortDirection: SortDirection;
  /** True: the game submits every run; false: only new personal bests. */
  submits: 'every run' | 'bests';
  /**
   * The studio's settings, as recommended in docs/guides/submitting-scores.md; absent: the service's thresholds.
   */
  antiCheatSettings?: AntiCheatSettings;
  /** Seconds from one run's end to the next one's, the player's break included. */
  runSeconds(random: Random): number;
  /** @param n runs before this one */
  value(talent: Talent, n: number, random: Random): number;
}

/**
 * Practice follows the power law: each doubling of runs adds the same. Values are log-normal between players and
 * between one player's runs, as points and the slack over a perfect time are in published score data; a fifth of
 * the runs ends early.
 */
function points(median: number, step: number) {
  return ({ skill, learning }: Talent, n: number, random: Random): number => {
    const run = median * Math.exp(0.55 * skill + 0.18 * learning * Math.log1p(n) + 0.4 * random.normal());
    const reached = random.chance(0.2) ? run * random.uniform(0.03, 0.4) : run;
    return Math.max(step, Math.round(reached / step) * step);
  };
}

/** Above a time no player can beat: the better, the closer to it. Milliseconds, submitted in seconds. */
function times(perfect: number, slack: number) {
  return ({ skill, learning }: Talent, n: number, random: Random): number => {
    const above = slack * Math.exp(-0.5 * skill - 0.15 * learning * Math.log1p(n) + 0.3 * random.normal());
    const accident = random.chance(0.15) ? random.logNormal(slack * 0.4, 0.6) : 0;
    return Math.round((perfect + above + accident) * 1_000) / 1_000;
  };
}

/** A studio knows that no run of its game takes less than half a minute. */
const SHORTEST_RUN: AntiCheatSettings = { duplicate_seconds: { a: 30, b: 30, c: 30 } };

export const GENRES: readonly Genre[] = [
  {
    name: 'points (any number)',
    boardType: 'run_identity',
    sortDirection: 'desc',
    submits: 'every run',
    runSeconds: (random) => 6 + random.logNormal(95, 0.5),
    value: points(12_000, 1),
  },
  {
    name: 'race (time, ms)',
    boardType: 'run_identity',
    sortDirection: 'asc',
    submits: 'every run',
    runSeconds: (random) => 12 + random.logNormal(85, 0.2),
    value: times(58, 24),
  },
  {
    name: 'speedrun (time, ms)',
    boardType: 'run_identity',
    sortDirection: 'asc',
    submits: 'bests',
    runSeconds: (random) => 60 + random.logNormal(1_500, 0.4),
    value: times(1_100, 900),
  },
  {
    name: 'every run listed',
    boardType: 'run_runs',
    sortDirection: 'desc',
    submits: 'every run',
    runSeconds: (random) => 10 + random.logNormal(160, 0.5),
    value: points(40_000, 1),
  },
  {
    name: 'counter (kills a match)',
    boardType: 'counter',
    sortDirection: 'desc',
    submits: 'every run',
    runSeconds: (random) => 30 + random.logNormal(420, 0.3),
    value: ({ skill, learning }, n, random) =>
      Math.round(11 * Math.exp(0.4 * skill + 0.1 * learning * Math.log1p(n) + 0.35 * random.normal())),
  },
  {
    name: 'arcade (tens)',
    boardType: 'run_identity',
    sortDirection: 'desc',
    submits: 'every run',
    runSeconds: (random) => 6 + random.logNormal(95, 0.5),
    value: points(12_000, 10),
    antiCheatSettings: SHORTEST_RUN,
  },
];

/** Few different values, such as levels or waves reached: honest runs often have the same value. */
export const COARSE: Genre = {
  name: 'waves reached (1 to about 60)',
  boardType: 'run_identity',
  sortDirection: 'desc',
  submits: 'every run',
  runSeconds: (random) => 8 + random.logNormal(140, 0.5),
  value: points(14, 1),
  antiCheatSettings: SHORTEST_RUN,
};
