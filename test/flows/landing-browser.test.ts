import { hiddenBoards } from '../../src/boards/public/read.js';
import { objections, shootAt, THEMES } from '../faces/looks.js';
import { startApp } from '../support/app.js';
import { full, quick } from '../support/lane.js';
import { change, makeGame, makeStudio } from '../support/make.js';
import { DESKTOP, pageVisits } from '../support/page-visits.js';
import { openPage, textOf } from '../support/public-page.js';
import { play, score, showBoard } from '../support/public-studio.js';

const HOSTILE = ['<script>alert(1)</script>', '\u202Egnp.exe', '\uFDFD'.repeat(64)];
const NAMES = ['FIRST22', 'SECOND2', 'HIDDEN2', 'GONE222'];

const { on, open } = pageVisits({ landingBoards: NAMES });

beforeAll(async () => {
  await showBoard(on.shown, { name: 'First <b>', shortCode: 'FIRST22', unit: 'm' });
  await showBoard(on.shown, { name: HOSTILE[2], shortCode: 'SECOND2' });
  await showBoard(on.shown, { name: 'Hidden', shortCode: 'HIDDEN2', isPublished: false });
});

quick(
  'the first page shows the named boards that visitors may see, as they move, and follows none of them when paused',
  async () => {
    const { publicBoard: board } = await on.app.anyone.data(
      '{ publicBoard(by: { shortCode: "FIRST22" }) { boardId } }',
    );
    const first = { id: board.boardId, gameId: on.shown.game.id };
    const names = [...HOSTILE, 'Ann'];
    const players: string[] = [];
    for (const [n, name] of names.entries()) players.push(await play(on.shown.studio, first, name, 100 - n));
    await open('/');
    await on.page.locator('#boards.connected').waitFor();
    expect(await on.page.locator('#boards h3').allInnerTexts()).toEqual(['First <b>', HOSTILE[2]]);
    expect(await on.page.locator('#boards').getByText('Hidden').count()).toBe(0);
    await score(on.shown.studio, first, players[3]!, 500);
    const leader = on.page.locator('#boards .leaders li').first();
    await leader.locator('.name', { hasText: 'Ann' }).waitFor();
    // The claim at the left, the board at the right of it, and one grid from masthead to footer.
    await on.page.setViewportSize(DESKTOP);
    const boxOf = async (selector: string) => (await on.page.locator(selector).first().boundingBox())!;
    const [claim, shown] = [await boxOf('.hero header'), await boxOf('.hero .card')];
    expect(shown.x).toBeGreaterThan(claim.x + claim.width);
    expect(Math.abs(shown.y + shown.height / 2 - (claim.y + claim.height / 2))).toBeLessThan(60);
    const inner = async (selector: string) => {
      const { x, width } = await boxOf(selector);
      return [x, width];
    };
    expect(await inner('.masthead')).toEqual(await inner('main'));
    expect(await on.page.locator('.acts a').allInnerTexts()).toEqual([
      'Open the console',
      'Start with the guide',
    ]);
    expect(await leader.textContent()).toMatch(/1\s*Ann\s*▲ 3\s*500 m/);
    await on.page.getByRole('button', { name: 'Pause updates' }).click();
    await on.page.getByText('Paused', { exact: true }).waitFor();
    await on.page.locator('#boards:not(.connected)').waitFor();
  },
);

