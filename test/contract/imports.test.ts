import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

const ROOT = path.resolve(__dirname, '../..');
const SRC = path.join(ROOT, 'src');
const TERMINAL = path.join(ROOT, 'clients/terminal');

/** The rooms that each room may import besides itself. Files in src itself are rooms of their own. */
const ROOMS: Record<string, string[]> = {
  base: [],
  db: ['base'],
  graphql: ['db', 'base'],
  // Behind the port of db/names.ts: no room imports it, only what starts the service.
  cells: ['server', 'graphql', 'db', 'base'],
  server: ['graphql', 'db', 'base'],
  rest: ['graphql', 'db', 'base'],
  jobs: ['graphql', 'db', 'base'],
  hooks: ['graphql', 'jobs', 'db', 'base'],
  // The former place of the command, whose package is clients/terminal.
  terminal: ['base'],
  mail: ['jobs', 'db', 'base'],
  outbox: ['db', 'base'],
  accounts: ['outbox', 'graphql', 'db', 'base'],
  registration: ['outbox', 'accounts', 'mail', 'jobs', 'graphql', 'db', 'base'],
  games: ['accounts', 'hooks', 'jobs', 'graphql', 'db', 'base'],
  boards: ['outbox', 'games', 'accounts', 'hooks', 'jobs', 'graphql', 'db', 'base'],
  players: ['outbox', 'boards', 'games', 'accounts', 'hooks', 'jobs', 'graphql', 'db', 'base'],
  // Addresses, order, windows, upkeep of rankings; of GraphQL only the class of its record.
  rankings: ['players', 'boards', 'games', 'accounts', 'jobs', 'db', 'base'],
  submissions: ['rankings', 'players', 'boards', 'games', 'accounts', 'hooks', 'jobs', 'db', 'base'],
  live: ['submissions', 'rankings', 'players', 'boards', 'games', 'accounts', 'graphql', 'db', 'base'],
  scores: [
    'outbox',
    ...['live', 'submissions', 'rankings', 'players', 'boards', 'games', 'accounts', 'hooks', 'jobs'],
    ...['graphql', 'db', 'base'],
  ],
  fairplay: [
    ...[
      'outbox',
      'scores',
      'live',
      'submissions',
      'rankings',
      'players',
      'boards',
      'games',
      'accounts',
      'hooks',
      'jobs',
      'mail',
    ],
    ...['graphql', 'db', 'base'],
  ],
  webhooks: [
    ...['closings', 'fairplay', 'scores', 'live', 'submissions', 'rankings', 'players', 'boards', 'games'],
    ...['accounts', 'outbox', 'mail', 'jobs', 'graphql', 'db', 'base'],
  ],
  closings: ['outbox', 'scores', 'players', 'boards', 'games', 'accounts', 'jobs', 'graphql', 'db', 'base'],
  configuration: ['webhooks', 'rankings', 'boards', 'games', 'accounts', 'graphql', 'db', 'base'],
  search: ['players', 'boards', 'games', 'accounts', 'registration', 'graphql', 'db', 'base'],
  privacy: [
    'outbox',
    'scores',
    'rankings',
    'players',
    'boards',
    'games',
    'accounts',
    'jobs',
    'graphql',
    'db',
    'base',
  ],
};

/** Rooms that put the others together. */
const COMPOSERS = ['app', 'main', 'contract', 'config', 'process', 'operator'];

/** Files that may look above their rooms: a module that puts its folders together, and the record that is a type of GraphQL. */
const COMPOSING_FILES = ['games/module.ts', 'rankings/score.ts'];

function filesBelow(dir: string): string[] {
  return readdirSync(dir, { withFileTypes: true }).flatMap((entry) => {
    const full = path.join(dir, entry.name);
    if (entry.isDirectory()) return filesBelow(full);
    return entry.name.endsWith('.ts') ? [full] : [];
  });
}

