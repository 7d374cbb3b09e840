import type { Run, SeedGame } from './shapes.js';

export const studio = {
  account: { name: 'Lanternfish Games', slug: 'lanternfish-games' },
  users: [
    { email: 'mara@lanternfish.example', displayName: 'Mara Lindqvist' },
    { email: 'teo@lanternfish.example', displayName: 'Teo Okafor' },
  ],
  /** Of the first user. */
  keyName: 'Game servers',
};

const TRACKS = ['harbour', 'rooftops', 'old-mill'] as const;
const HEROES = ['warden', 'thief', 'alchemist'] as const;

export const games: SeedGame[] = [
  {
    name: 'Moonlit Drift',
    slug: 'moonlit-drift',
    description: 'Arcade racing through a port that sleeps by day.',
    pageUrl: 'https://lanternfish.example/moonlit-drift',
    accentColour: '#c2336b',
    tags: ['racing', 'arcade'],
    first: 'high-scores',
    boards: [
      {
        name: 'High scores',
        slug: 'high-scores',
        shortCode: 'MOONDRIFT',
        description: 'The best run of each driver.',
        publicFields: ['DATE', 'GAP', 'HISTORY'],
        unit: 'points',
        icon: 'fa-crown',
        boardType: 'RUN_IDENTITY',
        sortDirection: 'DESC',
        keepStrategy: 'BEST',
        // One course for all, so that runs of the game race each other's recordings.
        tickets: { mode: 'ASKED', seed: 'PERIOD' },
        recordings: { keepBest: true, readers: 'PLAYERS' },
        runs: 5,
        play: ({ skill }, random) => ({
          value: 10 * Math.round((42_000 + 14_000 * skill + 9_000 * random.bell()) / 10),
          metadata: { track: random.pick(TRACKS), combo: random.whole(3, 40) },
        }),
      },
      {
        name: 'Harbour sprint',
        slug: 'harbour-sprint',
        description: 'The fastest lap around the harbour.',
        publicFields: ['GAP', 'COUNTRY', 'PLATFORM'],
        unit: 'seconds',
        format: { kind: 'TIME' },
        icon: 'fa-flag-checkered',
        boardType: 'RUN_IDENTITY',
        sortDirection: 'ASC',
        keepStrategy: 'BEST',
        runs: 6,
        play: ({ skill }, random) => timed(83.5 - 9 * skill + 5 * random.bell()),
      },
      {
        name: 'Every run',
        slug: 'every-run',
        description: 'All runs of all drivers, not only their best.',
        unit: 'points',
        icon: 'fa-bolt',
        boardType: 'RUN_RUNS',
        sortDirection: 'DESC',
        keepStrategy: 'ALL',
        runs: 4,
        play: ({ skill }, random) => ({
          value: 10 * Math.round((39_000 + 12_000 * skill + 11_000 * random.bell()) / 10),
        }),
      },
    ],
    series: [
      {
        name: 'Harbour cup',
        slug: 'harbour-cup',
        nameTemplate: 'Harbour cup, week {week}',
        series: 'cup',
        unit: 'points',
        icon: 'fa-trophy',
        boardType: 'RUN_IDENTITY',
        sortDirection: 'DESC',
        keepStrategy: 'BEST',
        runs: 2,
        play: ({ skill }, random) => ({
          value: 10 * Math.round((36_000 + 11_000 * skill + 10_000 * random.bell()) / 10),
          metadata: { track: 'harbour' },
        }),
      },
    ],
    ratios: [],
  },
  {
    name: 'Hollow Vault',
    slug: 'hollow-vault',
    description: 'One hero, one rope, ninety floors down.',
    pageUrl: 'https://lanternfish.example/hollow-vault',
    accentColour: '#0f7f73',
    tags: ['dungeon', 'roguelike'],
    first: 'coins',
    boards: [
      {
        name: 'Coins',
        slug: 'coins',
        shortCode: 'VAULTCOINS',
        description: 'Everything a hero ever carried out of the vault.',
        unit: 'coins',
        icon: 'fa-coins',
        boardType: 'COUNTER',
        sortDirection: 'DESC',
        keepStrategy: 'ALL',
        runs: 7,
        play: ({ skill }, random) => ({
          value: Math.max(3, Math.round(160 + 90 * skill + 70 * random.bell())),
        }),
      },
      {
        name: 'Latest descent',
        slug: 'latest-descent',
        description: 'How deep each hero got this time.',
        unit: 'floors',
        icon: 'fa-fire',
        boardType: 'RUN_IDENTITY',
        sortDirection: 'DESC',
        keepStrategy: 'LAST',
        runs: 4,
        play: ({ skill }, random) => ({
          value: Math.max(1, Math.min(90, Math.round(38 + 17 * skill + 12 * random.bell()))),
          metadata: { hero: random.pick(HEROES) },
        }),
      },
      {
        name: 'First escape',
        slug: 'first-escape',
        description: 'Your first time out counts, and no other.',
        unit: 'seconds',
        format: { kind: 'TIME' },
        icon: 'fa-stopwatch',
        boardType: 'RUN_IDENTITY',
        sortDirection: 'ASC',
        keepStrategy: 'FIRST',
        runs: 2,
        play: ({ skill }, random) => timed(1_260 - 260 * skill + 150 * random.bell()),
      },
      {
        name: 'Guardians',
        slug: 'guardians',
        description: 'Guardians of the vault that a hero ever defeated.',
        unit: 'guardians',
        icon: 'fa-star',
        boardType: 'COUNTER',
        sortDirection: 'DESC',
        keepStrategy: 'ALL',
        runs: 3,
        play: ({ skill }, random) => ({ value: Math.max(1, Math.round(11 + 5 * skill + 3 * random.bell())) }),
      },
      {
        name: 'Falls',
        slug: 'falls',
        description: 'How often a hero ever fell.',
        unit: 'falls',
        icon: 'fa-fire',
        boardType: 'COUNTER',
        sortDirection: 'ASC',
        keepStrategy: 'ALL',
        isPublished: false,
        runs: 3,
        play: ({ skill }, random) => ({ value: Math.max(1, Math.round(4 - skill + 2 * random.bell())) }),
      },
    ],
    series: [],
    ratios: [
      {
        name: 'Guardians a fall',
        slug: 'guardians-a-fall',
        description: 'Guardians defeated for each fall, of heroes who fell three times or more.',
        icon: 'fa-medal',
        sortDirection: 'DESC',
        numerator: 'guardians',
        denominator: 'falls',
        ratio: { minDenominator: 3, decimals: 1 },
      },
    ],
  },
];

/** A time in seconds, with milliseconds. */
export function timed(seconds: number): Run {
  return { value: Math.round(seconds * 1_000) / 1_000 };
}
