import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

// Plain technical English (CONTRIBUTING.md): actor, verb, object. Held for every text of the repository that people read:
// code, comments, tests, pages. Descriptions of GraphQL and OpenAPI: descriptions.test.ts.

const ROOT = path.resolve(__dirname, '../..');
const FOLDERS = [
  ...[
    'bench',
    'clients',
    'deploy',
    'docs',
    'examples',
    'migrations/functions',
    'seeds',
    'src',
    'test',
    'tools',
    'web',
  ],
  ...['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md'],
];
const TEXTS = /\.(?:[cm]?js|tsx?|md|sql|css|html|graphql|conf|ini|sh|ya?ml)$|Caddyfile$/;
const SKIPPED = /(?:^|\/)(?:node_modules|generated|dist|fixtures)\//;
/** Holds the words themselves; names Postgres' fallback account, which Unix calls `nobody`. */
const EXEMPT = [
  'test/contract/words.test.ts',
  'test/contract/descriptions.test.ts',
  'tools/house.mjs',
  'src/db/embedded/server-process.ts',
  'test/operate/ground.ts',
  'test/operate/pooler.ts',
];

function* filesBelow(place: string): Generator<string> {
  if (TEXTS.test(place)) return yield place;
  for (const entry of readdirSync(path.join(ROOT, place), { withFileTypes: true })) {
    const name = path.posix.join(place, entry.name);
    if (SKIPPED.test(`${name}/`)) continue;
    if (entry.isDirectory()) yield* filesBelow(name);
    else if (TEXTS.test(name)) yield name;
  }
}

const files = FOLDERS.flatMap((place) => [...filesBelow(place)]).filter((name) => !EXEMPT.includes(name));
const lines = files.flatMap((name) =>
  readFileSync(path.join(ROOT, name), 'utf8')
    .split('\n')
    .map((line, i) => ({ place: `${name}:${i + 1}`, line })),
);
const found = (pattern: RegExp, places = /^/) =>
  lines
    .filter(({ place, line }) => places.test(place) && pattern.test(line))
    .map(({ place, line }) => `${place} ${line}`);

test('texts name the actor instead of words of speech', () => {
  expect(files.length).toBeGreaterThan(700);
  expect(found(/\b(?:told|tells?|telling|whoever|nobody|somebody|anybody)\b/i)).toEqual([]);
});

test('no sentence, heading or title begins with a question word', () => {
  const start = /(?:^|[*/#>|-]) *(?:What|Whether|Whoever|Whom|Whose|Who)\b/;
  const afterSentence = /[.:;!?)] +(?:What|Whether|Whoever|Whom|Whose|Who)\b/;
  const quoted = /['"`“](?:What|Whether|Whoever|Whom|Whose|Who|what|whether|whoever) /;
  const all = new RegExp([start, afterSentence, quoted].map(({ source }) => source).join('|'));
  expect(found(all)).toEqual([]);
});

test('retired names stay retired', () => {
  const names = [
    ...['Joined', 'ShortMemory', 'Recently', 'RememberedPages', 'RememberedJson', 'KnownOperations'],
    ...[
      'FactsMemory',
      'Reliance',
      'Lane',
      'isShy',
      'KeyedFacts',
      'Telling',
      'LOOK_MILLIS',
      'Bell',
      'Postman',
    ],
    ...[
      'CheckObjection',
      'Crowd',
      'Habits',
      'noteDeed',
      'Judge',
      'Door',
      'Asked',
      'Told',
      'spoilt',
      'isTold',
    ],
  ];
  expect(found(new RegExp(`\\b(?:${names.join('|')})\\b`), /^(?:src|web)\//)).toEqual([]);
});
