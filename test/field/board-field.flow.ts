import { readFileSync } from 'node:fs';
import path from 'node:path';
import { buildSchema, type GraphQLObjectType } from 'graphql';
import { startApp, type TestApp } from '../support/app.js';
import { launchBrowser } from '../support/browser.js';
import { consoleWindow } from '../support/console.js';
import { Recorder } from '../support/hooks/recorder.js';
import type { Data } from '../support/http.js';
import { makeGame, makeStudio, type Studio } from '../support/make.js';
import { Terminal } from '../support/terminal.js';
import { until } from '../support/wait.js';

// The field of board-field.patch at every door of the service. Runs in the copy that `npm run prove:field` makes; elsewhere
// boards don't have the field.

const FIELD = 'mascot';

const recorder = new Recorder();
let app: TestApp;
let studio: Studio;
let game: Data;
beforeAll(async () => {
  app = await startApp({}, { hooks: recorder.hooks });
  studio = await makeStudio(app);
  game = await makeGame(studio);
});
afterAll(() => app.close());

function printed(file: string): string {
  return readFileSync(path.resolve(__dirname, '../..', file), 'utf8');
}

/** A new board, by REST. */
async function made(mascot: string | null): Promise<Data> {
  const own = { account_id: studio.accountId, game_id: game.id, name: `With ${mascot}` };
  return studio.admin.got(studio.admin.post('/v1/boards', { ...own, mascot }));
}

/** The stored value, by GraphQL. */
async function stored(id: string): Promise<string | null> {
  const { board } = await studio.admin.data('query ($id: ID!) { board(by: { id: $id }) { mascot } }', { id });
  return board.mascot;
}

test('REST and GraphQL write and read it; null clears it, absence leaves it, and its rule holds', async () => {
  const { id, mascot } = await made('  otter ');
  expect([mascot, await stored(id)]).toEqual(['otter', 'otter']);
  const update = (input: Data) =>
    studio.admin.data(
      'mutation ($input: UpdateBoardInput!) { updateBoard(input: $input) { board { mascot } } }',
      { input: { id, ...input } },
    );
  expect((await update({ description: 'Changed' })).updateBoard.board).toEqual({ mascot: 'otter' });
  expect((await update({ mascot: null })).updateBoard.board).toEqual({ mascot: null });
  const refused = await studio.admin.patch(`/v1/boards/${id}`, { mascot: 'o'.repeat(33) });
  expect(refused).toMatchObject({ status: 422, body: { details: [{ loc: ['body', FIELD] }] } });
  expect(await stored(id)).toBeNull();
});

test('the contract has it in both interfaces, in the types of hooks and in the configuration file', () => {
  const { components } = JSON.parse(printed('schema/openapi.json'));
  const schemas = Object.entries(components.schemas as Record<string, Data>);
  const named = schemas.filter(([, { properties }]) => properties?.[FIELD]).map(([name]) => name);
  expect(named).toEqual(expect.arrayContaining(['Board', 'BoardTemplate']));
  const types = buildSchema(printed('schema/schema.graphql')).getTypeMap() as Record<
    string,
    GraphQLObjectType
  >;
  for (const type of ['Board', 'CreateBoardInput', 'UpdateBoardInput', 'BoardTemplate']) {
    expect(Object.keys(types[type]!.getFields())).toContain(FIELD);
  }
  expect(printed('src/hooks/printed.ts')).toMatch(new RegExp(`interface NewBoard {[^}]*\\b${FIELD}\\?:`));
  expect(printed('schema/leaderboards.schema.json').split(`"${FIELD}"`)).toHaveLength(3);
  expect(printed('clients/typescript/src/generated/rest.ts')).toContain(`${FIELD}?: string | null`);
});

test('hooks see it', async () => {
  recorder.calls = [];
  await made('heron');
  expect(recorder.take()[0]).toMatchObject({ hook: 'preCreateBoard', input: { mascot: 'heron' } });
});

test('the configuration file sets it, and the export has it', async () => {
  const key = studio.admin.headers['service-api-key']!;
  const terminal = new Terminal({ LEADERBOARD_API: app.url, LEADERBOARD_API_KEY: key });
  try {
    const file = 'games:\n  - name: By file\n    boards:\n      - name: Main\n        mascot: lynx\n';
    expect(await terminal.run(['apply', '-'], { input: file })).toMatchObject({ code: 0, stderr: '' });
    expect(await terminal.out('pull')).toMatch(/name: Main\n[^-]* mascot: lynx\n/);
    const plan = await terminal.run(['plan', '-'], { input: file.replace('lynx', 'crane') });
    expect(plan.stdout).toContain('mascot: lynx → crane');
  } finally {
    terminal.close();
  }
});

test('the audit log has its old and its new value', async () => {
  const { id } = await made('toad');
  await studio.admin.got(studio.admin.patch(`/v1/boards/${id}`, { mascot: 'newt' }));
  const { auditEntries } = await studio.admin.data(
    `query ($id: ID!) { auditEntries(filter: { subjectId: $id }, first: 1, orderBy: [{ field: CREATED_AT, direction: DESC },
      { field: ID, direction: DESC }]) { nodes { before after } } }`,
    { id },
  );
  expect(auditEntries.nodes).toEqual([{ before: { mascot: 'toad' }, after: { mascot: 'newt' } }]);
});

test('the form of the console changes it', async () => {
  const { id, short_code } = await made('stoat');
  const browser = await launchBrowser();
  try {
    const place = `/games/${game.slug}/boards/${short_code}/settings`;
    const { page, complaints } = await consoleWindow(browser, app.url, studio.admin, place);
    const input = page.getByLabel('Mascot');
    await input.waitFor();
    expect(await input.inputValue()).toBe('stoat');
    await input.fill('weasel');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await until(async () => (await stored(id)) === 'weasel');
    expect(complaints).toEqual([]);
  } finally {
    await browser.close();
  }
});
