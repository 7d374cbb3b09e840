import { full, quick } from '../support/lane.js';
import { makeBoard } from '../support/make.js';
import { pageVisits } from '../support/page-visits.js';
import { openPage, places, WEEKLY } from '../support/public-page.js';
import { play, score, showBoard } from '../support/public-studio.js';

const { on, open, live, isAt } = pageVisits();

/** PUBLIC_UI_URL of the tests. */
const PUBLIC = 'https://play.example.com';

const classOf = (html: string) => /<html [^>]*class="([^"]*)"/.exec(html)![1]!;

quick('size, side, layout, rows and accent are parameters; invalid ones are ignored', async () => {
  const at = (query: string) => openPage(`${on.app.url}${WEEKLY}?overlay=1${query}`);
  const plain = await at('');
  expect(classOf(plain.html)).toMatch(/^overlay size-medium side-left hue-\d+$/);
  const chosen = await at('&size=large&side=right&layout=ticker&top=3&accent=%23FFD166');
  expect(classOf(chosen.html)).toMatch(/^overlay ticker size-large side-right hue-\d+$/);
  expect(chosen.html).toContain('/pages/accent/ffd166.css');
  expect(places(chosen)).toHaveLength(3);
  const wrong = await at('&size=huge&side=&layout=list&layout=ticker&top=-1&accent=red"><script>');
  expect(classOf(wrong.html)).toBe(classOf(plain.html));
  expect(places(wrong)).toHaveLength(5);
  expect(wrong.html).not.toMatch(/accent\/|<script>/);
});

quick('overlays never have the facts that pages show', async () => {
  const board = await showBoard(on.shown, { publicFields: ['DATE', 'GAP', 'COUNTRY', 'PLATFORM'] });
  await play(on.shown.studio, board, 'Ann', 1);
  const { html } = await openPage(`${on.app.url}/b/${board.shortCode}?overlay=1`);
  expect(html).not.toMatch(/data-fields|class="extra"/);
});

quick('a tag with the name of a parameter keeps its old address, and has one in overlays', async () => {
  const board = await makeBoard(on.shown.studio, on.shown.game.id, {
    keepStrategy: 'BEST',
    dimensions: [{ name: 'size' }],
    views: [{ name: 'by_size', by: ['size'] }],
  });
  await play(on.shown.studio, board, 'Ann', 1, { tags: { size: 'large' } });
  const at = (query: string) => openPage(`${on.app.url}/b/${board.shortCode}?view=by_size&${query}`);
  for (const query of ['size=large', 'where=size:large', 'overlay=1&where=size:large'])
    expect([query, places(await at(query))]).toEqual([query, ['1 Ann 1']]);
  expect((await at('size=large')).html).toContain('overlay?ranking=view%3Dby_size%26where%3Dsize%253Alarge');
});

quick('the page that builds the link works without a script, and shows what was chosen', async () => {
  const { shortCode } = on.shown.weekly;
  await open(`/b/${shortCode}`, undefined, { javaScriptEnabled: false });
  await on.page.getByRole('link', { name: 'Overlay for streams' }).click();
  await on.page.getByLabel('Ticker').check();
  await on.page.getByLabel('Large').check();
  await on.page.getByLabel('Rows', { exact: true }).fill('8');
  await on.page.getByRole('button', { name: 'Update preview' }).click();
  const link = on.page.getByLabel('Link for your browser source');
  expect(await link.inputValue()).toBe(`${PUBLIC}/b/${shortCode}?overlay=1&layout=ticker&size=large&top=8`);
  const preview = on.page.frameLocator('iframe');
  await preview.locator('.places li').nth(7).waitFor();
  expect(await preview.locator('.places li').count()).toBe(8);
  expect(await on.page.getByLabel('Ticker').isChecked()).toBe(true);
  for (const [code, status] of [
    ['NOPE', 404],
    [shortCode.toLowerCase(), 200],
  ])
    expect([
      code,
      (await openPage(`${on.app.url}/b/${code}/overlay?top=x&ranking=view%3Dnone`)).status,
    ]).toEqual([code, status]);
});

quick('with a script each choice is seen at once, and the link is copied whole', async () => {
  const { shortCode } = on.shown.weekly;
  await open(`/b/${shortCode}/overlay`);
  const link = on.page.getByLabel('Link for your browser source');
  await on.page.locator('.enhanced').waitFor();
  await on.page.getByLabel('Right', { exact: true }).check();
  await on.page.getByLabel('Accent color').fill('#ffd166');
  const address = `/b/${shortCode}?overlay=1&side=right&accent=ffd166`;
  await on.page.locator(`iframe[src="../..${address}"]`).waitFor();
  expect(await link.inputValue()).toBe(PUBLIC + address);
  await on.page.frameLocator('iframe').locator('.side-right .ranking.connected').waitFor();
  await on.page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await on.page.getByRole('button', { name: 'Copy' }).click();
  await on.page.getByText('Copied').waitFor();
  expect(await on.page.evaluate('navigator.clipboard.readText()')).toBe(PUBLIC + address);
});

full('a new leader is marked for a moment, without motion where visitors prefer it', async () => {
  const board = await showBoard(on.shown, { name: 'Lead' });
  const [ann] = [
    await play(on.shown.studio, board, 'Ann', 10),
    await play(on.shown.studio, board, 'Bob', 20),
  ];
  for (const [n, reducedMotion] of (['no-preference', 'reduce'] as const).entries()) {
    await open(`/b/${board.shortCode}?overlay=1`, { width: 460, height: 300 }, { reducedMotion });
    await live();
    expect(await on.page.locator('.led').count()).toBe(0);
    if (n === 0) await score(on.shown.studio, board, ann, 30, { playerName: 'Ann' });
    else await play(on.shown.studio, board, 'Cleo', 40);
    await isAt(1, n === 0 ? 'Ann' : 'Cleo');
    await on.page.locator('.led').waitFor();
    const name = await on.page.evaluate("getComputedStyle(document.querySelector('.led')).animationName");
    expect(name).toBe(n === 0 ? 'led' : 'none');
    await on.page.locator('.led').waitFor({ state: 'detached' });
    if (n === 0) await on.page.context().close();
  }
});

full('a ticker is one line, and what is longer passes by', async () => {
  await open(`${WEEKLY}?overlay=1&layout=ticker&top=20`, { width: 1280, height: 84 });
  await live();
  const tops = await on.page
    .locator('.places li')
    .evaluateAll((rows: { offsetTop: number }[]) => new Set(rows.map((row) => row.offsetTop)).size);
  expect(tops).toBe(1);
  expect(await on.page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0);
  const list = "getComputedStyle(document.querySelector('.places'))";
  expect(await on.page.evaluate(`${list}.animationName`)).toBe('ticker');
  const end = `(() => { const [run] = document.querySelector('.places').getAnimations(); run.pause(); run.currentTime = 24_000;
    return document.querySelector('.places li:last-child').getBoundingClientRect().right; })()`;
  expect(await on.page.evaluate<number>(end)).toBeLessThanOrEqual(1280);
});
