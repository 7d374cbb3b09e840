import { Leaderboard, type RunResult } from 'leaderboard-client';
import { watch } from 'leaderboard-client/live';
import type { GameRun } from 'leaderboard-client/runs';
import { addressedSeed, Game } from './game.js';
import { Ghosts } from './ghosts.js';
import { byId, element } from './page.js';
import { Places } from './places.js';
import { Plug } from './plug.js';
import { Rivals } from './rivals.js';
import { arrivalOf, Runs } from './runs.js';
import { readSetup, type Setup, service } from './setup.js';
import { Starts } from './starts.js';
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
  const starts = new Starts(leaderboard, boardId);
  const ghosts = new Ghosts(leaderboard, boardId, plug.fetch);
  let run: GameRun | undefined;
  const prepare = async () => {
    // A course of the address has no ticket: its seed is not the board's.
    if (addressedSeed() === undefined) await starts.prepare();
    await ghosts.read().catch(() => undefined);
    showGhost(ghosts);
  };
  const game = new Game({
    rivals,
    begin: () => {
      shownRun = '';
      // Session and nonces are ready when the run ends.
      leaderboard.prepare().catch(() => undefined);
      rivals.read().catch(() => undefined);
      run = starts.take();
      const seed =
        addressedSeed() ?? run?.seed ?? starts.seed ?? crypto.getRandomValues(new Uint32Array(1))[0]!;
      const ghost = ghosts.begin(seed);
      if (ghost) byId('ghost-text').textContent = `You race ${ghost.playerName}.`;
      return { seed, ghost };
    },
    pause: () => run?.pause(),
    resume: () => run?.resume(),
    end: async (world, recording) => {
      const message = await submit({ leaderboard, boardId, run }, world, recording);
      void prepare();
      return message;
    },
  });
  usePlug(leaderboard, prepare);
  useGhost(ghosts);
  usePublicPage(setup);
  game.ready();
  void prepare();
  runs.restore(await leaderboard.waiting());
  rivals.read().catch(() => undefined);
  await follow(leaderboard, boardId);
}

interface Ending {
  leaderboard: Leaderboard;
  boardId: string;
  /** Undefined: it began without a ticket. */
  run: GameRun | undefined;
}

/** @returns the message to the player */
async function submit(
  { leaderboard, boardId, run }: Ending,
  world: World,
  recording: Uint8Array,
): Promise<string> {
  const playerName = name.value.trim() || 'Night heron';
  localStorage.setItem(NAME, playerName);
  const { score: value, bestCombo: combo, seed, seconds } = world;
  const metadata = { track: 'harbour', combo, seed, seconds: Math.round(seconds) };
  const deadlineMs = plug.isIn ? PATIENCE_MS : PULLED_PATIENCE_MS;
  const score = { value, playerName, metadata };
  const submitting = run
    ? run.finish({ ...score, runMs: Math.round(1_000 * seconds), recording }, { deadlineMs })
    : leaderboard.submit({ boardId, ...score }, { deadlineMs });
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

/** @param back called when the game has its connection again */
function usePlug(leaderboard: Leaderboard, back: () => Promise<void>): void {
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
    if (!plug.isIn) return;
    void leaderboard.flush();
    void back();
  });
  show();
}

function useGhost(ghosts: Ghosts): void {
  byId('ghost').addEventListener('click', () => {
    ghosts.isOn = !ghosts.isOn;
    showGhost(ghosts);
  });
  showGhost(ghosts);
}

function showGhost(ghosts: Ghosts): void {
  byId('ghost').setAttribute('aria-checked', String(ghosts.isOn));
  const { playerName } = ghosts;
  byId('ghost-text').textContent = playerName
    ? `Next run: beside ${playerName}.`
    : 'The nearest recorded run above yours. There is none yet.';
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
