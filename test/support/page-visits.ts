import { mkdirSync } from 'node:fs';
import path from 'node:path';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import type { AppSettings } from '../../src/config/app-settings.js';
import { SHOTS } from '../faces/looks.js';
import { startApp, type TestApp } from './app.js';
import { launchBrowser, type WatchedPage, watchedPage } from './browser.js';
import { makePublicStudio, type PublicStudio } from './public-studio.js';

export const PHONE = { width: 360, height: 740 };
export const DESKTOP = { width: 1280, height: 900 };

/**
 * A browser on the public pages of one service, for all tests of a file; each test's page must end without errors.
 */
export function pageVisits(settings: Partial<AppSettings> = {}) {
  const on = {} as { app: TestApp; shown: PublicStudio; browser: Browser; watched: WatchedPage; page: Page };
  beforeAll(async () => {
    on.app = await startApp(settings);
    on.shown = await makePublicStudio(on.app);
    on.browser = await launchBrowser(['localhost']);
  });
  afterAll(async () => {
    await on.browser.close();
    await on.app.close();
  });
  afterEach(async () => {
    if (!on.watched) return;
    expect(on.watched.foreign).toEqual([]);
    expect(on.watched.complaints).toEqual([]);
    await on.page.context().close();
  });

  async function visit(
    viewport = DESKTOP,
    options: BrowserContextOptions = {},
    origin = on.app.url,
  ): Promise<void> {
    on.watched = await watchedPage(on.browser, origin, viewport, options);
    on.page = on.watched.page;
    // The service's clock is stopped, so the visitor's must be, too.
    await on.page.clock.setFixedTime(on.app.clock.now());
  }
  const place = (n: number) => on.page.locator('.places li').nth(n - 1);

  return {
    on,
    visit,
    place,
    open: async (address: string, viewport = DESKTOP, options: BrowserContextOptions = {}): Promise<void> => {
      await visit(viewport, options);
      await on.page.goto(on.app.url + address);
    },
    shoot: async (name: string): Promise<void> => {
      if (!SHOTS) return;
      mkdirSync(SHOTS, { recursive: true });
      await on.page.screenshot({ path: path.join(SHOTS, `${name}.png`) });
    },
    live: () => on.page.locator('.ranking.connected').waitFor(),
    places: () => on.page.locator('.places li').allInnerTexts(),
    /** Waits until this player has the place. */
    isAt: (n: number, name: string) => place(n).locator('.name', { hasText: name }).waitFor(),
  };
}