quick(
  'its links lead to the console, the explorer, the reference and the guides, below a path too',
  async () => {
    await open('/', DESKTOP, { javaScriptEnabled: false });
    const links = await on.page
      .locator('.doors a')
      .evaluateAll((found: { getAttribute(name: string): string | null }[]) =>
        found.map((link) => link.getAttribute('href') ?? ''),
      );
    expect(links).toEqual(['console/', 'explorer', 'docs', 'docs/graphql', 'guides']);
    for (const link of links)
      expect([link, (await fetch(`${on.app.url}/${link}`)).status]).toEqual([link, 200]);
    await on.page.locator('.doors').getByRole('link', { name: 'Guides' }).click();
    await on.page.getByRole('link', { name: 'Configuration', exact: true }).click();
    await on.page.getByRole('heading', { level: 1, name: 'Configuration' }).waitFor();
    await on.page.getByRole('link', { name: 'Public pages', exact: true }).click();
    await on.page.waitForURL(/\/guides\/public-pages$/);
    for (const place of ['guides', 'docs', 'docs/graphql', 'explorer', '']) {
      const brand = on.page.locator('.masthead .brand');
      await brand.click();
      await on.page.waitForURL(`${on.app.url}/`);
      if (place) await on.page.locator(`.masthead a[href="${place}"]`).click();
    }
  },
);

quick('a fresh installation says what to do first, until it has a game', async () => {
  const fresh = await startApp();
  try {
    const first = await openPage(`${fresh.url}/`);
    const [steps] = /<section class="card start"[\s\S]*?<\/section>/.exec(first.html) ?? [''];
    const links = [...steps.matchAll(/href="([^"]+)"/g)].map(([, link]) => link!);
    expect(links).toEqual(['console/', 'guides/getting-started']);
    for (const link of links)
      expect([link, (await fetch(`${fresh.url}/${link}`)).status]).toEqual([link, 200]);
    expect(steps).toContain('<code>npm run demo</code>');
    expect(first.html).not.toContain('id="boards"');
    await makeGame(await makeStudio(fresh));
    expect((await openPage(`${fresh.url}/`)).html).not.toContain('card start');
  } finally {
    await fresh.close();
  }
});

