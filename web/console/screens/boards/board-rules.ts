import type { BoardType, KeepStrategy, SortDirection } from '../../generated/graphql.js';
import { t } from '../../texts.js';

/** One choice of the form for the pair of type and strategy of the API. */
export type Counts = 'BEST' | 'SUM' | 'LAST' | 'ALL' | 'FIRST' | 'RATIO';

export function rulesOf(counts: Counts): { boardType: BoardType; keepStrategy: KeepStrategy } {
  if (counts === 'SUM') return { boardType: 'COUNTER', keepStrategy: 'ALL' };
  if (counts === 'RATIO') return { boardType: 'RATIO', keepStrategy: 'ALL' };
  return { boardType: counts === 'ALL' ? 'RUN_RUNS' : 'RUN_IDENTITY', keepStrategy: counts };
}

export function countsOf(type: BoardType, keep: KeepStrategy): Counts {
  if (type === 'COUNTER') return 'SUM';
  return type === 'RATIO' ? 'RATIO' : keep;
}

export const COUNTS = (Object.keys(t.rules.counts) as Counts[]).map(
  (key) => [key, ...t.rules.counts[key]] as [Counts, string, string],
);

export const DIRECTIONS = (Object.keys(t.rules.directions) as SortDirection[]).map(
  (key) => [key, ...t.rules.directions[key]] as [SortDirection, string, string],
);

/** The rules in one line: `best run of each player, higher is better`. */
export function ruleLine(type: BoardType, keep: KeepStrategy, direction: SortDirection): string {
  const [counts] = t.rules.counts[countsOf(type, keep)];
  const [better] = t.rules.directions[direction];
  return `${counts.toLowerCase()}, ${better.toLowerCase()}`;
}

/** Runs with which the form plays the choices through. */
const SAMPLE: [string, number][] = [
  ['Mira', 1200],
  ['Oskar', 900],
  ['Mira', 1650],
  ['Tariq', 1400],
  ['Oskar', 1500],
  ['Mira', 1100],
  ['Tariq', 700],
];

/** The ranking of the sample runs under the given rules. */
export function played(counts: Counts, direction: SortDirection): [string, number][] {
  const rows: [string, number][] = counts === 'ALL' ? SAMPLE.map(([name, value]) => [name, value]) : [];
  if (counts !== 'ALL') {
    const values = new Map<string, number[]>();
    for (const [name, value] of SAMPLE) values.set(name, [...(values.get(name) ?? []), value]);
    for (const [name, all] of values) rows.push([name, keptValue(all, counts, direction)]);
  }
  return rows.sort((a, b) => (direction === 'DESC' ? b[1] - a[1] : a[1] - b[1]));
}

function keptValue(all: number[], counts: Counts, direction: SortDirection): number {
  const sum = all.reduce((total, value) => total + value, 0);
  if (counts === 'SUM') return sum;
  if (counts === 'RATIO') return Math.round((sum / all.length / 100) * 10) / 10;
  if (counts === 'LAST') return all.at(-1)!;
  if (counts === 'FIRST') return all[0]!;
  return direction === 'DESC' ? Math.max(...all) : Math.min(...all);
}
