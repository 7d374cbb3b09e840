import 'reflect-metadata';
import { SetupError } from '../src/base/errors.js';
import { uuidOf } from '../src/base/ids.js';
import { rankOfKey } from '../src/rankings/read.js';
import { alternate, type Latency } from './support/alternate.js';
import { numberOf, numbersOf } from './support/arguments.js';
import { type BuiltBoard, buildBoards } from './support/bulk-board.js';
import { inSession } from './support/bulk-session.js';
import { entriesOf, pick } from './support/keys.js';
import { runBench } from './support/run.js';
import type { Scratch, ScratchDatabase } from './support/scratch.js';
import { selectOne } from './support/select-one.js';
import { median } from './support/statistics.js';
import { type Ingested, Submitters } from './support/submitters.js';
import { count, micros, say, sayTable, size, times } from './support/table.js';

/** Entries per leaf, leaves per run and runs per top, at most. */
interface NodeSizes {
  leaf: number;
  run: number;
  top: number;
}

interface Variant {
  sizes: NodeSizes;
  made: ScratchDatabase;
  board: BuiltBoard;
  submitters: Submitters[];
  fresh: Latency[];
  ingested: Ingested[][];
}

const PLAYERS = 5_000;
const ASKING = 2_000;
const ROUNDS = { rounds: 10, sliceMillis: 100 };

runBench({
  title:
    'Node sizes of the counted tree (leaf/run/top) compared: ranks when fresh and after submissions, and submissions.',
  duration: 'about 2 minutes; with --all about 15 and 25 GB on disk',
  options: {
    nodes: {
      fallback: '32/32/192,64/16/192,64/32/192,64/64/128',
      all: '32/16/192,32/32/192,32/64/128,64/16/192,64/32/192,64/64/128,128/32/192,128/64/128',
      doc: 'leaf, run and top',
    },
    sizes: { fallback: '100k', all: '10k,1m', doc: 'entries of the board; a copy is made for each variant' },
    batches: { fallback: '16,256', all: '1,16,64,256', doc: 'submissions in one transaction at most' },
    submitters: { fallback: '512', doc: 'submissions under way at a time' },
    seconds: { fallback: '2', all: '5', doc: 'length of a slice of submissions' },
    rounds: { fallback: '2', all: '3', doc: 'such slices of each kind' },
  },
  async run(scratch, args) {
    const nodes = args.nodes.split(',').map(nodeSizesOf);
    const batches = numbersOf(args.batches);
    const submitters = numberOf(args.submitters);
    const [seconds, rounds] = [Number(args.seconds), numberOf(args.rounds)];
    for (const entries of numbersOf(args.sizes)) {
      const variants = await makeVariants(scratch, entries, nodes, submitters, batches);
      for (const variant of variants) variant.fresh = await measureRanks(variant);
      for (const { submitters } of variants) {
        await submitters.at(-1)!.touch();
        for (const of of submitters) await of.warm();
      }
      for (let round = 0; round < rounds; round += 1) {
        for (const variant of variants) {
          for (const [i, of] of variant.submitters.entries()) {
            variant.ingested[i]!.push(await of.run(seconds, scratch.cpu));
          }
        }
      }
      const churned = [];
      for (const variant of variants) churned.push(await measureRanks(variant));
      sayFigures(entries, batches, variants, churned);
      for (const { submitters, made } of variants) {
        for (const of of submitters) await of.close();
        await made.drop();
      }
    }
  },
});

function nodeSizesOf(text: string): NodeSizes {
  const [leaf, run, top, ...rest] = text.split('/').map(numberOf);
  if (!leaf || !run || !top || leaf < 2 || run < 3 || top < 3 || rest.length > 0) {
    throw new SetupError(`"${text}" are no node sizes: write leaf/run/top like 64/32/192, at least 2/3/3.`);
  }
  return { leaf, run, top };
}

/** One board, copied for each variant, so that their slices can alternate. */
async function makeVariants(
  scratch: Scratch,
  entries: number,
  nodes: NodeSizes[],
  submitters: number,
  batches: number[],
): Promise<Variant[]> {
  const original = await scratch.create();
  const [board] = await buildBoards(original, { boards: 1, entries, players: PLAYERS });
  const variants: Variant[] = [];
  for (const sizes of nodes) {
    const made = await scratch.clone(original);
    await rebuild(made, board!, sizes);
    const database = made.open();
    // Each variant's players improve by themselves.
    const own = { ...board!, players: board!.players.map((player) => ({ ...player })) };
    variants.push({
      sizes,
      made,
      board: own,
      submitters: batches.map((batch) => new Submitters(database, [own], submitters, batch)),
      fresh: [],
      ingested: batches.map(() => []),
    });
  }
  await original.drop();
  return variants;
}

/** The functions are constants that plans have inlined: sessions that should see others must begin after this. */
async function rebuild(
  made: ScratchDatabase,
  { id }: BuiltBoard,
  { leaf, run, top }: NodeSizes,
): Promise<void> {
  await inSession(made, async (client) => {
    const constant = (name: string, value: number) =>
      client.query(
        `create or replace function ${name}() returns integer language sql immutable parallel safe as 'select ${value}'`,
      );
    await constant('rank_leaf_capacity', leaf);
    await constant('rank_run_width', run);
    await constant('rank_top_width', top);
  });
  await inSession(made, async (client) => {
    await client.query('select build_rank_tree($1, 1, false)', [uuidOf(id)]);
    await client.query('vacuum full rank_runs');
    await client.query('vacuum full rank_tops');
    await client.query('vacuum analyze rank_runs, rank_tops');
  });
}

async function measureRanks({ made, board }: Variant): Promise<Latency[]> {
  const { pool } = made.open();
  const entries = await entriesOf(pool, board, pick(board.players, ASKING));
  const client = await pool.connect();
  try {
    const at = (i: number) => entries[i % entries.length]!;
    const ofKey = { name: 'rank of key', run: (i: number) => rankOfKey(client, board.id, false, at(i).key) };
    return await alternate(selectOne(client), [ofKey], ROUNDS);
  } finally {
    client.release();
  }
}

function sayFigures(entries: number, batches: number[], variants: Variant[], churned: Latency[][]): void {
  say(
    `${size(entries)} entries; rank of a key against SELECT 1, and submissions a second with CPU of Postgres for each`,
  );
  const rows = variants.map(({ sizes, fresh, ingested }, i) => [
    `${sizes.leaf}/${sizes.run}/${sizes.top}`,
    ...[fresh, churned[i]!].flatMap(([, ofKey]) => [micros(ofKey!.median), times(ofKey!.ratio)]),
    ...ingested.flatMap((slices) => [
      count(median(slices.map((of) => of.perSecond))),
      micros(median(slices.flatMap(({ serverCpu }) => serverCpu ?? []))),
    ]),
  ]);
  const headings = [
    'nodes',
    'fresh',
    '',
    'churned',
    '',
    ...batches.flatMap((batch) => [`batch ${batch}`, '']),
  ];
  sayTable(headings, rows);
}
