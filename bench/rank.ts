import 'reflect-metadata';
import type { Database } from '../src/db/pool.js';
import { rankOfKey, scoresById } from '../src/rankings/read.js';
import { alternate, type Latency } from './support/alternate.js';
import { numberOf, numbersOf } from './support/arguments.js';
import { type BuiltBoard, buildBoards } from './support/bulk-board.js';
import { bulkSession } from './support/bulk-session.js';
import { entriesOf, pick } from './support/keys.js';
import { runBench } from './support/run.js';
import type { Scratch, ScratchDatabase } from './support/scratch.js';
import { selectOne } from './support/select-one.js';
import { Submitters } from './support/submitters.js';
import { count, micros, say, sayTable, size, times } from './support/table.js';

/** The players whose ranks are read repeatedly, out of those who submit. */
const ASKING = 5_000;
const PLAYERS = 20_000;
const ROUNDS = { rounds: 10, sliceMillis: 100 };

interface Figures {
  entries: number;
  state: string;
  latencies: Latency[];
}

interface Times {
  /** Seconds. */
  churn: number;
  held: number;
  submitters: number;
}

runBench({
  title:
    'Own rank: a score by its id, and the rank of a key, against a prepared SELECT 1 on the same connection.',
  duration: 'about 2 minutes; with --all half an hour and 25 GB on disk',
  options: {
    sizes: { fallback: '10k,1m', all: '10k,1m,5m,10m', doc: 'entries of the boards' },
    churn: { fallback: '10', all: '60', doc: 'seconds of improving submissions before the second figure' },
    held: {
      fallback: '5',
      all: '30',
      doc: 'seconds of the same with an old snapshot held, before the third',
    },
    submitters: { fallback: '512', doc: 'submissions under way at a time' },
  },
  async run(scratch, args) {
    const lengths = {
      churn: numberOf(args.churn),
      held: numberOf(args.held),
      submitters: numberOf(args.submitters),
    };
    const figures: Figures[] = [];
    for (const entries of numbersOf(args.sizes)) {
      const of = await measureBoard(scratch, entries, lengths);
      sayFigures(of);
      figures.push(...of);
    }
    sayGrowth(figures);
  },
});

async function measureBoard(scratch: Scratch, entries: number, lengths: Times): Promise<Figures[]> {
  const made = await scratch.create();
  const [board] = await buildBoards(made, { boards: 1, entries, players: PLAYERS });
  const database = made.open();
  const submitters = new Submitters(database, [board!], lengths.submitters);
  const figures: Figures[] = [];
  const measure = async (state: string) =>
    figures.push({ entries, state, latencies: await measureReads(database, board!) });

  await measure('fresh');
  await submitters.warm();
  const churned = await submitters.run(lengths.churn);
  await measure(`after ${lengths.churn} s of churn (${count(churned.submissions)} submissions)`);
  const release = await holdSnapshot(made);
  const held = await submitters.run(lengths.held);
  await measure(`snapshot held ${lengths.held} s (${count(held.submissions)} submissions)`);
  await release();
  await submitters.close();
  await made.drop();
  return figures;
}

async function measureReads(database: Database, board: BuiltBoard): Promise<Latency[]> {
  const entries = await entriesOf(database.pool, board, pick(board.players, ASKING));
  const client = await database.pool.connect();
  try {
    const at = (i: number) => entries[i % entries.length]!;
    const byId = { name: 'score by id', run: (i: number) => scoresById(client, [at(i).id]) };
    const ofKey = {
      name: 'rank of key',
      run: (i: number) => rankOfKey(client, board.id, false, at(i).key),
    };
    return await alternate(selectOne(client), [byId, ofKey], ROUNDS);
  } finally {
    client.release();
  }
}

/**
 * Acts like a dump or a forgotten session: dead row versions it may still see can't be removed. @returns ends it
 */
async function holdSnapshot(made: ScratchDatabase): Promise<() => Promise<void>> {
  const client = await bulkSession(made);
  await client.query('set idle_in_transaction_session_timeout = 0');
  await client.query('begin isolation level repeatable read');
  await client.query('select count(*) from board_rankings');
  return async () => {
    await client.query('rollback');
    await client.end();
  };
}

function sayFigures(figures: Figures[]): void {
  const rows = figures.flatMap(({ entries, state, latencies: [one, ...rest] }) =>
    rest.map((of, i) => [
      i === 0 ? `${size(entries)}, ${state}` : '',
      i === 0 ? micros(one!.median) : '',
      of.name,
      micros(of.median),
      micros(of.p99),
      times(of.ratio),
    ]),
  );
  sayTable(['board', 'SELECT 1', '', 'median', 'p99', 'ratio'], rows);
}

/** Based on ratios to SELECT 1, so that a machine that has slowed down isn't mistaken for growth. */
function sayGrowth(figures: Figures[]): void {
  const sizes = figures.map(({ entries }) => entries);
  const [least, most] = [Math.min(...sizes), Math.max(...sizes)];
  if (least === most) return;
  const states = (entries: number) => figures.filter((of) => of.entries === entries);
  for (const [k, kind] of ['fresh', 'after churn', 'snapshot held'].entries()) {
    const [small, large] = [states(least)[k]!.latencies, states(most)[k]!.latencies];
    const grown = [1, 2].map((i) => `${small[i]!.name} ${times(large[i]!.ratio / small[i]!.ratio)}`);
    say(`Growth from ${size(least)} to ${size(most)}, ${kind}: ${grown.join(', ')}`);
  }
}
