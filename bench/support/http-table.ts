import type { Load } from './generator.js';
import { groupBy } from './group.js';
import { type Checked, type Checks, sumOf } from './rank-check.js';
import type { Api } from './requests.js';
import { count, micros, millis, say, sayMarkdown, size, times } from './table.js';

/** One line of the result. */
export interface Row extends Load {
  connections: number;
  /** Processes of the service. */
  workers: number;
  boards: number;
  entries: number;
  name: string;
  /** True if the responses come from pages in memory. */
  remembered: true | undefined;
  api: Api;
  /** Of the bare route in the previous slice, per second. */
  bare: number;
  gatewayCpu: number | undefined;
  postgresCpu: number | undefined;
  /** Bytes of write-ahead log per request. */
  wal: number;
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
  'WAL',
  'wrong ranks',
];

const REMEMBERED = '\\* Served from memory, because nothing is written during the run.';

const LOOKS: readonly [look: keyof Checks, text: string][] = [
  ['snapshot', 'by the service’s statement during the case'],
  ['meanwhile', 'in answers while others write'],
  ['after', 'in answers afterwards'],
];

/** All figures, then the short table of docs/performance.md. */
export function sayHttpTable(rows: readonly Row[]): void {
  say('');
  sayMarkdown(HEADINGS, rows.map(cellsOf), [0, 1, 4]);
  if (rows.some(({ remembered }) => remembered)) say(`\n${REMEMBERED}`);
  const looks = LOOKS.map(([look, text]) => {
    const sum = (of: keyof Checked) => rows.reduce((total, { checks }) => total + checks[look][of], 0);
    return `${text} ${count(sum('wrong'))} of ${count(sum('ranks'))}`;
  });
  say(`\nWrong ranks: ${looks.join(', ')}.`);
  sayShortTable(rows);
  say('');
}

function cellsOf(row: Row): string[] {
  const { ranks, wrong } = sumOf(row.checks);
  return [
    boardsOf(row),
    caseOf(row),
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
    `${count(row.wal)} B`,
    `${wrong} of ${count(ranks)}`,
  ];
}

function boardsOf({ boards, entries }: Row): string {
  return boards === 1 ? size(entries) : `${count(boards)} × ${size(entries)}`;
}

function caseOf({ name, remembered }: Row): string {
  return remembered ? `${name} *` : name;
}

/** Bytes per request; reads write less. */
const LEAST_WAL = 50;

/** One line for each case; for each number of connections the rate with p99, and the CPU of node and Postgres. */
function sayShortTable(rows: readonly Row[]): void {
  const connections = [...new Set(rows.map((row) => row.connections))];
  const several = new Set(rows.map(({ workers }) => workers)).size > 1;
  const lineOf = (row: Row) =>
    [boardsOf(row), caseOf(row), several ? `${row.api}, ${row.workers} worker(s)` : row.api].join(' | ');
  const lines = [...groupBy(rows, lineOf)].map(([line, of]) => [
    line,
    ...connections.flatMap((n) => {
      const row = of.find((one) => one.connections === n);
      if (!row) return ['–', '–'];
      const { perSecond, bare, p99, gatewayCpu, postgresCpu, wal } = row;
      const cpu = [gatewayCpu, postgresCpu].map((used) => (used === undefined ? '–' : count(used)));
      const cost = wal >= LEAST_WAL ? `${cpu.join(' + ')} · ${count(wal)}` : cpu.join(' + ');
      return [`${count(perSecond)} · ${times(perSecond / bare)} · ${count(p99)} ms`, cost];
    }),
  ]);
  const headings = connections.flatMap((n) => [`${n} connections: per s · ratio · p99`, 'CPU · WAL']);
  say('\nFor docs/performance.md; CPU: milliseconds of node + Postgres for 1,000; WAL: bytes for each:\n');
  sayMarkdown(['board', 'case', 'API', ...headings], lines, [0, 1, 2]);
}
