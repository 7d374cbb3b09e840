import { readConfig } from '../src/config.js';
import { serviceThresholds, type Thresholds } from '../src/fairplay/thresholds.js';
import { COARSE, GENRES, type Genre } from './fair-population/genres.js';
import { PlainRule, type Rule, ServiceRule } from './fair-population/judges.js';
import { cheatersOf, type Impression, judgeAll, ofKind, populate, share } from './fair-population/results.js';
import { describeOptions, numberOf, readArguments } from './support/arguments.js';
import { count, say, sayTable } from './support/table.js';

const OPTIONS = {
  players: { fallback: '2k', all: '10k', doc: 'players of each game' },
  cheaters: { fallback: '3', doc: 'percent of them' },
  careless: { fallback: '5', doc: 'percent of the others whose client follows no documentation' },
  seed: { fallback: '1', doc: 'another one makes other players' },
};

const CHECKS = ['rate_limit', 'velocity', 'duplicate', 'progression', 'outlier'];
/** What an outlier was one by. */
const MEASURES = ['value', 'sum', 'gain', 'rate', 'streak', 'repeats'].map((measure) => `of ${measure}`);
const KINDS = ['impossible', 'macro', 'replay', 'teleport', 'creep'] as const;

interface Judged {
  rule: string;
  /** By game. */
  games: { genre: Genre; impressions: Impression[] }[];
}

function percent(value: number): string {
  return Number.isNaN(value) ? '–' : `${(value * 100).toFixed(2)} %`;
}

function all({ games }: Judged): Impression[] {
  return games.flatMap(({ impressions }) => impressions);
}

const isFlagged = ({ reasons }: Impression) => reasons.size > 0;
const isFoundEarly = ({ early }: Impression) => early.size > 0;

function sayOverall(judged: readonly Judged[]): void {
  say('');
  say('All games: what becomes of players.');
  const rows = judged.map((one) => {
    const honest = ofKind(all(one), 'honest');
    const submissions = honest.reduce((sum, { submissions }) => sum + submissions, 0);
    const flagged = honest.reduce((sum, { flaggedSubmissions }) => sum + flaggedSubmissions, 0);
    return [
      one.rule,
      percent(share(cheatersOf(all(one)), isFoundEarly)),
      percent(share(honest, isFoundEarly)),
      percent(share(honest, isFlagged)),
      percent(flagged / submissions),
      percent(share(honest, ({ actedAgainst }) => actedAgainst)),
      percent(share(honest, ({ rejected }) => rejected)),
      count(honest.filter(({ rejectedForGood }) => rejectedForGood).length),
    ];
  });
  sayTable(
    [
      'rule',
      'cheaters found in 10',
      'honest flagged in 10',
      'honest ever flagged',
      'of their submissions',
      'honest acted against',
      'honest ever rejected',
      'for good',
    ],
    rows,
  );
}

function sayKinds(judged: readonly Judged[]): void {
  say('');
  say('Cheaters found within their first ten submissions, by what they do.');
  const rows = judged.map((one) => [
    one.rule,
    ...KINDS.map((kind) => percent(share(ofKind(all(one), kind), isFoundEarly))),
  ]);
  sayTable(['rule', ...KINDS], rows);
}

function sayChecks(service: Judged): void {
  say('');
  say('By check: cheaters it finds within ten submissions, honest players it ever flags.');
  const impressions = all(service);
  const rows = [...CHECKS, ...MEASURES].map((check) => [
    check,
    percent(share(cheatersOf(impressions), ({ early }) => early.has(check))),
    ...KINDS.map((kind) => percent(share(ofKind(impressions, kind), ({ early }) => early.has(check)))),
    percent(share(ofKind(impressions, 'honest'), ({ reasons }) => reasons.has(check))),
  ]);
  sayTable(['check', 'all cheaters', ...KINDS, 'honest'], rows);
}

