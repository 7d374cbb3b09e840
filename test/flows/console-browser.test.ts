import type { Browser, Page } from 'playwright-core';
import { beginningsFor } from '../../src/rest/docs/client-samples.js';
import { objections } from '../faces/looks.js';
import { startApp, type TestApp } from '../support/app.js';
import { launchBrowser, type WatchedPage, watchedPage } from '../support/browser.js';
import { consoleWindow, keyOf, signInWith } from '../support/console.js';
import { flag, makePlayer, play } from '../support/flags.js';
import type { Data } from '../support/http.js';
import { full, quick } from '../support/lane.js';
import { codeFor, linksIn, mailsTo } from '../support/mail.js';
import {
  change,
  makeBoard,
  makeGame,
  makeKey,
  makeStudio,
  makeTemplate,
  type Studio,
} from '../support/make.js';

// The console as it was built, in front of the real service.

let app: TestApp;
let studio: Studio;
let browser: Browser;
beforeAll(async () => {
  app = await startApp();
  studio = await makeStudio(app);
  browser = await launchBrowser();
});
afterAll(async () => {
  await browser.close();
  await app.close();
});

const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name }).waitFor();

async function leave({ page, complaints, foreign }: WatchedPage): Promise<void> {
  expect(complaints).toEqual([]);
  expect(foreign).toEqual([]);
  await page.context().close();
}

quick('the page and its files come with their headers, and below a prefix of a proxy', async () => {
  const deep = await fetch(`${app.url}/console/games/a-game/boards`);
  expect(deep.headers.get('content-security-policy')).toContain("default-src 'self'");
  const [, script = ''] = /src="([^"]+)"/.exec(await deep.text()) ?? [];
  const address = new URL(script, 'http://proxy.example/tools/lb/console/games/a-game/boards');
  expect(address.pathname).toMatch(/^\/tools\/lb\/console\/assets\/early-[\w-]+\.js$/);
  const file = await fetch(app.url + address.pathname.replace('/tools/lb', ''));
  expect(file.headers.get('cache-control')).toContain('immutable');
  expect((await fetch(`${app.url}/console/assets/none.js`)).status).toBe(404);
  expect((await fetch(`${app.url}/console`, { method: 'POST' })).status).toBe(405);
});

full('the reads of the first view are sent before the code of the screens arrives, and once', async () => {
  const own = await makeStudio(app);
  const board = await makeBoard(own, (await makeGame(own)).id, { name: 'Shown at once' });
  const watched = await watchedPage(browser, app.url);
  const { page } = watched;
  await page.addInitScript(`sessionStorage.setItem('console:key', '${keyOf(own.admin)}')`);
  const sent: string[] = [];
  page.on('request', (request) => {
    if (request.url().endsWith('/graphql')) sent.push(request.postDataJSON().operationName);
  });
  const overview = page.waitForRequest((request) => /query Overview/.test(request.postData() ?? ''));
  await page.route(/\/assets\/first-/, async (route) => {
    await overview;
    await route.continue();
  });
  await page.goto(`${app.url}/console`);
  await page.getByRole('link', { name: board.name }).waitFor();
  await page.getByText('No upcoming boards. Boards with a start date appear here.').waitFor();
  await page.getByText('No reviews yet. Reviewed flags appear here.').waitFor();
  expect(sent.slice(0, 5).toSorted()).toEqual(['Games', 'LiveBoards', 'Me', 'Overview', 'Pending']);
  expect(new Set(sent).size).toBe(sent.length);
  await leave(watched);
});

