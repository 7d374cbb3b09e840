import type { Page } from 'playwright-core';
import { makeGround } from '../console/ground.js';
import type { Caller } from '../support/http.js';
import { until } from '../support/wait.js';
import type { Screen } from './screens.js';

const FLAGS = 60;
const PRIZES = { lines: [{ name: 'gold', title: 'Golden cup', first_rank: 1, grant: { coins: 500 } }] };

/** Makes an account with flags that wait, through the interface alone. @returns every screen of the console */
export async function makeConsoleScreens(superadmin: Caller): Promise<Screen[]> {
  const { admin, slug, code, templateId, playerId } = await makeGround(superadmin, FLAGS);
  const [closed, settling] = [await makeClosed(admin, code, false), await makeClosed(admin, code, true)];
  await admin.post('/v1/webhook-endpoints', {
    ...{ name: 'Match server', url: 'https://hooks.example.com/lantern', events: ['score.held'] },
  });
  const game = `/games/${slug}`;
  const board = `${game}/boards/${code}`;
  const places: [name: string, path: string, act?: Screen['act']][] = [
    ['overview', ''],
    ['queue', '/moderation'],
    ['queue-flag', '/moderation', openFlag],
    ['search', '', search],
    ['games', '/games'],
    ['game', `${game}/settings`],
    ['boards', `${game}/boards`],
    ['new-board', `${game}/boards/new`],
    ...['live', 'flags', 'runs', 'closings', 'series', 'settings'].map((tab): [string, string] => [
      `board-${tab}`,
      `${board}/${tab}`,
    ]),
    ['closings', `${game}/boards/${closed}/closings`],
    ['closings-settling', `${game}/boards/${settling}/closings`],
    ['closing-rules', `${game}/boards/${closed}/settings`, openRules],
    ['templates', `${game}/templates`],
    ['template', `${game}/templates/${templateId}`],
    ['players', `${game}/players`],
    ['player', `${game}/players/${playerId}`],
    ['fair-play', `${game}/fair-play`],
    ['people', '/people'],
    ['webhooks', '/webhooks'],
    ['audit', '/audit'],
    ['security', '/security'],
    ['deleted', '/deleted'],
    ['set-up', '/set-up'],
    ['more', '/more'],
  ];
  const screen = ([name, path, act]: (typeof places)[number], who: Caller): Screen => {
    return { name: `console-${name}`, address: `/console${path}`, admin: who, ...(act && { act }) };
  };
  const installation = ['accounts', 'jam-codes', 'jobs'].map((name): [string, string] => [
    name,
    `/installation/${name}`,
  ]);
  return [
    { name: 'sign-in', address: '/console', ready: 'form' },
    { name: 'register', address: '/register', ready: 'form' },
    ...places.map((place) => screen(place, admin)),
    ...installation.map((place) => screen(place, superadmin)),
  ];
}

/** Closes a board with the players of another one. @returns its short code */
async function makeClosed(admin: Caller, like: string, flagged: boolean): Promise<string> {
  const { board: source } = await admin.data(
    `query ($code: String!) { board(by: { shortCode: $code }) { accountId gameId
      ranking { entries(first: 12) { nodes { identityId playerName value } } } } }`,
    { code: like },
  );
  const { body: board } = await admin.post('/v1/boards', {
    ...{ account_id: source.accountId, game_id: source.gameId, name: flagged ? 'Spring cup' : 'Summer cup' },
    ...{
      keep_strategy: 'best',
      unit: 'm',
      closing_rules: [{ places: 8, review_top: flagged ? 10 : null, prizes: PRIZES }],
    },
  });
  for (const [n, { identityId, playerName, value }] of source.ranking.entries.nodes.entries()) {
    const run = { board_id: board.id, identity_id: identityId, player_name: playerName, value };
    const { body } = await admin.post('/v1/score-events', run);
    if (flagged && n < 2) await admin.post('/v1/score-flags', { score_event_id: body.id });
  }
  await admin.post(`/v1/boards/${board.id}/close`, {});
  const frozen = async () =>
    (await admin.get(`/v1/boards/${board.id}/closings`)).body.data[0]?.status === 'frozen';
  if (!flagged) await until(frozen);
  return board.short_code;
}

async function openRules(page: Page): Promise<void> {
  await page.getByText('Closings').last().click();
  await page.getByLabel('Places to fix').first().scrollIntoViewIfNeeded();
}

/** The flag of the first player: on a phone it covers the list. */
async function openFlag(page: Page): Promise<void> {
  await page.locator('.flag-row').first().click();
  await page.locator('.flag [aria-busy="true"]').first().waitFor({ state: 'detached' });
}

async function search(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Find anything' }).click();
  await page.getByRole('combobox', { name: 'Find anything' }).fill('ha');
  await page.getByRole('option').first().waitFor();
}
