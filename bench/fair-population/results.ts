import { cheaterPlays, kindOfCheater } from './cheaters.js';
import type { Genre } from './genres.js';
import type { Opinion, Rule } from './judges.js';
import { HOUR, honestPlays, type Kind, type Person, type Play, type Population } from './plays.js';
import { Random } from './random.js';

/** Submissions within which a cheater should be found. */
const FIRST = 10;

/** A rule's findings against a player. */
export interface Against {
  /** Judged submissions, and those with a finding. */
  submissions: number;
  flaggedSubmissions: number;
  /** All findings, and those within the player's first ten submissions. */
  reasons: Set<string>;
  early: Set<string>;
  rejected: boolean;
  /** Rejected although it had not submitted for an hour: the player is locked out forever. */
  rejectedForGood: boolean;
  actedAgainst: boolean;
  held: boolean;
  /** Held within the first ten submissions. */
  heldEarly: boolean;
}

/** A rule's result for one player. */
export interface Impression {
  person: Person;
  /** Findings on runs sent for the first time. */
  runs: Against;
  /** Findings on everything sent, including second copies of runs. */
  sent: Against;
  /** Second copies sent without a key, and those of them the rule recognised. */
  copies: number;
  recognised: number;
}

/**
 * @param cheaters their share of the players
 * @param careless share of the others with a careless client
 */
export function populate(
  genre: Genre,
  size: number,
  cheaters: number,
  careless: number,
  seed: number,
): Population {
  const random = new Random(seed);
  const people: Person[] = [];
  const plays: Play[] = [];
  for (let player = 0; player < size; player += 1) {
    if (random.chance(cheaters)) {
      const kind = kindOfCheater(random);
      people.push({ kind, habit: kind });
      plays.push(...cheaterPlays(kind, player, genre, random));
    } else {
      const { habit, plays: own } = honestPlays(player, genre, careless, random);
      people.push({ kind: 'honest', habit });
      plays.push(...own);
    }
  }
  return { people, plays: plays.sort((a, b) => a.at - b.at) };
}

/** Lets a rule judge everything in order of arrival. */
export function decideBatch({ people, plays }: Population, rule: Rule): Impression[] {
  const impressions = people.map(
    (person): Impression => ({ person, runs: nothing(), sent: nothing(), copies: 0, recognised: 0 }),
  );
  const lastAt = new Map<number, number>();
  for (const play of plays) {
    const { player, at, again } = play;
    const seen = impressions[player]!;
    const opinion = rule.judge(play);
    const isEarly = seen.sent.submissions < FIRST;
    const hadPaused = at - (lastAt.get(player) ?? at) > HOUR;
    note(seen.sent, opinion, isEarly, hadPaused);
    if (again === null) note(seen.runs, opinion, isEarly, hadPaused);
    if (again === 'without key') {
      seen.copies += 1;
      if (opinion.reasons.includes('duplicate')) seen.recognised += 1;
    }
    lastAt.set(player, at);
  }
  return impressions.filter(({ sent }) => sent.submissions > 0);
}

function nothing(): Against {
  return {
    submissions: 0,
    flaggedSubmissions: 0,
    reasons: new Set(),
    early: new Set(),
    rejected: false,
    rejectedForGood: false,
    actedAgainst: false,
    held: false,
    heldEarly: false,
  };
}

function note(
  against: Against,
  { reasons, rejected, actedAgainst, held }: Opinion,
  isEarly: boolean,
  hadPaused: boolean,
): void {
  against.submissions += 1;
  if (reasons.length > 0) against.flaggedSubmissions += 1;
  for (const reason of reasons) {
    against.reasons.add(reason);
    if (isEarly) against.early.add(reason);
  }
  against.rejected ||= rejected;
  against.rejectedForGood ||= rejected && hadPaused;
  against.actedAgainst ||= actedAgainst;
  against.held ||= held;
  against.heldEarly ||= held && isEarly;
}

export function ofKind(impressions: readonly Impression[], kind: Kind): Impression[] {
  return impressions.filter(({ person }) => person.kind === kind);
}

export function cheatersOf(impressions: readonly Impression[]): Impression[] {
  return impressions.filter(({ person }) => person.kind !== 'honest');
}

/** The share of these that meet a condition; NaN without any. */
export function share(
  impressions: readonly Impression[],
  holds: (impression: Impression) => boolean,
): number {
  return impressions.filter(holds).length / impressions.length;
}
