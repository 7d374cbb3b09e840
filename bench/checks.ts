import 'reflect-metadata';
import { uuidOf } from '../src/base/ids.js';
import { readConfig } from '../src/config/table.js';
import { ScoreChecker } from '../src/fairplay/checks/score-checker.js';
import { numberOf, numbersOf } from './support/arguments.js';
import { type BuiltBoard, buildBoards } from './support/bulk-board.js';
import { log } from './support/log.js';
import { runBench } from './support/run.js';
import { median } from './support/statistics.js';
import { type Ingested, Submitters } from './support/submitters.js';
import { count, micros, say, sayTable, times } from './support/table.js';

/** First ranks that the third board keeps free of flagged runs. */
const HOLD_TOP = 10;

runBench({
  title: 'Durable submissions a second with the checks of fair play, against the same without.',
  duration: 'about a minute; with --all about 10',
  options: {
    entries: { fallback: '100k', all: '1m', doc: 'entries of the board' },
    players: { fallback: '50k', doc: 'who play now: each as seldom as the rate limit wants it' },
    batches: { fallback: '256', all: '1,16,256', doc: 'submissions in one transaction at most' },
    submitters: { fallback: '512', doc: 'submissions under way at a time' },
    seconds: { fallback: '1.5', all: '5', doc: 'length of a slice' },
    rounds: { fallback: '5', doc: 'slices of each kind' },
    cheat: { fallback: '100', doc: 'one submission in so many is flagged, on the boards with checks' },
  },
  async run(scratch, args) {
    const made = await scratch.create();
    const wanted = { boards: 3, entries: numberOf(args.entries), players: numberOf(args.players) };
    const built = await buildBoards(made, wanted);
    const database = made.open();
    // One for each kind, so that all are equally used.
    const [plain, checked, holding] = built.map((board) => [board]) as [
      BuiltBoard[],
      BuiltBoard[],
      BuiltBoard[],
    ];
    await database.pool.query('update games set anti_cheat_enabled = true');
    await database.pool.query('update boards set hold_top = $1 where id = $2', [
      HOLD_TOP,
      uuidOf(holding[0]!.id),
    ]);
    const [seconds, cheat] = [Number(args.seconds), numberOf(args.cheat)];
    for (const batch of numbersOf(args.batches)) {
      const judge = new ScoreChecker(database, Date.now, log, readConfig({}), () => undefined);
      const submitters = numberOf(args.submitters);
      const kinds = [
        { name: 'off', submitters: new Submitters(database, plain, submitters, batch) },
        { name: 'on', submitters: new Submitters(database, checked, submitters, batch, judge, cheat) },
        {
          name: `on, ${HOLD_TOP} ranks held`,
          submitters: new Submitters(database, holding, submitters, batch, judge, cheat),
        },
      ].map((kind) => ({ ...kind, results: [] as Ingested[] }));
      for (const kind of kinds) await kind.submitters.touch();
      for (const kind of kinds) await kind.submitters.warm();
      for (let round = 0; round < numberOf(args.rounds); round += 1) {
        for (const kind of kinds) kind.results.push(await kind.submitters.run(seconds, scratch.cpu));
      }
      for (const kind of kinds) await kind.submitters.close();
      const ratio = (k: number, of: (result: Ingested) => number) => {
        const above = kinds[k - 1]?.results;
        return above ? times(median(kinds[k]!.results.map((one, i) => of(one) / of(above[i]!)))) : '';
      };
      const cpu = ({ ownCpu, serverCpu = Number.NaN }: Ingested) => ownCpu + serverCpu;
      say(`Batches of at most ${count(batch)}, ratios to the row above:`);
      sayTable(
        ['checks', 'submissions/s', 'ratio', 'CPU here', 'CPU Postgres', 'ratio of both'],
        kinds.map(({ name, results }, k) => [
          name,
          count(median(results.map(({ perSecond }) => perSecond))),
          ratio(k, ({ perSecond }) => perSecond),
          micros(median(results.map(({ ownCpu }) => ownCpu))),
          micros(median(results.map(({ serverCpu }) => serverCpu ?? Number.NaN))),
          ratio(k, cpu),
        ]),
      );
    }
    const { rows } = await database.pool.query<{ flagged: number; held: number; all: number }>(
      `select count(*) filter (where disposition = 'flagged') as flagged,
        count(*) filter (where disposition = 'held') as held, count(*) as all from score_events where source = 'client' and seq > $1`,
      [wanted.entries],
    );
    say(
      `${count(rows[0]!.flagged)} of all ${count(rows[0]!.all)} submissions were flagged, ${count(rows[0]!.held)} held.`,
    );
  },
});
