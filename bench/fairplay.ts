import { readConfig } from '../src/config/table.js';
import { gameThresholds, serviceThresholds } from '../src/fairplay/checks/thresholds.js';
import type { AntiCheatSettings } from '../src/games/anti-cheat-settings.js';
import { COARSE, GENRES, type Genre } from './fair-population/genres.js';
import { PlainRule, type Rule, ServiceRule } from './fair-population/judges.js';
import {
  type Against,
  cheatersOf,
  decideBatch,
  type Impression,
  ofKind,
  populate,
  share,
} from './fair-population/results.js';
import { describeOptions, numberOf, readArguments } from './support/arguments.js';
import { count, say, sayTable } from './support/table.js';

const OPTIONS = {
  players: { fallback: '2k', all: '10k', doc: 'players of each game' },
  cheaters: { fallback: '3', doc: 'percent of them' },
  careless: { fallback: '5', doc: 'percent of the others whose client follows no documentation' },
  seed: { fallback: '1', doc: 'another one makes other players' },
};

const CHECKS = ['rate_limit', 'velocity', 'duplicate', 'progression', 'outlier'];
/** How a run was measured as an outlier. */
const MEASURES = ['value', 'sum', 'gain', 'rate', 'streak', 'repeats'].map((measure) => `of ${measure}`);
const KINDS = ['impossible', 'macro', 'replay', 'teleport', 'creep'] as const;

interface Decisions {
  rule: string;
  /** By game. */
  games: { genre: Genre; impressions: Impression[] }[];
}

function percent(value: number): string {
  return Number.isNaN(value) ? '–' : `${(value * 100).toFixed(2)} %`;
}

function all({ games }: Decisions): Impression[] {
  return games.flatMap(({ impressions }) => impressions);
}

/** Findings against honest players: for a run sent twice, those of its first copy. */
const isFlagged = ({ runs }: Impression) => runs.reasons.size > 0;
const isFoundEarly = ({ sent }: Impression) => sent.early.size > 0;

/** @param of which findings on an honest player count */
function sayOverall(judged: readonly Decisions[], of: (impression: Impression) => Against): void {
  const rows = judged.map((one) => {
    const honest = ofKind(all(one), 'honest');
    const theirs = honest.map(of);
    const submissions = theirs.reduce((sum, { submissions }) => sum + submissions, 0);
    const flagged = theirs.reduce((sum, { flaggedSubmissions }) => sum + flaggedSubmissions, 0);
    return [
      one.rule,
      percent(share(cheatersOf(all(one)), isFoundEarly)),
      percent(share(honest, (seen) => of(seen).early.size > 0)),
      percent(share(honest, (seen) => of(seen).reasons.size > 0)),
      percent(flagged / submissions),
      percent(share(honest, (seen) => of(seen).actedAgainst)),
      percent(share(honest, (seen) => of(seen).rejected)),
      count(theirs.filter(({ rejectedForGood }) => rejectedForGood).length),
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

function sayPlayers(judged: readonly Decisions[]): void {
  say('');
  say('Players by the decisions about them; the second copy of a run that was sent twice is not counted.');
  sayOverall(judged, ({ runs }) => runs);
  say('');
  say(
    'The strictest reading: anything said about anything an honest player sent, second copies of runs too.',
  );
  sayOverall(judged, ({ sent }) => sent);
}

function sayCopies(judged: readonly Decisions[]): void {
  say('');
  say('Runs that honest players sent a second time without a key, recognised as such.');
  const rows = judged.map((one) => [
    one.rule,
    ...one.games.map(({ impressions }) => {
      const honest = ofKind(impressions, 'honest');
      const sum = (of: (seen: Impression) => number) => honest.reduce((all, seen) => all + of(seen), 0);
      return `${count(sum(({ recognised }) => recognised))} of ${count(sum(({ copies }) => copies))}`;
    }),
  ]);
  sayTable(['rule', ...(judged[0]?.games ?? []).map(({ genre }) => genre.name)], rows);
}

function sayKinds(judged: readonly Decisions[]): void {
  say('');
  say('Cheaters found within their first ten submissions, by what they do.');
  const rows = judged.map((one) => [
    one.rule,
    ...KINDS.map((kind) => percent(share(ofKind(all(one), kind), isFoundEarly))),
  ]);
  sayTable(['rule', ...KINDS], rows);
}

function sayChecks(service: Decisions): void {
  say('');
  say('By check: cheaters it finds within ten submissions, honest players it ever flags.');
  const impressions = all(service);
  const rows = [...CHECKS, ...MEASURES].map((check) => [
    check,
    percent(share(cheatersOf(impressions), ({ sent }) => sent.early.has(check))),
    ...KINDS.map((kind) => percent(share(ofKind(impressions, kind), ({ sent }) => sent.early.has(check)))),
    percent(share(ofKind(impressions, 'honest'), ({ runs }) => runs.reasons.has(check))),
  ]);
  sayTable(['check', 'all cheaters', ...KINDS, 'honest'], rows);
}

function sayGames(judged: readonly Decisions[]): void {
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
        percent(share(honest, ({ runs }) => runs.actedAgainst)),
        percent(share(honest, ({ runs }) => runs.rejected)),
      ];
    }),
  );
  sayTable(['game', 'honest', 'found in 10', 'ever flagged', 'acted against', 'rejected'], rows);
}

