import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { LANGUAGES } from '../../clients/conformance/languages.js';
import { Runner } from '../../clients/conformance/run.js';
import { scenarios } from '../../clients/conformance/scenario.js';
import { clientGround } from './client-ground.js';

const ROOT = path.resolve(__dirname, '../..');
const PACKAGE = path.join(ROOT, 'clients/csharp');
const MISSING = LANGUAGES.csharp.needs.filter((file) => !existsSync(file));

/** `npm run prove:clients` runs them all. */
const SCENARIOS = scenarios().filter(({ name }) =>
  [
    'answer-lost',
    'numbers',
    'session-refused',
    'own-login',
    'proof-start',
    'proof-added',
    'link-code',
    'merged',
    'merged-elsewhere',
    'merged-live',
    'merged-own-login',
    'merge-refused',
    'proof-resumed',
    'sign-in-late',
    'link-code-refused',
    'unlink',
    'merge-own',
    'sign-in-waiting',
    'recording-after-run',
    'unreadable',
    'rewards',
    'rewards-offline',
    'rewards-gone',
    'rewards-live',
    'played-offline',
    'friends',
    'player-tags',
    'overtaken',
    'ticket-start',
    'ticket-offline',
    'ticket-stale',
    'ticket-killed',
  ].includes(name),
);

if (MISSING.length > 0) {
  test.skip(`C#: ${MISSING.join(', ')} is not installed (node clients/conformance/install.cjs)`, () =>
    undefined);
} else {
  let service: Awaited<ReturnType<typeof clientGround>>;
  beforeAll(async () => {
    execFileSync(LANGUAGES.csharp.command[0]!, ['--build'], { cwd: ROOT });
    service = await clientGround();
  });
  afterAll(() => service.close());

  test.each(SCENARIOS)('C#: $title', async (scenario) => {
    const runner = new Runner(LANGUAGES.csharp, service.ground);
    await runner.run(scenario);
    await runner.end();
  });

  test('the sources for Unity and the sample compile, in the editor and for browsers', () => {
    execFileSync(path.join(PACKAGE, 'Conformance~/check-unity.sh'));
  });
}

/** Paths below the package; folders that end in ~ are none of Unity's. */
function imported(place = ''): string[] {
  return readdirSync(path.join(PACKAGE, place), { withFileTypes: true })
    .filter(({ name }) => !name.endsWith('~'))
    .flatMap((entry) => {
      const file = path.posix.join(place, entry.name);
      return entry.isDirectory() ? [file, ...imported(file)] : [file];
    });
}

test('each file of the Unity package has its .meta, and each id stands once', () => {
  const all = imported();
  const files = all.filter((file) => !file.endsWith('.meta'));
  const metas = all.filter((file) => file.endsWith('.meta'));
  expect(files.length).toBeGreaterThan(20);
  expect(metas.sort()).toEqual(files.map((file) => `${file}.meta`).sort());
  const ids = metas.map(
    (file) => /^guid: (\w{32})$/m.exec(readFileSync(path.join(PACKAGE, file), 'utf8'))![1],
  );
  expect(new Set(ids).size).toBe(metas.length);
});

test.each([
  ['Score', 'ListedClientScore', 'Score.cs'],
  ['Board', 'Board', 'Board.cs'],
  ['LiveBoard', 'LiveBoard', 'Board.cs'],
])('%s of the client for C# has every member of the service', (name, schema, file) => {
  const document = JSON.parse(readFileSync(path.join(ROOT, 'schema/openapi.json'), 'utf8'));
  const source = readFileSync(path.join(PACKAGE, 'Runtime/Model', file), 'utf8');
  const start = source.indexOf(`internal ${name}(JsonRecord record)`);
  const body = source.slice(start, source.indexOf('        }\n', start));
  const read = new Set([...body.matchAll(/record\.\w+\("(\w+)"/g)].map(([, member]) => member));
  expect([...read].sort()).toEqual(Object.keys(document.components.schemas[schema].properties).sort());
});

test('the client for C# uses no reflection, which the stripping of IL2CPP would break', () => {
  const sources = imported('Runtime').filter((file) => file.endsWith('.cs'));
  const found = sources.filter((file) =>
    /\bSystem\.(Reflection|Linq\.Expressions)\b|\bActivator\b|\bdynamic\b|\.GetType\(\)\.Get|\bMakeGeneric/.test(
      readFileSync(path.join(PACKAGE, file), 'utf8'),
    ),
  );
  expect(sources.length).toBeGreaterThan(20);
  expect(found).toEqual([]);
});
