import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { readFile } from '../../clients/terminal/src/imports/read.js';
import { chunksOf } from '../../clients/terminal/src/imports/run.js';
import { uuidOf } from '../../src/base/ids.js';
import { makeLog } from '../../src/base/log.js';
import { Changes } from '../../src/db/changes.js';
import { Builds } from '../../src/rankings/upkeep/builds.js';
import { NameWorker } from '../../src/rankings/upkeep/names.js';
import { Ratios } from '../../src/rankings/upkeep/ratios.js';
import { startApp, type TestApp } from '../support/app.js';
import { boardRules } from '../support/board-rules.js';
import type { Data } from '../support/http.js';
import { ImportClient } from '../support/imports.js';
import { runsOf } from '../support/lane.js';
import { makeBoard, makeGame, makeStudio, type Studio, startSession } from '../support/make.js';
import { submit } from '../support/play.js';
import { expectSound } from '../support/standings.js';
import { until } from '../support/wait.js';
import type { BoardRules } from '../support/world.js';

const RUNS = runsOf(10, 1);
const PLAYERS = 5;

let app: TestApp;
let studio: Studio;
let game: Data;
let identities: string[];
const imports = new ImportClient(() => studio.admin);

beforeAll(async () => {
  app = await startApp();
  studio = await makeStudio(app);
  game = await makeGame(studio, { antiCheatEnabled: false });
  identities = [];
  for (let n = 0; n < PLAYERS; n += 1) {
    const player = { game_id: game.id, kind: 'custom', external_key: `p${n}`, display_name: `P${n}` };
    identities.push((await studio.admin.post('/v1/identities', player)).body.id);
  }
});
afterAll(() => app.close());

interface Line {
  player: number;
  amount: number;
  /** Days: few, so that times are equal; null: none is given. */
  day: number | null;
  isTest: boolean;
}

const line: fc.Arbitrary<Line> = fc.record({
  player: fc.nat(PLAYERS - 1),
  amount: fc.integer({ min: -3, max: 3 }),
  day: fc.option(fc.nat(4)),
  isTest: fc.boolean(),
});
const lines = fc.array(line, { maxLength: 12 });

const columns = 'external_key,player_name,value,occurred_at,is_test';
const textOf = (chunk: Line[]) =>
  [
    columns,
    ...chunk.map(
      ({ player, amount, day, isTest }) =>
        `p${player},P${player},${amount},${day === null ? '' : `2020-01-0${day + 1}T00:00:00Z`},${isTest}`,
    ),
  ].join('\n');

/** Submits one after the other: a batch of several does not say which comes first. */
async function submitAll(
  boardId: string,
  events: Pick<Line, 'player' | 'amount' | 'isTest'>[],
): Promise<void> {
  for (const { player, amount, isTest } of events) {
    const event = { board_id: boardId, identity_id: identities[player], value: amount, is_test: isTest };
    expect((await studio.admin.post('/v1/score-events', event)).status).toBe(201);
  }
}

async function ranked(boardId: string): Promise<string[]> {
  const { body } = await studio.admin.get(`/v1/boards/${boardId}/export?format=ndjson`);
  return String(body)
    .trim()
    .split('\n')
    .map((text) => JSON.parse(text))
    .filter(({ trailer }) => !trailer)
    .map(({ is_test, rank, external_key, value }) => `${is_test} ${rank} ${external_key} ${value}`);
}

test('after an import the standings are those of the same events submitted one by one in the order of time', async () => {
  await fc.assert(
    fc.asyncProperty(
      boardRules,
      fc.array(lines, { minLength: 1, maxLength: 3 }),
      lines,
      async (rules, chunks, live) => {
        const input = {
          boardType: rules.boardType.toUpperCase(),
          keepStrategy: rules.keepStrategy.toUpperCase(),
          sortDirection: rules.sortDirection.toUpperCase(),
        };
        const [imported, played] = [
          await makeBoard(studio, game.id, input),
          await makeBoard(studio, game.id, input),
        ];
        const id = await imports.begin(imported.id);
        // In any order: their numbers say which comes first.
        for (const number of [...chunks.keys()].reverse()) {
          expect((await imports.send(id, number, textOf(chunks[number]!))).status).toBe(200);
        }
        const before = await imports.finish(id);
        const lines = chunks.flat().length;
        expect(before).toMatchObject({
          written: lines,
          lines,
          rows: lines,
          replaced: 0,
          skipped: 0,
          refused: 0,
        });
        await submitAll(imported.id, live);

        const byTime = chunks.flat().map((one, n) => ({ ...one, n, time: one.day ?? 9 }));
        byTime.sort((a, b) => a.time - b.time || a.n - b.n);
        await submitAll(played.id, [...byTime, ...live]);
        expect(await ranked(imported.id)).toEqual(await ranked(played.id));
        await expectSound(app.database, imported.id);
      },
    ),
    { numRuns: RUNS },
  );
});