function sayGames(judged: readonly Judged[]): void {
  say('');
  say('By game.');
  const rows = judged.flatMap((one) =>
    one.games.map(({ genre, impressions }) => {
      const honest = ofKind(impressions, 'honest');
      return [
        `${genre.name}, ${one.rule}`,
        count(honest.length),
        percent(share(cheatersOf(impressions), isFoundEarly)),
        percent(share(honest, isFlagged)),
        percent(share(honest, ({ actedAgainst }) => actedAgainst)),
        percent(share(honest, ({ rejected }) => rejected)),
      ];
    }),
  );
  sayTable(['game', 'honest', 'found in 10', 'ever flagged', 'acted against', 'rejected'], rows);
}

function sayFlagged(service: Judged): void {
  say('');
  say('Honest players the checks flag, by game and check.');
  const rows = service.games.map(({ genre, impressions }) => {
    const honest = ofKind(impressions, 'honest');
    const by = (check: string) => percent(share(honest, ({ reasons }) => reasons.has(check)));
    return [genre.name, percent(share(honest, isFlagged)), ...[...CHECKS, ...MEASURES].map(by)];
  });
  sayTable(['game', 'flagged', ...CHECKS, ...MEASURES], rows);
}

function sayHabits(service: Judged): void {
  say('');
  say('Honest players the checks flag, by habit and check.');
  const honest = ofKind(all(service), 'honest');
  const habits = [...new Set(honest.map(({ person }) => person.habit))].sort();
  const rows = habits.map((habit) => {
    const own = honest.filter(({ person }) => person.habit === habit);
    return [
      habit,
      count(own.length),
      percent(share(own, isFlagged)),
      ...CHECKS.map((check) => percent(share(own, ({ reasons }) => reasons.has(check)))),
    ];
  });
  sayTable(['habit', 'players', 'flagged', ...CHECKS], rows);
}

function main(): void {
  const args = readArguments(OPTIONS);
  const [players, seed] = [numberOf(args.players), numberOf(args.seed)];
  const [cheaters, careless] = [Number(args.cheaters) / 100, Number(args.careless) / 100];
  say(
    'A simulated population of honest players and planted cheaters, judged by the checks and by a plain rule.',
  );
  say(`Options:\n${describeOptions(OPTIONS)}`);
  const thresholds = serviceThresholds(readConfig({}));
  const limit = thresholds.tiers[thresholds.defaultTier].rateLimit;
  const populations = GENRES.map((genre, i) => ({
    genre,
    population: populate(genre, players, cheaters, careless, seed * 1_000 + i),
  }));
  const judge = (rule: string, make: (genre: Genre) => Rule): Judged => ({
    rule,
    games: populations.map(({ genre, population }) => ({
      genre,
      impressions: judgeAll(population, make(genre)),
    })),
  });
  const service = judge('checks', (genre) => new ServiceRule(genre, thresholds));
  const plain = judge('plain rule', (genre) => new PlainRule(genre, limit));
  const submissions = populations.reduce((sum, { population }) => sum + population.plays.length, 0);
  const honest = ofKind(all(service), 'honest').length;
  say('');
  say(
    `${GENRES.length} games, ${count(honest)} honest players, ${count(cheatersOf(all(service)).length)} cheaters, ${count(submissions)} submissions in four weeks.`,
  );
  sayOverall([service, plain]);
  sayKinds([service, plain]);
  sayChecks(service);
  sayFlagged(service);
  sayHabits(service);
  sayGames([service, plain]);

  const coarse = populate(COARSE, players, cheaters, careless, seed * 1_000 + 900);
  const off: Thresholds = structuredClone(thresholds);
  for (const tier of Object.values(off.tiers)) tier.duplicateSeconds = 0;
  const game = (rule: string, own: Thresholds): Judged => ({
    rule,
    games: [{ genre: COARSE, impressions: judgeAll(coarse, new ServiceRule(COARSE, own)) }],
  });
  say('');
  say(
    'A game of few different values, as it comes and with duplicate_seconds off in its anti_cheat_settings.',
  );
  const two = [game('defaults', thresholds), game('duplicate off', off)];
  sayOverall(two);
}

main();