quick('a first run leads from an empty account to a public page', async () => {
  const watched = await watchedPage(browser, app.url);
  const { page } = watched;
  await page.goto(`${app.url}/console`);
  await signInWith(page, 'svc_not-a-key');
  await page.getByText('Unknown key.').waitFor();
  await signInWith(page, ` ${keyOf(studio.admin)} `);

  await heading(page, 'Set up your first board');
  await page.getByLabel('Game name').fill('Sky Race');
  await page.getByRole('button', { name: 'Create game' }).click();
  await page.getByRole('navigation', { name: 'Console' }).getByText('Sky Race').waitFor();
  await page.getByRole('button', { name: 'Create board' }).click();
  await page.getByRole('button', { name: 'Submit run' }).click();
  await page.getByText('Ann is ranked 1').waitFor();
  // The lines of each client, for this board; no device is named in any.
  const { games, boards: made } = await studio.admin.data(
    '{ games { nodes { id } } boards { nodes { id } } }',
  );
  const ids = { BASE: app.url, GAME: games.nodes[0].id, BOARD: made.nodes[0].id };
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  for (const { language, guide, text } of beginningsFor(ids)) {
    await page.getByRole('button', { name: language, exact: true }).click();
    await page.getByRole('button', { name: 'Copy' }).click();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(text);
    const link = await page.getByRole('link', { name: 'Install the SDK' }).getAttribute('href');
    expect((await fetch(app.url + link)).status).toBe(200);
    expect(link).toContain(guide);
  }
  const address = await page.getByRole('link', { name: 'Open public page' }).getAttribute('href');
  const shown = await (await fetch(app.url + address)).text();
  expect(shown).toContain('Ann');
  const { boards } = await studio.admin.data('{ boards { nodes { keepStrategy isPublished } } }');
  expect(boards.nodes).toEqual([{ keepStrategy: 'BEST', isPublished: true }]);
  watched.complaints.splice(
    0,
    watched.complaints.length,
    ...watched.complaints.filter((text) => !/401/.test(text)),
  );
  await leave(watched);
});

quick(
  'a search finds players of all games, all of them on demand, and for superadmins those of all accounts',
  async () => {
    const own = await makeStudio(app);
    const here = await makeGame(own, { name: 'Sea Race', slug: 'seas', antiCheatEnabled: false });
    const other = await makeGame(own, { name: 'Moon Race', slug: 'moons', antiCheatEnabled: false });
    const named = async (gameId: string, displayName: string) => {
      const id = await makePlayer(own.admin, gameId, displayName);
      await change(own.admin, 'Identity', id, { displayName });
    };
    for (let n = 0; n < 6; n += 1) await named(other.id, `Wombat ${n}`);
    await named(here.id, 'Wombat Zed');
    const watched = await consoleWindow(browser, app.url, own.admin, '/games/seas/players');
    const { page } = watched;
    await heading(page, 'Players');
    const options = page.getByRole('option');
    const search = async (text: string) => {
      await page.keyboard.press('/');
      await page.keyboard.type(text);
      await options.first().waitFor();
    };
    await search('wombat');
    await options.filter({ hasText: 'Show all' }).waitFor();
    expect((await options.allTextContents()).map((shown) => shown.slice(0, 10))).toEqual([
      ...['Wombat Zed', 'Wombat 0 M', 'Wombat 1 M', 'Wombat 2 M', 'Wombat 3 M', 'Show all'],
    ]);
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Enter');
    await options.filter({ hasText: 'Wombat 5' }).waitFor();
    expect(await options.filter({ hasText: 'Show all' }).count()).toBe(0);
    await options.filter({ hasText: 'Wombat 5' }).click();
    await heading(page, 'Wombat 5');
    await leave(watched);

    const chief = await consoleWindow(browser, app.url, app.superadmin, '/installation/jobs');
    await chief.page.locator('h1').waitFor();
    await chief.page.keyboard.press('/');
    await chief.page.keyboard.type('wombat z');
    const { account } = await app.superadmin.data(`{ account(id: "${own.accountId}") { name } }`);
    const hit = chief.page.getByRole('option').filter({ hasText: `Sea Race · ${account.name}` });
    await hit.waitFor();
    await chief.page.keyboard.press('Enter');
    await heading(chief.page, 'Wombat Zed');
    await chief.page.getByText(`You're viewing the account ${account.name}.`).waitFor();
    await leave(chief);
  },
);

