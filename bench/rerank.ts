import 'reflect-metadata';
import { setTimeout as delay } from 'node:timers/promises';
import { uuidOf } from '../src/base/ids.js';
import type { Database } from '../src/db/pool.js';
import { Builds } from '../src/rankings/upkeep/builds.js';
import { verifyBoard } from '../src/rankings/upkeep/verify.js';
import { numberOf } from './support/arguments.js';
import { type BuiltBoard, buildBoards } from './support/bulk-board.js';
import { log } from './support/log.js';
import { type Pace, paceUntil } from './support/pace.js';
import { runBench } from './support/run.js';
import { median, quantile } from './support/statistics.js';
import { Submitters } from './support/submitters.js';
import { count, millis, say, sayTable, sayUpkeep, size } from './support/table.js';

const PLAYERS = 2_000;
const CALM_SECONDS = 5;
const LOOK_MS = 50;
const MEANINGS: Record<string, string> = {
  news: ': from here on the new order is served',
  states: ': all is said and done',
};

runBench({
  title:
    'A live board ranked anew (lowest first instead of highest), while one submitter plays on another board.',
  duration: 'about 1 minute; with --all some minutes',
  options: {
    entries: { fallback: '200k', all: '1m', doc: 'entries of each of the two boards' },
    submitters: { fallback: '4', doc: 'submissions under way on the other board' },
  },
  async run(scratch, args) {
    const entries = numberOf(args.entries);
    const made = await scratch.create();
    const [board, other] = await buildBoards(made, { boards: 2, entries, players: PLAYERS });
    const database = made.open();
    const submitters = numberOf(args.submitters);
    const play = new Submitters(database, [other!], submitters);
    await play.warm();
    const calm = await paceUntil(play, delay(CALM_SECONDS * 1_000));
    const builds = new Builds(database, Date.now, log, () => undefined);
    await askForChange(database, board!);
    const started = performance.now();
    const ends = new Map<string, number>();
    const work = (async () => {
      for await (const phase of phases(database, board!))
        ends.set(phase, performance.now() - started + LOOK_MS);
    })();
    const building = builds.work();
    const busy = await paceUntil(play, Promise.all([work, building]));
    await play.close();
    await builds.close();
    const faults = await verifyBoard(database, board!.id);
    say(`${count(entries)} entries; ${faults.length} faults. From the start to the end of`);
    for (const [phase, end] of ends)
      say(`  ${phase.padEnd(8)} ${(end / 1_000).toFixed(1)} s${MEANINGS[phase] ?? ''}`);
    const row = (name: string, { perSecond, seconds }: Pace) => [
      name,
      count(median(perSecond)),
      count(quantile(perSecond, 0.05)),
      seconds.toFixed(0),
    ];
    sayTable(
      ['submissions/s to the other board', 'median', 'worst 5 %', 'seconds'],
      [row('nothing beside it', calm), row('while ranked anew', busy)],
    );
    say(`One submission at that pace: ${millis((1_000 * submitters) / median(busy.perSecond))}.`);
    const at = (end: number | undefined) => `${((end ?? Number.NaN) / 1_000).toFixed(1)} s`;
    // A phase shorter than the polling interval is missed.
    const served = ends.get('news') ?? ends.get('tree');
    const [before, meanwhile] = [calm, busy].map(({ perSecond }) => count(median(perSecond)));
    sayUpkeep([
      [
        `${size(entries)} entries ranked anew`,
        `new order after ${at(served)}, complete after ${at(ends.get('states'))}`,
        `${meanwhile} submissions/s to another board meanwhile, ${before} before; ${faults.length} faults`,
      ],
    ]);
    await made.drop();
  },
});

/** Like `PATCH` on a large board. */
async function askForChange({ knex }: Database, { id }: BuiltBoard): Promise<void> {
  await knex.transaction(async (trx) => {
    await trx('boards').where('id', uuidOf(id)).update({ sort_direction: 'asc' });
    await trx.raw('select apply_rules(?, now(), 0)', [uuidOf(id)]);
  });
}

/** Polls the progress of a build until it ends. */
async function* phases({ knex }: Database, { id }: BuiltBoard): AsyncGenerator<string> {
  for (;;) {
    const row = await knex('board_rankings')
      .where('board_id', uuidOf(id))
      .first(knex.raw(`build ->> 'phase' as phase`));
    if (row.phase === null) return;
    yield row.phase;
    await delay(LOOK_MS);
  }
}
