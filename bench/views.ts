import 'reflect-metadata';
import path from 'node:path';
import { numberOf, numbersOf } from './support/arguments.js';
import { Child } from './support/child.js';
import { runScript } from './support/run.js';
import { median } from './support/statistics.js';
import { micros, say, sayTable, size, times } from './support/table.js';
import type { ViewCost, ViewJob } from './support/views-side.js';

const ROOT = path.resolve(__dirname, '../..');

/** Share of the submissions that improve their player's entries. Each load is measured on the boards in turn. */
const LOADS = [
  { name: 'improves nothing', share: 0 },
  { name: 'middle of a period', share: 0.15 },
  { name: 'every view improved', share: 1 },
];

type Side = Child<ViewJob, ViewCost | null>;

runScript(
  {
    title:
      'The cost of a submission to a board with views, against one without, or against the same board of ' +
      'the version before: microseconds of CPU of Postgres and of the process that writes (facts, decision, ' +
      'write; no HTTP), bytes of write-ahead log. Batches on one connection, players whose facts are cached ' +
      'for the most part.',
    duration: 'about 5 minutes',
    options: {
      against: { fallback: '', doc: 'checkout of the version before, installed and compiled' },
      entries: { fallback: '100k', all: '1m', doc: 'entries of each board' },
      players: { fallback: '5k', doc: 'players who submit' },
      views: {
        fallback: '0,1,2,4,6',
        doc: 'views of the boards that are compared; without --against the first is the reference',
      },
      batches: { fallback: '16,64', doc: 'submissions in one transaction' },
      submissions: { fallback: '4k', doc: 'submissions of a slice' },
      rounds: { fallback: '5', doc: 'slices of each kind, by turns' },
    },
  },
  async (args, disposal) => {
    const views = args.views.split(',').map(Number);
    const [entries, players] = [numberOf(args.entries), numberOf(args.players)];
    const open = async (root: string) => {
      const side: Side = new Child('views-side', disposal);
      await side.ask({ open: { root, entries, players, views } });
      return side;
    };
    const before = args.against === '' ? undefined : await open(path.resolve(args.against));
    const now = await open(ROOT);
    for (const batch of numbersOf(args.batches)) {
      const rows: string[][] = [];
      for (const { name, share } of LOADS) {
        const costs = views.map(() => ({ now: [] as ViewCost[], before: [] as ViewCost[] }));
        const measure = async (side: Side, board: number, submissions: number) =>
          (await side.ask({ slice: { board, submissions, batch, share } }))!;
        for (const side of before ? [before, now] : [now]) {
          for (const board of views.keys()) await measure(side, board, players);
        }
        const submissions = numberOf(args.submissions);
        for (let round = 0; round < numberOf(args.rounds); round += 1) {
          for (const [board, cost] of costs.entries()) {
            const turns = (['before', 'now'] as const).slice(before ? 0 : 1);
            for (const turn of round % 2 ? turns.toReversed() : turns) {
              cost[turn].push(await measure(turn === 'now' ? now : before!, board, submissions));
            }
          }
        }
        rows.push(
          ...costs.map((of, i) => rowOf(name, views[i]!, of.now, before ? of.before : costs[0]!.now)),
        );
      }
      say(
        `${size(entries)} entries, batches of ${batch}, medians of ${args.rounds} slices of ${args.submissions}`,
      );
      sayTable(['', 'views', 'CPU of Postgres', 'ratio', 'CPU here', 'ratio', 'WAL B', 'ratio'], rows);
    }
  },
);

function rowOf(
  load: string,
  views: number,
  own: readonly ViewCost[],
  reference: readonly ViewCost[],
): string[] {
  const middle = (of: (cost: ViewCost) => number) => median(own.map(of));
  const ratio = (of: (cost: ViewCost) => number) =>
    times(median(own.map((cost, round) => of(cost) / of(reference[round]!))));
  const figures = [(cost: ViewCost) => cost.server, (cost: ViewCost) => cost.own] as const;
  return [
    load,
    String(views),
    ...figures.flatMap((of) => [micros(middle(of)), ratio(of)]),
    middle(({ wal }) => wal).toFixed(0),
    ratio(({ wal }) => wal),
  ];
}
