import 'reflect-metadata';
import type { Disposal } from '../src/process/shutdown.js';
import { numberOf, numbersOf } from './support/arguments.js';
import { buildBoards } from './support/bulk-board.js';
import { runBench } from './support/run.js';
import type { Scratch } from './support/scratch.js';
import { type SingleInserts, singleInserts } from './support/single-inserts.js';
import { median } from './support/statistics.js';
import { type Ingested, Submitters } from './support/submitters.js';
import { count, micros, say, sayTable, size, times } from './support/table.js';

/** Active players, on all boards of a database together. */
const PLAYERS = 10_000;

interface Pace {
  submitters: number;
  seconds: number;
  rounds: number;
  batches: number[];
}

runBench({
  title:
    'Durable submissions a second through the pipeline (keep best, every run an improvement, a nonce ' +
    'each), against single-row INSERT commits.',
  duration: 'about 2 minutes; with --all about 30 and 30 GB on disk',
  options: {
    on: {
      fallback: '1x10k,16x10k,1x1m',
      all: '1x10k,16x10k,1x1m,16x1m',
      doc: 'boards and entries of each',
    },
    batches: { fallback: '1,16,64,256', doc: 'submissions in one transaction at most' },
    submitters: { fallback: '512', doc: 'submissions under way at a time' },
    seconds: { fallback: '1.5', all: '5', doc: 'length of a slice' },
    rounds: { fallback: '3', doc: 'slices of each kind' },
  },
  async run(scratch, args, disposal) {
    const pace = {
      submitters: numberOf(args.submitters),
      seconds: Number(args.seconds),
      rounds: numberOf(args.rounds),
      batches: numbersOf(args.batches),
    };
    for (const setup of args.on.split(',')) {
      const [boards, entries] = setup.split('x');
      await measure(scratch, numberOf(boards ?? ''), numberOf(entries ?? ''), pace, disposal);
    }
  },
});

async function measure(
  scratch: Scratch,
  boards: number,
  entries: number,
  { submitters, seconds, rounds, batches }: Pace,
  disposal: Disposal,
): Promise<void> {
  const made = await scratch.create();
  const built = await buildBoards(made, { boards, entries, players: PLAYERS / boards });
  const database = made.open();
  const inserts = await singleInserts(made, disposal);
  const kinds = batches.map((batch) => ({
    batch,
    submitters: new Submitters(database, built, submitters, batch),
    results: [] as Ingested[],
    ratios: [] as number[],
  }));
  const commits: number[] = [];
  await kinds.at(-1)!.submitters.touch();
  for (const kind of kinds) await kind.submitters.warm();
  await inserts.run(1);
  for (let round = 0; round < rounds; round += 1) {
    const reference = await inserts.run(seconds);
    commits.push(reference);
    for (const kind of kinds) {
      const result = await kind.submitters.run(seconds, scratch.cpu);
      kind.results.push(result);
      kind.ratios.push(result.perSecond / reference);
    }
  }
  for (const kind of kinds) await kind.submitters.close();
  await made.drop();

  say(
    `${boards} × ${size(entries)} entries, ${submitters} submitters; medians of ${rounds} slices of ${seconds} s`,
  );
  const rows = kinds.map(({ batch, results, ratios }) => [
    `batches up to ${batch}`,
    count(median(results.map((of) => of.perSecond))),
    times(median(ratios)),
    median(results.map((of) => of.perBatch)).toFixed(1),
    micros(median(results.map((of) => of.ownCpu))),
    micros(median(results.flatMap(({ serverCpu }) => serverCpu ?? []))),
  ]);
  const headings = ['', 'per s', 'ratio', 'in a batch', 'CPU here', 'CPU of Postgres'];
  sayTable(headings, [...rows, referenceRow(inserts, median(commits))]);
}

function referenceRow({ by, clients }: SingleInserts, perSecond: number): string[] {
  return [`INSERT, ${clients} clients, ${by}`, count(perSecond), times(1), '1.0', '', ''];
}
