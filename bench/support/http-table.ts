import type { Load } from './generator.js';
import { type Checked, type Checks, sumOf } from './rank-check.js';
import type { Api } from './requests.js';
import { count, micros, millis, say, size, times } from './table.js';

/** One line of the result. */
export interface Row extends Load {
  connections: number;
  /** Processes of the service. */
  workers: number;
  boards: number;
  entries: number;
  name: string;
  /** Whether the answers come from pages in memory. */
  remembered: true | undefined;
  api: Api;
  /** Of the bare route in the slice before, a second. */
  bare: number;
  gatewayCpu: number | undefined;
  postgresCpu: number | undefined;
  checks: Checks;
}

const HEADINGS = [
  'board',
  'case',
  'connections',
  'workers',
  'API',
  'per s',
  'bare route',
  'ratio',
  'p50',
  'p95',
  'p99',
  'errors',
  'gateway CPU',
  'Postgres CPU',
  'wrong ranks',
];

const REMEMBERED = '\\* Pages that the service has in memory: nobody writes meanwhile.';

const LOOKS: readonly [look: keyof Checks, text: string][] = [
  ['snapshot', 'by the service’s statement during the case'],
  ['meanwhile', 'in answers while others write'],
  ['after', 'in answers afterwards'],
];

/** As Markdown, for docs/performance.md. */
export function sayHttpTable(rows: readonly Row[]): void {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  say('');
  say(line(HEADINGS));
  say(line(HEADINGS.map((_, i) => (i < 2 || i === 4 ? '---' : '---:'))));
  for (const row of rows) {
    const { ranks, wrong } = sumOf(row.checks);
    say(
      line([
        row.boards === 1 ? size(row.entries) : `${count(row.boards)} × ${size(row.entries)}`,
        row.remembered ? `${row.name} *` : row.name,
        String(row.connections),
        String(row.workers),
        row.api,
        count(row.perSecond),
        count(row.bare),
        times(row.perSecond / row.bare),
        millis(row.p50),
        millis(row.p95),
        millis(row.p99),
        row.late === 0 ? count(row.errors) : `${count(row.errors)} (${count(row.late)} late)`,
        micros(row.gatewayCpu),
        micros(row.postgresCpu),
        `${wrong} of ${count(ranks)}`,
      ]),
    );
  }
  if (rows.some(({ remembered }) => remembered)) say(`\n${REMEMBERED}`);
  const looks = LOOKS.map(([look, text]) => {
    const sum = (of: keyof Checked) => rows.reduce((total, { checks }) => total + checks[look][of], 0);
    return `${text} ${count(sum('wrong'))} of ${count(sum('ranks'))}`;
  });
  say(`\nWrong ranks: ${looks.join(', ')}.`);
  say('');
}
