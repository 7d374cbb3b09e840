import 'reflect-metadata';
import { setTimeout as delay } from 'node:timers/promises';
import { uuidOf } from '../src/base/ids.js';
import { closeLeague } from '../src/closings/leagues/close.js';
import type { Database } from '../src/db/pool.js';
import { numberOf } from './support/arguments.js';
import { buildBoards } from './support/bulk-board.js';
import { bulkSession } from './support/bulk-session.js';
import { fillLeague, wrongOutcomes } from './support/league.js';
import { type Pace, paceUntil } from './support/pace.js';
import { runBench } from './support/run.js';
import { median, quantile } from './support/statistics.js';
import { Submitters } from './support/submitters.js';
import { count, millis, say, sayTable, times } from './support/table.js';

const PLAYERS = 5_000;
const CALM_SECONDS = 5;
/** Cohorts whose outcomes are compared with a plain model. */
const COMPARED = 2_000;

runBench({
  title: 'The week of a league closes, cohort by cohort, while players submit to the same board.',
  duration: 'about 3 minutes',
  options: {
    entries: { fallback: '300k', all: '1m', doc: 'players with a seat' },
    size: { fallback: '30', doc: 'of a cohort' },
    submitters: { fallback: '16', doc: 'submissions under way' },
    rest: { fallback: '1', doc: 'pause after a range, in times of its length' },
  },
  async run(scratch, args) {
    const entries = numberOf(args.entries);
    const made = await scratch.create();
    const [board] = await buildBoards(made, { boards: 1, entries, players: PLAYERS });
    const admin = await bulkSession(made);
    const boardId = uuidOf(board!.id);
    const period = await fillLeague(admin, boardId, numberOf(args.size));
    const database = made.open();
    const play = new Submitters(database, [board!], numberOf(args.submitters));
    await play.warm();
    await play.touch();
    const calm = await paceUntil(play, delay(CALM_SECONDS * 1_000));
    const memory = process.memoryUsage.rss();
    const ranges: { cohorts: number; ms: number }[] = [];
    const signal = new AbortController().signal;
    const closed = (cohorts: number, ms: number) => ranges.push({ cohorts, ms });
    const call = { now: new Date(), signal, rest: Number(args.rest), closed };
    const busy = await paceUntil(play, closeLeague(database.knex, period, call));
    const grown = (process.memoryUsage.rss() - memory) / 2 ** 20;
    await play.close();
    const again = await closeLeague(database.knex, period, { ...call, closed: () => undefined });
    const wrong = await wrongOutcomes(admin, period, numberOf(args.size), COMPARED);
    await sayClosed(database, boardId, ranges, busy, grown);
    say(`A second close: ${again} cohorts. ${count(COMPARED)} cohorts compared: ${wrong} outcomes wrong.`);
    sayPace(calm, busy);
    await admin.end();
    await made.drop();
  },
});

async function sayClosed(
  { pool }: Database,
  boardId: string,
  ranges: { cohorts: number; ms: number }[],
  busy: Pace,
  grown: number,
): Promise<void> {
  const { rows } = await pool.query<{ n: string }>(
    'select count(*) as n from league_outcomes where board_id = $1',
    [boardId],
  );
  const cohorts = ranges.reduce((sum, range) => sum + range.cohorts, 0);
  const spans = ranges.map(({ ms }) => ms);
  say(
    `${count(Number(rows[0]!.n))} players in ${count(cohorts)} cohorts closed in ${busy.seconds.toFixed(1)} s by ` +
      `${ranges.length} ranges: median ${millis(median(spans))}, longest ${millis(Math.max(...spans))}; ` +
      `${Math.round(grown)} MiB more memory.`,
  );
}

function sayPace(calm: Pace, busy: Pace): void {
  const row = (name: string, { perSecond, longestGapMs }: Pace) => [
    ...[name, count(median(perSecond)), times(median(perSecond) / median(calm.perSecond))],
    ...[count(quantile(perSecond, 0.05)), millis(longestGapMs)],
  ];
  sayTable(
    ['submissions/s', 'median', 'ratio', 'worst 5 %', 'longest gap'],
    [row('before', calm), row('while closing', busy)],
  );
}
