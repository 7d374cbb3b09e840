import 'reflect-metadata';
import { setTimeout as delay } from 'node:timers/promises';
import { uuidOf } from '../src/base/ids.js';
import type { Database } from '../src/db/pool.js';
import { Builds } from '../src/rankings/upkeep/builds.js';
import { verifyBoard } from '../src/rankings/upkeep/verify.js';
import { numberOf } from './support/arguments.js';
import { buildBySteps, sayLongest } from './support/build-steps.js';
import { type BuiltBoard, buildBoards } from './support/bulk-board.js';
import { log } from './support/log.js';
import { type Pace, paceUntil } from './support/pace.js';
import { runBench } from './support/run.js';
import { median, quantile } from './support/statistics.js';
import { Submitters } from './support/submitters.js';
import { count, millis, say, sayTable, sayUpkeep, size, times } from './support/table.js';

const PLAYERS = 2_000;
const CALM_SECONDS = 5;
const LOOK_MS = 50;
const MEANINGS: Record<string, string> = {
  news: ': from here on the new order is served',
  states: ': all is said and done',
};

runBench({
  title:
    'A live board ranked again under other rules, while players submit to another board, or, with --same yes, to that board.',
  duration: 'about 1 minute; with --all some minutes',
  options: {
    entries: { fallback: '200k', all: '1m', doc: 'entries of each of the two boards' },
    submitters: { fallback: '4', doc: 'submissions under way' },
    same: { fallback: 'no', doc: 'yes: they are submissions to the board that is ranked again' },
  },
  async run(scratch, args) {
    const entries = numberOf(args.entries);
    const made = await scratch.create();
    const [board, other] = await buildBoards(made, { boards: 2, entries, players: PLAYERS });
    const database = made.open();
    const submitters = numberOf(args.submitters);
    const same = args.same === 'yes';
    const play = new Submitters(database, [same ? board! : other!], submitters);
    await play.warm();
    if (same) await play.touch();
    const calm = await paceUntil(play, delay(CALM_SECONDS * 1_000));
    const builds = new Builds(database, Date.now, log, () => undefined);
    await askForChange(database, board!, same);
    const started = performance.now();
    const ends = new Map<string, number>();
    const work = (async () => {
      for await (const phase of phases(database, board!))
        ends.set(phase, performance.now() - started + LOOK_MS);
    })();
    const building = buildBySteps(builds, board!.id, () => phaseOf(database, board!));
    const busy = await paceUntil(play, Promise.all([work, building]));
    await play.close();
    await builds.close();
    const faults = await verifyBoard(database, board!.id);
    say(`${count(entries)} entries; ${faults.length} faults. From the start to the end of`);
    for (const [phase, end] of ends)
      say(`  ${phase.padEnd(8)} ${(end / 1_000).toFixed(1)} s${MEANINGS[phase] ?? ''}`);
    sayLongest(await building);
    const row = (name: string, { perSecond, seconds, longestGapMs }: Pace) => [
      name,
      count(median(perSecond)),
      times(median(perSecond) / median(calm.perSecond)),
      count(quantile(perSecond, 0.05)),
      millis(longestGapMs),
      seconds.toFixed(0),
    ];
    const where = same ? 'the board' : 'the other board';
    sayTable(
      [`submissions/s to ${where}`, 'median', 'ratio', 'worst 5 %', 'longest gap', 'seconds'],
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
        `${meanwhile} submissions/s to ${where} meanwhile, ${before} before; ${faults.length} faults`,
      ],
    ]);
    await made.drop();
  },
});

/**
 * Like `PATCH` on a large board: lowest first instead of highest. Under submissions the newest of equal values comes
 * first instead of the oldest, so that runs that improve still do.
 */
async function askForChange({ knex }: Database, { id }: BuiltBoard, same: boolean): Promise<void> {
  await knex.transaction(async (trx) => {
    const rules = same ? { tie_policy: 'latest' } : { sort_direction: 'asc' };
    await trx('boards').where('id', uuidOf(id)).update(rules);
    await trx.raw('select apply_rules(?, now(), 0)', [uuidOf(id)]);
  });
}

async function phaseOf({ knex }: Database, { id }: BuiltBoard): Promise<string | undefined> {
  const row = await knex('board_rankings')
    .where('board_id', uuidOf(id))
    .first(knex.raw(`build ->> 'phase' as phase`));
  return row.phase ?? undefined;
}

/** Polls the progress of a build until it ends. */
async function* phases(database: Database, board: BuiltBoard): AsyncGenerator<string> {
  for (;;) {
    const phase = await phaseOf(database, board);
    if (phase === undefined) return;
    yield phase;
    await delay(LOOK_MS);
  }
}
