import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser } from 'playwright-core';
import { banAndUndo, createWeeklyBoard, decideFlags } from '../console/daily-work.js';
import { declareViews } from '../console/viewed-board.js';
import { startApp, type TestApp } from '../support/app.js';
import { launchBrowser, type WatchedPage, watchedPage } from '../support/browser.js';
import { consoleWindow, keyOf, signInWith } from '../support/console.js';
import { flag, makePlayer, play } from '../support/flags.js';
import type { Data } from '../support/http.js';
import {
  change,
  makeBoard,
  makeGame,
  makeStudio,
  makeUser,
  type Studio,
  startSession,
} from '../support/make.js';
import { MailServer } from '../support/smtp.js';
import { until } from '../support/wait.js';

// Daily work in the console: of an administrator, of a superadmin, and through sign-in by mail.

let app: TestApp;
let mail: MailServer;
let studio: Studio;
let game: Data;
let board: Data;
let browser: Browser;
beforeAll(async () => {
  mail = await MailServer.start();
  app = await startApp({
    ...{ smtpUrl: mail.url, mailFrom: 'boards@play.example.com' },
    ...{ webhookAllowHttp: true, webhookAllowNetworks: ['127.0.0.0/8'] },
  });
  studio = await makeStudio(app);
  game = await makeGame(studio, { slug: 'daily', antiCheatEnabled: false });
  board = await makeBoard(studio, game.id, { keepStrategy: 'BEST', shortCode: 'DAILY1', isPublished: false });
  browser = await launchBrowser();
});
afterAll(async () => {
  await browser.close();
  await app.close();
  await mail.stop();
});

const open = (path: string, caller = studio.admin) => consoleWindow(browser, app.url, caller, path);

/** @param expected complaints that belong to the story, such as a refused request */
async function leave({ page, complaints, foreign }: WatchedPage, expected = /^$/): Promise<void> {
  expect(complaints.filter((text) => !expected.test(text))).toEqual([]);
  expect(foreign).toEqual([]);
  await page.context().close();
}

test('a weekly board takes four clicks, twenty flags of twelve players twelve keys, a ban and its way back two clicks', async () => {
  // Of twelve players in two games twenty flags, and of one more another.
  const second = await makeGame(studio, { slug: 'second', antiCheatEnabled: false });
  const there = await makeBoard(studio, second.id, { keepStrategy: 'BEST' });
  for (let n = 0; n < 13; n += 1) {
    const [on, of] = n % 3 === 0 ? [there, second] : [board, game];
    const player = await makePlayer(studio.admin, of.id, `p${n}`);
    for (let run = 0; run < (n < 8 ? 2 : 1); run += 1) {
      const event = await play(studio.admin, on.id, player, 100 + n + run, { playerName: `P${n}` });
      app.clock.advance(1_000);
      await flag(studio.admin, event);
    }
  }
  const { session } = await startSession(app, game.id);
  await change(studio.admin, 'Identity', session.identityId, { displayName: 'Quentin' });

  const weekly = await open('');
  expect((await createWeeklyBoard(weekly.page, 'Harbour cup')).count).toBe('0 keys, 4 clicks, 1 texts');
  await leave(weekly);

  const watched = await open('');
  // One key for each flag, twenty, before they were shown by player.
  expect((await decideFlags(watched.page, 12)).count).toBe('12 keys, 1 clicks, 0 texts');
  const left = async () =>
    (await studio.admin.data('{ scoreFlags(filter: {status: PENDING}) { totalCount { value } } }')).scoreFlags
      .totalCount.value;
  await until(async () => (await left()) === 1);
  // The open flag shows what its confirmation would do.
  await watched.page.getByText('If confirmed').waitFor();
  await watched.page
    .getByText('1 other player moves')
    .or(watched.page.getByText(/\d+ other players move/))
    .or(watched.page.getByText('no one moves'))
    .first()
    .waitFor();
  expect((await banAndUndo(watched.page, 'Quentin')).count).toBe('2 keys, 2 clicks, 1 texts');
  await leave(watched);
});

