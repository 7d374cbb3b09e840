import 'reflect-metadata';
import { setTimeout as delay } from 'node:timers/promises';
import { uuidOf } from '../src/base/ids.js';
import type { Database } from '../src/db/pool.js';
import { Builds } from '../src/rankings/upkeep/builds.js';
import { verifyBoard } from '../src/rankings/upkeep/verify.js';
import { numberOf } from './support/arguments.js';
import { buildBySteps, sayLongest } from './support/build-steps.js';
import { buildBoards } from './support/bulk-board.js';
import { log } from './support/log.js';
import { paceUntil } from './support/pace.js';
import { runBench } from './support/run.js';
import { median, quantile } from './support/statistics.js';
import { Submitters } from './support/submitters.js';
import { count, say, sayTable, sayUpkeep, size, times } from './support/table.js';
import { declareView, VIEWS } from './support/views.js';

const PLAYERS = 2_000;
const CALM_SECONDS = 10;
const LOOK_MS = 5_000;
/** One ranking has every event of the board: the longest possible build. */
const VIEW = VIEWS.find(({ name }) => name === 'quarter')!;

runBench({
  title:
    'A view declared on a board with history while players submit to that board; at the end every rank is checked.',
  duration: 'about 1 minute; with --all an hour',
  options: {
    entries: { fallback: '100k', all: '10m', doc: 'entries of the board' },
    submitters: { fallback: '16', doc: 'submissions under way' },
  },
  async run(scratch, args) {
    const entries = numberOf(args.entries);
    const made = await scratch.create();
    const [board] = await buildBoards(made, { boards: 1, entries, players: PLAYERS });
    const database = made.open();
    const play = new Submitters(database, [board!], numberOf(args.submitters));
    await play.warm();
    await play.touch();
    const calm = await paceUntil(play, delay(CALM_SECONDS * 1_000));
    await declareView(database, board!.id, VIEW);
    const builds = new Builds(database, Date.now, log, () => undefined);
    const position = await walOf(database);
    const server = scratch.cpu?.used();
    const phaseOf = async () => (await buildOf(database, board!.id)).build?.phase;
    const building = buildBySteps(builds, board!.id, phaseOf);
    const watching = sayProgress(database, board!.id);
    const busy = await paceUntil(play, building);
    await watching;
    const cpu = scratch.cpu && server !== undefined ? (scratch.cpu.used() - server) / 1_000_000 : Number.NaN;
    const wal = ((await walOf(database)) - position) / 1_048_576;
    const after = await paceUntil(play, delay(CALM_SECONDS * 1_000));
    await play.close();
    await builds.close();
    const row = (name: string, { perSecond, seconds }: typeof calm) => [
      name,
      count(median(perSecond)),
      times(median(perSecond) / median(calm.perSecond)),
      count(quantile(perSecond, 0.05)),
      seconds.toFixed(0),
    ];
    sayTable(
      ['submissions/s to the board', 'median', 'ratio', 'worst 5 %', 'seconds'],
      [row('before', calm), row('while the view is built', busy), row('with the view', after)],
    );
    say(
      `Postgres meanwhile: ${cpu.toFixed(0)} s of CPU, ${wal.toFixed(0)} MiB of log, submissions included.`,
    );
    sayLongest(await building);
    const started = performance.now();
    const faults = await verifyBoard(database, board!.id);
    const verified = (performance.now() - started) / 1_000;
    for (const { sentence } of faults.slice(0, 5)) say(sentence);
    say(`${faults.length} faults, checked in ${verified.toFixed(0)} s.`);
    sayUpkeep([
      [
        `a view of ${size(entries)} entries`,
        `live after ${busy.seconds.toFixed(1)} s`,
        `${times(median(busy.perSecond) / median(calm.perSecond))} of the submissions meanwhile; ${faults.length} faults`,
      ],
    ]);
    await made.drop();
  },
});

async function walOf({ knex }: Database): Promise<number> {
  const { rows } = await knex.raw(`select pg_current_wal_lsn() - '0/0' as bytes`);
  return Number(rows[0].bytes);
}

/** The board's one view. */
function buildOf({ knex }: Database, id: string) {
  return knex('board_views').where('board_id', uuidOf(id)).first('status', 'build');
}

/** Reports the build's progress repeatedly until the view is live. */
async function sayProgress(database: Database, id: string): Promise<void> {
  const started = performance.now();
  for (;;) {
    const row = await buildOf(database, id);
    if (row.status === 'live') return;
    const { phase = 'not begun', done = 0 } = row.build ?? {};
    say(`  ${((performance.now() - started) / 1_000).toFixed(0)} s: ${phase}, ${count(done)} players`);
    await delay(LOOK_MS);
  }
}
