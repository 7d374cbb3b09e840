import fc from 'fast-check';
import { startApp, type TestApp } from '../support/app.js';
import { boardRules } from '../support/board-rules.js';
import type { Data } from '../support/http.js';
import { ImportClient } from '../support/imports.js';
import { makeBoard, makeGame, makeStudio, type Studio } from '../support/make.js';
import { expectSound } from '../support/standings.js';

const RUNS = Number(process.env.PROPERTY_RUNS ?? 10);
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
