import { makeApp } from '../../src/app.js';
import { makeLog } from '../../src/base/log.js';
import { SETTINGS } from '../support/app.js';
import { HOUR, MINUTE, SECOND } from '../support/clock.js';
import { full, quick } from '../support/lane.js';
import { change } from '../support/make.js';
import { DESKTOP, PHONE, pageVisits } from '../support/page-visits.js';
import { WEEKLY } from '../support/public-page.js';
import { play, score, showBoard } from '../support/public-studio.js';

const { on, visit, place, open, shoot, live, places, isAt } = pageVisits();

full('the first view is complete without scripts; forms and links work', async () => {
  await open(WEEKLY, DESKTOP, { javaScriptEnabled: false });
  expect(await on.page.title()).toBe('Harbour cup, week 3 · Moonlit Drift');
  expect((await places()).slice(0, 2)).toEqual([
    expect.stringMatching(/1\s+Ásdís\s+52,000 points/),
    expect.stringMatching(/2\s+BlinkFox/),
  ]);
  expect(await on.page.getByText('Updates live').isVisible()).toBe(false);
  await on.page.getByRole('link', { name: 'Next', exact: true }).click();
  await on.page.locator('#rank-51').waitFor();
  await on.page.getByLabel('Go to rank').fill('108');
  await on.page.getByRole('button', { name: 'Go' }).click();
  await on.page.waitForURL(/\?from=101#rank-108$/);
  expect(await on.page.evaluate("getComputedStyle(document.querySelector('#rank-108')).boxShadow")).toMatch(
    /inset/,
  );
  await on.page.getByLabel('Find a player by name').fill('hana');
  await on.page.getByRole('button', { name: 'Find' }).click();
  await on.page.getByRole('heading', { name: '15 players found for “hana”' }).waitFor();
  await on.page.locator('.found').getByRole('link', { name: 'Hana Sato 55' }).click();
  await on.page.waitForURL(/\?from=51#rank-56$/);
  await on.page.locator('summary').click();
  await on.page.getByRole('link', { name: 'Harbour cup, week 1', exact: true }).click();
  await on.page.getByRole('heading', { level: 1, name: 'Harbour cup, week 1' }).waitFor();
  await on.page.getByRole('link', { name: 'Moonlit Drift', exact: true }).click();
  await on.page.getByRole('heading', { level: 1, name: 'Moonlit Drift' }).waitFor();
});

quick('a change moves places visibly, updates the count and announces a new leader', async () => {
  const board = await showBoard(on.shown, { name: 'Live one' });
  const ann = await play(on.shown.studio, board, 'Ann', 10);
  const bob = await play(on.shown.studio, board, 'Bob', 9);
  await play(on.shown.studio, board, 'Cy', 8);
  await play(on.shown.studio, board, 'Di', 7);
  await open(`/b/${board.shortCode}`);
  await live();
  await score(on.shown.studio, board, bob, 20);
  await isAt(1, 'Bob');
  expect(await place(1).locator('.move').textContent()).toBe('▲ 1');
  // Ann did not submit: she moved because of Bob.
  expect(await place(2).locator('.move').textContent()).toBe('');
  expect(await on.page.locator('#spoken').textContent()).toBe('Bob takes first place with 20.');
  await play(on.shown.studio, board, 'Eve <b>', 15);
  await isAt(2, 'Eve <b>');
  expect(await places()).toHaveLength(5);
  expect(await place(2).locator('.move').textContent()).toBe('new');
  await on.page.locator('.size', { hasText: '5 players' }).waitFor();
  await shoot('live-change');
  await score(on.shown.studio, board, ann, 30);
  await isAt(1, 'Ann');
  expect(await place(1).getAttribute('id')).toBe('rank-1');
});

full('a paused page does not move, by keyboard too; a resumed one shows the newest state', async () => {
  const board = await showBoard(on.shown, { name: 'Paused one' });
  const ann = await play(on.shown.studio, board, 'Ann', 10);
  await open(`/b/${board.shortCode}`, DESKTOP, { reducedMotion: 'reduce' });
  await live();
  await on.page.getByRole('button', { name: 'Pause updates' }).focus();
  await on.page.keyboard.press('Enter');
  await on.page.getByText('Paused', { exact: true }).waitFor();
  await on.page.waitForFunction('!document.querySelector(".connected")');
  await score(on.shown.studio, board, ann, 11);
  expect(await place(1).locator('.value').textContent()).toBe('10');
  await on.page.keyboard.press('Enter');
  await place(1).locator('.value', { hasText: '11' }).waitFor();
  await play(on.shown.studio, board, 'Bob', 12);
  await isAt(1, 'Bob');
  // A visitor who prefers less motion gets none.
  expect(await on.page.evaluate('document.getAnimations().length')).toBe(0);
});

full('a page behind the first is live, too', async () => {
  const board = await showBoard(on.shown, { name: 'Long one' });
  let last = '';
  for (let n = 0; n < 53; n += 1) last = await play(on.shown.studio, board, `Player ${n}`, 1_000 - n);
  await open(`/b/${board.shortCode}?from=51`);
  await live();
  await isAt(3, 'Player 52');
  await score(on.shown.studio, board, last, 949.5);
  await isAt(2, 'Player 52');
  expect(await place(2).getAttribute('id')).toBe('rank-52');
});

full('a page resumes its feed by itself when the service is back', async () => {
  const board = await showBoard(on.shown, { name: 'Restarted one' });
  const ann = await play(on.shown.studio, board, 'Ann', 10);
  const { database, dataDir, clock } = on.app;
  const start = async (wanted: number) => {
    const settings = { ...SETTINGS, dataDir };
    const log = makeLog('fatal');
    const service = await makeApp({ settings, database, clock: clock.now, log, wakeJobs: false });
    return { service, port: await service.listen(wanted, '127.0.0.1') };
  };
  const { service: first, port } = await start(0);
  const origin = `http://127.0.0.1:${port}`;
  await visit(DESKTOP, {}, origin);
  await on.page.goto(`${origin}/b/${board.shortCode}`);
  await live();
  let loads = 0;
  on.page.on('load', () => {
    loads += 1;
  });
  await first.close();
  await on.page.getByText('Reconnecting…').waitFor();
  // The page gets no messages meanwhile.
  await score(on.shown.studio, board, ann, 20);
  await play(on.shown.studio, board, 'Bob', 30);
  expect(await places()).toHaveLength(1);
  const { service: again } = await start(port);
  await isAt(1, 'Bob');
  await live();
  expect(await place(2).locator('.value').textContent()).toBe('20');
  await score(on.shown.studio, board, ann, 40);
  await isAt(1, 'Ann');
  expect(loads).toBe(0);
  on.watched.complaints.splice(0).forEach((complaint) => {
    expect(complaint).toMatch(/WebSocket connection .* failed/);
  });
  await on.page.close();
  await again.close();
});

full('the end of a board and of its publication is shown', async () => {
  const ends = new Date(on.app.clock.now() + HOUR + MINUTE).toISOString();
  const board = await showBoard(on.shown, { name: 'Last one', endsAt: ends });
  await open(`/b/${board.shortCode}`);
  await live();
  const time = on.page.locator('time');
  expect(await time.textContent()).toBe('Ends in 1 h 1 min');
  await on.page.clock.setFixedTime(on.app.clock.now() + HOUR + 18 * SECOND);
  await on.page.locator('time', { hasText: 'Ends in 42 s' }).waitFor();
  await change(on.shown.studio.admin, 'Board', board.id, { isPublished: false });
  await on.page.getByRole('heading', { name: 'Page not found' }).waitFor();
  await shoot('404');
  on.watched.complaints.splice(0).forEach((complaint) => {
    expect(complaint).toContain('404');
  });
});

full('a board that is over shows its podium clear of the forms; an empty one has no search', async () => {
  const board = await showBoard(on.shown, { name: 'Over' });
  for (let n = 1; n < 4; n += 1) await play(on.shown.studio, board, `Player ${n}`, n);
  await change(on.shown.studio.admin, 'Board', board.id, {
    endsAt: new Date(on.app.clock.now()).toISOString(),
  });
  await open(`/b/${board.shortCode}`, PHONE);
  const edges = await on.page.evaluate<{ forms: number; podium: number }>(`({
    forms: document.querySelector('.bar').getBoundingClientRect().bottom,
    podium: document.querySelector('.places li').getBoundingClientRect().top })`);
  expect(edges.podium - edges.forms).toBeGreaterThan(10);
  await shoot('over-phone');
  const empty = await showBoard(on.shown, { name: 'Empty' });
  await on.page.goto(`${on.app.url}/b/${empty.shortCode}`);
  await on.page.getByText('No scores yet.').waitFor();
  expect(await on.page.locator('.jump').count()).toBe(0);
  await shoot('empty-phone');
});
