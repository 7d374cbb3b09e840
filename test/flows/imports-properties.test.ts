import fc from 'fast-check';
import { uuidOf } from '../../src/base/ids.js';
import { makeLog } from '../../src/base/log.js';
import { NameWorker } from '../../src/scores/upkeep/names.js';
import { startApp, type TestApp } from '../support/app.js';
import { boardRules } from '../support/board-rules.js';
import type { Data } from '../support/http.js';
import { ImportClient } from '../support/imports.js';
import { makeBoard, makeGame, makeStudio, type Studio } from '../support/make.js';
import { restOf } from '../support/rest.js';
import { runsOf } from '../support/runs.js';
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

/** Everything that a board shows in its rankings: its own in both populations, and its weeks. */
async function shown(boardId: string): Promise<unknown> {
  const own = await exported(boardId, 'what=standings');
  const read = `query ($id: ID!) { board(id: $id) { periods(view: "daily", first: 50) { nodes { key } } } }`;
  const { board } = await studio.admin.data(read, { id: boardId });
  const days = board.periods.nodes.map(({ key }: Data) => key);
  const views = [];
  for (const key of days) views.push([key, await exported(boardId, `what=standings&view=daily&of=${key}`)]);
  return { own, views: views.filter(([, lines]) => (lines as string[]).length > 0) };
}

async function exported(boardId: string, query: string): Promise<string[]> {
  const { body } = await studio.admin.get(`/v1/boards/${boardId}/export?format=ndjson&${query}`);
  return String(body)
    .trim()
    .split('\n')
    .map((text) => JSON.parse(text))
    .filter(({ trailer }) => !trailer)
    .map((row: Data) => [row.is_test, row.rank, row.external_key, row.player_name, row.value].join(' '));
}

type Step =
  | { kind: 'live'; line: Line; name: string | undefined }
  | { kind: 'import'; lines: Line[] }
  | { kind: 'rename'; player: number; name: string; allRuns: boolean; locked: boolean }
  | { kind: 'ban'; player: number };

const name = fc.constantFrom('Ann', 'Bob', 'Zoë');
const player = fc.nat(PLAYERS - 1);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('live' as const),
      line,
      name: fc.option(name, { nil: undefined }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('import' as const), lines }) },
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

const BEST: BoardRules = {
  boardType: 'run_identity',
  keepStrategy: 'best',
  sortDirection: 'desc',
  tiePolicy: 'earliest',
};
/** Of equal values the one that the source had first stands first, though it was reached later. */
const LATE_IMPORT: Step[] = [
  { kind: 'live', line: { player: 0, amount: 3, day: null, isTest: false }, name: 'Ann' },
  { kind: 'import', lines: [{ player: 1, amount: 3, day: 0, isTest: false }] },
  { kind: 'rename', player: 0, name: 'Zoë', allRuns: false, locked: true },
  { kind: 'ban', player: 2 },
];

test('a board that is copied by its events has the rankings of its source, with the present names', async () => {
  await fc.assert(
    fc.asyncProperty(boardRules, fc.array(step, { minLength: 1, maxLength: 15 }), async (rules, steps) => {
      const input = {
        boardType: rules.boardType.toUpperCase(),
        keepStrategy: rules.keepStrategy.toUpperCase(),
        sortDirection: rules.sortDirection.toUpperCase(),
        tiePolicy: rules.tiePolicy?.toUpperCase(),
        views: [{ name: 'daily', period: 'DAY' }],
      };
      const [from, to] = [
        await makeGame(studio, { antiCheatEnabled: false }),
        await makeGame(studio, { antiCheatEnabled: false }),
      ];
      const [source, copy] = [await makeBoard(studio, from.id, input), await makeBoard(studio, to.id, input)];
      const ids: string[] = [];
      for (let n = 0; n < PLAYERS; n += 1) {
        const one = { game_id: from.id, kind: 'custom', external_key: `p${n}`, display_name: `P${n}` };
        ids.push((await studio.admin.post('/v1/identities', one)).body.id);
      }
      for (const one of steps) await play(source.id, ids, one);
      // Renames by runs reach the board in the background.
      const names = new NameWorker(app.database, app.clock.now, makeLog('silent'), () => undefined);
      app.clock.advance(8_000);
      await names.followDue();
      await until(async () => (await expectNames(source.id)) === true);
      const { body } = await studio.admin.get(`/v1/boards/${source.id}/export?format=ndjson&what=events`);
      const id = await imports.begin(copy.id);
      expect((await imports.send(id, 0, String(body), { format: 'ndjson' })).status).toBe(200);
      await imports.finish(id);
      app.clock.advance(8_000);
      await names.followDue();
      await until(async () => (await expectNames(copy.id)) === true);
      expect(await shown(copy.id)).toEqual(await shown(source.id));
      await expectSound(app.database, copy.id);
      await expectSound(app.database, source.id);
    }),
    // A copy takes seconds.
    { numRuns: Math.ceil(RUNS / 5), examples: [[BEST, LATE_IMPORT]], endOnFailure: true },
  );
});

/** True when no rename of a player of the board is under way. */
async function expectNames(boardId: string): Promise<boolean> {
  const { rows } = await app.database.knex.raw(
    `select from states s join renames_due d on d.identity_id = s.identity_id and d.followed < d.ticket where s.board_id = ?`,
    [uuidOf(boardId)],
  );
  return rows.length === 0;
}

async function play(boardId: string, ids: string[], one: Step): Promise<void> {
  const rest = (await restOf(app)).with(studio.admin.headers);
  app.clock.advance(60_000);
  if (one.kind === 'live') {
    const { player: n, amount, isTest } = one.line;
    const event = { board_id: boardId, identity_id: ids[n], value: amount, is_test: isTest };
    const { status } = await studio.admin.post('/v1/score-events', {
      ...event,
      ...(one.name && { player_name: one.name }),
    });
    expect([201, 404]).toContain(status);
  } else if (one.kind === 'import') {
    await imports.bringIn(boardId, [textOf(one.lines)]);
  } else if (one.kind === 'rename') {
    const change = { display_name: one.name, all_runs: one.allRuns, name_locked: one.locked };
    await rest.patch(`/v1/identities/${ids[one.player]}`, change);
  } else await rest.patch(`/v1/identities/${ids[one.player]}`, { deleted: true });
}
