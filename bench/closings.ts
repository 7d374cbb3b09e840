import 'reflect-metadata';
import { setTimeout as delay } from 'node:timers/promises';
import { uuidOf } from '../src/base/ids.js';
import { closeRankings } from '../src/closings/job.js';
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
import { count, millis, say, sayTable, times } from './support/table.js';
import { declareView, VIEWS } from './support/views.js';

const PLAYERS = 5_000;
const CALM_SECONDS = 5;
/** Its current period has every event of the board, and ends within 23 days. */
const SEASON = VIEWS.find(({ name }) => name === 'quarter')!;
const LATER_MS = 23 * 86_400_000;
const GRANTS_PER_CLOSING = 1_000_000;

runBench({
  title:
    'A season of a board closes and every player is granted a prize, while players submit to the next season of the same board.',
  duration: 'about 1 minute',
  options: {
    entries: { fallback: '100k', all: '1m', doc: 'entries of the season' },
    submitters: { fallback: '16', doc: 'submissions under way' },
  },
  async run(scratch, args) {
    const entries = numberOf(args.entries);
    const made = await scratch.create();
    const [board] = await buildBoards(made, { boards: 1, entries, players: PLAYERS });
    const database = made.open();
    await declareView(database, board!.id, SEASON);
    const builds = new Builds(database, Date.now, log, () => undefined);
    await builds.work();
    await builds.close();
    await givePrizes(database, board!);
    const later = () => Date.now() + LATER_MS;
    const play = new Submitters(
      database,
      [board!],
      numberOf(args.submitters),
      undefined,
      undefined,
      undefined,
      later,
    );
    await play.warm();
    await play.touch();
    const calm = await paceUntil(play, delay(CALM_SECONDS * 1_000));
    const call = {
      ...{ db: database.knex, now: new Date(later()), log, signal: new AbortController().signal },
    };
    const memory = process.memoryUsage.rss();
    const closing = closeRankings(call as never, () => undefined, { grantsPerClosing: GRANTS_PER_CLOSING });
    const busy = await paceUntil(play, closing);
    await play.close();
    const { rows } = await database.pool.query<Record<'granted' | 'places', string>>(
      `select c.granted_count as granted, (select count(*) from closing_places p where p.closing_id = c.id) as places
       from closings c where c.prizes_status = 'granted'`,
    );
    const faults = await verifyBoard(database, board!.id);
    const grown = (process.memoryUsage.rss() - memory) / 2 ** 20;
    say(
      `${count(entries)} entries: ${rows[0]?.places} places fixed, ${rows[0]?.granted} rewards granted in ` +
        `${busy.seconds.toFixed(1)} s, ${Math.round(grown)} MiB more memory; ${faults.length} faults.`,
    );
    const row = (name: string, { perSecond, longestGapMs }: Pace) => [
      ...[name, count(median(perSecond)), times(median(perSecond) / median(calm.perSecond))],
      ...[count(quantile(perSecond, 0.05)), millis(longestGapMs)],
    ];
    sayTable(
      ['submissions/s', 'median', 'ratio', 'worst 5 %', 'longest gap'],
      [row('before', calm), row('while closing', busy)],
    );
    await made.drop();
  },
});

/** One line for everybody with an entry, as `updateBoard` would store it. */
async function givePrizes({ pool }: Database, { id }: BuiltBoard): Promise<void> {
  const prizes = {
    ...{ ties: 'rank', tieLimit: null, minimumEntries: 0, expiresDays: null },
    lines: [
      {
        name: 'all',
        title: 'Coins',
        grant: { coins: 10 },
        firstRank: null,
        lastRank: null,
        percent: null,
        reached: null,
      },
    ],
  };
  const rules = [
    { view: SEASON.name, settleMinutes: 0, reviewTop: null, reviewHours: 72, places: 10, prizes },
  ];
  await pool.query('update boards set closing_rules = $2 where id = $1', [uuidOf(id), JSON.stringify(rules)]);
  await pool.query('select declare_closings($1, now()), declare_prizes($1, now())', [uuidOf(id)]);
}
