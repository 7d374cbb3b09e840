/** A plain league: everything in memory, one player after the other. */

export interface LeagueRules {
  tiers: { name: string; size: number; promote: number; demote: number }[];
  settleSeconds: number;
  lateShare: number;
  idlePeriods: number;
  equalValues: 'order' | 'together';
}

export interface ModelSeat {
  week: number;
  tier: number;
  cohort: number;
  isLate: boolean;
  /** Weeks in a row before this one without a score. */
  idle: number;
}

export interface ModelOutcome {
  place: number;
  value: number | null;
  nextTier: number;
  idle: number;
}

/** The best run that counts; undefined: none does. */
export type Kept = { value: number; seq: number } | undefined;

const share = (of: number, players: number, size: number) => Math.floor((of * players) / size + 0.5);

/** What a cohort is given. @param kept by player, of all of its players */
export function outcomesOf(
  { tiers, idlePeriods, equalValues }: LeagueRules,
  { tier, isLate }: Pick<ModelSeat, 'tier' | 'isLate'>,
  players: readonly { player: string; idle: number; kept: Kept }[],
  moreIsBetter: boolean,
): Map<string, ModelOutcome> {
  const { size, promote, demote } = tiers[tier - 1]!;
  const better = (a: number, b: number) => (moreIsBetter ? a > b : a < b);
  const hasScore = (kept: Kept) => kept !== undefined && !(moreIsBetter && kept.value === 0);
  const field = players.toSorted((a, b) => {
    if (hasScore(a.kept) !== hasScore(b.kept)) return hasScore(a.kept) ? -1 : 1;
    if (!a.kept || !b.kept) return a.kept ? -1 : b.kept ? 1 : a.player < b.player ? -1 : 1;
    if (a.kept.value !== b.kept.value) return better(a.kept.value, b.kept.value) ? -1 : 1;
    return a.kept.seq - b.kept.seq;
  });
  const scored = field.filter(({ kept }) => hasScore(kept));
  const full = Math.min(scored.length, size);
  const up = tier === tiers.length ? 0 : Math.min(scored.length, share(promote, full, size));
  const down = tier === 1 || isLate ? 0 : Math.min(share(demote, full, size), scored.length - up);
  const given = field.map(({ player, idle, kept }, i): [string, ModelOutcome] => {
    const place = i + 1;
    const value = kept?.value ?? null;
    if (!hasScore(kept)) {
      const falls = idle + 1 > idlePeriods && tier > 1;
      return [player, { place, value, nextTier: falls ? tier - 1 : tier, idle: idle + 1 }];
    }
    const line =
      equalValues === 'together'
        ? 1 + scored.filter((other) => better(other.kept!.value, kept!.value)).length
        : place;
    const nextTier = line <= up ? tier + 1 : line > scored.length - down ? tier - 1 : tier;
    return [player, { place, value, nextTier, idle: 0 }];
  });
  return new Map(given);
}

/** The tier of a player's next seat, and the idle weeks before it. */
export function nextSeat(
  { idlePeriods }: LeagueRules,
  last: { seat: ModelSeat; outcome: ModelOutcome } | undefined,
  week: number,
): { tier: number; idle: number } {
  if (!last) return { tier: 1, idle: 0 };
  let { nextTier: tier, idle } = last.outcome;
  for (let absent = last.seat.week + 1; absent < week; absent += 1) {
    idle += 1;
    if (idle > idlePeriods) tier = Math.max(1, tier - 1);
  }
  return { tier, idle };
}