test('a board is declared with zone, tags, views and times, its settings change them, and a player gets a tag', async () => {
  const watched = await open('/games/daily/boards/new');
  const { page } = watched;
  await declareViews(page, 'Viewed');
  await page.getByLabel('Show values as').selectOption('times');
  await page.getByText('83.456 is shown as 1:23.456').waitFor();
  await page.getByRole('button', { name: 'Create board' }).click();
  const refused = page.getByRole('textbox', { name: 'Ranking name', description: /lowercase/ });
  await refused.fill('country');
  await page.getByRole('button', { name: 'Create board' }).click();
  await page.getByRole('heading', { level: 1, name: 'Viewed' }).waitFor();
  const stored = async () => {
    const fields =
      'id shortCode timeZone format { kind decimals timeUnit } dimensions { name source values } views { name by tiePolicy keepPeriods }';
    const { nodes } = (
      await studio.admin.data(`{ boards(filter: {gameSlug: "daily"}) { nodes { name ${fields} } } }`)
    ).boards;
    return nodes.find(({ name }: Data) => name === 'Viewed');
  };
  const made = await stored();
  const view = { name: 'weekly', by: ['guild'], tiePolicy: 'DENSE', keepPeriods: 12 };
  expect(made).toMatchObject({
    timeZone: 'Europe/Berlin',
    format: { kind: 'TIME', decimals: null, timeUnit: 'SECONDS' },
    dimensions: [{ name: 'guild', source: 'PLAYER', values: ['Ravens', 'Owls'] }],
    views: [view, { name: 'country', by: ['country'], tiePolicy: 'EARLIEST', keepPeriods: null }],
  });

  await page.getByRole('link', { name: 'Settings' }).last().click();
  await page.getByText('every week, by guild').click();
  expect(await page.getByLabel('Ties').first().isDisabled()).toBe(true);
  await page.getByLabel('Past periods kept').fill('5');
  await page.getByLabel('Decimals').fill('1');
  await page.getByText('83.456 is shown as 1:23.5').waitFor();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved').waitFor();
  expect((await stored()).views[0]).toEqual({ ...view, keepPeriods: 5 });

  const player = await makePlayer(studio.admin, game.id, 'guilded');
  await play(studio.admin, made.id, player, 7);
  await page.goto(`${app.url}/console/games/daily/players/${player}`);
  await page.getByLabel('guild').selectOption('Owls');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('row', { name: /^weekly .*Owls 1 of 1 0:07\.0/ }).waitFor();
  await leave(watched, /422|400/);
});

test('the effect of fair-play settings on past runs is shown before they are saved', async () => {
  const own = await makeGame(studio, {
    slug: 'fairly',
    antiCheatSettings: { velocitySeconds: { b: { value: null } } },
  });
  const fair = await makeBoard(studio, own.id, { keepStrategy: 'BEST' });
  const player = await makePlayer(studio.admin, own.id, 'hurried');
  for (const value of [10, 11]) await play(studio.admin, fair.id, player, value);
  const watched = await open('/games/fairly/fair-play');
  const { page } = watched;
  const tier = page.getByLabel('Tier B').nth(1);
  await tier.fill('soon');
  await page.getByRole('button', { name: 'Show effect' }).first().click();
  await page.getByText('Enter a number, or “off”').first().waitFor();
  await tier.fill('30');
  await page.getByRole('button', { name: 'Show effect' }).first().click();
  await page.getByRole('row', { name: 'Flagged 0 1' }).waitFor();
  await page.getByText(/10, then 11/).waitFor();
  const stored = async () =>
    (
      await studio.admin.data(
        `{ game(by: { id: "${own.id}" }) { antiCheatSettings { velocitySeconds { b { value } } } } }`,
      )
    ).game.antiCheatSettings;
  expect(await stored()).toEqual({ velocitySeconds: { b: { value: null } } });
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved').waitFor();
  expect(await stored()).toEqual({ velocitySeconds: { b: { value: 30 } } });
  await leave(watched, /422|400/);
});

