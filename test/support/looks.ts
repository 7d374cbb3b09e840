import { mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';
import type { Data } from './http.js';

const AXE = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

/** Where to save pictures of the pages; unset: none are taken. */
export const SHOTS = process.env.PAGE_SHOTS;

export const THEMES = ['light', 'dark'] as const;
const WIDTHS = [390, 1280, 1920];

/**
 * Findings of axe on the current page, as `rule: element`.
 * @param rule one rule only: other colours of the same page can only break that of contrast
 * @param within selector of the part to check: a whole page of thousands of elements takes a minute
 */
export async function objections(page: Page, rule?: string, within = 'html'): Promise<string[]> {
  if (!(await page.evaluate<boolean>("'axe' in window"))) await page.evaluate(AXE);
  // axe doesn't need to describe the elements of other results.
  const options = { resultTypes: ['violations'], ...(rule && { runOnly: [rule] }) };
  const { violations } = await page.evaluate<Data>(
    `axe.run(${JSON.stringify(within)}, ${JSON.stringify(options)})`,
  );
  return violations.flatMap(({ id, nodes }: Data) => nodes.map(({ html }: Data) => `${id}: ${html}`));
}

/**
 * Checks at the widths of a phone, a laptop and a screen that nothing is cut off at the sides, and takes pictures
 * if requested.
 */
export async function shootAt(page: Page, name: string): Promise<void> {
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: width === 390 ? 844 : 1080 });
    const wide = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
    expect([name, width, wide]).toEqual([name, width, 0]);
    if (!SHOTS) continue;
    mkdirSync(SHOTS, { recursive: true });
    await page.screenshot({ path: path.join(SHOTS, `${name}-${width}.png`) });
  }
}