quick('a search by keys and by touch leads to players, boards and what was seen last', async () => {
  const own = await makeStudio(app);
  const game = await makeGame(own, { name: 'Sky Race', slug: 'found', antiCheatEnabled: false });
  const board = await makeBoard(own, game.id, { name: 'Fox cup', shortCode: 'FOXCUP1' });
  for (const name of ['Ann Fox', 'Foxy']) {
    const player = await makePlayer(own.admin, game.id, name);
    await play(own.admin, board.id, player, 1, { playerName: name });
  }
  const watched = await consoleWindow(browser, app.url, own.admin, '/games/found/players');
  const { page } = watched;
  const row = page.getByRole('row', { name: /Ann Fox/ });
  await row.waitFor();
  expect(await row.getByRole('cell').allTextContents()).toEqual([
    'Ann Fox',
    expect.any(String),
    '1',
    '',
    'active',
    '0',
    'default',
  ]);
  const find = page.getByRole('combobox', { name: 'Find anything' });
  const chosen = page.locator('[role="option"][aria-selected="true"]');
  const groups = () =>
    page
      .getByRole('listbox')
      .getByRole('group')
      .evaluateAll((all) => all.map((one) => one.getAttribute('aria-label')));
  await page.keyboard.press('/');
  await find.fill('fox');
  await page.getByRole('option').nth(2).waitFor();
  expect(await groups()).toEqual(['Boards', 'Players']);
  expect(await chosen.textContent()).toContain('Fox cup');
  await page.keyboard.press('ArrowDown');
  expect(await chosen.textContent()).toContain('Ann Fox');
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('ArrowUp');
  expect(await chosen.textContent()).toContain('Foxy');
  expect(await find.getAttribute('aria-activedescendant')).toBe(await chosen.getAttribute('id'));
  await page.keyboard.press('Enter');
  await heading(page, 'Foxy');
  // Enter waits for what it is to open.
  await page.keyboard.press('/');
  await page.keyboard.type('foxcup');
  await page.keyboard.press('Enter');
  await heading(page, 'Fox cup');
  await page.keyboard.press('/');
  await page.getByRole('option').nth(1).waitFor();
  expect(await groups()).toEqual(['Recently seen']);
  const found = page.getByRole('listbox').getByRole('option');
  expect((await found.allTextContents()).map((text) => text.split(' ')[0])).toEqual(['Fox', 'Foxy']);
  await page.keyboard.press('Tab');
  await page.keyboard.press('Tab');
  expect(
    await page.evaluate(
      `document.querySelector('dialog').contains(document.activeElement) || document.activeElement === document.body`,
    ),
  ).toBe(true);
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });

  await page.setViewportSize({ width: 390, height: 844 });
  await page.getByRole('button', { name: 'Find anything' }).click();
  await find.fill('ann');
  await page.getByRole('option', { name: /Ann Fox/ }).waitFor();
  for (const theme of ['light', 'dark']) {
    await page.evaluate(`document.documentElement.dataset.theme = '${theme}'`);
    expect(await objections(page, theme === 'dark' ? 'color-contrast' : undefined)).toEqual([]);
  }
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
  await page.getByRole('option', { name: /Ann Fox/ }).click();
  await heading(page, 'Ann Fox');
  expect(await page.getByRole('dialog').count()).toBe(0);
  await leave(watched);
});

