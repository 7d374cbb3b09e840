import { mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';
import type { Data } from '../support/http.js';

const AXE = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

/** Where to save pictures of the pages; unset: none are taken. */
export const SHOTS = process.env.PAGE_SHOTS;

export const THEMES = ['light', 'dark'] as const;
const WIDTHS = [390, 1280, 1920];

/** A page is looked at so often until nothing has changed in it so many times in a row: the clock of a page may stand still. */
const LOOK_MS = 50;
const QUIET_LOOKS = 5;
/** One that never rests (a counting clock) is taken as it is. */
const MOST_LOOKS = 100;

/**
 * Resolves when the page changes no more: it is loaded, its scripts have done their work, the first state of a live board has
 * arrived, nothing moves. axe
 * indexes all elements before it makes selectors: one that came to the page in between has no record there, and axe ends with
 * "Cannot read properties of undefined (reading 'nthChild')".
 */
export async function atRest(page: Page): Promise<void> {
  await page.waitForLoadState('load');
  const connects = page.locator('.watched:not(.connected)', { hasNotText: 'Paused' }).first();
  const timeout = LOOK_MS * MOST_LOOKS;
  await connects.waitFor({ state: 'detached', timeout }).catch(() => undefined);
  await page.evaluate(`new Promise((done) => {
    let [quiet, looks] = [0, 0];
    const observer = new MutationObserver(() => { quiet = 0; });
    observer.observe(document, { subtree: true, childList: true, characterData: true, attributes: true });
    const moves = (one) => one.playState === 'running' && one.effect.getComputedTiming().endTime !== Infinity;
    const look = () => {
      quiet = document.getAnimations().some(moves) ? 0 : quiet + 1;
      looks += 1;
      if (quiet <= ${QUIET_LOOKS} && looks < ${MOST_LOOKS}) return setTimeout(look, ${LOOK_MS});
      observer.disconnect();
      done();
    };
    look();
  })`);
}

/**
 * Findings of axe on the current page once it is at rest, as `rule: element`.
 * @param rule one rule only: other colours of the same page can only break that of contrast
 * @param within selector of the part to check: a whole page of thousands of elements takes a minute
 */
export async function objections(page: Page, rule?: string, within = 'html'): Promise<string[]> {
  await atRest(page);
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

/**
 * Focuses every control of the page in turn, as a keyboard does.
 * @returns those whose focus ring is not to be seen, or is cut off by what they are in
 */
export async function cutRings(page: Page): Promise<string[]> {
  await page.keyboard.press('Tab');
  return page.evaluate<string[]>(`(() => {
    const found = new Set();
    for (const one of document.querySelectorAll('a[href], button, input, select, textarea, summary, [tabindex="0"]')) {
      if (!one.checkVisibility({ visibilityProperty: true }) || one.disabled) continue;
      one.focus();
      if (document.activeElement !== one) continue;
      const { outlineStyle, outlineWidth, outlineOffset, boxShadow } = getComputedStyle(one);
      const name = one.tagName.toLowerCase() + '.' + one.className + ' ' + (one.ariaLabel ?? one.textContent).trim().slice(0, 30);
      if (outlineStyle === 'none') {
        if (boxShadow === 'none' && !one.closest(':is(label, div, form, search):has(:focus-visible)')) found.add('no ring: ' + name);
        continue;
      }
      const grown = parseFloat(outlineWidth) + parseFloat(outlineOffset);
      const ring = one.getBoundingClientRect();
      const sides = { left: ring.left - grown, top: ring.top - grown, right: ring.right + grown, bottom: ring.bottom + grown };
      for (let around = one.parentElement; around; around = around.parentElement) {
        const { overflowX, overflowY, position } = getComputedStyle(around);
        const box = around.getBoundingClientRect();
        const [left, top] = [box.left + around.clientLeft, box.top + around.clientTop];
        const cut = (overflowX !== 'visible' && (sides.left < left - 0.5 || sides.right > left + around.clientWidth + 0.5)) ||
          (overflowY !== 'visible' && (sides.top < top - 0.5 || sides.bottom > top + around.clientHeight + 0.5));
        if (cut && around !== document.documentElement && around !== document.body)
          found.add('cut by ' + around.tagName.toLowerCase() + '.' + around.className + ': ' + name);
        if (position === 'fixed') break;
      }
      if (sides.left < -0.5 || sides.right > innerWidth + 0.5) found.add('cut by the window: ' + name);
    }
    document.activeElement?.blur();
    return [...found];
  })()`);
}

/** Has the browser note which elements move without anybody's doing, in `window.shifts`: classes, and pixels down and to the right. */
export const watchShifts = (page: Page) =>
  page.addInitScript(`window.shifts = []; new PerformanceObserver((list) => {
    for (const { hadRecentInput, sources } of list.getEntries()) {
      const moved = ({ node, previousRect: from, currentRect: to }) =>
        (node.className || node.nodeName) + ' ' + Math.round(to.y - from.y) + ' ' + Math.round(to.x - from.x);
      if (!hadRecentInput) shifts.push(...sources.filter(({ node }) => node instanceof Element).map(moved));
    }
  }).observe({ type: 'layout-shift' })`);
