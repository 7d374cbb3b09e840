import { parseArgs } from 'node:util';
import type { Browser } from 'playwright-core';
import { launchBrowser } from '../support/browser.js';
import { consoleWindow } from '../support/console.js';
import { DataDir, startService, superadminOf } from '../support/process.js';
import { banAndUndo, createWeeklyBoard, decideFlags } from './daily-work.js';
import { measureFirstView } from './first-view.js';
import { measureFluency } from './fluency.js';
import { type Ground, makeGround } from './ground.js';

// npm run prove:console: the queue with 10,000 pending flags, the first view on a slow network, keys and clicks of daily
// work. `-- first-view` proves that part alone (fluency, first-view, work), `-- --flags 100` with fewer flags.

const KEY = 'a-key-that-was-chosen-before-the-start';
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { flags: { type: 'string', default: '10000' } },
});
const FLAGS = Number(values.flags);
const isWanted = (part: string) => positionals.length === 0 || positionals.includes(part);
/** A first view later than this is a fault. */
const FIRST_VIEW_MS = 2_000;
/** Of the frames of a queue that is scrolled through, at most this many may be late. */
const LATE_SHARE = 0.05;

async function prove(): Promise<string[]> {
  const faults: string[] = [];
  const dir = new DataDir();
  const settings = { DATA_DIR: dir.path, SUPERADMIN_API_KEY: KEY, LOG_LEVEL: 'warn' };
  const { program, url } = await startService(settings);
  const browser = await launchBrowser();
  try {
    console.log(`Making ${FLAGS.toLocaleString('en')} flags …`);
    const ground = await makeGround(superadminOf(url), FLAGS);

    if (isWanted('fluency')) {
      const fluency = await measureFluency(browser, url, ground);
      console.log(fluency.sentence);
      if (fluency.late > LATE_SHARE) faults.push(`${fluency.late} of the frames of the queue were late`);
      if (fluency.rows > 60) faults.push(`${fluency.rows} rows of the queue were in the page`);
    }
    if (isWanted('first-view')) {
      const view = await measureFirstView(browser, url, ground.admin);
      console.log(view.sentence);
      if (view.rows > FIRST_VIEW_MS) faults.push(`the first view had its rows after ${view.rows} ms`);
    }
    if (isWanted('work')) console.log(await countWork(browser, url, ground));
  } finally {
    await browser.close();
    await program.kill('SIGTERM');
    await dir.remove();
  }
  return faults;
}

async function countWork(browser: Browser, url: string, ground: Ground): Promise<string> {
  const { body: session } = await ground.admin.post('/v1/client/sessions', {
    game_id: (await ground.admin.data(`{ game(by: { slug: "${ground.slug}" }) { id } }`)).game.id,
    client_fingerprint: 'a phone',
    platform: 'android',
  });
  const player = session.identity_id ?? session.session?.identity_id;
  await ground.admin.data(
    'mutation ($id: ID!) { updateIdentity(input: { id: $id, displayName: "Quentin" }) { identity { id } } }',
    { id: player },
  );
  const { page } = await consoleWindow(browser, url, ground.admin, `/games/${ground.slug}/boards`);
  page.setDefaultTimeout(30_000);
  const banned = await banAndUndo(page, 'Quentin');
  await page.getByRole('link', { name: 'Overview' }).click();
  const weekly = await createWeeklyBoard(page, 'Lantern run');
  await page.getByRole('link', { name: 'Overview' }).click();
  const decided = await decideFlags(page, 20);
  await page.context().close();
  return [
    `create a weekly board: ${weekly.count}`,
    `decide about 20 players: ${decided.count}`,
    `ban a player and undo it: ${banned.count}`,
  ].join('\n');
}

prove().then(
  (faults) => {
    for (const fault of faults) console.error(fault);
    process.exitCode = faults.length > 0 ? 1 : 0;
  },
  (error: unknown) => {
    console.error(error);
    process.exitCode = 1;
  },
);
