import type { Browser, Page } from 'playwright-core';
import { type WatchedPage, watchedPage } from './browser.js';
import type { Caller } from './http.js';

/** The API key a caller sends. */
export function keyOf({ headers }: Caller): string {
  return headers['service-api-key']!;
}

/** A console window that is already signed in. */
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
