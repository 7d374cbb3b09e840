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
import { median, quantile } from './support/statistics.js';
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
      'The cost of a request to the version before and to this one, by turns on the same machine: ' +
      'milliseconds of CPU of node and of Postgres for 1,000 requests by the scheduler’s counters, bytes of ' +
      'write-ahead log, requests a second. Each version has a Postgres and a board of its own. Cases and ' +
      'load generator are of this version; the generator’s CPU is counted apart. Of requests with many ' +
      'submissions each submission counts. Figures are medians of the slices, or their better quartiles, ' +
      'and ratios those of the figures.',
    duration: 'half an hour for all cases at four numbers of connections, five minutes more to build',
    options: {
      against: { fallback: '', doc: 'checkout of the version before, installed and compiled' },
      pairs: { fallback: '5', doc: 'pairs of slices for each case' },
      seconds: { fallback: '3', doc: 'length of a slice' },
      quartile: {
        fallback: 'no',
        doc: 'yes: the better quartiles of the slices, for a busy machine; with 20 pairs of 1 second or more',
      },
      rate: {
        fallback: '',
        doc: 'requests a second at a steady rate, one after the other, in place of as many as are answered',
      },
      connections: { fallback: '1,16,64,256', doc: 'connections, each with one request at a time' },
      cases: { fallback: '.', doc: 'only those whose name matches this expression' },
      api: { fallback: 'REST', doc: 'REST or GraphQL' },
      boards: { fallback: '1', doc: 'boards that requests are spread over' },
      entries: { fallback: '1m', doc: 'entries of a board' },
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
    const rates = args.rate === '' ? [undefined] : numbersOf(args.rate);
    const loads = numbersOf(args.connections).flatMap((connections) =>
      rates.map((rate) => ({ connections, rate })),
    );
    for (const load of loads) {
      for (const { name } of wanted) {
        const slice = { case: name, api, ...load, seconds: Number(args.seconds) };
        const pairs = await measurePairs(sides, slice, numberOf(args.pairs));
        if (pairs === undefined) continue;
        const of = load.rate === undefined ? load.connections : `${load.connections} · ${load.rate}/s`;
        const line = [name, String(of), ...figuresOf(pairs, args.quartile === 'yes')];
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
  { data, boards, entries, workers }: Record<'data' | 'boards' | 'entries' | 'workers', string>,
  disposal: Disposal,
): Promise<Side> {
  const side: Side = new Child('cost-side', disposal);
  const sizes = { boards: numberOf(boards), entries: numberOf(entries), workers: numberOf(workers) };
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
  'p50',
  'ratio',
  'p99',
  'ratio',
  'load ms/1,000',
  'errors',
];

function figuresOf(pairs: readonly Pair[], quartile: boolean): string[] {
  const figure = (text: (value: number) => string, value: number) =>
    Number.isNaN(value) ? '–' : text(value);
  const less = (values: readonly number[]) => (quartile ? quantile(values, 0.25) : median(values));
  const more = (values: readonly number[]) => (quartile ? quantile(values, 0.75) : median(values));
  const sides = (of: (cost: Cost) => number, best: typeof less) =>
    [best(pairs.map(({ before }) => of(before))), best(pairs.map(({ now }) => of(now)))] as const;
  const both = (of: (cost: Cost) => number, text: (value: number) => string, best = less) =>
    sides(of, best)
      .map((value) => figure(text, value))
      .join(' → ');
  const compared = (of: (cost: Cost) => number, text: (value: number) => string, best = less) => {
    const [before, now] = sides(of, best);
    return [both(of, text, best), figure(times, now / before)];
  };
  return [
    ...compared(({ perSecond }) => perSecond, count, more),
    // Microseconds per request are milliseconds per 1,000.
    ...compared(({ gateway }) => gateway, count),
    ...compared(({ postgres }) => postgres, count),
    ...compared(({ gateway, postgres }) => gateway + postgres, count),
    ...compared(({ wal }) => wal, count),
    ...compared(({ p50 }) => p50, millis),
    ...compared(({ p99 }) => p99, millis),
    both(({ generator }) => generator, count),
    both(({ errors, late }) => errors + late, count),
  ];
}
