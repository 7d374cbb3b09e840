import { readFileSync } from 'node:fs';
import type { Browser, Page } from 'playwright-core';
import { type WatchedPage, watchedPage } from './browser.js';
import type { Caller, Data } from './http.js';

const AXE = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

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

/**
 * Findings of axe on the page as it stands, as `rule: element`.
 * @param rule one rule only
 * @param within selector of the part to look at: on a page of thousands of elements the whole takes a minute
 */
export async function objections(page: Page, rule?: string, within = 'html'): Promise<string[]> {
  if (!(await page.evaluate<boolean>("'axe' in window"))) await page.evaluate(AXE);
  // Of other results axe need not describe each element.
  const options = { resultTypes: ['violations'], ...(rule && { runOnly: [rule] }) };
  const { violations } = await page.evaluate<Data>(
    `axe.run(${JSON.stringify(within)}, ${JSON.stringify(options)})`,
  );
  return violations.flatMap(({ id, nodes }: Data) => nodes.map(({ html }: Data) => `${id}: ${html}`));
}