/** Every ranking of a board with such a name, in both populations, as its entries have it: by view, period and group. */
async function shown(boardId: string, names = /^/): Promise<Record<string, string[]>> {
  const { rows } = await app.database.knex.raw<{ rows: Data[] }>(
    `select v.name, p.key, r.group_key, e.is_test, i.kind, i.external_key, e.player_name, e.value, e.value_display, e.metadata
    from rankings r
    left join board_views v on v.board_id = r.board_id and v.view_no = r.view_no
    left join view_periods p on p.board_id = r.board_id and p.view_no = r.view_no and p.number = r.period_number
    join entries e on e.board_id = r.board_id and e.generation = r.generation and e.ranked
    join identities i on i.id = e.identity_id
    where r.board_id = ? order by v.name nulls first, p.key, r.group_key, e.is_test, e.rank_key, e.seq`,
    [uuidOf(boardId)],
  );
  const rankings: Record<string, string[]> = {};
  for (const { name, key, group_key: group, is_test: isTest, ...entry } of rows) {
    const ranking = [name ?? 'own', key, group, isTest ? 'test' : 'production'].join(' ');
    if (names.test(ranking))
      rankings[ranking] = [...(rankings[ranking] ?? []), JSON.stringify(Object.values(entry))];
  }
  return rankings;
}

/** A run that the service takes live from a device, or from a game server. */
interface Run extends Line {
  name: string | undefined;
  country: string | undefined;
  class: string | undefined;
  mode: string | undefined;
}
type Step =
  | { kind: 'live'; run: Run }
  | { kind: 'device'; run: Run }
  | { kind: 'import'; runs: Run[] }
  | { kind: 'guild'; player: number; guild: string | null }
  | { kind: 'rename'; player: number; name: string; allRuns: boolean; locked: boolean }
  | { kind: 'ban'; player: number };

/** The last two players have devices. */
const DEVICES = ['PC: Steam', 'iOS'];
const CLASSES = ['mage', 'rogue'];
const name = fc.constantFrom('Ann', 'Bob', 'Zoë');
const player = fc.nat(PLAYERS - 1);
const maybe = (...values: string[]) => fc.option(fc.constantFrom(...values), { nil: undefined });
const run: fc.Arbitrary<Run> = fc
  .tuple(
    line,
    fc.record({
      name: fc.option(name, { nil: undefined }),
      country: maybe('DE', 'JP'),
      class: maybe(...CLASSES),
      mode: maybe('=hard', 'Äsy "1"'),
    }),
  )
  .map(([of, more]) => ({ ...of, ...more }));
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('live' as const), run }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('device' as const), run }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('import' as const), runs: fc.array(run, { maxLength: 8 }) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('guild' as const),
      player,
      guild: fc.constantFrom('Ravens', 'Foxes', null),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('rename' as const),
      player,
      name,
      allRuns: fc.boolean(),
      locked: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('ban' as const), player }) },
);

/** How a board is copied. */
const WAYS = [
  ...(['csv', 'ndjson', 'spreadsheet', 'gzip', 'from', 'csv chunk', 'ndjson chunk'] as const),
  // The board's own ranking alone.
  ...(['standings csv', 'standings ndjson'] as const),
] as const;
type Way = (typeof WAYS)[number];