quick('a studio registers on the page, and its key opens the console', async () => {
  const watched = await watchedPage(browser, app.url, { width: 390, height: 844 });
  const { page } = watched;
  await page.goto(`${app.url}/console`);
  await page.getByRole('link', { name: 'Register a studio' }).click();
  const email = `mara.${studio.accountId}@example.com`;
  // The first field has the focus.
  await page.getByLabel('Email address').waitFor();
  await page.keyboard.type(email);
  await page.keyboard.press('Enter');
  await page.getByLabel('Code from the email').waitFor();
  await page.keyboard.type('AAAAAA');
  await page.keyboard.press('Enter');
  await page.getByRole('alert').waitFor();
  await page.getByLabel('Code from the email').fill(await codeFor(app, email));
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByLabel('Studio name').fill('Register Studio');
  await page.getByLabel('Jam code').fill('NOSUCHJAM');
  await page.getByRole('button', { name: 'Create account' }).click();
  await page.getByRole('alert').waitFor();
  await page.getByLabel('Jam code').fill('');
  await page.getByRole('button', { name: 'Create account' }).click();
  const key = (await page.locator('.secret code').textContent()) ?? '';
  const { me } = await app.anyone.with({ 'service-api-key': key }).data('{ me { account { name } } }');
  expect(me.account.name).toBe('Register Studio');
  expect(await objections(page)).toEqual([]);
  await page.getByRole('button', { name: 'Open the console' }).click();
  await heading(page, 'Set up your first board');
  watched.complaints.splice(
    0,
    watched.complaints.length,
    ...watched.complaints.filter((text) => !/400/.test(text)),
  );
  await leave(watched);
});

quick('links of mails open pages that use nothing up, whose buttons register and sign in', async () => {
  const email = `linked.${studio.accountId}@example.com`;
  const open = async (address: string) => {
    // What mail scanners do first.
    expect((await fetch(address)).status).toBe(200);
    const watched = await watchedPage(browser, app.url);
    await watched.page.goto(address);
    await watched.page.getByText(`This link was sent to ${email}`).waitFor();
    expect(await objections(watched.page)).toEqual([]);
    return watched;
  };
  const newest = async () => {
    const { page, email: to, code } = linksIn((await mailsTo(app, email)).at(-1)!)[0]!;
    return `${app.url}${new URL(page).pathname}#${new URLSearchParams({ email: to, code })}`;
  };
  await app.anyone.post('/register/initiate', { email });
  const address = await newest();
  await leave(await open(address));
  const registering = await open(address);
  await registering.page.getByRole('button', { name: 'Continue', exact: true }).click();
  await registering.page.getByLabel('Studio name').fill('Linked Studio');
  await registering.page.getByRole('button', { name: 'Create account' }).click();
  await registering.page.locator('.secret code').waitFor();
  await leave(registering);
  app.clock.advance(1_000);
  await app.anyone.post('/register/sign-in/code', { email });
  const signingIn = await open(await newest());
  await signingIn.page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await heading(signingIn.page, 'Set up your first board');
  expect(new URL(signingIn.page.url()).hash).toBe('');
  await leave(signingIn);
});

full('a weekly board is a template that the form makes', async () => {
  const game = await makeGame(studio, { slug: 'weeklies' });
  const watched = await consoleWindow(browser, app.url, studio.admin, '/games/weeklies/boards/new');
  const { page } = watched;
  expect(await page.getByRole('radio', { name: 'Best run of each player' }).isChecked()).toBe(true);
  await page.getByLabel('Name', { exact: true }).fill('Harbour cup');
  await page.getByRole('radio', { name: 'Repeating' }).check();
  await page.getByRole('button', { name: 'Create template' }).click();
  await heading(page, 'Harbour cup');
  const { boardTemplates } = await studio.admin.data(
    `{ boardTemplates(filter: {gameId: "${game.id}"}) { nodes { name nameTemplate repeatInterval keepStrategy } } }`,
  );
  const nameTemplate = 'Harbour cup, week {week}';
  expect(boardTemplates.nodes).toEqual([
    { name: 'Harbour cup', nameTemplate, repeatInterval: '1 weeks', keepStrategy: 'BEST' },
  ]);
  await leave(watched);
});

