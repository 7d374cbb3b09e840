import type { Page } from 'playwright-core';
import { makeGround } from '../console/ground.js';
import type { Caller } from '../support/http.js';
import type { Screen } from './screens.js';

const FLAGS = 60;

/** Makes an account with flags that wait, through the interface alone. @returns every screen of the console */
export async function makeConsoleScreens(superadmin: Caller): Promise<Screen[]> {
  const { admin, slug, code, templateId, playerId } = await makeGround(superadmin, FLAGS);
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
    ...['live', 'flags', 'runs', 'series', 'settings'].map((tab): [string, string] => [
      `board-${tab}`,
      `${board}/${tab}`,
    ]),
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