test('a new template shows its next five boards, deleted records come back from their list, others are found by name', async () => {
  const gone = await makeBoard(studio, game.id, { name: 'Old tower' });
  await change(studio.admin, 'Board', gone.id, { deleted: true });
  const watched = await open('/games/daily/boards/new');
  const { page } = watched;
  await page.getByLabel('Name', { exact: true }).fill('Sprint');
  await page.getByRole('radio', { name: 'Repeating' }).check();
  await page.getByLabel('Each board lasts').selectOption('an hour');
  await page
    .getByText(/^Sprint, week \d+$/)
    .nth(4)
    .waitFor();

  await page.getByRole('link', { name: 'Deleted' }).click();
  await page
    .getByRole('row', { name: /Old tower.*User/ })
    .getByRole('button', { name: 'Restore' })
    .click();
  await page.getByText('Old tower restored').waitFor();
  expect((await studio.admin.data(`{ board(by: { id: "${gone.id}" }) { name } }`)).board.name).toBe(
    'Old tower',
  );
  await page.getByRole('link', { name: 'Players', exact: true }).last().click();
  await page.getByText('Nothing here. Deleted records of this kind appear here.').waitFor();

  await page.goto(`${app.url}/console/games/daily/boards/DAILY1/live`);
  await page.getByLabel('Filter by player').fill('Quent');
  await page.getByRole('button', { name: 'Quentin' }).click();
  await page.locator('.card', { has: page.getByRole('heading', { name: 'Quentin' }) }).waitFor();
  await leave(watched);
});

test('a superadmin without games of its own lands in the account with the newest game, and may choose its own', async () => {
  const newest = await makeStudio(app);
  app.clock.advance(1_000);
  await makeGame(newest, { name: 'Newest of all' });
  const { account } = await app.superadmin.data(`{ account(id: "${newest.accountId}") { name } }`);
  const watched = await open('', app.superadmin);
  const { page } = watched;
  await page.getByText(`You're viewing the account ${account.name}.`).waitFor();
  await page.getByText('Newest of all').first().waitFor();
  await page.getByRole('button', { name: 'Back to your account' }).click();
  await page.getByText(`You're viewing the account ${account.name}.`).waitFor({ state: 'detached' });
  await page.reload();
  await page.locator('main').waitFor();
  expect(await page.getByText(`You're viewing the account ${account.name}.`).count()).toBe(0);
  await leave(watched);
});

test('a superadmin makes accounts and jam codes, looks at another account, and sees jobs and health', async () => {
  const watched = await open('/installation/accounts', app.superadmin);
  const { page } = watched;
  await page.getByRole('button', { name: 'New account' }).click();
  await page.getByRole('dialog').getByLabel('Name').fill('Tiny Games');
  await page.getByRole('dialog').getByRole('button', { name: 'New account' }).click();
  await page.getByRole('row', { name: /Tiny Games/ }).waitFor();
  await page.getByRole('link', { name: 'Jam codes' }).click();
  await page.getByRole('button', { name: 'New jam code' }).click();
  await page.getByRole('dialog').getByLabel('Code').fill('WINTERJAM26');
  await page.getByRole('dialog').getByLabel('Purpose').fill('The jam of the winter');
  await page.getByRole('dialog').getByRole('button', { name: 'New jam code' }).click();
  const row = page.getByRole('row', { name: /WINTERJAM26/ });
  await row.getByRole('button', { name: 'Turn off' }).click();
  await row.getByRole('button', { name: 'Turn on' }).waitFor();
  const { jamCodes } = await app.superadmin.data('{ jamCodes { nodes { code active } } }');
  expect(jamCodes.nodes).toEqual([{ code: 'WINTERJAM26', active: false }]);
  await page.getByRole('link', { name: 'Jobs and health' }).click();
  await page.getByRole('listitem').filter({ hasText: 'Database' }).getByText('OK').waitFor();
  await page.getByRole('row', { name: /send-mails/ }).waitFor();
  await page.getByRole('link', { name: 'Accounts' }).click();
  const { account } = await app.superadmin.data(`{ account(id: "${studio.accountId}") { name } }`);
  await page.getByRole('button', { name: `Actions for ${account.name}`, exact: true }).click();
  await page.getByRole('menuitem', { name: 'View account' }).click();
  await page.getByText(`You're viewing the account ${account.name}.`).waitFor();
  await leave(watched);
});

