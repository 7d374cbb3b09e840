import type { Genre } from './genres.js';
import { DAY, DAYS, type Kind, type Play, START } from './plays.js';
import type { Random } from './random.js';

/**
 * Kinds of cheaters, by effort: sending a made-up value is by far the easiest and most common; replaying a captured
 * request or letting a script play needs a tool; waiting for a plausible leap, or for many small ones, needs
 * patience.
 */
export const SHARES: readonly [Exclude<Kind, 'honest'>, number][] = [
  ['impossible', 0.35],
  ['macro', 0.2],
  ['replay', 0.2],
  ['teleport', 0.15],
  ['creep', 0.1],
];

export function kindOfCheater(random: Random): Exclude<Kind, 'honest'> {
  let left = random.uniform();
  for (const [kind, share] of SHARES) {
    left -= share;
    if (left < 0) return kind;
  }
  return 'creep';
}

/** A cheater's submissions: at least twelve, so that there are always ten. */
export function cheaterPlays(
  kind: Exclude<Kind, 'honest'>,
  player: number,
  genre: Genre,
  random: Random,
): Play[] {
  const talent = { skill: random.normal(), learning: 1 };
  const amounts: number[] = [];
  const honest = () => genre.value(talent, amounts.length, random);
  const improve = (value: number, factor: number) =>
    rounded(genre, genre.sortDirection === 'asc' ? value / factor : value * factor);
  let pause = () => genre.runSeconds(random) * 1_000;

  if (kind === 'impossible') {
    // Values that a number field suggests: nines, a billion, a second; now and then an honest run in between.
    const tries = random.chance(0.5) ? 0 : Math.floor(random.uniform(1, 4));
    while (amounts.length < 12) {
      const cheats = amounts.length >= tries && random.chance(0.7);
      amounts.push(cheats ? improve(honest(), random.logUniform(20, 100_000)) : honest());
    }
  } else if (kind === 'teleport') {
    const before = 3 + Math.floor(random.uniform(0, 5));
    while (amounts.length < before) amounts.push(honest());
    const best = genre.sortDirection === 'asc' ? Math.min(...amounts) : Math.max(...amounts);
    amounts.push(improve(best, random.logUniform(4, 40)));
    while (amounts.length < 12) amounts.push(honest());
  } else if (kind === 'macro') {
    // A script that plays and submits day and night; the same inputs often lead to the same result.
    const same = random.uniform(0.1, 0.8);
    const every = random.logUniform(800, 20_000);
    pause = () => every * random.uniform(0.95, 1.05);
    while (amounts.length < 80) {
      amounts.push(amounts.length > 0 && random.chance(same) ? amounts.at(-1)! : honest());
    }
  } else if (kind === 'replay') {
    const every = random.logUniform(1_000, 90_000);
    const captured = honest();
    pause = () => every * random.uniform(0.8, 1.2);
    while (amounts.length < 30) amounts.push(captured);
  } else {
    const step = random.uniform(1.05, 1.3);
    const every = random.logUniform(45_000, 600_000);
    pause = () => every * random.uniform(0.7, 1.3);
    amounts.push(honest());
    while (amounts.length < 30) amounts.push(improve(amounts.at(-1)!, step));
  }

  let at = START + random.uniform(3, DAYS - 3) * DAY;
  return amounts.map((amount) => {
    at += pause();
    return { player, at, amount, again: null };
  });
}

/** As the game itself would report it. */
function rounded({ sortDirection }: Genre, value: number): number {
  return sortDirection === 'asc' ? Math.max(0.001, Math.round(value * 1_000) / 1_000) : Math.round(value);
}
