import { Leaderboard, type RunResult } from 'leaderboard-client';
import { watch } from 'leaderboard-client/live';
import { Game } from './game.js';
import { byId, element } from './page.js';
import { Places } from './places.js';
import { Plug } from './plug.js';
import { Rivals } from './rivals.js';
import { arrivalOf, Runs } from './runs.js';
import { readSetup, type Setup, service } from './setup.js';
import { messageOf } from './words.js';
import type { World } from './world.js';

const NAME = 'arcade:name';
const PLACES = 9;
/** Pixels. */
const PLACE_HEIGHT = 40;
const PANEL_REST = 150;
const roomy = matchMedia('(min-width: 75rem)');
/** Until a player reads "saved" instead of a rank; immediately when the plug is known to be pulled. */
const PATIENCE_MS = 4_000;
const PULLED_PATIENCE_MS = 200;

const plug = new Plug();
const runs = new Runs();
/** Key of the run on the card. */
let shownRun = '';
const name = byId<HTMLInputElement>('name');
name.value = localStorage.getItem(NAME) ?? `Night heron ${10 + Math.floor(90 * Math.random())}`;

async function play(setup: Setup): Promise<void> {
  const { gameId, boardId, headerPrefix } = setup;
  const leaderboard = new Leaderboard({
    ...{ url: service, gameId, headerPrefix, fetch: plug.fetch },
    // A visitor who plugs in again does not wait for a minute.
    retry: { firstMs: 400, mostMs: 3_000 },
    onResult: showArrival,
  });
  const rivals = new Rivals(leaderboard, boardId);
  const game = new Game({
    rivals,
    begin: () => {
      shownRun = '';
      // Session and nonces are ready when the run ends.
      leaderboard.prepare().catch(() => undefined);
      rivals.read().catch(() => undefined);
    },
    end: (world) => submit(leaderboard, boardId, world),
  });
  usePlug(leaderboard);
  usePublicPage(setup);
  game.ready();
  runs.restore(await leaderboard.waiting());
  rivals.read().catch(() => undefined);
  await follow(leaderboard, boardId);
}

/** @returns the message to the player */
async function submit(leaderboard: Leaderboard, boardId: string, world: World): Promise<string> {
  const playerName = name.value.trim() || 'Night heron';
  localStorage.setItem(NAME, playerName);
  const { score: value, bestCombo: combo, seed, seconds } = world;
  const metadata = { track: 'harbour', combo, seed, seconds: Math.round(seconds) };
  const deadlineMs = plug.isIn ? PATIENCE_MS : PULLED_PATIENCE_MS;
  const submitting = leaderboard.submit({ boardId, value, playerName, metadata }, { deadlineMs });
  const result = await runs.follow(value, submitting);
  shownRun = result.run.key;
  return messageOf(result);
}

/** Answers to runs that waited, of this start of the game or an earlier one. */
function showArrival(result: RunResult): void {
  if (!runs.answer(result)) return;
  byId('arrival').textContent = arrivalOf(result);
  if (result.run.key === shownRun) byId('result').textContent = messageOf(result);
}

function usePlug(leaderboard: Leaderboard): void {
  const button = byId('plug');
  const show = () => {
    button.setAttribute('aria-checked', String(plug.isIn));
    button.lastChild!.textContent = plug.isIn ? 'Plugged in' : 'Plug pulled';
    byId('cable-text').textContent = plug.isIn
      ? 'Pull the plug and play on: runs wait on this device.'
      : 'The game has no way to the service. Play on: runs wait on this device, even through a reload.';
    byId('freshness').textContent = plug.isIn ? '' : 'Not live: the places as they were last seen.';
    document.body.classList.toggle('unplugged', !plug.isIn);
  };
  button.addEventListener('click', () => {
    plug.isIn = !plug.isIn;
    byId('arrival').textContent = '';
    show();
    if (plug.isIn) void leaderboard.flush();
  });
  show();
}

/** Beside the game where there is room, otherwise a link. */
function usePublicPage({ shortCode }: Setup): void {
  const address = new URL(`b/${shortCode}`, service).href;
  byId<HTMLAnchorElement>('public').href = address;
  const show = () => {
    if (!roomy.matches || byId('frame').childElementCount > 0) return;
    const frame = document.createElement('iframe');
    frame.title = 'The public page of the board';
    frame.src = `${address}?embed=1&top=50`;
    byId('frame').append(frame);
  };
  roomy.addEventListener('change', show);
  show();
}

/** The places around the player, for as long as the page lives. */
async function follow(leaderboard: Leaderboard, boardId: string): Promise<void> {
  const places = new Places();
  const { identityId } = await untilPlayer(leaderboard);
  for await (const state of watch(leaderboard, boardId, { limit: placesShown(), around: 'me' })) {
    places.show(state, identityId);
  }
}

/** Where the panel is as high as the window, as many as it has room for. */
function placesShown(): number {
  if (!roomy.matches) return PLACES;
  const { clientHeight } = byId('places').parentElement!;
  return Math.max(PLACES, Math.floor((clientHeight - PANEL_REST) / PLACE_HEIGHT));
}

/** A page that starts with its plug pulled has a player once it is in. */
async function untilPlayer(leaderboard: Leaderboard): Promise<{ identityId: string }> {
  for (;;) {
    try {
      return await leaderboard.player();
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
  }
}

readSetup()
  .then(play)
  .catch((error: unknown) => {
    byId('standing').replaceChildren(element('strong', 'No board'), ` ${String(error)}`);
  });