const BEST: BoardRules = {
  boardType: 'run_identity',
  keepStrategy: 'best',
  sortDirection: 'desc',
  tiePolicy: 'earliest',
};
const SET: Run = {
  ...{ player: 0, amount: 3, day: null, isTest: false, name: 'Ann' },
  ...{ country: 'DE', class: 'mage', mode: '=hard' },
};
/** Of equal values the one that the source had first stands first, though it was reached later. Every kind of tag. */
const LATE_IMPORT: Step[] = [
  { kind: 'guild', player: 0, guild: 'Ravens' },
  { kind: 'live', run: SET },
  { kind: 'device', run: { ...SET, player: 4, name: 'Bob' } },
  { kind: 'import', runs: [{ ...SET, player: 1, day: 0, name: undefined }] },
  { kind: 'rename', player: 0, name: 'Zoë', allRuns: false, locked: true },
  { kind: 'ban', player: 2 },
];

/** A device that a game server submitted for, without a name. */
const NAMELESS: Step[] = [{ kind: 'live', run: { ...SET, player: 3, name: undefined } }];

const NAMELESS_COPIES = (['from', 'csv chunk', 'standings csv'] as const).map(
  (way): [BoardRules, Step[], Way] => [BEST, NAMELESS, way],
);

/** Boards that keep every run have four views at most. */
const VIEWS = [
  { name: 'guild', by: ['guild'] },
  { name: 'platform', by: ['platform'] },
  { name: 'country', by: ['country'] },
  { name: 'daily', period: 'DAY', by: ['class', 'mode'], keepPeriods: 366 },
  { name: 'class', by: ['class', 'country'] },
  { name: 'weekly', period: 'WEEK', by: ['platform'] },
  { name: 'monthly', period: 'MONTH' },
];
const inputOf = (rules: BoardRules) => {
  const tiePolicy = rules.tiePolicy?.toUpperCase();
  const views = rules.boardType === 'run_runs' ? VIEWS.slice(0, 4) : VIEWS;
  return {
    boardType: rules.boardType.toUpperCase(),
    keepStrategy: rules.keepStrategy.toUpperCase(),
    sortDirection: rules.sortDirection.toUpperCase(),
    tiePolicy,
    dimensions: [
      { name: 'class', values: CLASSES, setBy: 'SERVER' },
      { name: 'mode' },
      { name: 'guild', source: 'PLAYER' },
    ],
    views: views.map((view) => ({ ...view, tiePolicy })),
  };
};

test('a board copied by its events has every ranking of its source, by its standings the board’s own, with present names', async () => {
  await fc.assert(
    fc.asyncProperty(
      boardRules,
      fc.array(step, { minLength: 1, maxLength: 15 }),
      fc.constantFrom(...WAYS),
      async (rules, steps, way) => {
        const [from, to] = [
          await makeGame(studio, { antiCheatEnabled: false }),
          await makeGame(studio, { antiCheatEnabled: false }),
        ];
        const source = await makeBoard(studio, from.id, inputOf(rules));
        const copy = await makeBoard(studio, to.id, inputOf(rules));
        const ids: string[] = [];
        for (let n = 0; n < PLAYERS - DEVICES.length; n += 1) {
          const one = { game_id: from.id, kind: 'custom', external_key: `p${n}`, display_name: `P${n}` };
          ids.push((await studio.admin.post('/v1/identities', one)).body.id);
        }
        for (const [n, platform] of DEVICES.entries()) {
          const input = { clientFingerprint: `device ${n}`, platform };
          ids.push((await startSession(app, from.id, input)).session.identityId);
        }
        for (const one of steps) await play(source, ids, one);
        await followNames(source.id);
        await copyEvents(source.id, copy.id, way);
        await followNames(copy.id);
        const own = way.startsWith('standings') ? /^own / : /^/;
        expect(await shown(copy.id, own)).toEqual(await shown(source.id, own));
        await expectSound(app.database, copy.id);
        await expectSound(app.database, source.id);
      },
    ),
    // A copy takes seconds.
    { numRuns: runsOf(6, 1), examples: [[BEST, LATE_IMPORT, 'csv'], ...NAMELESS_COPIES] },
  );
});

/** An event on one of the sources of a ratio board; `followed`: the ratio board has read it when the next one comes. */
interface Half {
  kind: 'event';
  won: boolean;
  player: number;
  amount: number;
  isTest: boolean;
  followed: boolean;
  class: string | undefined;
  country: string | undefined;
}
/** A review that takes away a run and, where `undone`, gives it back. */
type Happening = Half | { kind: 'review'; nth: number; undone: boolean };

