import { readFileSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { idOf } from '../../src/base/ids.js';
import { makeLog } from '../../src/base/log.js';
import { Changes } from '../../src/db/changes.js';
import { migrate } from '../../src/db/migrate.js';
import { PlayerTagWorker } from '../../src/scores/upkeep/player-tags.js';
import { Ratios } from '../../src/scores/upkeep/ratios.js';
import { Rebuilds } from '../../src/scores/upkeep/rebuilds.js';
import { ViewUpkeep } from '../../src/scores/upkeep/views.js';
import { emptyDatabase, MIGRATIONS, type TestDatabase } from '../support/database.js';
import type { RatioRules } from '../support/ratio.js';
import { expectExactRatioViews } from '../support/ratio-views.js';
import { expectSound } from '../support/standings.js';
import { expectExactViews } from '../support/views.js';

// The fixture was made by the version of 26 November 2026; test/fixtures/2026-11-26/README.md says how. Names of its boards say
// how far their builds are.

const FIXTURE = path.resolve(__dirname, '../fixtures/2026-11-26/installation.sql.gz');
const NOW = Date.parse('2026-03-01T12:00:00Z');
const RATIO: RatioRules = {
  ...{ swapped: false, zero: 'infinity' as const, minNumerator: 0, minDenominator: 0 },
  ...{ scale: 1, display: 'raw' as const, decimals: 2 },
};

let old: TestDatabase;
beforeEach(async () => {
  old = await emptyDatabase();
  const { knex } = old.open();
  await knex.raw(`${gunzipSync(readFileSync(FIXTURE)).toString()}; set search_path = public;`);
});
afterEach(() => old.drop());

test('builds under way are taken over, rankings are what their events say, and no entry is rewritten', async () => {
  const db = old.open();
  const { knex } = db;
  const boards = (await knex('boards').orderBy('name')).map(({ id, name, sort_direction }) => {
    const [kind, ...phase] = name.split(' ');
    return { board: idOf('board', id), kind, phase: phase.join(' '), direction: sort_direction };
  });
  expect(new Set(boards.map(({ phase }) => phase)).size).toBe(9);
  const places = async () =>
    (
      await knex.raw(
        'select max(ctid::text) as last, count(*) as n, max(xmin::text::bigint) as newest from entries',
      )
    ).rows;
  const before = await places();
  await migrate(knex, old.connectionString, MIGRATIONS);
  expect(await places()).toEqual(before);

  const work = [db, () => NOW, makeLog('fatal')] as const;
  const nothing = () => undefined;
  const rebuilds = new Rebuilds(...work, nothing);
  const views = new ViewUpkeep(...work, nothing);
  const ratios = new Ratios(...work, new Changes(), nothing);
  await new PlayerTagWorker(...work, nothing).followDue();
  for (let rounds = 1, left = 1; left > 0; rounds += 1) {
    expect(rounds).toBeLessThan(50);
    await Promise.all([rebuilds.work(), views.work()]);
    const unbuilt = await knex('board_views').whereNot('status', 'live');
    left =
      unbuilt.length +
      (await knex('board_rankings').whereNotNull('build')).length +
      (await ratios.followAll());
  }

  for (const { board, kind, phase, direction } of boards) {
    const turned = !phase.startsWith('view') && phase !== 'none' && !/^(nume|denomi)/.test(kind!);
    const row = await knex('board_rankings').where('board_id', board.replace('brd_', '')).first();
    expect([kind, phase, row.sort_direction, direction]).toEqual([
      kind,
      phase,
      ...(turned ? ['asc', 'asc'] : ['desc', 'desc']),
    ]);
    await expectSound(db, board);
    if (kind !== 'ratio') expect(await expectExactViews(db, board)).toBeGreaterThan(0);
    else {
      const source = (of: string) =>
        boards.find((one) => one.kind === of && one.phase === phase)?.board as string;
      const [left, right] = [source('numerator'), source('denominator')];
      expect(await expectExactRatioViews(db, board, left, right, direction, RATIO)).toBeGreaterThan(0);
    }
  }
  await Promise.all([rebuilds.close(), views.close(), ratios.close()]);
}, 300_000);
