import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { launchBrowser, watchedPage } from '../support/browser.js';
import { Demo } from './demo.js';
import { type Frame, movingPicture } from './moving-picture.js';

const { install } = require('../operate/install.cjs') as { install(parts: Record<string, string>): void };

// npm run pictures: takes the pictures of README, guides and clients from the demo, and writes them to docs/pictures. With the
// sign-in link of a running demo it uses that one, with `-` its own, and with names after either it takes only those.

const FOLDER = path.resolve(__dirname, '../../docs/pictures');
const MOST_BYTES = 80_000;
const THEMES = ['light', 'dark'] as const;
const SIZE = { width: 1280, height: 860 };
/** Pixels for a point of the page. */
const SCALE = 1.5;
/** Flags that wait before the queue is worth a picture. */
const FLAGS = 8;

// Names of players are in many scripts.
const FONTS = {
  'fonts-noto-cjk': '/usr/share/fonts/opentype/noto/NotoSansCJK-Regular.ttc',
  'fonts-noto-color-emoji': '/usr/share/fonts/truetype/noto/NotoColorEmoji.ttf',
  'fonts-noto-core': '/usr/share/fonts/truetype/noto/NotoSans-Regular.ttf',
};

type Theme = (typeof THEMES)[number];

interface Picture {
  name: string;
  /** Leaves the page as it is to be seen. */
  show(page: Page, url: string): Promise<void>;
}

const board: Picture = {
  name: 'board',
  show: async (page, url) => {
    await page.goto(`${url}/b/NIGHTRUSH`);
    await page.getByText('Updates live').waitFor();
    await moved(page, '#ranking');
  },
};

const landing: Picture = {
  name: 'landing',
  show: async (page, url) => {
    await page.goto(`${url}/`);
    await page.locator('#boards.connected').waitFor();
    await moved(page, '#boards');
  },
};

const arcade: Picture = {
  name: 'arcade',
  show: async (page, url) => {
    await page.goto(`${url}/arcade/`);
    await page.locator('#places li').first().waitFor();
    await page.frameLocator('iframe').getByText('Updates live').waitFor();
  },
};

const queue: Picture = {
  name: 'queue',
  show: async (page, url) => {
    await page.goto(`${url}/console/moderation`);
    await page
      .locator('.flag-row')
      .nth(FLAGS - 1)
      .waitFor({ timeout: 240_000 });
    await page.locator('.flag-row', { hasText: 'Nitro Kuba' }).click();
    await page.locator('.flag-row[aria-current]').waitFor();
    await page.waitForLoadState('networkidle').catch(() => undefined);
  },
};

const overlay: Picture = {
  name: 'overlay',
  show: async (page, url) => {
    await page.goto(`${url}/b/NIGHTRUSH/overlay`);
    await page.frameLocator('iframe').locator('.ranking.connected').waitFor();
  },
};

const views: Picture = {
  name: 'views',
  show: async (page, url) => {
    await page.goto(`${url}/b/MOONDRIFT?view=day`);
    await page.locator('.places li').nth(4).waitFor();
  },
};

const form: Picture = {
  name: 'form',
  show: async (page, url) => {
    await page.goto(`${url}/console/games/moonlit-drift/boards/new`);
    await page.getByLabel('Name', { exact: true }).fill('Lap times');
    await page.getByText('Lower is better').click();
    await page.getByText('Daily', { exact: true }).click();
    await page.getByText('By country', { exact: true }).click();
    await page.evaluate('document.activeElement.blur()');
    await page.evaluate('window.scrollTo(0, 90)');
  },
};

/** A receiver that fails at some events, and accepts them when they are tried again. */
const receiver = createServer((request, response) => {
  const first = !heard.has(String(request.headers['webhook-id']));
  heard.add(String(request.headers['webhook-id']));
  response.writeHead(first && heard.size % 4 === 2 ? 503 : 200).end();
});
const heard = new Set<string>();
/** Lets the demo reach it. */
const LOCAL = { WEBHOOK_ALLOW_HTTP: 'true', WEBHOOK_ALLOW_NETWORKS: '127.0.0.0/8' };
const DELIVERIES = 7;

