import { objections, shootAt, THEMES } from '../faces/looks.js';
import { full, quick } from '../support/lane.js';
import { change, changeFault } from '../support/make.js';
import { DESKTOP, pageVisits } from '../support/page-visits.js';
import { openPage, textOf, WEEKLY } from '../support/public-page.js';
import { play, score, showBoard } from '../support/public-studio.js';

const { on, visit, open, place, places, live, isAt } = pageVisits();

const HOSTILE = ['<script>document.title = 1</script>', '\u202Eevil', 'W'.repeat(64), '😀'.repeat(64)];
const LITTLE = { width: 390, height: 844 };

const facts = () => on.page.locator('#player-facts').textContent();

quick(
  'a player has a page on a board that follows the player through the ranks, and ends with the player',
  async () => {
    const { studio } = on.shown;
    const board = await showBoard(on.shown, { name: 'Followed <i>', unit: 'm' });
    const players: string[] = [];
    for (const [n, name] of [...HOSTILE, 'Ann', 'Bob'].entries())
      players.push(await play(studio, board, name, 100 - n));
    await open(`/b/${board.shortCode}`);
    await on.page.getByRole('link', { name: 'Ann' }).click();
    await on.page.waitForURL(`${on.app.url}/b/${board.shortCode}/p/${players[4]}`);
    expect(await on.page.title()).toBe('Ann · Followed <i>');
    expect(await facts()).toMatch(/5 of 6.*96 m.*1 m ahead/s);
    expect(await on.page.locator('.me').textContent()).toMatch(/^5\s*Ann\s*96 m$/);
    expect(await on.page.locator('.me a').count()).toBe(0);
    await live();
    await score(studio, board, players[5]!, 200);
    await on.page.locator('#player-facts', { hasText: '6 of 6' }).waitFor();
    expect(await on.page.locator('.me .move').textContent()).toBe('');
    await score(studio, board, players[4]!, 150);
    await on.page.locator('#player-facts', { hasText: '2 of 6' }).waitFor();
    expect(await facts()).toMatch(/Bob\s+50 m ahead/);
    await on.page.locator('.me .move.up').waitFor();
    await change(studio.admin, 'Identity', players[4]!, { deleted: true });
    await on.page.getByRole('heading', { name: 'Page not found' }).waitFor();
    on.watched.complaints.length = 0;
  },
);

full('dates and gaps follow the ranking, and a gap that grew is no move of its player', async () => {
  const { studio } = on.shown;
  const board = await showBoard(on.shown, { name: 'Gaps', unit: 'm', publicFields: ['DATE', 'GAP'] });
  const players: string[] = [];
  for (const [n, name] of ['Ann', 'Bob', 'W'.repeat(64)].entries())
    players.push(await play(studio, board, name, 100 - n));
  await open(`/b/${board.shortCode}`, LITTLE);
  await live();
  expect(await place(2).locator('.extra').textContent()).toMatch(/^\d+ \w+ 2030 · −1$/);
  await score(studio, board, players[1]!, 150);
  await isAt(1, 'Bob');
  await place(2).locator('.extra', { hasText: '−50' }).waitFor();
  expect(await on.page.locator('.move:not(:empty)').allTextContents()).toEqual(['▲ 1']);
  expect(await on.page.locator('.move:not(:empty)').count()).toBe(1);
  await on.page.locator('.move.up').waitFor({ state: 'detached', timeout: 5_000 });
  expect(await objections(on.page)).toEqual([]);
  await shootAt(on.page, 'gaps');
});

quick('where every run is ranked, the page shows the best run and marks all of the player', async () => {
  const board = await showBoard(on.shown, { name: 'All runs', keepStrategy: 'ALL' });
  const ann = await play(on.shown.studio, board, 'Ann', 10);
  await score(on.shown.studio, board, ann, 30, { playerName: 'Ann' });
  await play(on.shown.studio, board, 'Bob', 20);
  await open(`/b/${board.shortCode}/p/${ann}`, DESKTOP, { javaScriptEnabled: false });
  expect(await facts()).toMatch(/1 of 3/);
  expect(await on.page.locator('.me').count()).toBe(2);
});

quick('an unknown player, one of another board and a malformed id have no page', async () => {
  const board = await showBoard(on.shown, { name: 'Alone' });
  const other = await showBoard(on.shown, { name: 'Hidden', isPublished: false });
  const ann = await play(on.shown.studio, board, 'Ann', 10);
  const paths = [
    `/b/${board.shortCode}/p/ide_00000000-0000-7000-8000-000000000000`,
    `/b/${board.shortCode}/p/ide_------------------------------------`,
    `/b/${on.shown.weekly.shortCode}/p/${ann}`,
    `/b/${other.shortCode}/p/${ann}`,
  ];
  for (const path of paths) expect([path, (await openPage(on.app.url + path)).status]).toEqual([path, 404]);
  const page = await openPage(`${on.app.url}/b/${board.shortCode.toLowerCase()}/p/${ann}`);
  expect(textOf(page.html)).toContain('1 of 1');
  expect(page.html).toContain('<meta name="robots" content="noindex">');
});

