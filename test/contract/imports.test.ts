import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

const SRC = path.resolve(__dirname, '../../src');

/** What each room may import besides itself (house.md). Files in src itself are rooms of their own. */
const LEAVES = [
  'errors',
  'ids',
  'log',
  'clock',
  'metrics',
  'text',
  'slug',
  'email-address',
  'place',
  'network',
  'limit',
  'turns',
  'setup-error',
  'package',
  'html',
  'rounds',
];
const ROOMS: Record<string, string[]> = {
  db: LEAVES,
  graph: ['db', ...LEAVES],
  server: ['graph', 'db', ...LEAVES],
  rest: ['graph', 'db', ...LEAVES],
  jobs: ['graph', 'db', ...LEAVES],
  hooks: ['graph', 'jobs', 'db', ...LEAVES],
  // The client and the terminal know the service by its OpenAPI document alone.
  client: [],
  terminal: ['client', 'package'],
  mail: ['jobs', 'db', ...LEAVES],
  accounts: ['graph', 'db', ...LEAVES],
  registration: ['accounts', 'mail', 'jobs', 'graph', 'db', ...LEAVES],
  games: ['accounts', 'hooks', 'jobs', 'graph', 'db', ...LEAVES],
  'games/boards': ['games', 'accounts', 'hooks', 'jobs', 'graph', 'db', ...LEAVES],
  players: ['games/boards', 'games', 'accounts', 'hooks', 'jobs', 'graph', 'db', ...LEAVES],
  scores: ['players', 'games/boards', 'games', 'accounts', 'hooks', 'jobs', 'graph', 'db', ...LEAVES],
  fairplay: [
    'scores',
    'players',
    'games/boards',
    'games',
    'accounts',
    'hooks',
    'jobs',
    'graph',
    'db',
    ...LEAVES,
  ],
};

/** Files that put rooms together. */
const COMPOSERS = [
  'app',
  'app-settings',
  'domain',
  'main',
  'config',
  'contract',
  'process',
  'commands',
  'setting-checks',
  'setting-formats',
  'setting-names',
  'setting-types',
];

/** The one file of a module that may look at its own folders above it. */
const COMPOSING_FILES = ['games/module.ts'];

function filesBelow(dir: string): string[] {
  return readdirSync(dir, { withFileTypes: true }).flatMap((entry) => {
    const full = path.join(dir, entry.name);
    if (entry.isDirectory()) return filesBelow(full);
    return entry.name.endsWith('.ts') ? [full] : [];
  });
}

function roomOf(file: string): string {
  const relative = path.relative(SRC, file).replace(/\.ts$/, '').split(path.sep);
  if (relative.length === 1) return relative[0]!;
  return relative[1] === 'boards' && relative.length > 2 ? 'games/boards' : relative[0]!;
}

function importsOf(file: string): string[] {
  const text = readFileSync(file, 'utf8');
  const named = [...text.matchAll(/(?:from|import)\s*\(?\s*'(\.{1,2}\/[^']+)'/g)].map((match) => match[1]!);
  return named.map((name) => path.resolve(path.dirname(file), name.replace(/\.js$/, '.ts')));
}

const files = filesBelow(SRC);

test('imports run one way', () => {
  const faults: string[] = [];
  for (const file of files) {
    const room = roomOf(file);
    const name = path.relative(SRC, file);
    if (COMPOSERS.includes(room) || COMPOSING_FILES.includes(name)) continue;
    const allowed = new Set([room, ...(ROOMS[room] ?? LEAVES)]);
    for (const target of importsOf(file)) {
      if (!allowed.has(roomOf(target))) faults.push(`${name} imports ${path.relative(SRC, target)}`);
    }
  }
  expect(faults).toEqual([]);
  expect(files.length).toBeGreaterThan(50);
});

test('every folder is a room that the rule knows', () => {
  const rooms = new Set(files.filter((file) => path.dirname(file) !== SRC).map(roomOf));
  const unknown = [...rooms].filter((room) => !(room in ROOMS) && !COMPOSERS.includes(room));
  expect(unknown).toEqual([]);
});

test('only app and main are imported by nobody below them', () => {
  const importers = files.filter((file) => !COMPOSERS.includes(roomOf(file)));
  const faults = importers.filter((file) =>
    importsOf(file).some((target) => COMPOSERS.includes(roomOf(target))),
  );
  expect(faults.map((file) => path.relative(SRC, file))).toEqual([]);
});

/** Everything that is loaded with a file: what it imports later, or for its types alone, is not. */
function loadedWith(file: string, seen = new Set<string>()): Set<string> {
  if (seen.has(file)) return seen;
  seen.add(file);
  const statements = readFileSync(file, 'utf8').matchAll(/^import (?!type )(?:[^;']*? from )?'(\.[^']+)'/gm);
  for (const [, name] of statements) {
    loadedWith(path.resolve(path.dirname(file), name!.replace(/\.js$/, '.ts')), seen);
  }
  return seen;
}

test('what refuses a start is told before the service itself is loaded', () => {
  const loaded = [...loadedWith(path.join(SRC, 'main.ts'))].map((file) => path.relative(SRC, file));
  expect(loaded).toEqual(expect.arrayContaining(['config.ts', 'process/service.ts', 'process/database.ts']));
  expect(loaded.filter((name) => /^(app|domain)\.ts$|^(graph|rest|server|scores)\//.test(name))).toEqual([]);
});
