import 'reflect-metadata';
import { ownAddress, type RankingAddress } from '../src/rankings/address.js';
import { scoresOfIdentities } from '../src/rankings/own-score.js';
import { WindowReads } from '../src/rankings/pages.js';
import { Builds } from '../src/rankings/upkeep/builds.js';
import { windowAfter, windowAroundScore, windowFromRank } from '../src/rankings/window.js';
import { alternate, type Operation } from './support/alternate.js';
import { numberOf } from './support/arguments.js';
import { buildBoards } from './support/bulk-board.js';
import { entriesOf, pick } from './support/keys.js';
import { log } from './support/log.js';
import { runBench } from './support/run.js';
import { micros, say, sayTable, sayUpkeep, size, times } from './support/table.js';
import { declareView, VIEWS } from './support/views.js';

const PLAYERS = 20_000;
const ASKING = 5_000;
const LIMIT = 20;
const ROUNDS = { rounds: 20, sliceMillis: 200 };
/** Its current period has every event of the board. */
const VIEW = VIEWS.find(({ name }) => name === 'quarter')!;
const PERIOD = 2;

runBench({
  title:
    `Reads of a view's ranking against the same reads of the board's own, which has the same entries, on ` +
    `one connection: ${LIMIT} entries a page.`,
  duration: 'about 2 minutes; with --all ten',
  options: { entries: { fallback: '100k', all: '1m', doc: 'entries of both rankings' } },
  async run(scratch, args) {
    const entries = numberOf(args.entries);
    const made = await scratch.create();
    const [board] = await buildBoards(made, { boards: 1, entries, players: PLAYERS });
    const database = made.open();
    await declareView(database, board!.id, VIEW);
    const builds = new Builds(database, Date.now, log, () => undefined);
    await builds.work();
    await builds.close();
    await database.knex.raw('vacuum analyze entries');
    const asking = pick(board!.players, ASKING);
    // Without the last ones, which have no full page after them.
    const placed = (await entriesOf(database.pool, board!, asking))
      .toSorted(({ key: a }, { key: b }) => a.rankKey - b.rankKey || a.seq - b.seq)
      .slice(0, -LIMIT);
    const client = await database.pool.connect();
    const windows = new WindowReads(client);
    const ranking = { boardId: board!.id, viewNo: 1, period: PERIOD, group: '' };
    const rankAt = (i: number) => 1 + ((i * 7_919) % (entries - LIMIT));
    /** @throws Error if entries are missing, which would make the comparison unfair */
    const page = (
      name: string,
      read: (i: number) => Promise<{ scores: unknown[] } | undefined>,
    ): Operation => ({
      name,
      run: async (i) => {
        const window = await read(i);
        if (window?.scores.length !== LIMIT) throw new Error(`${name}: ${window?.scores.length} entries`);
      },
    });
    const reads = (place: RankingAddress): Operation[] => [
      page('first page', () => windowAfter(windows, place, false, undefined, LIMIT, 'withoutOrigin')),
      page('page after a cursor', (i) =>
        windowAfter(windows, place, false, placed[(i * 7_919) % placed.length]!.key, LIMIT, 'withoutOrigin'),
      ),
      page('page from a rank', (i) =>
        windowFromRank(windows, place, false, rankAt(i), LIMIT, 'withoutOrigin'),
      ),
      page('around a score', (i) =>
        windowAroundScore(
          windows,
          place,
          false,
          placed[(i * 7_919) % placed.length]!.id,
          LIMIT,
          'withoutOrigin',
        ),
      ),
      {
        name: 'own score and rank',
        run: async (i) => {
          const { identityId } = asking[i % asking.length]!;
          const [served] = await scoresOfIdentities(client, [{ ranking: place, isTest: false, identityId }]);
          if (!served?.own) throw new Error(`${identityId} has no entry`);
        },
      },
    ];
    const rows: string[][] = [];
    const ofView = reads(ranking);
    for (const [k, ofBoard] of reads(ownAddress(board!.id)).entries()) {
      const [one, other] = await alternate(ofBoard, [ofView[k]!], ROUNDS);
      rows.push([
        one!.name,
        micros(one!.median),
        micros(other!.median),
        micros(other!.p99),
        times(other!.ratio),
      ]);
    }
    client.release();
    say(`${size(entries)} entries in both rankings`);
    sayTable(['', "board's own", 'view', 'p99', 'ratio'], rows);
    const worst = rows.toSorted((a, b) => Number.parseFloat(b[4]!) - Number.parseFloat(a[4]!))[0]!;
    sayUpkeep([
      [
        `reads of a view of ${size(entries)} entries`,
        `at most ${worst[4]} of the board's own`,
        `${worst[0]}: ${worst[2]}`,
      ],
    ]);
    await made.drop();
  },
});
