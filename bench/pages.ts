import 'reflect-metadata';
import { SetupError } from '../src/base/errors.js';
import { ownAddress } from '../src/rankings/address.js';
import type { OrderKey } from '../src/rankings/order.js';
import { WindowReads } from '../src/rankings/pages.js';
import { entryCounts } from '../src/rankings/read.js';
import { windowAfter, windowAround, windowBefore, windowFromRank } from '../src/rankings/window.js';
import { alternate, type Latency, type Operation } from './support/alternate.js';
import { numbersOf } from './support/arguments.js';
import { type BuiltBoard, buildBoards } from './support/bulk-board.js';
import { runBench } from './support/run.js';
import type { Scratch } from './support/scratch.js';
import { selectOne } from './support/select-one.js';
import { micros, say, sayTable, size, times } from './support/table.js';

const PAGE = 50;
/** Pages around one place, requested in turn: neighbours, so that more than one page's rows are warm. */
const NEIGHBOURS = 200;
/** Enough for three places that do not overlap. */
const SMALLEST = 1_000;
const ROUNDS = { rounds: 10, sliceMillis: 100 };

interface Place {
  name: string;
  /** Where pages begin. */
  ranks: number[];
  keys: OrderKey[];
}

runBench({
  title: `Pages of ${PAGE} at the top, in the middle and at the end, against a prepared SELECT 1 on the same connection.`,
  duration: 'about 1 minute; with --all a quarter of an hour and 25 GB on disk',
  options: { sizes: { fallback: '10k,1m', all: '10k,1m,5m,10m', doc: 'entries of the boards' } },
  async run(scratch, args) {
    const sizes = numbersOf(args.sizes);
    if (Math.min(...sizes) < SMALLEST)
      throw new SetupError(`Boards of ${SMALLEST} entries are the smallest.`);
    const figures: Latency[][] = [];
    for (const entries of sizes) figures.push(await measureBoard(scratch, entries));
    sayFigures(sizes, figures);
  },
});

async function measureBoard(scratch: Scratch, entries: number): Promise<Latency[]> {
  const made = await scratch.create();
  const [board] = await buildBoards(made, { boards: 1, entries, players: 0 });
  const database = made.open();
  const client = await database.pool.connect();
  const windows = new WindowReads(client);
  try {
    const places: Place[] = [
      { name: 'at the top', ...(await placesFrom(windows, board!, 1, 1)) },
      { name: 'in the middle', ...(await placesFrom(windows, board!, Math.floor(entries / 2), NEIGHBOURS)) },
      { name: 'at the end', ...(await placesFrom(windows, board!, entries - NEIGHBOURS, NEIGHBOURS)) },
    ];
    const operations = places.flatMap((place) => pagesAt(windows, board!, place));
    operations.push({
      name: 'size of the board',
      run: () => entryCounts(client, [{ ranking: ownAddress(board!.id), isTest: false }]),
    });
    return await alternate(selectOne(client), operations, ROUNDS);
  } finally {
    client.release();
    await made.drop();
  }
}

/** Ranks in random order and the keys of their entries. */
async function placesFrom(windows: WindowReads, board: BuiltBoard, first: number, among: number) {
  const ranks = Array.from({ length: among }, () => Math.max(1, first + Math.floor(Math.random() * among)));
  const keys: OrderKey[] = [];
  for (const rank of ranks) {
    const { keys: found } = await windowFromRank(windows, ownAddress(board.id), false, rank, 1, 'all');
    keys.push(found[0]!);
  }
  return { ranks, keys };
}

function pagesAt(windows: WindowReads, { id }: BuiltBoard, { name, ranks, keys }: Place): Operation[] {
  const ranking = ownAddress(id);
  const rank = (i: number) => ranks[i % ranks.length]!;
  const key = (i: number) => keys[i % keys.length]!;
  const whole = (window: { scores: unknown[] }) => {
    if (window.scores.length === 0) throw new Error(`The page ${name} is empty`);
  };
  const cursor =
    name === 'at the end'
      ? (i: number) => windowBefore(windows, ranking, false, i % 2 === 0 ? undefined : key(i), PAGE, 'all')
      : (i: number) =>
          windowAfter(windows, ranking, false, name === 'at the top' ? undefined : key(i), PAGE, 'all');
  return [
    { name: `${name}, by cursor`, run: async (i) => whole(await cursor(i)) },
    {
      name: `${name}, by rank`,
      run: async (i) => whole(await windowFromRank(windows, ranking, false, rank(i), PAGE, 'all')),
    },
    {
      name: `${name}, around`,
      run: async (i) => whole(await windowAround(windows, ranking, false, key(i), PAGE, 'all')),
    },
  ];
}

function sayFigures(sizes: number[], figures: Latency[][]): void {
  const headings = sizes.flatMap((entries) => [size(entries), 'p99', 'ratio']);
  const rows = figures[0]!.map(({ name }, row) => {
    const cells = figures.flatMap((of) => {
      const { median, p99, ratio } = of[row]!;
      return [micros(median), micros(p99), times(ratio)];
    });
    const growth = figures.at(-1)![row]!.ratio / figures[0]![row]!.ratio;
    return [name, ...cells, figures.length > 1 && row > 0 ? times(growth) : ''];
  });
  say(
    `Median, p99 and ratio to SELECT 1; growth of the ratio from ${size(sizes[0]!)} to ${size(sizes.at(-1)!)}.`,
  );
  sayTable(['', ...headings, 'growth'], rows);
}
