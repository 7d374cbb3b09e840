import 'reflect-metadata';
import os from 'node:os';
import path from 'node:path';
import { SetupError } from '../src/base/errors.js';
import type { Disposal } from '../src/process/shutdown.js';
import { numberOf, numbersOf } from './support/arguments.js';
import { Child } from './support/child.js';
import type { Cost, CostJob } from './support/cost-side.js';
import { COST_CASES } from './support/http-cases.js';
import type { Api } from './support/requests.js';
import { runScript } from './support/run.js';
import { median } from './support/statistics.js';
import { count, millis, say, sayTable, times } from './support/table.js';

const ROOT = path.resolve(__dirname, '../..');

/** Before the pairs of each case, because the first requests of a kind run interpreted. */
const WARM_SECONDS = 2;

interface Pair {
  before: Cost;
  now: Cost;
}

runScript(
  {
    title:
      'The cost of a request to the version before and to this one, by turns on the same machine: milliseconds of CPU of node and of Postgres for 1,000 requests by the scheduler’s counters, bytes of write-ahead log, requests a second. Each version has a Postgres and a board of its own. Cases and load generator are of this version; the generator’s CPU is counted apart. Of requests with many submissions each submission counts.',
    duration: 'half an hour for all cases at four numbers of connections, five minutes more to build',
    options: {
      against: { fallback: '', doc: 'checkout of the version before, installed and compiled' },
      pairs: { fallback: '5', doc: 'pairs of slices for each case' },
      seconds: { fallback: '3', doc: 'length of a slice' },
      connections: { fallback: '1,16,64,256', doc: 'connections, each with one request at a time' },
      cases: { fallback: '.', doc: 'only those whose name matches this expression' },
      api: { fallback: 'REST', doc: 'REST or GraphQL' },
      entries: { fallback: '1m', doc: 'entries of the board' },
      workers: { fallback: '1', doc: 'processes of the service' },
      data: {
        fallback: path.join(os.tmpdir(), 'leaderboard-bench-cost'),
        doc: 'directory of both databases, which are kept from run to run',
      },
    },
  },
  async (args, disposal) => {
    if (args.against === '') throw new SetupError('--against names the checkout of the version before.');
    const api = args.api as Api;
    const sides = {
      before: await openSide(path.resolve(args.against), 'before', args, disposal),
      now: await openSide(ROOT, 'now', args, disposal),
    };
    const wanted = COST_CASES.filter(({ name }) => new RegExp(args.cases, 'i').test(name));
    const lines: string[][] = [];
    for (const connections of numbersOf(args.connections)) {
      for (const { name } of wanted) {
        const slice = { case: name, api, connections, seconds: Number(args.seconds) };
        const pairs = await measurePairs(sides, slice, numberOf(args.pairs));
        if (pairs === undefined) continue;
        const line = [name, String(connections), ...figuresOf(pairs)];
        lines.push(line);
        say(line.join('  '));
      }
    }
    say('');
    sayTable(HEADINGS, lines);
  },
);

type Side = Child<CostJob, Cost | null>;

async function openSide(
  root: string,
  name: string,
  { data, entries, workers }: { data: string; entries: string; workers: string },
  disposal: Disposal,
): Promise<Side> {
  const side: Side = new Child('cost-side', disposal);
  const sizes = { entries: numberOf(entries), workers: numberOf(workers) };
  await side.ask({ open: { root, data: path.join(data, name), ...sizes } });
  return side;
}

/**
 * The side that goes first changes from pair to pair. A version without a route for the case has no figures.
 * @returns undefined if this version has none
 */
async function measurePairs(
  { before, now }: { before: Side; now: Side },
  slice: Extract<CostJob, { slice: object }>['slice'],
  pairs: number,
): Promise<Pair[] | undefined> {
  const warm = { slice: { ...slice, seconds: WARM_SECONDS } };
  const former = await before.ask(warm);
  if ((await now.ask(warm)) === null) {
    say(`${slice.case}: skipped, this version has no such route.`);
    return undefined;
  }
  if (former === null) say(`${slice.case}: the version before has no such route.`);
  const measured: Pair[] = [];
  const ask = async (side: Side) => (await side.ask({ slice })) ?? NOTHING;
  for (let k = 0; k < pairs; k += 1) {
    if (k % 2 === 0) {
      const first = await ask(before);
      measured.push({ before: first, now: await ask(now) });
    } else {
      const first = await ask(now);
      measured.push({ now: first, before: await ask(before) });
    }
  }
  return measured;
}

const NOTHING: Cost = {
  ...{ perSecond: Number.NaN, errors: 0, late: 0, requests: 0 },
  ...{ p50: Number.NaN, p95: Number.NaN, p99: Number.NaN },
  ...{ gateway: Number.NaN, postgres: Number.NaN, generator: Number.NaN, wal: Number.NaN },
};

const HEADINGS = [
  'case',
  'connections',
  'per s',
  'ratio',
  'node ms/1,000',
  'ratio',
  'Postgres ms/1,000',
  'ratio',
  'sum ms/1,000',
  'ratio',
  'WAL B',
  'ratio',
  'p99',
  'ratio',
  'load ms/1,000',
  'errors',
];

/** Medians of both sides, and the median of the pairs' ratios. */
function figuresOf(pairs: readonly Pair[]): string[] {
  const figure = (text: (value: number) => string, value: number) =>
    Number.isNaN(value) ? '–' : text(value);
  const both = (of: (cost: Cost) => number, text: (value: number) => string) =>
    `${figure(text, median(pairs.map(({ before }) => of(before))))} → ${figure(text, median(pairs.map(({ now }) => of(now))))}`;
  const ratio = (of: (cost: Cost) => number) =>
    figure(times, median(pairs.map(({ before, now }) => of(now) / of(before))));
  const sum = ({ gateway, postgres }: Cost) => gateway + postgres;
  return [
    both(({ perSecond }) => perSecond, count),
    ratio(({ perSecond }) => perSecond),
    // Microseconds per request are milliseconds per 1,000.
    both(({ gateway }) => gateway, count),
    ratio(({ gateway }) => gateway),
    both(({ postgres }) => postgres, count),
    ratio(({ postgres }) => postgres),
    both(sum, count),
    ratio(sum),
    both(({ wal }) => wal, count),
    ratio(({ wal }) => wal),
    both(({ p99 }) => p99, millis),
    ratio(({ p99 }) => p99),
    both(({ generator }) => generator, count),
    both(({ errors, late }) => errors + late, count),
  ];
}
