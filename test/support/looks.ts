import { mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';
import type { Data } from './http.js';

const AXE = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

/** Where pictures of the pages are put, to be looked at; unset: none are made. */
const SHOTS = process.env.PAGE_SHOTS;

export const THEMES = ['light', 'dark'] as const;
const WIDTHS = [390, 1280, 1920];

/**
 * Rules of axe that the page breaks, each with its elements.
 * @param rule that alone is tried: other colours of the same page can break one of contrast only
 */
export async function objections(page: Page, rule?: 'color-contrast'): Promise<string[]> {
  if (!(await page.evaluate<boolean>("'axe' in window"))) await page.evaluate(AXE);
  // Of other results axe need not describe each element.
  const options = { resultTypes: ['violations'], ...(rule && { runOnly: [rule] }) };
  const { violations } = await page.evaluate<Data>(`axe.run(${JSON.stringify(options)})`);
  return violations.map(({ id, nodes }: Data) => `${id}: ${nodes.map(({ html }: Data) => html).join(' ')}`);
}

/** Checks at the widths of a phone, a laptop and a screen that nothing is cut off sideways, and takes pictures if wanted. */
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
