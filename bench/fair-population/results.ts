import { cheaterPlays, kindOfCheater } from './cheaters.js';
import type { Genre } from './genres.js';
import type { Rule } from './judges.js';
import { HOUR, honestPlays, type Kind, type Person, type Play, type Population } from './plays.js';
import { Random } from './random.js';

/** Submissions within which a cheater should be found. */
const FIRST = 10;

/** What a rule came to think of one player. */
export interface Impression {
  person: Person;
  submissions: number;
  flaggedSubmissions: number;
  /** By everything that was ever said against it, and within its first ten submissions. */
  reasons: Set<string>;
  early: Set<string>;
  rejected: boolean;
  /** Rejected though it had not submitted for an hour: there is no end to that. */
  rejectedForGood: boolean;
  actedAgainst: boolean;
}

/** @param cheaters their share of the players; @param careless share of the others that have a careless client */
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

/** Has a rule judge everything in order of arrival. */
export function judgeAll({ people, plays }: Population, rule: Rule): Impression[] {
  const impressions = people.map(
    (person): Impression => ({
      person,
      submissions: 0,
      flaggedSubmissions: 0,
      reasons: new Set(),
      early: new Set(),
      rejected: false,
      rejectedForGood: false,
      actedAgainst: false,
    }),
  );
  const lastAt = new Map<number, number>();
  for (const play of plays) {
    const seen = impressions[play.player]!;
    const { reasons, rejected, actedAgainst } = rule.judge(play);
    seen.submissions += 1;
    if (reasons.length > 0) seen.flaggedSubmissions += 1;
    for (const reason of reasons) {
      seen.reasons.add(reason);
      if (seen.submissions <= FIRST) seen.early.add(reason);
    }
    seen.rejected ||= rejected;
    seen.rejectedForGood ||= rejected && play.at - (lastAt.get(play.player) ?? play.at) > HOUR;
    seen.actedAgainst ||= actedAgainst;
    lastAt.set(play.player, play.at);
  }
  return impressions.filter(({ submissions }) => submissions > 0);
}

export function ofKind(impressions: readonly Impression[], kind: Kind): Impression[] {
  return impressions.filter(({ person }) => person.kind === kind);
}

export function cheatersOf(impressions: readonly Impression[]): Impression[] {
  return impressions.filter(({ person }) => person.kind !== 'honest');
}

/** The share of these for which something holds; NaN of none. */
export function share(
  impressions: readonly Impression[],
  holds: (impression: Impression) => boolean,
): number {
  return impressions.filter(holds).length / impressions.length;
}