function roomOf(file: string): string {
  return path
    .relative(SRC, file)
    .replace(/^\.\.\//, '')
    .replace(/\.ts$/, '')
    .split(path.sep)[0]!;
}

function importsOf(file: string): string[] {
  const text = readFileSync(file, 'utf8');
  const named = [...text.matchAll(/(?:from|import)\s*\(?\s*'(\.{1,2}\/[^']+)'/g)].map((match) => match[1]!);
  return named.map((name) => path.resolve(path.dirname(file), name.replace(/\.js$/, '.ts')));
}

const files = filesBelow(SRC);
const terminalFiles = filesBelow(path.join(TERMINAL, 'src'));

const nameOf = (file: string) => path.relative(SRC, file).replace(/^\.\.\//, '');

test('imports run one way', () => {
  const faults: string[] = [];
  for (const file of files) {
    const room = roomOf(file);
    const name = path.relative(SRC, file);
    if (COMPOSERS.includes(room) || COMPOSING_FILES.includes(name)) continue;
    const allowed = new Set([room, ...(ROOMS[room] ?? [])]);
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

test('no room imports app or main', () => {
  const importers = files.filter((file) => !COMPOSERS.includes(roomOf(file)));
  const faults = importers.filter((file) =>
    importsOf(file).some((target) => COMPOSERS.includes(roomOf(target))),
  );
  expect(faults.map((file) => path.relative(SRC, file))).toEqual([]);
});

test('the service imports no client', () => {
  const faults = files.filter((file) => importsOf(file).some((target) => roomOf(target) === 'clients'));
  expect(faults.map(nameOf)).toEqual([]);
});

// The service brings the terminal along, and the terminal is a package of its own: it is installed with what its manifest names.
test('the terminal imports its own files, its dependencies, and the types of the client', () => {
  const { dependencies } = JSON.parse(readFileSync(path.join(TERMINAL, 'package.json'), 'utf8')) as {
    dependencies: object;
  };
  const outside = terminalFiles.flatMap((file) =>
    importsOf(file)
      .filter((target) => !terminalFiles.includes(target))
      .map((target) => `${nameOf(file)} imports ${nameOf(target)}`),
  );
  expect(outside).toEqual([]);
  const texts = terminalFiles.map((file) => readFileSync(file, 'utf8'));
  const named = texts.flatMap((text) => [
    ...text.matchAll(/(?:^(?:import|\} from|import .* from) |\bimport\()'([^.'][^']*)'/gm),
  ]);
  const packages = named.map(([, name]) => /^(?:@[^/]+\/)?[^/]+/.exec(name!)![0]);
  const used = new Set(packages.filter((name) => !name.startsWith('node:')));
  expect([...used].toSorted()).toEqual([...Object.keys(dependencies), 'leaderboard-client'].toSorted());
  const clients = new Set(
    named.filter(([, name]) => name!.startsWith('leaderboard-client')).map(([, name]) => name),
  );
  expect([...clients]).toEqual(['leaderboard-client/rest']);
});

test('what the terminal shares with src/base is the same file', () => {
  const copies = filesBelow(path.join(TERMINAL, 'src/base'));
  expect(copies.length).toBeGreaterThan(3);
  const original = (file: string) =>
    path.join(SRC, 'base', path.relative(path.join(TERMINAL, 'src/base'), file));
  const differing = copies.filter(
    (file) => readFileSync(file, 'utf8') !== readFileSync(original(file), 'utf8'),
  );
  expect(differing.map(nameOf)).toEqual([]);
});

test('no file imports itself by way of others, not even for a type', () => {
  const circles: string[] = [];
  const done = new Set<string>();
  const visit = (file: string, way: string[]): void => {
    if (way.includes(file)) circles.push([...way.slice(way.indexOf(file)), file].map(nameOf).join(' → '));
    if (done.has(file) || way.includes(file)) return;
    for (const target of importsOf(file)) visit(target, [...way, file]);
    done.add(file);
  };
  for (const file of [...files, ...terminalFiles]) visit(file, []);
  expect(circles).toEqual([]);
});

/** Pairs of folders of a room that import each other, by room: none in the rooms of rankings, submissions and live updates. */
const MUTUAL: Record<string, number> = {
  ...{ '': 1, accounts: 5, boards: 7, db: 1, fairplay: 3, graphql: 2, hooks: 1, operator: 1, players: 7 },
  ...{ registration: 1, rest: 7, scores: 8, server: 3, clients: 6 },
};

test('folders of a room import one way', () => {
  const arrows = new Set(
    [...files, ...terminalFiles].flatMap((file) =>
      importsOf(file).map((target) => `${nameOf(path.dirname(file))} ${nameOf(path.dirname(target))}`),
    ),
  );
  const pairs = [...arrows].filter((arrow) => {
    const [from, to] = arrow.split(' ') as [string, string];
    return from < to && arrows.has(`${to} ${from}`);
  });
  const ROOM = /^[^/ ]*/;
  const counts: Record<string, number> = {};
  for (const pair of pairs) counts[ROOM.exec(pair)![0]] = (counts[ROOM.exec(pair)![0]] ?? 0) + 1;
  expect(counts).toEqual(MUTUAL);
});

test('no folder holds more than 16 files, and src itself three', () => {
  const sizes = new Map<string, number>();
  for (const file of [...files, ...terminalFiles])
    sizes.set(path.dirname(file), (sizes.get(path.dirname(file)) ?? 0) + 1);
  const large = [...sizes].filter(([folder, size]) => size > (folder === SRC ? 3 : 16));
  expect(large.map(([folder, size]) => `${nameOf(folder)}: ${size}`)).toEqual([]);
});

/** What costs work per error, and the files that call it: those for callers' documents and values have bounds. */
const PER_ERROR: Record<string, string[]> = {
  // The last two: documents of the service itself, once at its start.
  validate: ['graphql/engine/documents.ts', 'rest/routes/rest-route.ts', 'server/pages/queries.ts'],
  coerceInputValue: ['graphql/engine/value-faults.ts'],
  getVariableValues: ['graphql/engine/check.ts', 'graphql/live/operation.ts'],
};

test('documents and values of callers are checked in one place each', () => {
  for (const [name, places] of Object.entries(PER_ERROR)) {
    const imported = new RegExp(`import {[^}]*\\b${name}\\b[^}]*} from 'graphql'`);
    const found = files.filter((file) => imported.test(readFileSync(file, 'utf8'))).map(nameOf);
    expect(found.toSorted()).toEqual(places);
  }
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

test('settings are checked before the service itself is loaded', () => {
  const loaded = [...loadedWith(path.join(SRC, 'main.ts'))].map((file) => path.relative(SRC, file));
  expect(loaded).toEqual(
    expect.arrayContaining(['config/table.ts', 'process/service.ts', 'process/database.ts']),
  );
  expect(loaded.filter((name) => /^app\.ts$|^(graphql|rest|server|scores)\//.test(name))).toEqual([]);
});
