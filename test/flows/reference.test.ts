import type { Browser, Page } from 'playwright-core';
import { TITLES } from '../../src/rest/docs/title.js';
import { objections } from '../faces/looks.js';
import { startApp, type TestApp } from '../support/app.js';
import { launchBrowser, type WatchedPage, watchedPage } from '../support/browser.js';
import { keyOf } from '../support/console.js';
import { type Data, send } from '../support/http.js';
import { makeBoard, makeGame, makeStudio, type Studio } from '../support/make.js';
import { rawAnswer } from '../support/raw-http.js';

let app: TestApp;
let document: Data;
let operations: [address: string, spec: Data][];
/** Places of the pages with operations, by group. */
let groups: Map<string, string>;
let browser: Browser;
let studio: Studio;
beforeAll(async () => {
  app = await startApp();
  studio = await makeStudio(app);
  document = (await send(`${app.url}/openapi.json`)).body;
  operations = Object.entries<Data>(document.paths).flatMap(([path, item]) =>
    Object.entries<Data>(item).map(([method, spec]): [string, Data] => [
      `${method.toUpperCase()} ${path}`,
      spec,
    ]),
  );
  groups = new Map(
    document.tags.map(({ name }: Data) => [name, `/${name.toLowerCase().replaceAll(/\W+/g, '-')}`]),
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
    ['/docs/score-events', 'text/html; charset=utf-8'],
    ['/docs/search.json', 'application/json; charset=utf-8'],
    ['/llms.txt', 'text/plain; charset=utf-8'],
    ['/docs/page.css', 'text/css; charset=utf-8'],
    ['/docs/page.js', 'text/javascript; charset=utf-8'],
    ['/docs/search.js', 'text/javascript; charset=utf-8'],
    ['/docs/run.js', 'text/javascript; charset=utf-8'],
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

  test('an address with a slash at its end leads to the page, whose links are relative to the one without', async () => {
    for (const path of ['/docs', '/docs/scores']) {
      const response = await fetch(`${app.url}${path}/`);
      expect([response.status, response.url]).toEqual([200, app.url + path]);
    }
  });

  test('every page is small on the wire, and so is what the search loads', async () => {
    for (const place of ['', ...groups.values(), '/search.json']) {
      // As browsers ask for it.
      const headers = { 'accept-encoding': 'gzip, deflate, br' };
      const response = await fetch(`${app.url}/docs${place}`, { headers });
      const bytes = Number(response.headers.get('content-length'));
      expect(bytes).toBeLessThan(place === '/search.json' ? 50_000 : 35_000);
      expect(bytes).toBeGreaterThan(3_000);
    }
  });
});

describe('in a browser', () => {
  let watched: WatchedPage;
  let page: Page;
  /** @param place of the page below /docs */
  const open = async (width: number, place = '', heading = 'Leaderboard service') => {
    watched = await watchedPage(browser, app.url, { width, height: 900 });
    page = watched.page;
    await page.goto(`${app.url}/docs${place}`);
    await page.getByRole('heading', { level: 1, name: heading }).waitFor();
  };
  afterEach(async () => {
    expect(watched.foreign).toEqual([]);
    expect(watched.complaints).toEqual([]);
    await page.context().close();
  });

  test('every operation is on the page of its group, with its parameters and answers', async () => {
    await open(1400);
    for (const [group, place] of groups) {
      await page.goto(`${app.url}/docs${place}`);
      const own = operations.filter(([, { tags }]) => tags[0] === group);
      expect(await page.locator('.operation').count()).toBe(own.length);
      expect(new Set(await page.locator('h2').allTextContents()).size).toBe(own.length);
      for (const [address, spec] of own) {
        const text = (await page.locator(`#${spec.operationId}`).textContent()) ?? '';
        expect(text).toContain(address);
        expect(text).toContain(spec.summary.replaceAll('`', ''));
        const names = [
          ...(spec.parameters ?? []).map(({ name }: Data) => name),
          ...Object.keys(bodyOf(spec)?.properties ?? {}),
        ];
        for (const name of names) expect(text).toContain(name);
        for (const status of Object.keys(spec.responses)) expect(text).toContain(status);
        // A choice of two answers has the members of both, and an example of the first.
        expect(text).not.toMatch(/Copy\{\}/);
      }
    }
  });

  test('an answer with a choice shows its members', async () => {
    await open(1400, '/scores', 'Scores');
    const text = (await page.locator('#submitScore').textContent()) ?? '';
    expect(text).toMatch(/Answer 201.*"rank"/s);
    expect(await page.locator('#submitScore .members .name').allTextContents()).toContain('standings');
  });

  test('the first page lists every operation by what it does, every link has a target, and every error code is listed', async () => {
    await open(1400);
    expect(await page.locator('.group li').count()).toBe(operations.length);
    const ids = operations.map(([, { operationId }]) => operationId);
    expect(Object.keys(TITLES).filter((id) => !ids.includes(id))).toEqual([]);
    await page.getByRole('link', { name: 'Submit a score', exact: true }).waitFor();
    const targets = new Set<string>();
    const linked = new Set<string>();
    for (const place of ['', ...groups.values()]) {
      await page.goto(`${app.url}/docs${place}`);
      const read = await page.evaluate<string[][]>(`[
        [location.pathname, ...[...document.querySelectorAll('[id]')].map(({ id }) => location.pathname + '#' + id)],
        [...document.querySelectorAll('a[href*="docs"], a[href^="#"]')].map((a) => a.pathname + a.hash),
      ]`);
      for (const target of read[0]!) targets.add(target);
      for (const link of read[1]!) linked.add(link);
    }
    // The other reference's own test follows its links.
    expect((await fetch(`${app.url}/docs/graphql`)).status).toBe(200);
    targets.add('/docs/graphql');
    expect([...linked].filter((link) => !targets.has(link))).toEqual([]);
    expect(linked.size).toBeGreaterThan(operations.length + groups.size);
    await page.goto(`${app.url}/docs`);
    const errors = (await page.locator('#errors').textContent()) ?? '';
    for (const code of ['INVALID_CURSOR', 'NONCE_USED', 'UNAVAILABLE']) expect(errors).toContain(code);
  });

  test('anchors of the time when the reference was one page lead to the page of their operation', async () => {
    await open(1400, '#submitScore', 'Scores');
    await page.waitForURL(/\/docs\/scores#submitScore$/);
    await page.goto(`${app.url}/docs`);
    await page.evaluate(`location.hash = 'createGame'`);
    await page.waitForURL(/\/docs\/games#createGame$/);
    // Groups have theirs there still.
    await page.goto(`${app.url}/docs#score-events`);
    await page.locator('#score-events:target').getByText('Score events', { exact: true }).waitFor();
  });

  test('the list of operations can be filtered, by keyboard too', async () => {
    await open(1400);
    await page.getByLabel('Search the reference').pressSequentially('patch boards');
    const shown = page.locator('nav li li:visible');
    // Two operations fit until the last letter is typed.
    await shown.nth(1).waitFor({ state: 'hidden' });
    expect(await shown.allTextContents()).toEqual(['Update a board']);
    await shown.getByRole('link').click();
    await page.waitForURL(/\/docs\/boards#updateBoard$/);
  });

  test('the search reads headers, parameters, errors and descriptions', async () => {
    await open(1400, '/games', 'Games');
    const field = page.getByLabel('Search the reference');
    const found = page.locator('#found');
    for (const [words, place] of [
      ['idempotency', '/scores#submitScore'],
      ['client-nonce', '/scores#submitScore'],
      ['around_score_value', '/scores#listClientScores'],
      ['NONCE_USED', '/scores#submitScore'],
      ['next_cursor', '#lists'],
      ['INVALID_CURSOR', '#errors-400'],
    ]) {
      await field.fill(words!);
      await found.locator(`a[href="${app.url}/docs${place}"]`).waitFor();
    }
    expect(await page.locator('#hits').textContent()).toMatch(/^\d+ hits?$/);
    await field.fill('<img src=x onerror=alert(1)>');
    await page.getByText('0 hits').waitFor();
    await field.fill('');
    await found.waitFor({ state: 'hidden' });
    await field.fill('nonce_used');
    await found.waitFor();
    expect(await objections(page, undefined, '#found')).toEqual([]);
  });

  test('the search finds every operation by its address and by its name', async () => {
    await open(1400);
    const index: Data[] = (await send(`${app.url}/docs/search.json`)).body;
    const field = page.getByLabel('Search the reference');
    for (const [address, { operationId, tags }] of operations) {
      const href = `docs${groups.get(tags[0])}#${operationId}`;
      expect(index.filter((one) => one.href === href)).toEqual([
        expect.objectContaining({ text: expect.stringContaining(address) }),
      ]);
      await field.fill(address);
      await page.locator(`nav li li a[href="${href}"]`).waitFor();
    }
  });

  test('each operation has a sample in each language of its callers, and the choice stays', async () => {
    await open(1400);
    const counts: Record<string, number> = {};
    for (const place of groups.values()) {
      await page.goto(`${app.url}/docs${place}`);
      const languages = await page.evaluate<string[]>(
        `[...document.querySelectorAll('.request [data-language]')].map(({ dataset }) => dataset.language)`,
      );
      for (const language of languages) counts[language] = (counts[language] ?? 0) + 1;
    }
    expect(counts).toMatchObject({
      curl: operations.length,
      JavaScript: operations.length,
      'C#': operations.length,
    });
    const ofGames = operations.filter(([, { security }]) => security.every((one: Data) => !one.apiKey));
    expect(ofGames.length).toBeGreaterThan(40);
    expect(counts.GDScript).toBeGreaterThanOrEqual(ofGames.length);
    await page.goto(`${app.url}/docs/scores`);
    await page.locator('#submitScore .language').selectOption('GDScript');
    await page.locator('#listClientScores').getByText('HTTPClient.METHOD_GET').waitFor();
    await page.reload();
    await page.locator('#submitScore').getByText('HTTPClient.METHOD_POST').waitFor();
    await page.locator('#submitScore .language').selectOption('Lua client');
    await page.locator('#submitScore').getByText('leaderboard:submit').waitFor();
    await page.goto(`${app.url}/docs/games`);
    expect(await page.locator('#createGame [data-language="GDScript"]').count()).toBe(0);
    await page.locator('#createGame').getByText('curl "$BASE/v1/games"').waitFor();
  });

  test('a sample of JavaScript runs as it stands', async () => {
    await open(1400, '/games', 'Games');
    const game = await makeGame(studio);
    for (const [id, answered] of [
      ['createGame', 'Sky Race'],
      ['listGames', game.name],
    ]) {
      const sample = await page.locator(`#${id} [data-language="JavaScript"]`).textContent();
      const own = sample!.replace(/acc_[\w-]+/, studio.accountId);
      const run = new Function('BASE', 'KEY', `return (async () => { ${own}; return answer; })()`);
      expect(JSON.stringify(await run(app.url, keyOf(studio.admin)))).toContain(answered);
    }
  });

  test('an operation runs with the key of the tab, a write only after it is confirmed', async () => {
    const hostile = '<script>alert(1)</script>';
    const game = await makeGame(studio, { name: `${hostile} \u202egame` });
    await open(1400, '/games', 'Games');
    await page.getByLabel('API key of this tab').fill(keyOf(studio.admin));
    await page.getByRole('button', { name: 'Try it: listGames', exact: true }).click();
    const list = page.locator('#listGames .run');
    await list.getByRole('button', { name: 'Run' }).click();
    await list.getByText(/^200 /).waitFor();
    await list.getByText(hostile).waitFor();

    const update = page.locator('#updateGame .run');
    await page.getByRole('button', { name: 'Try it: updateGame', exact: true }).click();
    await update.getByRole('button', { name: 'Run' }).click();
    await update.getByText('game_id is missing.').waitFor();
    await update.getByLabel('game_id').fill(game.id);
    await update.getByLabel('Body').fill('{"name": "Renamed"}');
    await update.getByRole('button', { name: 'Run' }).click();
    await update.getByText(`PATCH /v1/games/${game.id}`).waitFor();
    const nameOf = async () =>
      (await studio.admin.data(`{ game(by: { id: "${game.id}" }) { name } }`)).game.name;
    await update.getByRole('button', { name: 'Cancel' }).click();
    expect(await nameOf()).toBe(game.name);
    await update.getByRole('button', { name: 'Run' }).click();
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      expect(await objections(page, undefined, '#keys, #updateGame, #listGames')).toEqual([]);
    }
    await update.getByRole('button', { name: 'Send PATCH' }).click();
    await update.getByText(/^200 /).waitFor();
    expect(await nameOf()).toBe('Renamed');
  });

  test('a stream is shown as it comes, and can be stopped', async () => {
    const board = await makeBoard(studio, (await makeGame(studio)).id);
    await open(390, '/boards', 'Boards');
    const live = page.locator('#watchBoard .run');
    await page.getByRole('button', { name: 'Try it: watchBoard', exact: true }).click();
    await live.getByLabel('board_id').fill(board.id);
    await live.getByRole('button', { name: 'Run' }).click();
    await live.getByText('"entry_count"').waitFor();
    await live.getByRole('button', { name: 'Stop' }).click();
    await live.getByText('stopped').waitFor();
    const sideways = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
    expect(await page.evaluate(sideways)).toBe(0);
  });

  test('a sample can be copied as a command', async () => {
    await open(1400, '/games', 'Games');
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'], { origin: app.url });
    await page.locator('#createGame .copy').first().click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    const command = await page.evaluate<string>('navigator.clipboard.readText()');
    expect(command).toContain('curl "$BASE/v1/games" \\\n  -H "service-api-key: $KEY"');
    expect(command).toContain('"name": "Sky Race"');
  });

  test.each([320, 800, 1400])(
    'no content is cut off at a width of %i, and axe has no complaint',
    async (width) => {
      const sideways = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
      await open(width);
      const places = ['', '/game-clients', '/scores', '/webhooks'];
      for (const place of width === 800 ? ['', ...groups.values()] : places) {
        await page.goto(`${app.url}/docs${place}`);
        expect([place, await page.evaluate(sideways)]).toEqual([place, 0]);
        if (width !== 800) expect(await objections(page)).toEqual([]);
      }
      if (width > 400) return;
      // On a phone the list is folded, and folds again when an operation was chosen.
      await page.goto(`${app.url}/docs/scores`);
      const menu = page.locator('#menu');
      expect(await menu.getAttribute('open')).toBeNull();
      await page.getByText('Operations', { exact: true }).click();
      await page.locator('nav').getByRole('link', { name: 'Submit a score', exact: true }).click();
      await page.waitForURL(/#submitScore$/);
      expect(await menu.getAttribute('open')).toBeNull();
    },
  );
});

function bodyOf({ requestBody }: Data): Data {
  const schema = requestBody?.content['application/json']?.schema;
  return schema?.$ref ? document.components.schemas[schema.$ref.split('/').at(-1)] : schema;
}