const webhooks: Picture = {
  name: 'webhooks',
  show: async (page, url) => {
    const button = (name: string) => page.getByRole('button', { name, exact: true });
    await page.goto(`${url}/console/webhooks`);
    await button('New endpoint').first().waitFor();
    await page.waitForLoadState('networkidle').catch(() => undefined);
    if ((await button('Log of Backend').count()) === 0) {
      await button('New endpoint').first().click();
      await page.getByLabel('Name', { exact: true }).fill('Backend');
      await page
        .getByLabel('Address')
        .fill(`http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hooks`);
      for (const event of ['board.opened', 'board.leader_changed', 'score.flagged'])
        await page.getByLabel(event).check();
      await page.getByLabel('Seconds between two leaders').fill('10');
      await page.getByLabel('Keep the order of each board').check();
      await page.getByRole('dialog').getByRole('button', { name: 'New endpoint' }).click();
      await page.getByRole('dialog').getByText('whsec_').waitFor();
      await page.getByRole('dialog').getByRole('button').last().click();
    }
    await button('Log of Backend').click();
    for (let tries = 0; tries < 150; tries += 1) {
      if ((await page.getByText('Send again', { exact: true }).count()) >= DELIVERIES) break;
      await page.waitForTimeout(2_000);
      await button('Refresh').click();
    }
    await page.evaluate('document.activeElement.blur()');
  },
};

/** Waits until a live list shows a player who moved up. */
async function moved(page: Page, list: string): Promise<void> {
  await page.locator(`${list} .move`, { hasText: '▲' }).first().waitFor({ timeout: 120_000 });
}

async function take(
  browser: Browser,
  picture: Picture,
  url: string,
  theme: Theme,
  key?: string,
): Promise<void> {
  const { page } = await watchedPage(browser, url, SIZE, { colorScheme: theme, deviceScaleFactor: SCALE });
  if (key !== undefined)
    await page.addInitScript(`sessionStorage.setItem('console:key', ${JSON.stringify(key)})`);
  await picture.show(page, url);
  const bytes = await compressed(browser, await page.screenshot());
  const file = path.join(FOLDER, `${picture.name}-${theme}.webp`);
  writeFileSync(file, bytes);
  console.log(`${path.relative(process.cwd(), file)}: ${bytes.length} bytes`);
  await page.context().close();
}

/** Pixels of the moving picture, a point of the page each. */
const FILM = { width: 960, height: 600 };
const FRAMES_PER_SECOND = 4;
const FRAME_MS = 1_000 / FRAMES_PER_SECOND;
const FILM_QUALITY = 0.55;
const MOST_FILM_BYTES = 2_000_000;

/** Films what a page shows; a frame that shows nothing new makes the one before longer. */
class Film {
  readonly #frames: Frame[] = [];
  #last: Buffer = Buffer.alloc(0);

  constructor(
    private readonly browser: Browser,
    private readonly page: Page,
  ) {}