const half: fc.Arbitrary<Half> = fc.record({
  kind: fc.constant('event' as const),
  won: fc.boolean(),
  player: fc.nat(PLAYERS - 1),
  amount: fc.integer({ min: 0, max: 2 }),
  isTest: fc.boolean(),
  followed: fc.boolean(),
  class: maybe(...CLASSES),
  country: maybe('DE', 'JP'),
});
const happening: fc.Arbitrary<Happening> = fc.oneof(
  { weight: 6, arbitrary: half },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('review' as const), nth: fc.nat(), undone: fc.boolean() }),
  },
);
const RATIO_VIEWS = [
  { name: 'class', by: ['class'] },
  { name: 'country', by: ['country'], tiePolicy: 'LATEST' },
  { name: 'daily', period: 'DAY' },
];

const won = (player: number, amount: number, followed = true): Half => ({
  ...{ kind: 'event', won: true, player, amount, isTest: false, followed, class: 'mage', country: 'DE' },
});
const lost = (player: number, amount: number, followed = true): Half => ({
  ...won(player, amount, followed),
  won: false,
});
/** Two players with the same ratio, the first one first. */
const EQUALS = [won(0, 1), lost(0, 2), won(1, 1), lost(1, 2)];
/** What happens to the source, and between the imports of both boards to source and copy; how the copy comes about. */
type Copied = [
  Happening[],
  Half[],
  { zero: string; wonFirst: boolean; ratioFirst: boolean; stepwise: boolean },
];
const HOW = { zero: 'ZERO', wonFirst: true, ratioFirst: true, stepwise: false };
const COPIES: Copied[] = [
  // Nothing over something is as much as something over nothing, which comes with the first of two imports.
  [[lost(0, 2), won(1, 1), lost(0, 1)], [], HOW],
  // Read in one round, the ratio is what it was; it was another in between.
  [[...EQUALS, won(0, 1, false), lost(0, 2)], [], { ...HOW, ratioFirst: false }],
  // The review takes the first player back to a ratio of before.
  [[...EQUALS, won(0, 2), { kind: 'review', nth: 4, undone: false }], [], HOW],
  [[...EQUALS, { kind: 'review', nth: 0, undone: true }], [], HOW],
  // More players than a step takes, the last of them first.
  [
    [...[4, 3, 2, 1, 0].flatMap((n) => [won(n, 1), lost(n, 2)])],
    [],
    { ...HOW, ratioFirst: false, stepwise: true },
  ],
  // The live run makes a ratio of an import that is only half there.
  [EQUALS, [lost(2, 2), won(2, 1)], HOW],
  [EQUALS, [won(2, 1), lost(2, 2)], { ...HOW, wonFirst: false }],
];

test('a ratio board whose sources are copied has every ranking of its source, equal ratios included', async () => {
  const log = makeLog('silent');
  const ratios = new Ratios(app.database, app.clock.now, log, new Changes(), () => undefined);
  const builds = new Builds(app.database, app.clock.now, log, () => undefined);
  const follow = () =>
    until(async () => {
      const followed = await ratios.followAll();
      const { rows } =
        await app.database.knex.raw(`select from boards b join board_rankings r on r.board_id = b.id
        where b.deleted_at is null and (r.build is not null or exists (
          select from board_views v where v.board_id = b.id and v.status = 'building'))`);
      return followed === 0 && rows.length === 0;
    });
  await fc.assert(
    fc.asyncProperty(
      fc.array(happening, { minLength: 1, maxLength: 14 }),
      fc.array(half, { maxLength: 3 }),
      fc.record({
        zero: fc.constantFrom('INFINITY', 'ZERO', 'NULL'),
        wonFirst: fc.boolean(),
        ratioFirst: fc.boolean(),
        stepwise: fc.boolean(),
      }),
      async (happenings, between, { zero, wonFirst, ratioFirst, stepwise }) => {
        const [from, to] = [await ratioGame(), await ratioGame()];
        const source = await ratioOf(from, zero);
        const events: Data[] = [];
        for (const one of happenings) {
          if (one.kind === 'review') {
            const event = events[one.nth % Math.max(1, events.length)];
            if (event) await review(event, one.undone);
            await follow();
          } else {
            app.clock.advance(60_000);
            events.push(await playHalf(from, one));
            if (one.followed) await follow();
          }
        }
        await follow();
        const before = ratioFirst ? await ratioOf(to, zero) : undefined;
        const [first, second] = wonFirst ? ([0, 1] as const) : ([1, 0] as const);
        const later = await exportedAs(from.boards[second].id, 'ndjson');
        await copyEvents(from.boards[first].id, to.boards[first].id, 'ndjson chunk');
        await follow();
        for (const one of between) {
          app.clock.advance(60_000);
          await playHalf(from, one);
          await playHalf(to, one);
          if (one.followed) await follow();
        }
        await copyEvents(from.boards[second].id, to.boards[second].id, 'ndjson chunk', later);
        await follow();
        const copy = before ?? (await ratioOf(to, zero));
        if (stepwise) {
          await buildAgain(copy.id);
          while (!['idle', 'busy'].includes(await builds.step(copy.id, 1)));
        }
        await follow();
        expect(await shown(copy.id)).toEqual(await shown(source.id));
        for (const { id } of [copy, source]) await expectSound(app.database, id);
      },
    ),
    { numRuns: runsOf(6, 1), examples: COPIES },
  );
  await ratios.close();
  await builds.close();
});

