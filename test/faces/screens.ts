import type { Page } from 'playwright-core';
import { HOSTILE } from '../console/ground.js';
import type { TestApp } from '../support/app.js';
import type { Caller, Data } from '../support/http.js';
import { makeBoard, makeGame, makeStudio } from '../support/make.js';
import { play, score } from '../support/public-studio.js';

/** A screen that is looked at in every width and theme. */
export interface Screen {
  /** Of its pictures. */
  name: string;
  /** From the root of the service. */
  address: string;
  /** Selector of what is there once the screen is complete; absent: `main`. */
  ready?: string;
  /** Does what a person does before looking. */
  act?: (page: Page) => Promise<void>;
  /** Of screens of the console: who is signed in. */
  admin?: Caller;
}

const DAY_MS = 86_400_000;
const NAMES = [
  'Ásdís',
  'BlinkFox',
  'captain_mo',
  'Dewdrop',
  'ElKaiser',
  'Fenja',
  'gizmo77',
  'Hana Sato',
  ...HOSTILE,
];
const COUNTRIES = ['NO', 'JP', 'BR', 'DE'];
const PLAYERS = 60;

/** Makes a studio with public boards of all kinds, through the interface alone. @returns its screens */
export async function makeScreens(superadmin: Caller, anyone: Caller): Promise<Screen[]> {
  const studio = await makeStudio({ superadmin, anyone } as TestApp);
  const game = await makeGame(studio, {
    ...{ name: 'Moonlit Drift', slug: 'moonlit-drift', accentColour: '#2a56c6', antiCheatEnabled: false },
    description: 'Arcade racing through a port that sleeps by day.',
    pageUrl: 'https://lanternfish.example/moonlit-drift',
  });
  const day = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString();
  const make = (name: string, input: Data = {}): Promise<Data> =>
    makeBoard(studio, game.id, { name, keepStrategy: 'BEST', isPublished: true, ...input });
  const main = await make('High scores', {
    ...{ unit: 'm', icon: 'fa-crown', description: 'Furthest distance out of the harbour before the storm.' },
    publicFields: ['DATE', 'GAP', 'COUNTRY', 'PLATFORM', 'HISTORY'],
    views: [
      { name: 'week', period: 'WEEK' },
      { name: 'country', by: ['country'] },
    ],
  });
  const plain = await make('Harbour sprint', {
    format: { kind: 'TIME' },
    sortDirection: 'ASC',
    endsAt: day(3),
  });
  const coins = await make('Coins', {
    ...{ boardType: 'COUNTER', keepStrategy: 'ALL', unit: 'coins' },
    publicFields: ['HISTORY'],
  });
  const ended = await make('Autumn cup', { startsAt: day(-9) });
  const coming = await make('Winter cup', { startsAt: day(3), endsAt: day(9) });
  const players: string[] = [];
  for (let n = 0; n < PLAYERS; n += 1) {
    const playerName = NAMES[n] ?? `Player ${n}`;
    players.push(
      await play(studio, main, playerName, 90_000 - 731 * n, { country: COUNTRIES[n % COUNTRIES.length] }),
    );
  }
  for (const [n, player] of players.slice(0, NAMES.length).entries()) {
    const playerName = NAMES[n]!;
    for (const board of [plain, coins, ended])
      await score(studio, board, player, 60 + 1.37 * n, { playerName });
    for (let run = 0; run < 14; run += 1)
      await score(studio, n === 3 ? main : coins, player, 40_000 + 900 * ((run * 7) % 11), { playerName });
  }
  await studio.admin.data(
    'mutation ($input: UpdateBoardInput!) { updateBoard(input: $input) { board { id } } }',
    { input: { id: ended.id, endsAt: new Date().toISOString() } },
  );
  const of = ({ shortCode }: Data) => `/b/${shortCode}`;
  const live = '.ranking.connected';
  return [
    { name: 'landing', address: '/' },
    { name: 'game', address: `/games/${game.slug}` },
    { name: 'board', address: of(main), ready: live },
    { name: 'board-later', address: `${of(main)}?from=51`, ready: live },
    { name: 'board-week', address: `${of(main)}?view=week`, ready: live },
    {
      ...{ name: 'board-periods', address: `${of(main)}?view=week`, ready: live },
      act: (page) => page.locator('.periods summary').click(),
    },
    { name: 'board-countries', address: `${of(main)}?view=country` },
    { name: 'board-country', address: `${of(main)}?view=country&country=NO`, ready: live },
    { name: 'board-search', address: `${of(main)}?player=player` },
    { name: 'board-times', address: of(plain), ready: live },
    { name: 'board-ended', address: of(ended) },
    { name: 'board-upcoming', address: of(coming), ready: live },
    { name: 'player', address: `${of(main)}/p/${players[3]}`, ready: live },
    {
      ...{ name: 'player-runs', address: `${of(main)}/p/${players[3]}`, ready: live },
      act: (page) => page.locator('.runs summary').click(),
    },
    { name: 'player-first', address: `${of(main)}/p/${players[0]}`, ready: live },
    { name: 'player-hostile', address: `${of(coins)}/p/${players[NAMES.length - 2]}`, ready: live },
    { name: 'player-plain', address: `${of(plain)}/p/${players[5]}`, ready: live },
    { name: 'embed', address: `${of(main)}?embed=1`, ready: live },
    { name: 'overlay', address: `${of(main)}?overlay=1`, ready: live },
    { name: 'overlay-large', address: `${of(main)}?overlay=1&size=large&side=right&top=10`, ready: live },
    {
      name: 'overlay-ticker',
      address: `${of(plain)}?overlay=1&layout=ticker&top=10&accent=ffd166`,
      ready: live,
    },
    { name: 'overlay-link', address: `${of(main)}/overlay?ranking=view%3Dweek`, ready: '.enhanced' },
    { name: 'lost', address: '/b/NOWHERE' },
  ];
}