test(
  'an endpoint is created, tested, edited, rotated, paused and deleted; its log is sent again, one, a ' +
    'span, all that failed',
  async () => {
    let status = 500;
    const got: Data[] = [];
    const receiver = createServer(async (request, response) => {
      let text = '';
      for await (const part of request) text += part;
      got.push({
        id: request.headers['webhook-id'],
        signatures: request.headers['webhook-signature'],
        body: JSON.parse(text),
      });
      response.writeHead(status).end();
    }).listen(0, '127.0.0.1');
    await once(receiver, 'listening');
    const owner = await makeStudio(app);
    const game = await makeGame(owner, { name: 'Racer' });
    const cup = await makeBoard(owner, game.id, { name: 'Cup' });
    const watched = await open('/webhooks', owner.admin);
    const { page } = watched;
    const button = (name: string) => page.getByRole('button', { name, exact: true });
    const said = (text: string) => page.getByRole('status').getByText(text).waitFor();
    const stored = (): Promise<Data> =>
      app.database
        .knex('webhook_endpoints')
        .where({ account_id: owner.accountId.slice(4) })
        .first();
    const send = async (count: number) => {
      await app.app.jobs.run('send-webhooks');
      await until(() => got.length === count);
      await until(
        async () => (await app.database.knex('webhook_deliveries').where({ status: 'sending' })).length === 0,
      );
      await button('Refresh').click();
    };

    await button('New endpoint').first().click();
    await page.getByLabel('Name', { exact: true }).fill('Backend');
    await page.getByLabel('Address').fill(`http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`);
    await page.getByLabel('player.overtaken').check();
    await page.getByLabel('Overtaken by').selectOption('FRIENDS');
    await page.getByRole('dialog').getByRole('button', { name: 'New endpoint' }).click();
    await page.getByText('whsec_').waitFor();
    await page.getByRole('dialog').getByRole('button').last().click();
    await page.getByText('Backend').first().waitFor();
    expect(await stored()).toMatchObject({
      events: ['board.closed', 'player.overtaken'],
      overtaken_by: 'friends',
    });

    await button('Send test to Backend').click();
    const result = page.locator('section', { has: page.getByRole('heading', { name: 'Test of Backend' }) });
    await result.getByText('queued', { exact: true }).waitFor();
    await send(1);
    await result.getByText(/500 in \d+ ms/).waitFor();
    await result.getByText('It answered 500.').waitFor();
    await result.getByRole('button', { name: 'Close' }).click();
    // Given up on, so that it has failed.
    await app.database
      .knex('webhook_deliveries')
      .update({ status: 'failed', settled_at: new Date(app.clock.now()) });
    await app.database.knex('webhook_endpoints').update({ open_until: null });
    status = 200;
    await button('Send all failed again').click();
    await said('1 delivery sent again');
    await send(2);
    await page.getByText(/^200 in \d+ ms/).waitFor();
    await button('Send again').click();
    await until(
      async () => (await app.database.knex('webhook_deliveries').where({ status: 'queued' })).length === 1,
    );
    await send(3);
    await button('Send a span again').click();
    const local = (millis: number) => new Date(millis).toISOString().slice(0, 16);
    await page.getByLabel('From', { exact: true }).fill(local(app.clock.now() - 2 * 86_400_000));
    await page.getByLabel('To', { exact: true }).fill(local(app.clock.now() + 2 * 86_400_000));
    await page.getByRole('dialog').getByRole('button', { name: 'Send again' }).click();
    await until(
      async () => (await app.database.knex('webhook_deliveries').where({ status: 'queued' })).length === 1,
    );
    await send(4);
    expect(new Set(got.map(({ id }) => id)).size).toBe(1);

    const more = async (item: string) => {
      await button('More for Backend').click();
      await page.getByRole('menuitem', { name: item }).click();
    };
    await more('Rotate secret');
    await page.getByRole('dialog').getByRole('button', { name: 'Rotate secret' }).click();
    await page.getByText('whsec_').waitFor();
    await page.getByRole('dialog').getByRole('button').last().click();
    await button('Send test to Backend').click();
    await until(
      async () => (await app.database.knex('webhook_deliveries').where({ status: 'queued' })).length === 1,
    );
    await send(5);
    expect(got.map(({ signatures }) => signatures.split(' ').length)).toEqual([1, 1, 1, 1, 2]);

    await more('Edit');
    await button('Add board').click();
    await page.getByRole('dialog').last().getByRole('button', { name: /Cup/ }).click();
    await page.getByLabel('Cup (Racer)').waitFor();
    await page.getByLabel('Name', { exact: true }).fill('Renamed');
    await page.getByLabel('Keep the order of each board').check();
    await button('Save').click();
    await page.getByText('Renamed').first().waitFor();
    await page.getByText('Only 1 board').waitFor();
    expect(await stored()).toMatchObject({
      ...{ name: 'Renamed', ordered: true, overtaken_by: 'friends' },
      board_ids: [cup.id.slice(4)],
    });
    await button('Pause').click();
    await said('Renamed paused');
    await button('Resume').click();
    await said('Renamed resumed');
    await button('More for Renamed').click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await said('Renamed deleted');
    await until(async () => (await stored()).deleted_at !== null);
    await page.getByRole('status').getByRole('button', { name: 'Undo' }).click();
    await until(async () => (await stored()).deleted_at === null);
    await leave(watched);
    receiver.closeAllConnections();
    receiver.close();
  },
);