interface RatioGame {
  boards: readonly [Data, Data];
  ids: string[];
}

async function ratioGame(): Promise<RatioGame> {
  const game = await makeGame(studio, { antiCheatEnabled: false });
  const source = {
    ...{ boardType: 'COUNTER', views: RATIO_VIEWS },
    dimensions: [{ name: 'class', values: CLASSES }],
  };
  const boards = [
    await makeBoard(studio, game.id, source),
    await makeBoard(studio, game.id, source),
  ] as const;
  const ids: string[] = [];
  for (let n = 0; n < PLAYERS; n += 1) {
    const one = { game_id: game.id, kind: 'custom', external_key: `p${n}`, display_name: `P${n}` };
    ids.push((await studio.admin.post('/v1/identities', one)).body.id);
  }
  return { boards, ids };
}

const ratioOf = ({ boards: [won, lost] }: RatioGame, zeroDenominatorPolicy: string): Promise<Data> =>
  makeBoard(studio, won.gameId, {
    ...{ boardType: 'RATIO', views: RATIO_VIEWS },
    ratioConfig: { numeratorBoardId: won.id, denominatorBoardId: lost.id, zeroDenominatorPolicy },
  });

async function playHalf({ boards, ids }: RatioGame, one: Half): Promise<Data> {
  const { status, body } = await studio.admin.post('/v1/score-events', {
    ...{ board_id: boards[one.won ? 0 : 1].id, identity_id: ids[one.player] },
    ...{ value: one.amount, is_test: one.isTest, tags: tagsOf(one, 'class') },
    ...{ metadata: { won: one.won }, ...(one.country && { country: one.country }) },
  });
  expect(status).toBe(201);
  return body;
}

async function review(event: Data, undone: boolean): Promise<void> {
  const rest = studio.admin;
  const { body: flag } = await rest.post('/v1/score-flags', { score_event_id: event.id });
  for (const status of undone ? ['confirmed_cheat', 'dismissed'] : ['confirmed_cheat']) {
    expect((await rest.patch(`/v1/score-flags/${flag.id}`, { status })).status).toBe(200);
  }
}

/** As if its rules had changed and it were large: nothing is built at once. */
async function buildAgain(boardId: string): Promise<void> {
  await app.database.knex.transaction(async (trx) => {
    await trx('board_rankings')
      .where('board_id', uuidOf(boardId))
      .update({ ratio: trx.raw('ratio || \'{"decimals": 9}\'') });
    await trx.raw('select begin_build(?, ?)', [uuidOf(boardId), new Date(app.clock.now())]);
  });
}

