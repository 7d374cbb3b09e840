// The driver for Chromium: each client is a tab of one browser, which shares localStorage and Web Locks with the others.
// The browser outlives the driver, as it does a game whose tab is killed; it ends with the file's last driver. The game is
// served by a server of its own, another origin than the service's: nothing here is between the tabs and the service, so
// the service itself answers their preflights. (Routes of Playwright would answer them instead.)
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { chromium } from 'playwright-core';

const PACKAGE = path.resolve(import.meta.dirname, '..');
/** Shared by the drivers that one suite starts one after the other. */
const PROFILE = `/tmp/leaderboard-client-chromium-${process.ppid}`;
const PORT_FILE = path.join(PROFILE, 'DevToolsActivePort');
const GAME_PORT_FILE = path.join(PROFILE, 'game-port');
const { findBrowser } = createRequire(import.meta.url)('../../../test/support/ensure-browser.cjs');

const say = (line) => process.stdout.write(`${JSON.stringify(line)}\n`);

/** Serves the game's page and the client. @returns its origin: one for all drivers, because localStorage belongs to it */
async function serveGame() {
  const server = createServer(async ({ url }, response) => {
    if (url === '/') {
      response.writeHead(200, { 'content-type': 'text/html' });
      return response.end('<!doctype html><title>Game</title>');
    }
    const script = await readFile(path.join(PACKAGE, path.posix.normalize(url)), 'utf8').catch(
      () => undefined,
    );
    response.writeHead(script === undefined ? 404 : 200, { 'content-type': 'text/javascript' });
    return response.end(script);
  });
  const port = existsSync(GAME_PORT_FILE) ? Number(readFileSync(GAME_PORT_FILE, 'utf8')) : 0;
  await new Promise((resolve, reject) => server.once('error', reject).listen(port, '127.0.0.1', resolve));
  writeFileSync(GAME_PORT_FILE, String(server.address().port));
  // The service is at 127.0.0.1. Web Locks exist on secure pages only, and localhost is one.
  return `http://localhost:${server.address().port}`;
}

async function endpoint() {
  if (!existsSync(PORT_FILE)) {
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
    const args = [...flags, ...quiet, ...awake, `--user-data-dir=${PROFILE}`, 'about:blank'];
    spawn(findBrowser(), args, { detached: true, stdio: 'ignore' }).unref();
    while (!existsSync(PORT_FILE) || !readFileSync(PORT_FILE, 'utf8').includes('\n')) await delay(20);
  }
  return `http://127.0.0.1:${readFileSync(PORT_FILE, 'utf8').split('\n')[0]}`;
}

mkdirSync(PROFILE, { recursive: true });
const ORIGIN = await serveGame();
const devtools = await endpoint();
const watcher = path.join(import.meta.dirname, 'tabs-end.mjs');
spawn('node', [watcher, devtools, ORIGIN], { stdio: ['pipe', 'inherit', 'ignore'] });
const browser = await chromium.connectOverCDP(devtools);
const context = browser.contexts()[0];
await context.exposeFunction('say', say);

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
