/** Prefixes of settings: no other program uses variables that begin with them. */
const FAMILIES =
  /^(SUPERADMIN|ACCESS_TOKEN|REFRESH_TOKEN|NONCE|PUBLIC_UI|TRUSTED_PROX(Y|IES)|CORS|SMTP|HEADER_PREFIX|KEY_PREFIX|ANTI_CHEAT)_/;

/** Shortest name to compare: shorter ones are close to too many foreign names (HOST and HOME). */
const SHORTEST = 8;
/** Names of at least this many letters may differ by two. */
const LONG = 10;
const MOST_MISTAKES = 2;

/** A variable that resembles a setting but is none, and the setting that was probably meant. */
interface StrangeName {
  name: string;
  meant: string | undefined;
}

/**
 * Finds misspelt settings among the environment's names, most of which belong to other programs: names that have a
 * setting's prefix, or differ from a setting by a letter or two.
 */
export function strangeNames(given: string[], known: string[]): StrangeName[] {
  const strange: StrangeName[] = [];
  for (const name of given) {
    if (known.includes(name)) continue;
    const upper = name.toUpperCase();
    const near = known
      .filter(
        (setting) => setting.length >= SHORTEST && Math.abs(setting.length - upper.length) <= MOST_MISTAKES,
      )
      .map((setting) => ({ setting, distance: distance(upper, setting) }))
      .sort((a, b) => a.distance - b.distance)[0];
    const allowed = near && near.setting.length >= LONG ? MOST_MISTAKES : 1;
    const meant = near && near.distance <= allowed ? near.setting : undefined;
    if (meant || FAMILIES.test(name)) strange.push({ name, meant });
  }
  return strange;
}

/** Edit distance: letters to insert, delete, replace, or swap with their neighbour. */
function distance(a: string, b: string): number {
  let before: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const same = a[i - 1] === b[j - 1];
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      row[j] = Math.min(
        last[j]! + 1,
        row[j - 1]! + 1,
        last[j - 1]! + (same ? 0 : 1),
        swapped ? before[j - 2]! + 1 : Number.POSITIVE_INFINITY,
      );
    }
    before = last;
    last = row;
  }
  return last[b.length]!;
}