/** Copies as the terminal does, or sends the export as it is. */
async function copyEvents(sourceId: string, copyId: string, way: Way, exported?: string): Promise<void> {
  const whole = way.replace('standings ', '');
  const what = whole === way ? 'events' : 'standings';
  const [kind, chunk] = whole.split(' ');
  const format = kind === 'csv' || kind === 'spreadsheet' ? kind : 'ndjson';
  const body = exported ?? (await exportedAs(sourceId, format, what));
  const id = await imports.begin(copyId);
  if (chunk) {
    expect((await imports.send(id, 0, body, { format })).body.bad).toEqual([]);
  } else {
    const bytes = kind === 'gzip' ? gzipSync(body) : Buffer.from(body);
    const options = { column: [], header: true, ...(kind === 'from' && { from: app.url }) };
    const file = await readFile(Readable.from([bytes]), `${what}.${format}`, options, () => undefined);
    let number = 0;
    for await (const content of chunksOf(file.rows)) {
      expect((await imports.send(id, number, content, { format: 'ndjson' })).body.bad).toEqual([]);
      number += 1;
    }
  }
  const { written, lines } = await imports.finish(id);
  expect(body.trim().split('\n').length).toBe(lines + (format === 'ndjson' ? 1 : 2));
  expect(written).toBeLessThanOrEqual(lines);
}

async function exportedAs(boardId: string, format: string, what = 'events'): Promise<string> {
  return String((await studio.admin.get(`/v1/boards/${boardId}/export?format=${format}&what=${what}`)).body);
}

/** Renames by runs reach boards in the background. */
async function followNames(boardId: string): Promise<void> {
  const names = new NameWorker(app.database, app.clock.now, makeLog('silent'), () => undefined);
  app.clock.advance(8_000);
  await names.followDue();
  await until(async () => {
    const { rows } = await app.database.knex.raw(
      `select from states s join renames_due d on d.identity_id = s.identity_id and d.followed < d.ticket where s.board_id = ?`,
      [uuidOf(boardId)],
    );
    return rows.length === 0;
  });
}

const runColumns = `${columns},country,platform,tags`;
const runText = (runs: Run[]) =>
  [
    runColumns,
    ...runs.map((one) => {
      // Not so old that views drop its period.
      const cells = textOf([one]).split('\n')[1]!.replace('2020-01-0', '2029-12-2');
      const platform = DEVICES[one.amount] ?? '';
      const tags = JSON.stringify({ ...tagsOf(one, 'class'), ...tagsOf(one, 'mode') });
      return `${cells},${one.country ?? ''},${platform},"${tags.replaceAll('"', '""')}"`;
    }),
  ].join('\n');
const tagsOf = (one: Partial<Run>, tag: 'class' | 'mode') =>
  one[tag] === undefined ? {} : { [tag]: one[tag] };

async function play(board: Data, ids: string[], one: Step): Promise<void> {
  const rest = studio.admin;
  app.clock.advance(60_000);
  if (one.kind === 'live') {
    const { player: n, amount, isTest, name, country } = one.run;
    const event = { board_id: board.id, identity_id: ids[n], value: amount, is_test: isTest };
    const { status } = await studio.admin.post('/v1/score-events', {
      ...{ ...event, tags: { ...tagsOf(one.run, 'class'), ...tagsOf(one.run, 'mode') } },
      ...(name && { player_name: name }),
      ...(country && { country }),
    });
    expect([201, 404]).toContain(status);
  } else if (one.kind === 'device') {
    const n = one.run.player % DEVICES.length;
    const input = { clientFingerprint: `device ${n}`, platform: 'another', testMode: one.run.isTest };
    const identity = await studio.admin.get(`/v1/identities/${ids[PLAYERS - DEVICES.length + n]}`);
    if (identity.status === 404 || identity.body.deleted_at) return;
    const more = { playerName: one.run.name ?? 'Device', tags: tagsOf(one.run, 'mode') };
    await submit(await startSession(app, board.gameId, input), board.id, one.run.amount, more);
  } else if (one.kind === 'import') {
    await imports.bringIn(board.id, [runText(one.runs)]);
  } else if (one.kind === 'guild') {
    const { status } = await rest.patch(`/v1/identities/${ids[one.player]}/tags`, {
      tags: { guild: one.guild },
    });
    expect([200, 404]).toContain(status);
  } else if (one.kind === 'rename') {
    const change = { display_name: one.name, all_runs: one.allRuns, name_locked: one.locked };
    await rest.patch(`/v1/identities/${ids[one.player]}`, change);
  } else await rest.patch(`/v1/identities/${ids[one.player]}`, { deleted: true });
}