full(
  'names are shown whole at 390 px, and an arrow is shown for three seconds to who moved by an own score',
  async () => {
    const board = await showBoard(on.shown, { name: 'Arrows' });
    const players: string[] = [];
    for (const [n, name] of HOSTILE.entries())
      players.push(await play(on.shown.studio, board, name, 100 - n));
    await open(`/b/${board.shortCode}`, LITTLE);
    await live();
    const cut = `[...document.querySelectorAll('.name')]
      .filter((name) => name.scrollWidth > name.clientWidth || name.scrollHeight > name.clientHeight + 2).length`;
    expect(await on.page.evaluate(cut)).toBe(0);
    await score(on.shown.studio, board, players[3]!, 500);
    await isAt(1, HOSTILE[3]!);
    const shownAt = Date.now();
    expect(await on.page.locator('.move:not(:empty)').allTextContents()).toEqual(['▲ 3']);
    expect(await on.page.evaluate(cut)).toBe(0);
    await on.page.locator('.move:not(:empty)').waitFor({ state: 'detached' });
    expect(Date.now() - shownAt).toBeGreaterThan(2_000);
  },
);

full('rows of a long list stay in their card while players move over them', async () => {
  const board = await showBoard(on.shown, { name: 'Card' });
  const players: string[] = [];
  for (let n = 0; n < 9; n += 1) players.push(await play(on.shown.studio, board, `Player ${n}`, 100 - n));
  await open(`/b/${board.shortCode}`);
  await live();
  // While the players move: each row begins where the one before it ends.
  await on.page.evaluate(
    `void (window.gaps = new Promise((done) => new MutationObserver(() => requestAnimationFrame(() => {
      const rows = [...document.querySelectorAll('.places li')].slice(3).map((row) => row.getBoundingClientRect());
      done({ moving: document.getAnimations().length, gaps: rows.slice(1).map((row, n) => Math.round(row.top - rows[n].bottom)) });
    })).observe(document.querySelector('.places'), { childList: true })))`,
  );
  await score(on.shown.studio, board, players[8]!, 97.5);
  await isAt(4, 'Player 8');
  const { moving, gaps } = await on.page.evaluate<{ moving: number; gaps: number[] }>('window.gaps');
  expect(moving).toBeGreaterThan(0);
  expect(gaps).toEqual([0, 0, 0, 0, 0]);
});

full('a wide screen shows the podium beside two columns of places', async () => {
  await open(WEEKLY, { width: 1920, height: 1080 });
  expect(await places()).toHaveLength(50);
  const lefts = await on.page
    .locator('.places li')
    .evaluateAll((rows: { getBoundingClientRect(): { left: number } }[]) => [
      ...new Set(rows.map((row) => Math.round(row.getBoundingClientRect().left))),
    ]);
  expect(lefts).toHaveLength(3);
  expect((await place(50).boundingBox())!.x).toBeGreaterThan(1_000);
});

full('a game has a colour of its own, whose shades are readable on all of its pages', async () => {
  const { studio, game } = on.shown;
  const set = (accentColour: string | null) => change(studio.admin, 'Game', game.id, { accentColour });
  const looks = `(() => { const style = getComputedStyle(document.querySelector('footer a')); return style.color; })()`;
  for (const wrong of ['red', '#12345', '#12345g', 'url(x)', '#1234567', '']) {
    expect(await changeFault(studio.admin, 'Game', game.id, { accentColour: wrong })).toBe(
      'VALIDATION_FAILED',
    );
  }
  for (const [colour, light, dark] of [
    ['#2A56C6', 'rgb(42, 86, 198)', undefined],
    ['#ffd166', undefined, 'rgb(255, 209, 102)'],
  ] as const) {
    await set(colour);
    await open(WEEKLY);
    for (const [theme, shade] of [
      ['light', light],
      ['dark', dark],
    ] as const) {
      await on.page.emulateMedia({ colorScheme: theme });
      if (shade) expect(await on.page.evaluate(looks)).toBe(shade);
      expect([colour, theme, await objections(on.page, 'color-contrast')]).toEqual([colour, theme, []]);
      await shootAt(on.page, `accent-${colour.slice(1)}-${theme}`);
    }
  }
  await set(null);
  expect((await openPage(on.app.url + WEEKLY)).html).not.toContain('pages/accent/');
});

full('axe has no objection in either theme, and nothing is wider than its window', async () => {
  const board = await showBoard(on.shown, { name: 'Odd', unit: 'm' });
  let last = '';
  for (const [n, name] of [...HOSTILE, ...HOSTILE].entries())
    last = await play(on.shown.studio, board, name, 1_000_000 - n);
  const looks = { weekly: WEEKLY, odd: `/b/${board.shortCode}`, player: `/b/${board.shortCode}/p/${last}` };
  await visit();
  for (const [name, address] of Object.entries({ ...looks, game: '/games/moonlit-drift' })) {
    await on.page.setViewportSize(DESKTOP);
    await on.page.goto(on.app.url + address);
    for (const theme of THEMES) {
      await on.page.emulateMedia({ colorScheme: theme });
      const rule = theme === 'dark' ? 'color-contrast' : undefined;
      expect([name, theme, await objections(on.page, rule)]).toEqual([name, theme, []]);
      await shootAt(on.page, `${name}-${theme}`);
      await on.page.setViewportSize(DESKTOP);
    }
  }
});
