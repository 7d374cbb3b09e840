import 'reflect-metadata';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import type { Browser } from 'playwright-core';
import { launchBrowser, watchedPage } from '../support/browser.js';
import { consoleWindow } from '../support/console.js';
import { Caller } from '../support/http.js';
import { DataDir, startService, superadminOf } from '../support/process.js';
import { makeConsoleScreens } from './console-screens.js';
import { atRest, cutRings, objections, THEMES } from './looks.js';
import { makeScreens, type Screen } from './screens.js';

// npm run prove:faces: every screen of screens.ts and console-screens.ts at three widths and in both themes, with axe, and with pictures in
// dist/.faces. `-- player board` takes only the screens whose names begin so.

const KEY = 'a-key-that-was-chosen-before-the-start';
const PICTURES = path.resolve(__dirname, '../../dist/.faces');
const WIDTHS = [
  { width: 390, height: 844 },
  { width: 1_280, height: 800 },
  { width: 1_920, height: 1_080 },
];
const wanted = process.argv.slice(2);

async function prove(): Promise<string[]> {
  const dir = new DataDir();
  const { program, url } = await startService({
    DATA_DIR: dir.path,
    SUPERADMIN_API_KEY: KEY,
    LOG_LEVEL: 'warn',
  });
  const browser = await launchBrowser();
  mkdirSync(PICTURES, { recursive: true });
  try {
    const all = [
      ...(await makeScreens(superadminOf(url), new Caller(url))),
      ...(await makeConsoleScreens(superadminOf(url))),
    ];
    const screens = all.filter(
      ({ name }) => wanted.length === 0 || wanted.some((one) => name.startsWith(one)),
    );
    const faults: string[] = [];
    for (const screen of screens) faults.push(...(await lookAt(browser, url, screen)));
    console.log(
      `${screens.length} screens, 3 widths, 2 themes: ${faults.length} faults; pictures in ${PICTURES}`,
    );
    return faults;
  } finally {
    await browser.close();
    await program.kill('SIGTERM');
    await dir.remove();
  }
}

/** @returns what axe objects to, focus rings that are cut off, what is wider than its window, and what the page complains of */
async function lookAt(browser: Browser, url: string, screen: Screen): Promise<string[]> {
  const { name, address, ready = 'main', act, admin } = screen;
  const faults: string[] = [];
  for (const viewport of WIDTHS) {
    const { page, complaints, foreign } = admin
      ? await consoleWindow(browser, url, admin, address.replace('/console', ''), viewport)
      : await watchedPage(browser, url, viewport);
    await page.emulateMedia({ reducedMotion: 'reduce' });
    const answer = await page.goto(url + address);
    await page.locator(ready).first().waitFor();
    if (admin) await page.locator('[aria-busy="true"]').first().waitFor({ state: 'detached' });
    await act?.(page);
    for (const theme of THEMES) {
      await page.emulateMedia({ colorScheme: theme });
      // The console's own choice of a theme.
      if (admin) await page.evaluate(`document.documentElement.dataset.theme = '${theme}'`);
      await atRest(page);
      await page.screenshot({ path: path.join(PICTURES, `${name}-${viewport.width}-${theme}.png`) });
      // Overlays lie on a video.
      const rule = address.includes('overlay=1') ? 'list' : undefined;
      for (const fault of await objections(page, rule))
        faults.push(`${name} ${viewport.width} ${theme}: ${fault}`);
    }
    for (const ring of await cutRings(page)) faults.push(`${name} ${viewport.width}: ${ring}`);
    const wide = await page.evaluate<number>('document.documentElement.scrollWidth');
    if (wide > viewport.width) faults.push(`${name} is ${wide} px wide in a window of ${viewport.width}`);
    // A page that is not there says so in the console of the browser, too.
    if (answer?.ok()) faults.push(...complaints.map((complaint) => `${name}: ${complaint}`));
    faults.push(...foreign.map((other) => `${name} asked ${other}`));
    await page.context().close();
  }
  return faults;
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
