import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { Browser } from 'playwright-core';
import { startApp } from '../support/app.js';
import { launchBrowser, watchedPage } from '../support/browser.js';
import { objections } from '../support/console.js';
import { Caller, type Data, send } from '../support/http.js';
import { DataDir, Program } from '../support/process.js';
import { patience, until } from '../support/wait.js';

// The demo as it is started, in a process of its own: it plants a whole studio, which takes the longest.

const PLANTING_MS = 240_000;
jest.setTimeout(2 * PLANTING_MS);

let browser: Browser;
let dir: DataDir;
let program: Program;
let url: string;
let visitor: Caller;
beforeAll(async () => {
  dir = new DataDir();
  browser = await launchBrowser();
});
afterAll(async () => {
  if (program?.running) await program.kill('SIGKILL');
  await browser.close();
  await dir.remove();
});

/** A port that was free a moment ago. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** @returns the link that signs in */
async function startDemo(): Promise<string> {
  const port = String(await freePort());
  program = new Program('seeds/demo.ts', { DATA_DIR: dir.path, HOST: '127.0.0.1', PORT: port });
  const [, link = ''] = await program.says(/(http\S+\/demo#\S+) — the console as Mara/, PLANTING_MS);
  await program.says(/Ctrl-C ends the demo/);
  url = new URL(link).origin;
  visitor = new Caller(url);
  return link;
}

/** The newest board of the sprint, and when the board after it is made. */
async function presentSprint(): Promise<{ name: string; endsAt: string; shortCode: string }> {
  const { publicGame } = await visitor.data(
    '{ publicGame(slug: "moonlit-drift") { boards(first: 50) { nodes { name endsAt isActive shortCode } } } }',
  );
  return publicGame.boards.nodes.find(({ name, isActive }: Data) => isActive && name.startsWith('Sprint '));
}

const PENDING = '{ scoreFlags(status: PENDING, first: 50) { nodes { flagType } } }';
const DECIDED = `{ auditEntries(first: 100) { nodes { action user { displayName } after } }
  flags: scoreFlags(first: 100) { nodes { status } }
  apiKeys(first: 100) { nodes { name expiresAt createdAt user { displayName superAdmin } } } }`;

let firstSprint: string;

test('the banner’s link signs a browser in to the console once, where flags wait and decisions stand', async () => {
  const link = await startDemo();
  expect(program.stdout).toContain(`PUBLIC_UI_URL is ${url}:`);
  expect(existsSync(dir.file('demo/superadmin-key'))).toBe(true);
  const sprint = await presentSprint();
  firstSprint = sprint.name;
  expect(Date.parse(sprint.endsAt) - Date.now()).toBeLessThanOrEqual(180_000);

  const { page, complaints, foreign } = await watchedPage(browser, url);
  await page.goto(link);
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor({ timeout: 30_000 });
  await page.getByText(/\d+ flags wait for a decision/).waitFor();
  const key = await page.evaluate<string>("sessionStorage.getItem('console:key')");
  expect(await page.evaluate("sessionStorage.getItem('console:own-key')")).toMatch(/^key_/);

  // A second browser with the same link gets none.
  const second = await watchedPage(browser, url);
  await second.page.goto(link);
  await second.page.getByText('This link was used').waitFor();
  expect(await objections(second.page)).toEqual([]);
  await second.page.emulateMedia({ colorScheme: 'dark' });
  expect(await objections(second.page)).toEqual([]);
  expect(await second.page.evaluate("sessionStorage.getItem('console:key')")).toBeNull();
  await second.page.context().close();

  const mara = visitor.with({ 'service-api-key': key });
  const { scoreFlags } = await mara.data(PENDING);
  const kinds = new Set(scoreFlags.nodes.map(({ flagType }: Data) => flagType));
  expect([...kinds].sort()).toEqual(['DUPLICATE', 'MANUAL', 'OUTLIER', 'PROGRESSION', 'VELOCITY']);
  const { auditEntries, flags, apiKeys } = await mara.data(DECIDED);
  const statuses = new Set(flags.nodes.map(({ status }: Data) => status));
  expect([...statuses].sort()).toEqual(['CONFIRMED_CHEAT', 'DISMISSED', 'FALSE_POSITIVE', 'PENDING']);
  const deeds = new Set(
    auditEntries.nodes.map(({ action, user }: Data) => `${user?.displayName}: ${action}`),
  );
  expect([...deeds]).toEqual(
    expect.arrayContaining([
      ...['Mara Lindqvist: SIGNED_IN', 'Mara Lindqvist: FLAG_REVIEWED', 'Teo Okafor: FLAG_REVIEWED'],
      ...['Teo Okafor: RUNS_REVIEWED'],
    ]),
  );
  const own = apiKeys.nodes.find(({ name }: Data) => name.startsWith('console, '));
  expect(own.user).toEqual({ displayName: 'Mara Lindqvist', superAdmin: false });
  expect(Date.parse(own.expiresAt) - Date.parse(own.createdAt)).toBe(12 * 3_600_000);
  expect([complaints, foreign]).toEqual([[], []]);
  await page.context().close();
});

test('its first page moves, and a board is to come', async () => {
  const [, first = ''] = /^ {2}(http\S+) — a board that moves/m.exec(program.stdout) ?? [];
  const { page, complaints } = await watchedPage(browser, url);
  await page.goto(first);
  const shown = () => page.locator('main').textContent();
  const before = await shown();
  await until(async () => (await shown()) !== before, 100, 'the first page to move by itself');
  await page.goto(`${url}/games/hollow-vault`);
  await page.getByText('Lantern festival').first().waitFor();
  expect(complaints).toEqual([]);
  await page.context().close();
});

test('Ctrl-C ends it; the next start goes on, and the sprint has a successor', async () => {
  expect(await program.kill('SIGINT')).toEqual({ code: 0, signal: null });
  expect(program.stderr).toBe('');
  const before = program.stdout;
  const link = await startDemo();
  expect(before).not.toContain(link);
  const number = (name: string) => Number(name.split(' ')[1]);
  const inTime = patience('the sprint to have a successor', 90_000);
  let present = await presentSprint();
  while (!present || number(present.name) <= number(firstSprint)) {
    inTime();
    await delay(250);
    present = await presentSprint();
  }
  // The simulated players have followed.
  await until(async () => {
    const { publicBoard } = await visitor.data(
      `{ publicBoard(shortCode: "${present.shortCode}") { entryCount } }`,
    );
    return publicBoard.entryCount > 0;
  });
  expect(await program.kill('SIGTERM')).toEqual({ code: 0, signal: null });
  expect(program.stderr).toBe('');
});

test('the service itself has no such link', async () => {
  const app = await startApp();
  try {
    expect((await send(`${app.url}/demo`)).status).toBe(404);
    const code = { 'demo-code': 'x'.repeat(32) };
    expect((await send(`${app.url}/demo/sign-in`, { method: 'POST', headers: code })).status).toBe(404);
  } finally {
    await app.close();
  }
});