full('a player is banned and unbanned, its device reset, a board is deleted and restored', async () => {
  const game = await makeGame(studio, { slug: 'undone' });
  const board = await makeBoard(studio, game.id, { shortCode: 'UNDONE1' });
  const { session } = (
    await app.anyone.data(
      `mutation { startDeviceSession(input: { gameId: "${game.id}", clientFingerprint: "d" }) { session { deviceId identityId } } }`,
    )
  ).startDeviceSession;
  const watched = await consoleWindow(
    browser,
    app.url,
    studio.admin,
    `/games/undone/players/${session.identityId}`,
  );
  const { page } = watched;
  const statusOf = async () =>
    (await studio.admin.data(`{ device(id: "${session.deviceId}") { status } }`)).device.status;
  await page.getByRole('button', { name: 'Ban device' }).click();
  await page.getByText(/device of .* banned/).waitFor();
  expect(await statusOf()).toBe('BANNED');
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByText(/unbanned$/).waitFor();
  expect(await statusOf()).toBe('ACTIVE');

  await page.getByRole('button', { name: /^Actions for the device/ }).click();
  await page.getByRole('menuitem', { name: 'Reset device' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Reset device' }).click();
  const shown = (await dialog.locator('code').textContent())!;
  const { device } = await studio.admin.data(`{ device(id: "${session.deviceId}") { clientFingerprint } }`);
  expect([shown, shown.length]).toEqual([device.clientFingerprint, 32]);
  await dialog.locator('button[type=submit]').click();
  await page.getByText(shown).first().waitFor();

  await page.goto(`${app.url}/console/games/undone/boards/UNDONE1/live`);
  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  await page.getByText(`${board.name} deleted`).waitFor();
  expect(await studio.admin.code(`{ board(by: { id: "${board.id}" }) { id } }`)).toBe('NOT_FOUND');
  await page.getByRole('button', { name: 'Undo' }).click();
  await heading(page, board.name);
  await leave(watched);
});

full('a revoked key ends the work without loss, a superadmin sees the installation', async () => {
  const key = await makeKey(app.superadmin, studio.accountId, studio.userId);
  const watched = await watchedPage(browser, app.url);
  const { page } = watched;
  await page.goto(`${app.url}/console/people`);
  await signInWith(page, key.key);
  await page.getByRole('table', { name: 'Keys' }).waitFor();
  expect(await page.getByRole('link', { name: 'Jobs and health' }).count()).toBe(0);
  await change(studio.admin, 'ApiKey', key.id, { status: 'REVOKED' });
  await page.getByRole('link', { name: 'Audit log' }).click();
  await page.getByRole('dialog', { name: 'This key is no longer valid' }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Sign in again' }).click();
  await signInWith(page, keyOf(app.superadmin));
  await page.getByRole('link', { name: 'Jobs and health' }).click();
  await page.getByText('Deactivates boards that have ended.').waitFor();
  watched.complaints.splice(
    0,
    watched.complaints.length,
    ...watched.complaints.filter((text) => !/401/.test(text)),
  );
  await leave(watched);
});

full(
  'the audit log says in sentences what was changed, by time and record, and is saved as a file',
  async () => {
    const own = await makeStudio(app);
    const game = await makeGame(own, { name: 'Sky Race', slug: 'sky-audited' });
    const board = await makeBoard(own, game.id, { name: 'Laps' });
    await change(own.admin, 'Game', game.id, { antiCheatEnabled: false });
    await change(own.admin, 'Board', board.id, { sortDirection: 'ASC', unit: 's' });
    const watched = await consoleWindow(browser, app.url, own.admin);
    const { page } = watched;
    await page.goto(`${app.url}/console/audit`);
    await heading(page, 'Audit log');
    const entry = (text: string | RegExp) => page.getByRole('listitem').filter({ hasText: text });
    await entry('turned fair play off for Sky Race').waitFor();
    const changed = entry(/changed .* of Laps/);
    await changed.getByText('Details').click();
    await changed.getByText('desc', { exact: true }).waitFor();
    const saved = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Export log' }).click();
    expect((await saved).suggestedFilename()).toBe('audit.csv');
    await page.getByLabel('Until').fill('2020-01-01');
    await page.getByText('No entries match.').waitFor();
    await page.goto(`${app.url}/console/games/sky-audited/boards/${board.shortCode}/live`);
    await page.getByRole('main').getByRole('link', { name: 'Audit log' }).click();
    await changed.waitFor();
    expect(await entry('Sky Race').count()).toBe(0);
    await page.getByRole('button', { name: 'Show all records' }).click();
    await entry('turned fair play off for Sky Race').waitFor();
    await leave(watched);
  },
);

// A script, an order of letters that turns, a mark without letters, and the widest name there is.
const HOSTILE = ['<img src=x onerror=alert(1)>', '\u202eevil\u202d name', 'W'.repeat(64), '﷽'.repeat(20)];

full('axe finds no fault on any screen in either theme, whatever players and boards are called', async () => {
  const game = await makeGame(studio, { name: HOSTILE[0], slug: 'hostile', antiCheatEnabled: false });
  const [first] = await Promise.all(
    HOSTILE.map((name, n) =>
      makeBoard(studio, game.id, { name, keepStrategy: 'BEST', unit: '<b>', shortCode: `HOSTILE${n}` }),
    ),
  );
  let player = '';
  for (const [n, playerName] of HOSTILE.entries()) {
    player = await makePlayer(studio.admin, game.id, playerName);
    await change(studio.admin, 'Identity', player, { displayName: playerName });
    const event = await play(studio.admin, first!.id, player, 100 + n, { playerName });
    await flag(studio.admin, event, { confidence: 'HIGH' });
  }
  const template: Data = await makeTemplate(studio, game.id, { name: HOSTILE[2] });
  const under = '/games/hostile';
  const screens = [
    '',
    '/moderation',
    '/games',
    `${under}/settings`,
    `${under}/boards`,
    `${under}/boards/new`,
    ...['live', 'flags', 'runs', 'closings', 'series', 'settings'].map(
      (tab) => `${under}/boards/HOSTILE0/${tab}`,
    ),
    `${under}/templates`,
    `${under}/templates/${template.id}`,
    `${under}/players`,
    `${under}/players/${player}`,
    `${under}/fair-play`,
    '/people',
    '/audit',
    '/security',
    '/deleted',
    '/set-up',
    '/more',
    '/installation/accounts',
    '/installation/jam-codes',
    '/installation/jobs',
  ];
  const watched = await consoleWindow(browser, app.url, app.superadmin);
  const { page } = watched;
  await page.addInitScript(`sessionStorage.setItem('console:account', '${studio.accountId}')`);
  page.on('dialog', (dialog) => watched.complaints.push(dialog.message()));
  // A change of colours that is on its way has the contrast of neither theme.
  await page.emulateMedia({ reducedMotion: 'reduce' });
  const found: string[] = [];
  for (const screen of screens) {
    await page.goto(`${app.url}/console${screen}`);
    await page.locator('main').waitFor();
    await page.locator('[aria-busy="true"]').first().waitFor({ state: 'detached' });
    // The theme changes colours alone, and the frame around the screens is that of the first one.
    for (const [theme, rule] of [['light'], ['dark', 'color-contrast']]) {
      await page.evaluate(`document.documentElement.dataset.theme = '${theme}'`);
      const within = rule && screen !== '' ? 'main' : undefined;
      found.push(...(await objections(page, rule, within)).map((text) => `${screen} ${theme} ${text}`));
    }
    await page.setViewportSize({ width: 390, height: 844 });
    const wide = await page.evaluate('document.documentElement.scrollWidth');
    if (wide !== 390) found.push(`${screen} is ${wide} wide on a phone`);
    await page.setViewportSize({ width: 1280, height: 800 });
  }
  expect(found).toEqual([]);
  await leave(watched);
});
