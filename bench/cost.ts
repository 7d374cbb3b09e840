import 'reflect-metadata';
import os from 'node:os';
import path from 'node:path';
import { SetupError } from '../src/base/errors.js';
import type { Disposal } from '../src/process/shutdown.js';
import { numberOf, numbersOf } from './support/arguments.js';
import { Child } from './support/child.js';
import type { Cost, CostJob } from './support/cost-side.js';
import { CASES } from './support/http-cases.js';
import type { Api } from './support/requests.js';
import { runScript } from './support/run.js';
import { median } from './support/statistics.js';
import { count, millis, say, sayTable, times } from './support/table.js';

const ROOT = path.resolve(__dirname, '../..');

/** Before the pairs of each case: the first requests of a kind are interpreted. */
const WARM_SECONDS = 2;

interface Pair {
  before: Cost;
  now: Cost;
}

runScript(
  {
    title:
      'The cost of a request to this version and to the version before, by turns on the same machine: CPU of gateway and Postgres, bytes of log, requests a second. Each version has a Postgres and a board of its own; the load generator is counted apart.',
    duration:
      'a quarter of an hour for all cases at three numbers of connections, five minutes more to build',
    options: {
      against: { fallback: '', doc: 'checkout of the version before, installed and compiled' },
      pairs: { fallback: '5', doc: 'pairs of slices for each case' },
      seconds: { fallback: '3', doc: 'length of a slice' },
      connections: { fallback: '16,64,256', doc: 'connections, each with one request at a time' },
      cases: { fallback: '.', doc: 'only those whose name matches this expression' },
      api: { fallback: 'REST', doc: 'REST or GraphQL' },
      entries: { fallback: '1m', doc: 'entries of the board' },
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
    const wanted = CASES.filter(
      ({ boards, name }) => boards === 'hot' && new RegExp(args.cases, 'i').test(name),
    );
    const lines: string[][] = [];
    for (const connections of numbersOf(args.connections)) {
      for (const { name } of wanted) {
        const slice = { case: name, api, connections, seconds: Number(args.seconds) };
        const pairs = await measurePairs(sides, slice, numberOf(args.pairs));
        const line = [name, String(connections), ...figuresOf(pairs)];
        lines.push(line);
        say(line.join('  '));
      }
    }
    say('');
    sayTable(HEADINGS, lines);
  },
);

type Side = Child<CostJob, Cost>;

async function openSide(
  root: string,
  name: string,
  { data, entries }: { data: string; entries: string },
  disposal: Disposal,
): Promise<Side> {
  const side: Side = new Child('cost-side', disposal);
  await side.ask({ open: { root, data: path.join(data, name), entries: numberOf(entries) } });
  return side;
}

/** Which side comes first changes from pair to pair. */
async function measurePairs(
  { before, now }: { before: Side; now: Side },
  slice: Extract<CostJob, { slice: object }>['slice'],
  pairs: number,
): Promise<Pair[]> {
  for (const side of [before, now]) await side.ask({ slice: { ...slice, seconds: WARM_SECONDS } });
  const measured: Pair[] = [];
  for (let k = 0; k < pairs; k += 1) {
    if (k % 2 === 0) {
      const first = await before.ask({ slice });
      measured.push({ before: first, now: await now.ask({ slice }) });
    } else {
      const first = await now.ask({ slice });
      measured.push({ now: first, before: await before.ask({ slice }) });
    }
  }
  return measured;
}

const HEADINGS = [
  'case',
  'connections',
  'per s',
  'ratio',
  'gateway µs',
  'ratio',
  'Postgres µs',
  'ratio',
  'CPU ratio',
  'log B',
  'p99',
  'ratio',
  'errors',
];

/** Medians of both sides, and the median of the pairs' ratios. */
function figuresOf(pairs: readonly Pair[]): string[] {
  const both = (of: (cost: Cost) => number, text: (value: number) => string) =>
    `${text(median(pairs.map(({ before }) => of(before))))} → ${text(median(pairs.map(({ now }) => of(now))))}`;
  const ratio = (of: (cost: Cost) => number) =>
    times(median(pairs.map(({ before, now }) => of(now) / of(before))));
  return [
    both(({ perSecond }) => perSecond, count),
    ratio(({ perSecond }) => perSecond),
    both(({ gateway }) => gateway, count),
    ratio(({ gateway }) => gateway),
    both(({ postgres }) => postgres, count),
    ratio(({ postgres }) => postgres),
    ratio(({ gateway, postgres }) => gateway + postgres),
    both(({ wal }) => wal, count),
    both(({ p99 }) => p99, millis),
    ratio(({ p99 }) => p99),
    both(({ errors }) => errors, count),
  ];
}