function sayFlagged(service: Decisions): void {
  say('');
  say('Honest players the checks flag, by game and check.');
  const rows = service.games.map(({ genre, impressions }) => {
    const honest = ofKind(impressions, 'honest');
    const by = (check: string) => percent(share(honest, ({ runs }) => runs.reasons.has(check)));
    return [genre.name, percent(share(honest, isFlagged)), ...[...CHECKS, ...MEASURES].map(by)];
  });
  sayTable(['game', 'flagged', ...CHECKS, ...MEASURES], rows);
}

/** Cheaters who would be in the first ranks at once are the ones that holds are for. */
function sayHolds({ games }: Decisions): void {
  say('');
  say('Runs held for the first ten ranks, were the boards to hold them; cheaters: within ten submissions.');
  const rows = games
    .filter(({ genre }) => genre.boardType !== 'counter')
    .map(({ genre, impressions }) => {
      const honest = ofKind(impressions, 'honest');
      const isHeldEarly = ({ sent }: Impression) => sent.heldEarly;
      return [
        genre.name,
        percent(share(cheatersOf(impressions), isHeldEarly)),
        percent(share(ofKind(impressions, 'impossible'), isHeldEarly)),
        percent(share(ofKind(impressions, 'teleport'), isHeldEarly)),
        percent(share(honest, ({ runs }) => runs.held)),
      ];
    });
  sayTable(['game', 'cheaters held', 'impossible', 'teleport', 'honest held'], rows);
}

function sayHabits(service: Decisions): void {
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
      ...CHECKS.map((check) => percent(share(own, ({ runs }) => runs.reasons.has(check)))),
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
  const judge = (rule: string, make: (genre: Genre) => Rule): Decisions => ({
    rule,
    games: populations.map(({ genre, population }) => ({
      genre,
      impressions: decideBatch(population, make(genre)),
    })),
  });
  const service = judge(
    'checks',
    (genre) => new ServiceRule(genre, gameThresholds(thresholds, genre.antiCheatSettings ?? null)),
  );
  const plain = judge('plain rule', (genre) => new PlainRule(genre, limit));
  const submissions = populations.reduce((sum, { population }) => sum + population.plays.length, 0);
  const honest = ofKind(all(service), 'honest').length;
  say('');
  say(
    `${GENRES.length} games, ${count(honest)} honest players, ` +
      `${count(cheatersOf(all(service)).length)} cheaters, ${count(submissions)} submissions in four weeks.`,
  );
  sayPlayers([service, plain]);
  sayCopies([service, plain]);
  sayKinds([service, plain]);
  sayChecks(service);
  sayFlagged(service);
  sayHabits(service);
  sayHolds(service);
  sayGames([service, plain]);

  const coarse = populate(COARSE, players, cheaters, careless, seed * 1_000 + 900);
  const game = (rule: string, own: AntiCheatSettings | null): Decisions => ({
    rule,
    games: [
      {
        genre: COARSE,
        impressions: decideBatch(coarse, new ServiceRule(COARSE, gameThresholds(thresholds, own))),
      },
    ],
  });
  say('');
  say(
    'A game of few different values: as it comes, with its shortest run as duplicate_seconds, with that check off.',
  );
  sayPlayers([
    game('defaults', null),
    game('shortest run', COARSE.antiCheatSettings ?? null),
    game('duplicate off', { duplicate_seconds: { a: 'off', b: 'off', c: 'off' } }),
  ]);
}

main();
