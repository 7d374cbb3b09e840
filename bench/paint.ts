import 'reflect-metadata';
import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { type Browser, type CDPSession, chromium } from 'playwright-core';
import { packageRoot } from '../src/base/package.js';
import { numberOf } from './support/arguments.js';
import { buildBoards } from './support/bulk-board.js';
import { runBench } from './support/run.js';
import { startService } from './support/service-process.js';
import { median } from './support/statistics.js';
import { millis, say, sayTable } from './support/table.js';

/** A middling phone on a slow mobile network, as Lighthouse simulates one. */
const SLOW = { latency: 150, kilobits: 1_600, cpu: 4 };
const PHONE = { width: 360, height: 740 };

interface Visit {
  /** Everything that was loaded, as on the wire: headers and compressed bodies. */
  bytes: number;
  firstPaint: number;
  largestPaint: number;
  /** Sum of layout shifts; 0: nothing moved. */
  shifts: number;
}

runBench({
  title:
    `Public pages in Chromium as a phone on a slow network (${SLOW.kilobits} kbit/s, ${SLOW.latency} ms, ` +
    `processor ${SLOW.cpu} times slower): bytes, paints, shifts of the layout.`,
  duration: 'about 1 minute',
  options: {
    entries: { fallback: '10k', all: '1m', doc: 'entries of the board' },
    visits: { fallback: '5', doc: 'visits of each page; medians are printed' },
  },
  async run(scratch, args, disposal) {
    const made = await scratch.create();
    const [board] = await buildBoards(made, { boards: 1, entries: numberOf(args.entries), players: 0 });
    const database = made.open();
    const facts: { short_code: string; slug: string } = await database
      .knex('boards as b')
      .join('games as g', 'g.id', 'b.game_id')
      .where('b.id', board!.id.slice(4))
      .first('b.short_code', 'g.slug');
    await made.close();
    const secret = () => randomBytes(32).toString('hex');
    const settings = {
      connectionString: made.connectionString,
      jwtSecret: secret(),
      keySecret: secret(),
    };
    const { port } = await startService(settings, disposal);
    const browser = await launch();
    disposal.add(() => browser.close());
    const address = `http://127.0.0.1:${port}/b/${facts.short_code}`;
    const pages: [string, string][] = [
      ['top of the board', address],
      ['ranks 5,001 to 5,050', `${address}?from=5001`],
      ['embedded', `${address}?embed=1`],
      ['overlay', `${address}?overlay=1`],
      ['game', `http://127.0.0.1:${port}/games/${facts.slug}`],
    ];
    const rows: string[][] = [];
    for (const [name, url] of pages) {
      const visits: Visit[] = [];
      for (let n = 0; n < numberOf(args.visits); n += 1) visits.push(await visit(browser, url));
      const of = (figure: keyof Visit) => median(visits.map((each) => each[figure]));
      rows.push([
        name,
        `${(of('bytes') / 1_000).toFixed(1)} kB`,
        millis(of('firstPaint')),
        millis(of('largestPaint')),
        of('shifts').toFixed(3),
      ]);
    }
    say('Nothing in the cache:');
    sayTable(['', 'on the wire', 'first paint', 'largest paint', 'shifts'], rows);
  },
});

function launch(): Promise<Browser> {
  const { findBrowser } = require(path.join(packageRoot, 'test/support/ensure-browser.cjs')) as {
    findBrowser(): string | undefined;
  };
  const args = [
    '--no-sandbox',
    '--disable-gpu',
    '--disable-background-networking',
    '--disable-component-update',
  ];
  return chromium.launch({ executablePath: findBrowser(), args });
}

async function throttle(session: CDPSession): Promise<void> {
  const throughput = (SLOW.kilobits * 1_000) / 8;
  await session.send('Network.enable');
  await session.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: SLOW.latency,
    downloadThroughput: throughput,
    uploadThroughput: throughput,
  });
  await session.send('Emulation.setCPUThrottlingRate', { rate: SLOW.cpu });
}

/** The page's own marks, a while after loading: by then, its script has shown the first live state. */
const NOTED = `new Promise((done) => setTimeout(() => {
  const of = (type) => new Promise((got) => {
    const observer = new PerformanceObserver((list) => { got(list.getEntries()); observer.disconnect(); });
    observer.observe({ type, buffered: true });
    setTimeout(() => got([]), 300);
  });
  Promise.all([of('paint'), of('largest-contentful-paint'), of('layout-shift')]).then(([paints, largest, shifts]) => done({
    firstPaint: paints.find(({ name }) => name === 'first-contentful-paint')?.startTime,
    largestPaint: largest.at(-1)?.startTime,
    shifts: shifts.reduce((sum, { value }) => sum + value, 0),
  }));
}, 2000))`;

async function visit(browser: Browser, url: string): Promise<Visit> {
  const context = await browser.newContext({ viewport: PHONE, isMobile: true, deviceScaleFactor: 2 });
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  await throttle(session);
  let bytes = 0;
  session.on('Network.loadingFinished', ({ encodedDataLength }) => {
    bytes += encodedDataLength;
  });
  await page.goto(url, { waitUntil: 'load' });
  const noted = await page.evaluate<Omit<Visit, 'bytes'>>(NOTED);
  await context.close();
  return { bytes, ...noted };
}