  async roll(seconds: number): Promise<void> {
    for (let left = seconds * FRAMES_PER_SECOND; left > 0; left -= 1) {
      const begun = performance.now();
      const png = await this.page.screenshot();
      if (png.equals(this.#last)) this.#frames.at(-1)!.millis += FRAME_MS;
      else this.#frames.push({ webp: await encoded(this.browser, png, FILM_QUALITY), millis: FRAME_MS });
      this.#last = png;
      await this.page.waitForTimeout(Math.max(0, FRAME_MS - (performance.now() - begun)));
    }
  }

  get picture(): Buffer {
    return movingPicture(this.#frames, FILM.width, FILM.height);
  }
}

/** Fifteen seconds: a run is flagged and held, a moderator marks it fair, and the board moves. */
async function film(browser: Browser, url: string, key: string): Promise<void> {
  const { page } = await watchedPage(browser, url, FILM, { colorScheme: 'light' });
  await page.addInitScript(`sessionStorage.setItem('console:key', ${JSON.stringify(key)})`);
  const shots = new Film(browser, page);
  await page.goto(`${url}/console/moderation`);
  // Those that are held for the very top are cheaters; somebody below them is not.
  const held = page.locator('.flag-row', { hasText: 'Ласка' });
  const open = async () => {
    await page.goto(`${url}/console/moderation`);
    await held.click({ timeout: 240_000 });
    await page.locator('.flag-row[aria-current]', { hasText: 'Ласка' }).waitFor();
  };
  const show = async () => {
    await page.goto(`${url}/b/${code}`);
    await page.getByText('Updates live').waitFor();
    await page.locator('#ranking li').nth(wouldBe).scrollIntoViewIfNeeded();
  };
  await open();
  const wouldBe = Number(/would be #(\d+)/.exec((await held.textContent()) ?? '')?.[1]);
  const link = await page.locator('.flag a[href*="/boards/"]').first().getAttribute('href');
  const code = /\/boards\/([^/?]+)/.exec(link ?? '')?.[1];
  assert.ok(wouldBe > 0 && code, 'the held run has no rank or board');
  await show();
  await shots.roll(3);
  await open();
  await shots.roll(4.5);
  await page.keyboard.press('f');
  await page
    .getByText(/marked fair/)
    .first()
    .waitFor();
  await shots.roll(2);
  await show();
  await shots.roll(5.5);
  const bytes = shots.picture;
  assert.ok(bytes.length <= MOST_FILM_BYTES, `the moving picture has ${bytes.length} bytes`);
  const file = path.join(FOLDER, 'review.webp');
  writeFileSync(file, bytes);
  console.log(`${path.relative(process.cwd(), file)}: ${bytes.length} bytes`);
  await page.context().close();
}

/** A PNG as a WebP of some quality, as the browser encodes it. */
async function encoded(browser: Browser, png: Buffer, quality: number): Promise<Buffer> {
  const page = await browser.newPage();
  try {
    return await webpOf(page, png, quality);
  } finally {
    await page.close();
  }
}

async function webpOf(page: Page, png: Buffer, quality: number): Promise<Buffer> {
  const text = await page.evaluate<string>(`(async () => {
    const picture = new Image();
    picture.src = 'data:image/png;base64,${png.toString('base64')}';
    await picture.decode();
    const canvas = Object.assign(document.createElement('canvas'), { width: picture.width, height: picture.height });
    canvas.getContext('2d').drawImage(picture, 0, 0);
    return canvas.toDataURL('image/webp', ${quality});
  })()`);
  assert.match(text, /^data:image\/webp;base64,/);
  return Buffer.from(text.slice(text.indexOf(',') + 1), 'base64');
}

/** The best WebP of a PNG that is small enough, as the browser encodes it. */
async function compressed(browser: Browser, png: Buffer): Promise<Buffer> {
  const page = await browser.newPage();
  try {
    for (let quality = 0.92; quality > 0.3; quality -= 0.06) {
      const bytes = await webpOf(page, png, quality);
      if (bytes.length <= MOST_BYTES) return bytes;
    }
  } finally {
    await page.close();
  }
  throw new Error(`a picture stays above ${MOST_BYTES} bytes`);
}

/** Signs in by the link, and returns the key that the console got. */
async function signIn(browser: Browser, url: string, link: string): Promise<string> {
  const { page } = await watchedPage(browser, url);
  await page.goto(link);
  await page.waitForURL(/\/console/, { timeout: 60_000 });
  await page.waitForFunction("sessionStorage.getItem('console:key') !== null");
  const key = await page.evaluate<string>("sessionStorage.getItem('console:key')");
  await page.context().close();
  return key;
}

async function takeAll(): Promise<void> {
  install(FONTS);
  mkdirSync(FOLDER, { recursive: true });
  receiver.listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  const [given, ...names] = process.argv.slice(2);
  const demo = given === undefined || given === '-' ? new Demo() : undefined;
  const browser = await launchBrowser();
  try {
    // The browser of tests knows no names, localhost among them.
    const link = (demo ? await demo.start(LOCAL) : given!).replace('//localhost:', '//127.0.0.1:');
    const { origin: url } = new URL(link);
    const key = await signIn(browser, url, link);
    const wanted = ({ name }: Pick<Picture, 'name'>) => names.length === 0 || names.includes(name);
    for (const theme of THEMES) {
      for (const picture of [landing, board, overlay, views, arcade].filter(wanted))
        await take(browser, picture, url, theme);
      for (const picture of [queue, form, webhooks].filter(wanted))
        await take(browser, picture, url, theme, key);
    }
    if (wanted({ name: 'review' })) await film(browser, url, key);
  } finally {
    await browser.close();
    await demo?.remove();
    receiver.closeAllConnections();
    receiver.close();
  }
}

takeAll().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
