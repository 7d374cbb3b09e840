import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { patienceMs } from './wait.js';

const { findBrowser } = require('./ensure-browser.cjs') as { findBrowser(): string | undefined };

/**
 * A headless Chromium that only talks to this machine: the one `npm test` found or installed. The caller closes it.
 * @param names other hosts that resolve to this machine
 */
export function launchBrowser(names: string[] = []): Promise<Browser> {
  const own = names.map((name) => `MAP ${name} 127.0.0.1`);
  return chromium.launch({
    executablePath: findBrowser(),
    args: [
      // Tests run as root in containers, where Chromium's sandbox cannot start.
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      `--host-resolver-rules=${[...own, 'MAP * ~NOTFOUND', 'EXCLUDE 127.0.0.1'].join(', ')}`,
    ],
  });
}

/** A page, and whatever it did that pages of this service must not do. */
export interface WatchedPage {
  page: Page;
  /** Addresses of requests and sockets that went to another host or port. */
  foreign: string[];
  /** Errors and warnings of the console (refusals of the Content-Security-Policy among them) and uncaught exceptions. */
  complaints: string[];
}

/** A new page in its own context, without storage, cookies or cache of earlier pages. Closes with the browser. */
export async function watchedPage(
  browser: Browser,
  origin: string,
  viewport = { width: 1280, height: 800 },
  options: BrowserContextOptions = {},
): Promise<WatchedPage> {
  const context = await browser.newContext({ ...options, viewport });
  const page = await context.newPage();
  // Shorter than jest's own limit, so that a failure names the element that did not appear.
  page.setDefaultTimeout(patienceMs());
  const foreign: string[] = [];
  const complaints: string[] = [];
  const own = new URL(origin).host;
  const note = (address: string) => {
    const { protocol, host } = new URL(address);
    if (!/^(data|blob|about):$/.test(protocol) && host !== own) foreign.push(address);
  };
  context.on('request', (request) => note(request.url()));
  page.on('websocket', (socket) => note(socket.url()));
  page.on('pageerror', (fault) => complaints.push(String(fault)));
  context.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text());
  });
  return { page, foreign, complaints };
}
