import { objections } from '../faces/looks.js';
import { pageVisits } from '../support/page-visits.js';
import { openPage } from '../support/public-page.js';
import { play, score, showBoard } from '../support/public-studio.js';

// What visitors take a board elsewhere with: the link, the code of an embedded board, the own rank, a plate for streams.

const { on, open, live } = pageVisits();

async function inOrder(): Promise<void> {
  for (const width of [320, 1280]) {
    await on.page.setViewportSize({ width, height: 900 });
    expect(await on.page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0);
    expect(await objections(on.page)).toEqual([]);
  }
}

test('the code of an embedded board is made in two clicks, and is a page that can be framed', async () => {
  const board = await showBoard(on.shown, { views: [{ name: 'weekly', period: 'WEEK' }] });
  await play(on.shown.studio, board, 'Ann', 7);
  await open(`/b/${board.shortCode}`);
  await on.page.getByRole('link', { name: 'Embed' }).click();
  const code = on.page.getByLabel('Code for your page');
  expect(await code.inputValue()).toMatch(
    /^<iframe src="[^"]*\?embed=1" title="[^"]*" width="100%" height="\d+"/,
  );
  await on.page.getByLabel('Dark').check();
  await on.page.waitForURL(/theme=dark/);
  await on.page.getByLabel('Ranking').selectOption({ label: 'Weekly' });
  await on.page.waitForURL(/ranking=view/);
  await on.page.getByLabel('Width in pixels').fill('480');
  await on.page.getByLabel('Width in pixels').blur();
  await on.page.waitForURL(/width=480/);
  await on.page.getByLabel('Rows').fill('3');
  await on.page.getByLabel('Rows').blur();
  await on.page.waitForURL(/top=3/);
  const made = await code.inputValue();
  expect(made).toContain('?view=weekly&amp;embed=1&amp;top=3&amp;theme=dark"');
  expect(made).toContain('width="480"');
  await on.page.frameLocator('#embed-preview').getByText('Ann').waitFor();
  await inOrder();
});

test('the builder works without a script, and ignores what the board does not have', async () => {
  const { shortCode } = on.shown.weekly;
  const { html, status } = await openPage(
    `${on.app.url}/b/${shortCode}/embed?ranking=view%3Dnone&top=x&theme="><script>&width=-1`,
  );
  expect(status).toBe(200);
  expect(html).toContain('?embed=1&quot;');
  expect(html).not.toContain('<script>');
  expect((await openPage(`${on.app.url}/b/NOPE99/embed`)).status).toBe(404);
  // Names are escaped for the page that the code is pasted into, and once more in the text field.
  const named = await showBoard(on.shown, { name: 'The "Gold" <Cup>' });
  expect((await openPage(`${on.app.url}/b/${named.shortCode}/embed`)).html).toContain(
    'title=&quot;The &amp;quot;Gold&amp;quot; &amp;lt;Cup&amp;gt;&quot;',
  );
});

test('who said "This is me" sees the own rank and the gap on every board of the game, without a tap', async () => {
  const board = await showBoard(on.shown);
  await play(on.shown.studio, board, 'Ann', 700);
  await play(on.shown.studio, board, 'Bob', 650);
  await open(`/b/${board.shortCode}`);
  expect(await on.page.locator('#own-rank').isVisible()).toBe(false);
  await on.page.getByRole('link', { name: 'Bob' }).click();
  await on.page.getByRole('button', { name: 'This is me' }).click();
  await on.page.getByRole('button', { name: 'Not me' }).waitFor();
  await on.page.goto(`${on.app.url}/b/${board.shortCode}`);
  const bar = on.page.getByRole('complementary', { name: 'You' });
  await bar.getByText('2 of 2').waitFor();
  expect(await bar.textContent()).toMatch(/Bob.*2 of 2.*50/s);
  await inOrder();
  // A board without the player has no bar.
  const other = await showBoard(on.shown);
  await play(on.shown.studio, other, 'Cem', 1);
  await on.page.goto(`${on.app.url}/b/${other.shortCode}`);
  await on.page.getByText('Cem').first().waitFor();
  expect(await on.page.locator('#own-rank').isVisible()).toBe(false);
});

test('a plate for streams shows one player alone, and follows', async () => {
  const board = await showBoard(on.shown);
  await play(on.shown.studio, board, 'Ann', 700);
  const bob = await play(on.shown.studio, board, 'Bob', 650);
  await open(`/b/${board.shortCode}`);
  await on.page.getByRole('link', { name: 'Bob' }).click();
  await on.page.getByRole('link', { name: 'Rank for streams' }).click();
  const rows = on.page.locator('.places li:visible');
  await rows.first().getByText('Bob').waitFor();
  expect(await rows.count()).toBe(1);
  await live();
  await score(on.shown.studio, board, bob, 800, { playerName: 'Bob' });
  await rows.first().getByText('800').waitFor();
  expect(await rows.first().locator('.rank').textContent()).toBe('1');
});

test('an overlay without rows has a plate for its text', async () => {
  const board = await showBoard(on.shown);
  await open(`/b/${board.shortCode}?overlay=1`);
  const empty = on.page.locator('.empty');
  await empty.waitFor();
  expect(await empty.evaluate('(one) => getComputedStyle(one).backgroundColor')).not.toBe('rgba(0, 0, 0, 0)');
});
