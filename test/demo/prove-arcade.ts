import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Browser, Page } from 'playwright-core';
import { objections } from '../faces/looks.js';
import { launchBrowser } from '../support/browser.js';
import type { Caller } from '../support/http.js';
import { patience, until } from '../support/wait.js';
import { Arcade, flagsOn, runsOf } from './arcade.js';
import { PILOT } from './arcade-pilot.js';
import { Demo } from './demo.js';

// npm run prove:arcade: the game of the demo at two sizes and in both themes with axe, by keys and by touch, a long run
// among the simulated players, a reload and a new tab with waiting runs, and an answer that is lost. Pictures are in
// dist/arcade-screens. `-- rise wait` proves these parts alone (look, rise, wait, answer).

const parts = process.argv.slice(2);
const isWanted = (part: string) => parts.length === 0 || parts.includes(part);
const PICTURES = path.resolve(__dirname, '../../dist/arcade-screens');
const SIZES = [
  { name: 'wide', viewport: { width: 1_600, height: 900 }, hasTouch: false },
  { name: 'phone', viewport: { width: 390, height: 844 }, hasTouch: true },
];
/** Above some of the simulated players, whose worst has some 22,000. */
const LONG_RUN = 28_000;
/** In slow motion, on a busy machine. */
const LONG_RUN_MS = 400_000;
const BATCH = '**/v1/client/scores/batch';

/** Starts by a touch and steers by touches. */
async function tapThrough(arcade: Arcade): Promise<number> {
  const { page } = arcade;
  const box = (await page.locator('#stage').boundingBox())!;
  const tap = () => page.touchscreen.tap(box.x + box.width / 2, box.y + box.height - 40);
  return arcade.play(() => page.locator('#go').tap(), tap);
}

const strokes = (page: Page) => () => page.keyboard.press('Space', { delay: 100 });
const byKeys = (arcade: Arcade) =>
  arcade.play(() => arcade.page.locator('#go').press('Enter'), strokes(arcade.page));

/** Every size in each theme: no sideways scroll, nothing that axe finds, before and after a run. */
async function lookAt(browser: Browser, demo: Demo): Promise<void> {
  for (const { name, viewport, hasTouch } of SIZES) {
    for (const colorScheme of ['light', 'dark'] as const) {
      const options = { colorScheme, hasTouch, reducedMotion: hasTouch ? 'reduce' : undefined } as const;
      const arcade = await Arcade.open(browser, demo, { viewport, options });
      const { page } = arcade;
      const look = async (moment: string) => {
        await page.screenshot({ path: path.join(PICTURES, `${name}-${colorScheme}-${moment}.png`) });
        assert.deepEqual(await objections(page), [], `${name}, ${colorScheme}, ${moment}`);
        assert.equal(await page.evaluate('document.documentElement.scrollWidth - innerWidth'), 0);
      };
      await look('before');
      const points = await (hasTouch ? tapThrough(arcade) : byKeys(arcade));
      await arcade.result.filter({ hasText: /^Rank \d+/ }).waitFor();
      await page.locator('#places .own').waitFor();
      await look('after');
      const frames = await page.locator('iframe').count();
      assert.equal(frames, hasTouch ? 0 : 1, 'the public page is beside the game where there is room');
      const still = hasTouch ? await page.evaluate('document.getAnimations().length') : 0;
      assert.equal(still, 0, 'nothing moves for those who ask for stillness');
      assert.deepEqual([arcade.watched.complaints, arcade.watched.foreign], [[], []]);
      console.log(`${name}, ${colorScheme}: ${points} points, ${await arcade.result.textContent()}`);
      await page.context().close();
    }
  }
}

/** A run of some twenty seconds passes simulated players, and rises on both the panel and the public page. */
async function riseAmongPlayers(browser: Browser, demo: Demo): Promise<void> {
  const arcade = await Arcade.open(browser, demo, SIZES[0]);
  const { page } = arcade;
  await page.addInitScript(PILOT);
  await page.reload();
  await arcade.ready();
  await page.getByLabel('Your name').fill('Steady heron');
  await byKeys(arcade);
  await arcade.result.filter({ hasText: /^Rank \d+/ }).waitFor();
  const number = async () => Number((await page.locator('#score').textContent())!.replace(/\D/g, ''));
  const scored = async (points: number) => {
    const inTime = patience(`${points} points`, LONG_RUN_MS);
    for (; (await number()) < points && (await page.locator('#card').isHidden()); inTime()) await delay(50);
  };
  const points = await arcade.play(
    () => page.locator('#go').click(),
    async () => {
      await page.evaluate('isPiloted = true');
      await scored(LONG_RUN / 2);
      await page.screenshot({ path: path.join(PICTURES, 'wide-run.png') });
      // A break: nothing moves meanwhile.
      await page.keyboard.press('KeyP');
      await page.getByText('Paused').waitFor();
      const score = await page.locator('#score').textContent();
      await page.locator('#go:enabled').click();
      await page.locator('#card').waitFor({ state: 'hidden' });
      assert.ok(score !== '0');
      await scored(LONG_RUN);
      await page.evaluate('isPiloted = false');
    },
  );
  assert.ok(points >= LONG_RUN);
  await arcade.result.filter({ hasText: /^Rank \d+, up \d+ from \d+\. Your best run!/ }).waitFor();
  await page.locator('#places .rise').waitFor();
  const second = page.locator('#places li').last();
  await second.filter({ hasNotText: 'Steady heron' }).waitFor();
  await page.screenshot({ path: path.join(PICTURES, 'wide-rise.png') });
  const places = await page.locator('#places li').allTextContents();
  console.log(
    `a run of ${points} points: ${await arcade.result.textContent()} Around: ${places.length} places`,
  );
  await page.context().close();
}

