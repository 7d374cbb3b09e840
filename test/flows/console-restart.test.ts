import type { Browser } from 'playwright-core';
import { launchBrowser } from '../support/browser.js';
import { consoleWindow } from '../support/console.js';
import { cloneDatabase, type TestDatabase } from '../support/database.js';
import type { Data } from '../support/http.js';
import {
  DataDir,
  freePort,
  type Program,
  settingsOn,
  startService,
  superadminOf,
} from '../support/process.js';
import { until } from '../support/wait.js';

let clone: TestDatabase;
let program: Program;
let browser: Browser;
const dataDir = new DataDir();
let settings: Record<string, string>;
let url: string;

async function start(): Promise<void> {
  ({ program, url } = await startService(settings));
}

beforeAll(async () => {
  clone = await cloneDatabase();
  const port = String(await freePort());
  settings = { ...settingsOn(clone, dataDir), PORT: port, LOG_LEVEL: 'fatal' };
  await start();
  browser = await launchBrowser();
});
afterAll(async () => {
  await browser.close();
  await program.kill('SIGTERM');
  await clone.drop();
  await dataDir.remove();
});

test('the service is restarted underneath: reading goes on, one decision waits and is saved once', async () => {
  const admin = superadminOf(url);
  const created = async (place: string, body: Data) => {
    const answer = await admin.post(`/v1/${place}`, body);
    expect([place, answer.status]).toEqual([place, 201]);
    return answer.body;
  };
  const { body: me } = await admin.get('/v1/me');
  const owner = { account_id: me.account.id };
  const game = await created('games', { ...owner, name: 'Kept', anti_cheat_enabled: false });
  const board = await created('boards', { ...owner, game_id: game.id, name: 'Kept', keep_strategy: 'best' });
  const flags: string[] = [];
  for (const name of ['Ann', 'Bea', 'Cyd']) {
    const player = { game_id: game.id, kind: 'custom', external_key: name, display_name: name };
    const { id } = await created('identities', player);
    const run = { board_id: board.id, identity_id: id, value: 5, player_name: name };
    const event = await created('score-events', run);
    flags.push((await created('score-flags', { score_event_id: event.id })).id);
  }
  const { page } = await consoleWindow(browser, url, admin, '/moderation');
  const row = (name: string) => page.locator('.flag-row', { hasText: name });
  await row('Cyd').click();
  await page.getByRole('heading', { name: 'Flagged by an administrator.' }).waitFor();

  await program.kill('SIGKILL');
  await page.getByText('Reconnecting').first().waitFor();
  await page.keyboard.press('c');
  await page.getByText("Cyd: you're offline.").waitFor();
  await page.keyboard.press('d');
  await page.getByText('A review is waiting to be sent.').waitFor();
  await page.keyboard.press('j');
  await start();
  await page.getByText('Cyd: cheating confirmed.').waitFor({ timeout: 30_000 });
  const read = async (id: string) => (await admin.get(`/v1/score-flags/${id}`)).body.status;
  await until(async () => (await read(flags[2]!)) === 'confirmed_cheat');
  expect([await read(flags[0]!), await read(flags[1]!)]).toEqual(['pending', 'pending']);
  const { body: trail } = await admin.get(`/v1/audit-entries?subject_id=${flags[2]}&action=flag_reviewed`);
  expect(trail.data).toHaveLength(1);
  // Work goes on, live connections too.
  await page.getByText('Live', { exact: true }).first().waitFor();
  await page.context().close();
});