test('a code of a mail signs in, and signing out ends the key', async () => {
  const user = await makeUser(app.superadmin, studio.accountId, {
    displayName: 'Mara',
    email: 'mara@example.com',
  });
  const watched = await watchedPage(browser, app.url);
  const { page } = watched;
  await page.goto(`${app.url}/console/moderation`);
  await page.getByRole('tab', { name: 'Email code' }).click();
  await page.getByLabel('Email address').fill('Mara@Example.com');
  await page.getByRole('button', { name: 'Send code' }).click();
  await page.getByLabel('Code from the email').waitFor();
  await app.app.jobs.run('send-mails');
  await until(() => mail.taken.some(({ to }) => to.includes('mara@example.com')));
  const [, code = ''] = /^ {4}([A-Z0-9]{6})\r?$/m.exec(mail.taken.at(-1)!.text) ?? [];
  await page.getByLabel('Code from the email').fill('AAAAAA');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('alert').waitFor();
  await page.getByLabel('Code from the email').fill(code.toLowerCase());
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { level: 1, name: 'Moderation' }).waitFor();
  const keys = async () =>
    (await app.database.knex('api_keys').where('user_id', user.id.slice(4)).select('status')).map(
      ({ status }) => status,
    );
  expect(await keys()).toEqual(['active']);
  expect(await page.evaluate('localStorage.length')).toBe(0);
  await page.getByRole('button', { name: /Mara/ }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await page.getByRole('heading', { name: 'Sign in to the console' }).waitFor();
  await until(async () => (await keys())[0] === 'revoked');
  expect(await page.evaluate('sessionStorage.getItem("console:key")')).toBeNull();
  await signInWith(page, keyOf(studio.admin));
  await page.getByRole('button', { name: /User/ }).first().waitFor();
  await leave(watched);
});