quick('every link between the guides has a target', async () => {
  const { html } = await openPage(`${on.app.url}/guides`);
  const seen = new Map<string, string>([['/guides', html]]);
  const missing: string[] = [];
  for (const [page, text] of seen) {
    for (const [, href] of text.matchAll(/href="([^"#][^"]*)"/g)) {
      const { origin, pathname } = new URL(href!, on.app.url + page);
      if (origin !== on.app.url || !pathname.startsWith('/guides') || seen.has(pathname)) continue;
      const answer = await openPage(on.app.url + pathname);
      if (answer.status !== 200) missing.push(`${page} → ${href}`);
      seen.set(pathname, answer.html);
    }
  }
  expect(missing).toEqual([]);
  expect(seen.size).toBeGreaterThan(40);
});

quick('JSON clients get the envelope of 404, HEAD the headers, other methods 405', async () => {
  const json = await openPage(`${on.app.url}/`, { accept: 'application/json' });
  expect([json.status, JSON.parse(json.html).code]).toEqual([404, 'NOT_FOUND']);
  const page = await openPage(`${on.app.url}/`);
  expect(textOf(page.html)).toContain('Exact ranks, the moment a score arrives.');
  expect(page.headers.get('content-security-policy')).toMatch(/^default-src 'none'/);
  const head = await fetch(`${on.app.url}/`, { method: 'HEAD' });
  expect([head.status, head.headers.get('etag')]).toEqual([200, expect.any(String)]);
  const post = await fetch(`${on.app.url}/`, { method: 'POST' });
  expect([post.status, post.headers.get('allow')]).toEqual([405, 'GET']);
  expect((await openPage(`${on.app.url}/guides/none`)).status).toBe(404);
});

quick('a person at an unknown address gets a page with a way back, a program the envelope', async () => {
  const lost = await openPage(`${on.app.url}/some/where`, {
    accept: 'text/html,application/xhtml+xml,*/*;q=0.8',
  });
  expect([lost.status, lost.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8']);
  expect(lost.html).toContain('<a href="../">');
  for (const address of ['/v1/none', '/graphql/none', '/register/none', '/health/none']) {
    const { status, html } = await openPage(on.app.url + address, { accept: 'text/html' });
    expect([address, status, JSON.parse(html).code]).toEqual([address, 404, 'NOT_FOUND']);
  }
  const { status, html } = await openPage(`${on.app.url}/some/where`, { accept: '*/*' });
  expect([status, JSON.parse(html).code]).toEqual([404, 'NOT_FOUND']);
  const post = await fetch(`${on.app.url}/some/where`, { method: 'POST', headers: { accept: 'text/html' } });
  expect([post.status, post.headers.get('content-type')]).toEqual([404, 'application/json; charset=utf-8']);
});

const PHONE = { width: 390, height: 844 };

quick('on a phone a guide begins with its own text, and the other guides are a tap away', async () => {
  await open('/guides/tour', PHONE);
  const heading = on.page.getByRole('heading', { level: 1 });
  expect((await heading.boundingBox())!.y).toBeLessThan(PHONE.height / 2);
  const other = on.page
    .getByRole('navigation', { name: 'All guides' })
    .getByRole('link', { name: 'Live boards' });
  expect(await other.isVisible()).toBe(false);
  await on.page.getByText('All guides').click();
  await other.click();
  await on.page.waitForURL(/\/guides\/live$/);
  await on.page.getByText('On this page').click();
  await on.page.locator('.outline a').first().click();
  expect(new URL(on.page.url()).hash).not.toBe('');
});

quick(
  'guides follow each other in the order of learning, are searched, and their samples are copied',
  async () => {
    await open('/guides/tour', DESKTOP);
    await on.page.locator('.neighbours [rel="next"]').click();
    await on.page.waitForURL(/\/guides\/getting-started$/);
    await on.page.getByRole('searchbox').fill('leaderboard import');
    await on.page.locator('.search li a', { hasText: 'Import' }).first().click();
    await on.page.waitForURL(/\/guides\/import/);
    // Partial matches are found, and there is always something.
    const search = on.page.getByRole('searchbox');
    await search.fill('webhook zebra');
    await on.page.locator('.search .none', { hasText: 'No section has all of' }).waitFor();
    await on.page
      .locator('.search li a', { hasText: /webhook/i })
      .first()
      .waitFor();
    await search.fill('qqqqxxxxzzzz');
    await on.page.locator('.search li a', { hasText: 'Getting started' }).waitFor();
    await search.fill('');
    expect(await on.page.locator('main pre [class^="hljs-"]').count()).toBeGreaterThan(0);
    await on.page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    const sample = on.page.locator('.code').first();
    await sample.getByRole('button', { name: 'Copy' }).click();
    await sample.getByText('Copied').waitFor();
    expect(await on.page.evaluate('navigator.clipboard.readText()')).toBe(
      await sample.locator('pre').textContent(),
    );
  },
);

quick('boards that visitors may not see are named, until they are published', async () => {
  const { knex } = on.app.database;
  const hidden = () => hiddenBoards(knex, new Date(on.app.clock.now()), NAMES);
  expect(await hidden()).toEqual(['HIDDEN2', 'GONE222']);
  const { boards } = await on.shown.studio.admin.data('{ boards(first: 100) { nodes { id shortCode } } }');
  const board = boards.nodes.find(({ shortCode }: { shortCode: string }) => shortCode === 'HIDDEN2');
  await change(on.shown.studio.admin, 'Board', board.id, { isPublished: true });
  expect(await hidden()).toEqual(['GONE222']);
});

for (const theme of THEMES) {
  full(`axe has no objection in the ${theme} theme, and nothing is wider than its window`, async () => {
    for (const address of ['/', '/guides', '/guides/import', '/guides/reference/configuration']) {
      await open(address, DESKTOP, { colorScheme: theme });
      expect([address, await objections(on.page)]).toEqual([address, []]);
      await shootAt(on.page, `landing${address.replaceAll('/', '-')}-${theme}`);
    }
  });
}

full('the explorer begins with an example on the first of them, which runs without a key', async () => {
  await open('/explorer');
  await on.page.locator('.graphiql-query-editor', { hasText: 'PublicTop' }).waitFor();
  await on.page.locator('.graphiql-execute-button').click();
  await on.page.locator('.result-window', { hasText: '"First <b>"' }).waitFor();
});
