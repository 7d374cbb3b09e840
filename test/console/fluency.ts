import type { Browser } from 'playwright-core';
import { consoleWindow } from '../support/console.js';
import type { Ground } from './ground.js';

export interface Fluency {
  /** Share of the frames that came later than two of 60 a second. */
  late: number;
  /** Rows of the list in the page at the end. */
  rows: number;
  sentence: string;
}

/** As a held key repeats. */
const REPEAT_MS = 33;
const PRESSES = 600;
const FRAME_MS = 1_000 / 60;

/** Notes frames while j is held; then says how many rows are in the page. */
const HOLD = `new Promise((done) => {
  const frames = [];
  let last, pressed = 0;
  const frame = (at) => {
    if (last !== undefined) frames.push(at - last);
    last = at;
    if (pressed < ${PRESSES}) requestAnimationFrame(frame);
    else done({ frames, rows: document.querySelectorAll('.flag-row').length });
  };
  const timer = setInterval(() => {
    document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'j', bubbles: true, repeat: true }));
    pressed += 1;
    if (pressed >= ${PRESSES}) clearInterval(timer);
  }, ${REPEAT_MS});
  requestAnimationFrame(frame);
})`;

const at = (sorted: number[], share: number) =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!;

/** Holds j in the queue of all flags: pages are read by their cursors while it goes on. */
export async function measureFluency(browser: Browser, url: string, ground: Ground): Promise<Fluency> {
  const { page } = await consoleWindow(browser, url, ground.admin, `/moderation?game=${ground.flooded}`);
  await page.locator('.flag-row[aria-current]').waitFor();
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable');
  const scripting = async () => {
    const { metrics } = await session.send('Performance.getMetrics');
    const of = (name: string) => metrics.find((metric) => metric.name === name)?.value ?? 0;
    return { script: of('ScriptDuration'), layout: of('LayoutDuration') + of('RecalcStyleDuration') };
  };
  const before = await scripting();
  const { frames, rows } = await page.evaluate<{ frames: number[]; rows: number }>(HOLD);
  const after = await scripting();
  const sorted = frames.toSorted((a, b) => a - b);
  const late = frames.filter((millis) => millis > 2 * FRAME_MS + 1).length / frames.length;
  const per = (seconds: number) => ((seconds * 1_000) / PRESSES).toFixed(1);
  await page.context().close();
  const sentence =
    `j held, ${PRESSES} flags: frames ${at(sorted, 0.5).toFixed(1)} ms median, ` +
    `${at(sorted, 0.95).toFixed(1)} ms at 95 %, ${at(sorted, 0.99).toFixed(1)} ms at 99 %, ` +
    `${(100 * late).toFixed(1)} % late; a press costs ${per(after.script - before.script)} ms of scripts and ` +
    `${per(after.layout - before.layout)} ms of layout; ${rows} rows in the page`;
  return { late, rows, sentence };
}