/** Two runs wait through a reload, arrive once the plug is in, and a third one arrives by a new tab. */
async function waitAndArrive(browser: Browser, demo: Demo, admin: Caller): Promise<void> {
  const phone = SIZES[1]!;
  const arcade = await Arcade.open(browser, demo, { ...phone, options: { hasTouch: true } });
  const { page } = arcade;
  const runs = [await tapThrough(arcade)];
  await arcade.result.filter({ hasText: /^Rank/ }).waitFor();
  const player = await arcade.player();
  await arcade.plug.tap();
  for (let n = 1; n <= 2; n += 1) {
    runs.push(await tapThrough(arcade));
    await arcade.waiting.filter({ hasText: `${n} waiting` }).waitFor();
  }
  await page.screenshot({ path: path.join(PICTURES, 'phone-unplugged.png'), fullPage: true });
  assert.deepEqual(await objections(page), []);
  assert.deepEqual(await runsOf(admin, player), runs.slice(0, 1));
  await page.reload();
  await arcade.waiting.filter({ hasText: '2 waiting' }).waitFor();
  await arcade.plug.tap();
  await arcade.arrival.filter({ hasText: /have arrived\. / }).waitFor();
  await until(async () => (await runsOf(admin, player)).length === 3, 100, 'three runs in the event log');
  await page.screenshot({ path: path.join(PICTURES, 'phone-arrived.png'), fullPage: true });
  assert.ok((await flagsOn(admin, player)).includes('VELOCITY'), 'runs that arrive together are flagged');
  console.log(`reload with two waiting runs: ${await arcade.arrival.textContent()}`);

  await arcade.plug.tap();
  runs.push(await tapThrough(arcade));
  await arcade.waiting.filter({ hasText: '1 waiting' }).waitFor();
  const tab = await page.context().newPage();
  await page.close();
  await tab.goto(`${demo.url}/arcade/`);
  await until(
    async () => (await runsOf(admin, player)).length === 4,
    100,
    'the run of a closed tab to arrive',
  );
  assert.deepEqual(await runsOf(admin, player), runs);
  console.log('a new tab sends the run of one that was closed');
  await tab.context().close();
}

/** The plug is pulled after the service has counted a run, and before its answer is there. */
async function loseAnswer(browser: Browser, demo: Demo, admin: Caller): Promise<void> {
  const arcade = await Arcade.open(browser, demo, SIZES[0]);
  const { page } = arcade;
  let letGo: () => void = () => undefined;
  const counted = new Promise<void>((resolve) => {
    void page.route(BATCH, async (route) => {
      const answer = await route.fetch();
      resolve();
      await new Promise<void>((go) => {
        letGo = go;
      });
      await route.fulfill({ response: answer }).catch(() => undefined);
    });
  });
  const points = await byKeys(arcade);
  await counted;
  await arcade.plug.click();
  await arcade.waiting.filter({ hasText: '1 waiting' }).waitFor();
  letGo();
  await page.unroute(BATCH);
  await arcade.plug.click();
  await arcade.arrival.filter({ hasText: /have arrived/ }).waitFor();
  assert.deepEqual(await runsOf(admin, await arcade.player()), [points]);
  console.log('a lost answer: the run counts once');
  await page.context().close();
}

async function prove(): Promise<void> {
  mkdirSync(PICTURES, { recursive: true });
  const demo = new Demo();
  const browser = await launchBrowser();
  try {
    await demo.start();
    const admin = demo.visitor.with({ 'service-api-key': demo.dir.read('demo/superadmin-key') });
    if (isWanted('look')) await lookAt(browser, demo);
    if (isWanted('rise')) await riseAmongPlayers(browser, demo);
    if (isWanted('wait')) await waitAndArrive(browser, demo, admin);
    if (isWanted('answer')) await loseAnswer(browser, demo, admin);
    assert.deepEqual(await demo.program.kill('SIGINT'), { code: 0, signal: null });
    assert.equal(demo.program.stderr, '');
  } finally {
    await browser.close();
    await demo.remove();
  }
}

prove().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
