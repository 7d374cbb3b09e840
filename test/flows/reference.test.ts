import type { Browser, Page } from 'playwright-core';
import { startApp, type TestApp } from '../support/app.js';
import { launchBrowser, type WatchedPage, watchedPage } from '../support/browser.js';
import { type Data, send } from '../support/http.js';
import { rawAnswer } from '../support/raw-http.js';

let app: TestApp;
let document: Data;
let operations: [address: string, spec: Data][];
let browser: Browser;
beforeAll(async () => {
  app = await startApp();
  document = (await send(`${app.url}/openapi.json`)).body;
  operations = Object.entries<Data>(document.paths).flatMap(([path, item]) =>
    Object.entries<Data>(item).map(([method, spec]): [string, Data] => [
      `${method.toUpperCase()} ${path}`,
      spec,
    ]),
  );
  browser = await launchBrowser();
});
afterAll(async () => {
  await browser.close();
  await app.close();
});

describe('the files', () => {
  test.each([
    ['/docs', 'text/html; charset=utf-8'],
    ['/docs/', 'text/html; charset=utf-8'],
    ['/docs/page.css', 'text/css; charset=utf-8'],
    ['/docs/page.js', 'text/javascript; charset=utf-8'],
  ])('%s is served under a strict policy and sent again only when it has changed', async (path, type) => {
    const plain = await fetch(app.url + path, { headers: { 'accept-encoding': 'identity' } });
    expect([plain.status, plain.headers.get('content-type'), plain.headers.get('content-encoding')]).toEqual([
      200,
      type,
      null,
    ]);
    const policy = plain.headers.get('content-security-policy');
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toMatch(/unsafe|http|\*/);
    const text = await plain.text();
    const packed = await fetch(app.url + path, { headers: { 'accept-encoding': 'gzip' } });
    expect(packed.headers.get('content-encoding')).toBe('gzip');
    expect(await packed.text()).toBe(text);
    // Fetch adds a header of its own to conditional requests.
    const again = await rawAnswer(
      app.url,
      `GET ${path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\nif-none-match: ${plain.headers.get('etag')}\r\n\r\n`,
    );
    expect(again).toMatch(/^HTTP\/1\.1 304 .+\r\n\r\n$/s);
    const head = await fetch(app.url + path, { method: 'HEAD' });
    expect([head.status, await head.text()]).toEqual([200, '']);
  });

  test('no other file is served', async () => {
    for (const path of ['/docs/x', '/docs/..%2fpage.js', '/docs/operation.css', '/docsx']) {
      expect((await send(app.url + path)).status).toBe(404);
    }
  });

  test('the page is small on the wire', async () => {
    const response = await fetch(`${app.url}/docs`, { headers: { 'accept-encoding': 'gzip' } });
    const bytes = Number(response.headers.get('content-length'));
    expect(bytes).toBeLessThan(100_000);
    expect(bytes).toBeGreaterThan(5_000);
  });
});

describe('in a browser', () => {
  let watched: WatchedPage;
  let page: Page;
  const open = async (width: number) => {
    watched = await watchedPage(browser, app.url, { width, height: 900 });
    page = watched.page;
    await page.goto(`${app.url}/docs`);
    await page.getByRole('heading', { level: 1, name: 'Leaderboard service' }).waitFor();
  };
  afterEach(async () => {
    expect(watched.foreign).toEqual([]);
    expect(watched.complaints).toEqual([]);
    await page.context().close();
  });

  test('every operation is shown with its parameters and answers', async () => {
    await open(1400);
    for (const [address, spec] of operations) {
      const text = (await page.locator(`#${spec.operationId}`).textContent()) ?? '';
      expect(text).toContain(address);
      expect(text).toContain(spec.summary.replaceAll('`', ''));
      const names = [
        ...(spec.parameters ?? []).map(({ name }: Data) => name),
        ...Object.keys(bodyOf(spec)?.properties ?? {}),
      ];
      for (const name of names) expect(text).toContain(name);
      for (const status of Object.keys(spec.responses)) expect(text).toContain(status);
    }
  });

  test('every link has a target, and every error code is listed', async () => {
    await open(1400);
    const dead = await page.evaluate<string[]>(
      `[...document.querySelectorAll('a[href^="#"]')].map((a) => a.hash.slice(1)).filter((id) => !document.getElementById(id))`,
    );
    expect(dead).toEqual([]);
    const errors = (await page.locator('#errors').textContent()) ?? '';
    for (const code of ['INVALID_CURSOR', 'NONCE_USED', 'UNAVAILABLE']) expect(errors).toContain(code);
  });

  test('the list of operations can be filtered, by keyboard too', async () => {
    await open(1400);
    await page.getByLabel('Filter operations').pressSequentially('patch boards');
    const shown = page.locator('nav li li:visible');
    // Two operations fit until the last letter is typed.
    await shown.nth(1).waitFor({ state: 'hidden' });
    expect(await shown.allTextContents()).toEqual([expect.stringMatching(/PATCH\s+\/boards/)]);
    await shown.getByRole('link').click();
    await page.waitForURL(/#updateBoard$/);
  });

  test('a sample can be copied as a command', async () => {
    await open(1400);
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'], { origin: app.url });
    await page.locator('#createGame .copy').first().click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    const command = await page.evaluate<string>('navigator.clipboard.readText()');
    expect(command).toContain('curl "$BASE/v1/games" \\\n  -H "service-api-key: $KEY"');
    expect(command).toContain('"name": "Sky Race"');
  });

  test.each([360, 800, 1400])('no content is cut off at a width of %i', async (width) => {
    await open(width);
    const sideways = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
    expect(await page.evaluate(sideways)).toBe(0);
    if (width > 400) return;
    // On a phone the list is folded, and folds again when an operation was chosen.
    const menu = page.locator('#menu');
    expect(await menu.getAttribute('open')).toBeNull();
    await page.getByText('Operations', { exact: true }).click();
    await page.locator('nav').getByRole('link', { name: 'POST /client/scores', exact: true }).click();
    await page.waitForURL(/#submitScore$/);
    expect(await menu.getAttribute('open')).toBeNull();
  });
});

function bodyOf({ requestBody }: Data): Data {
  const schema = requestBody?.content['application/json'].schema;
  return schema?.$ref ? document.components.schemas[schema.$ref.split('/').at(-1)] : schema;
}
