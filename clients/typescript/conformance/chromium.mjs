// The driver for Chromium: each client is a tab of one browser, which shares localStorage and Web Locks with the others.
// The browser outlives the driver, as it does a game whose tab is killed; it ends with the file's last driver.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { chromium } from 'playwright-core';

const PACKAGE = path.resolve(import.meta.dirname, '..');
/** Shared by the drivers that one suite starts one after the other. */
const PROFILE = `/tmp/leaderboard-client-chromium-${process.ppid}`;
const PORT_FILE = path.join(PROFILE, 'DevToolsActivePort');
/** One origin for all drivers, because localStorage belongs to it. */
const ORIGIN = 'http://game.test';

const say = (line) => process.stdout.write(`${JSON.stringify(line)}\n`);

async function endpoint() {
  if (!existsSync(PORT_FILE)) {
    mkdirSync(PROFILE, { recursive: true });
    const flags = [
      '--headless=new',
      '--no-sandbox',
      '--disable-gpu',
      '--no-first-run',
      '--remote-debugging-port=0',
    ];
    const quiet = ['--disable-background-networking', '--disable-component-update', '--disable-sync'];
    // Tabs in the background work on, as a game's tab in front does.
    const awake = ['--disable-background-timer-throttling', '--disable-renderer-backgrounding'];
    // The page's origin is answered by the driver.
    const local = '--disable-features=BlockInsecurePrivateNetworkRequests,LocalNetworkAccessChecks';
    const trusted = `--unsafely-treat-insecure-origin-as-secure=${ORIGIN}`;
    const program = process.env.CHROMIUM ?? '/usr/bin/chromium';
    spawn(
      program,
      [...flags, ...quiet, ...awake, local, trusted, `--user-data-dir=${PROFILE}`, 'about:blank'],
      {
        detached: true,
        stdio: 'ignore',
      },
    ).unref();
    while (!existsSync(PORT_FILE) || !readFileSync(PORT_FILE, 'utf8').includes('\n')) await delay(20);
  }
  return `http://127.0.0.1:${readFileSync(PORT_FILE, 'utf8').split('\n')[0]}`;
}

const devtools = await endpoint();
const watcher = path.join(import.meta.dirname, 'tabs-end.mjs');
spawn('node', [watcher, devtools, ORIGIN], { stdio: ['pipe', 'inherit', 'ignore'] });
const browser = await chromium.connectOverCDP(devtools);
const context = browser.contexts()[0];
await context.exposeFunction('say', say);
await context.route(`${ORIGIN}/**`, async (route) => {
  const { pathname } = new URL(route.request().url());
  if (pathname === '/')
    return route.fulfill({ contentType: 'text/html', body: '<!doctype html><title>Game</title>' });
  return route.fulfill({
    contentType: 'text/javascript',
    body: await readFile(path.join(PACKAGE, pathname), 'utf8'),
  });
});

const tabs = new Map();
/** Tabs of clients that share one (`tab` of their `open`), by its name. */
const shared = new Map();
/** Clients of commands that run, for `cancel`. */
const clientOf = new Map();

/** The tab of a client. */
async function tabFor({ client, tab }) {
  const page = shared.get(tab) ?? (await newTab());
  if (tab !== undefined) shared.set(tab, page);
  tabs.set(client, page);
  return page;
}

async function newTab() {
  const page = await context.newPage();
  await page.goto(`${ORIGIN}/`);
  await page.evaluate(async () => {
    const { commands } = await import('/conformance/commands.mjs');
    const storageAt = (folder) => ({
      getItem: (name) => localStorage.getItem(`${folder}/${name}`),
      setItem: (name, value) => localStorage.setItem(`${folder}/${name}`, value),
      removeItem: (name) => localStorage.removeItem(`${folder}/${name}`),
    });
    const locksAt = (folder) => ({
      request: (name, work) => navigator.locks.request(`${folder}/${name}`, work),
    });
    window.take = commands(storageAt, window.say, locksAt);
  });
  return page;
}

async function take(command) {
  if (command.do === 'open' && command.tab === undefined) await tabs.get(command.client)?.close();
  clientOf.set(command.id, command.client ?? clientOf.get(command.target));
  const client = clientOf.get(command.id);
  const page = command.do === 'open' ? await tabFor(command) : tabs.get(client);
  await page.evaluate((one) => void window.take(one), command);
}

// In order: a command reaches its tab before the next one does.
let last = Promise.resolve();
createInterface(process.stdin)
  .on('line', (text) => {
    const command = JSON.parse(text);
    last = last
      .then(() => take(command))
      .catch((error) => say({ id: command.id, error: { code: 'DRIVER', message: String(error) } }));
  })
  .on('close', async () => {
    await last;
    const session = await browser.newBrowserCDPSession();
    await session.send('Browser.close').catch(() => undefined);
    while (existsSync(path.join(PROFILE, 'SingletonLock'))) await delay(20);
    rmSync(PROFILE, { recursive: true, force: true });
    process.exit();
  });
