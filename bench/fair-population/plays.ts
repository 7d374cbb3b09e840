import type { Genre } from './genres.js';
import type { Random } from './random.js';

/** A submission as it reaches the service. */
export interface Play {
  player: number;
  /** Epoch milliseconds. */
  at: number;
  amount: number;
  /**
   * The same run a second time, because no response arrived; null: the first time. With its idempotency key, the
   * service replays the response; a plain rule sees another run.
   */
  again: 'with key' | 'without key' | null;
}

export type Kind = 'honest' | 'impossible' | 'teleport' | 'macro' | 'replay' | 'creep';

export interface Person {
  kind: Kind;
  /** The peculiarity of an honest player, for the report. */
  habit: string;
}

export interface Population {
  people: Person[];
  /** In order of arrival. */
  plays: Play[];
}

const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;
export const DAYS = 28;
export const START = Date.UTC(2030, 0, 1);

/**
 * An honest player's four weeks.
 * @param careless share of players whose client ignores the documentation
 */
export function honestPlays(
  player: number,
  genre: Genre,
  careless: number,
  random: Random,
): { habit: string; plays: Play[] } {
  const talent = { skill: random.normal(), learning: random.logNormal(1, 0.4) };
  const client = random.chance(careless) ? CARELESS : CAREFUL;
  const offline = random.chance(0.03);
  const school = random.chance(0.1);
  const shared = random.chance(0.02) ? { ...talent, skill: random.normal() } : undefined;
  // A third tries the game once; the rest come back a few times, and a few for weeks.
  const sessions = random.chance(0.33) ? 1 : 1 + Math.min(80, Math.floor(random.logNormal(4, 1.1)));
  const plays: Play[] = [];
  let n = 0;
  let best: number | undefined;
  for (const begin of sessionStarts(sessions, school, random)) {
    let at = begin;
    const marathon = random.chance(0.03);
    const runs = 1 + random.geometric(marathon ? 35 : 6);
    const sentLater: number[] = [];
    const away = offline && random.chance(0.3);
    for (let run = 0; run < runs; run += 1) {
      at += genre.runSeconds(random) * 1_000;
      const amount = genre.value(shared && random.chance(0.5) ? shared : talent, n, random);
      n += 1;
      const better = best === undefined || (genre.sortDirection === 'asc' ? amount < best : amount > best);
      if (better) best = amount;
      if (genre.submits === 'bests' && !better) continue;
      if (away) sentLater.push(amount);
      else plays.push(...sent({ player, at, amount, again: null }, client, random));
    }
    // A queue does not continue without a response.
    for (const amount of client.queued(sentLater, genre)) {
      at += client.pause(random);
      plays.push(...sent({ player, at, amount, again: null }, client, random));
      at = plays.at(-1)!.at;
    }
  }
  const habits = { offline, careless: client === CARELESS, shared: shared !== undefined, school };
  const habit = Object.entries(habits).find(([, has]) => has)?.[0] ?? 'ordinary';
  return { habit, plays };
}

interface Client {
  hasKeys: boolean;
  /**
   * The runs of an offline period, sent when the device is online again, and the milliseconds between two of them.
   */
  queued(amounts: number[], genre: Genre): number[];
  pause(random: Random): number;
}

/**
 * As recommended in docs/guides/submitting-scores.md: an idempotency key with every submission, a queue at its
 * pace, a counter's deltas as one.
 */
const CAREFUL: Client = {
  hasKeys: true,
  queued: (amounts, { boardType }) => {
    if (boardType !== 'counter' || amounts.length === 0) return amounts;
    return [amounts.reduce((sum, amount) => sum + amount, 0)];
  },
  pause: (random) => random.uniform(2_100, 3_000),
};

/** Without keys, and a queue sent as fast as possible, one nonce and submission after another. */
const CARELESS: Client = {
  hasKeys: false,
  queued: (amounts) => amounts,
  pause: (random) => random.uniform(300, 900),
};

/** One response in a hundred gets lost, and the client retries a few seconds later with a fresh nonce. */
function sent(play: Play, { hasKeys }: Client, random: Random): Play[] {
  if (!random.chance(0.01)) return [play];
  const again = hasKeys ? 'with key' : 'without key';
  return [play, { ...play, at: play.at + random.uniform(3_000, 15_000), again }];
}

/** Evenings of a few weeks; a class shares an address and a lesson, and starts at the same time. */
function sessionStarts(sessions: number, school: boolean, random: Random): number[] {
  const joined = random.uniform(0, DAYS - 7);
  const stays = Math.max(1, sessions * random.logNormal(1.2, 0.5));
  const starts = Array.from({ length: sessions }, (_, i) => {
    const day = Math.min(DAYS - 1, joined + (i * stays) / sessions);
    const hour = school ? 10 + random.uniform(0, 0.05) : 16 + 7 * random.uniform();
    return START + Math.floor(day) * DAY + hour * HOUR;
  });
  // Two sessions of a day do not overlap: the later one begins hours later.
  return starts
    .sort((a, b) => a - b)
    .map((start, i, all) => {
      const sameDay = all
        .slice(0, i)
        .filter((other) => Math.floor(other / DAY) === Math.floor(start / DAY)).length;
      return start + sameDay * 5 * HOUR;
    });
}
