import type { Browser, Page } from 'playwright-core';
import { type WatchedPage, watchedPage } from './browser.js';
import type { Caller } from './http.js';

/** The key that a caller sends. */
export function keyOf({ headers }: Caller): string {
  return headers['service-api-key']!;
}

/** A window on the console that is signed in already. */
export async function consoleWindow(
  browser: Browser,
  url: string,
  caller: Caller,
  path = '',
  viewport = { width: 1280, height: 800 },
): Promise<WatchedPage> {
  const watched = await watchedPage(browser, url, viewport);
  await watched.page.addInitScript(`sessionStorage.setItem('console:key', ${JSON.stringify(keyOf(caller))})`);
  await watched.page.goto(`${url}/console${path}`);
  return watched;
}

/** Signs in through the form. */
export async function signInWith(page: Page, key: string): Promise<void> {
  await page.getByLabel('Your API key').fill(key);
  await page.getByRole('button', { name: 'Sign in' }).click();
}
