import type { Player } from './players.js';
import type { Random } from './random.js';

/** The submissions of a player to a board in one visit. */
export interface Run {
  value: number;
  metadata?: Record<string, unknown>;
}

export interface SeedBoard {
  name: string;
  slug: string;
  /** Absent: the service makes one. */
  shortCode?: string;
  description: string;
  unit: string;
  /** Absent: values are numbers. */
  format?: { kind: 'TIME' };
  icon: string;
  boardType: 'RUN_IDENTITY' | 'RUN_RUNS' | 'COUNTER';
  sortDirection: 'ASC' | 'DESC';
  keepStrategy: 'ALL' | 'BEST' | 'FIRST' | 'LAST';
  /** What visitors see besides name and value; absent: nothing. */
  publicFields?: ('DATE' | 'GAP' | 'COUNTRY' | 'PLATFORM' | 'HISTORY')[];
  tickets?: { mode: 'ASKED'; seed: 'PERIOD' };
  recordings?: { keepBest: boolean; readers: 'PLAYERS' };
  /** False: only the studio sees it. */
  isPublished?: boolean;
  /** Submissions of one player at most. */
  runs: number;
  play(player: Player, random: Random): Run;
}

/** A template that makes a board for each of its windows. */
export interface SeedSeries extends Pick<SeedBoard, 'slug' | 'unit' | 'format' | 'icon' | 'runs' | 'play'> {
  name: string;
  nameTemplate: string;
  series: string;
  boardType: 'RUN_IDENTITY';
  sortDirection: 'ASC' | 'DESC';
  keepStrategy: 'BEST';
}

/** A board whose values are those of one counter divided by those of another; both by their slugs. */
export interface SeedRatio {
  name: string;
  slug: string;
  description: string;
  icon: string;
  sortDirection: 'ASC' | 'DESC';
  numerator: string;
  denominator: string;
  ratio: { minDenominator: number; decimals: number };
}

export interface SeedGame {
  name: string;
  slug: string;
  description: string;
  pageUrl: string;
  /** `#rrggbb` */
  accentColour: string;
  tags: string[];
  /** Slug of the board that is shown first. */
  first: string;
  boards: SeedBoard[];
  series: SeedSeries[];
  ratios: SeedRatio[];
}
