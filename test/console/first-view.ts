import type { Browser } from 'playwright-core';
import { keyOf } from '../support/console.js';
import type { Caller } from '../support/http.js';
import { until } from '../support/wait.js';

/** The profile of `npm run bench:paint`. */
const SLOW = { latency: 150, kilobits: 1_600, cpu: 4 };
const VISITS = 3;

export interface FirstView {
  /** Milliseconds until the rows of the first screen are there, median. */
  rows: number;
  sentence: string;
}

/** Notes when the first row of a table with data is in the page. */
const NOTE = `new MutationObserver((_, observer) => {
  if (!document.querySelector('main table tbody tr')) return;
  observer.disconnect();
  requestAnimationFrame(() => { window.rowsAt = performance.now(); });
}).observe(document, { subtree: true, childList: true })`;

const median = (values: number[]) => values.toSorted((a, b) => a - b)[values.length >> 1]!;

/** The overview in a window without a cache, on a slow network and a slow processor. */
export async function measureFirstView(browser: Browser, url: string, admin: Caller): Promise<FirstView> {
  const paints: number[] = [];
  const rows: number[] = [];
  for (let n = 0; n < VISITS; n += 1) {
    const context = await browser.newContext({ viewport: { width: 1_280, height: 800 } });
    const page = await context.newPage();
    await page.addInitScript(
      `sessionStorage.setItem('console:key', ${JSON.stringify(keyOf(admin))}); ${NOTE}`,
    );
    const session = await context.newCDPSession(page);
    await session.send('Network.enable');
    await session.send('Network.emulateNetworkConditions', {
      offline: false,
      latency: SLOW.latency,
      downloadThroughput: (SLOW.kilobits * 1_000) / 8,
      uploadThroughput: (SLOW.kilobits * 1_000) / 8,
    });
    await session.send('Emulation.setCPUThrottlingRate', { rate: SLOW.cpu });
    await page.goto(`${url}/console`);
    await until(() => page.evaluate<boolean>('window.rowsAt !== undefined'), 250);
    rows.push(await page.evaluate<number>('window.rowsAt'));
    paints.push(
      await page.evaluate<number>("performance.getEntriesByName('first-contentful-paint')[0].startTime"),
    );
    await context.close();
  }
  const [paint, shown] = [Math.round(median(paints)), Math.round(median(rows))];
  return {
    rows: shown,
    sentence:
      `first view at ${SLOW.kilobits} kbit/s, ${SLOW.latency} ms, processor ${SLOW.cpu} times slower: ` +
      `first paint ${paint} ms, rows ${shown} ms`,
  };
}
