import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { LANGUAGES } from '../../clients/conformance/languages.js';
import { Runner } from '../../clients/conformance/run.js';
import { scenarios } from '../../clients/conformance/scenario.js';
import { clientGround } from '../support/client-ground.js';

const ROOT = path.resolve(__dirname, '../..');
const PACKAGE = path.join(ROOT, 'clients/csharp');
const MISSING = LANGUAGES.csharp.needs.filter((file) => !existsSync(file));

/** `npm run prove:clients` runs them all. */
const SCENARIO = 'answer-lost';

if (MISSING.length > 0) {
  test.skip(`C#: ${MISSING.join(', ')} is not installed (node clients/conformance/install.cjs)`, () =>
    undefined);
} else {
  let service: Awaited<ReturnType<typeof clientGround>>;
  let folder: string;
  beforeAll(async () => {
    folder = mkdtempSync(path.join(os.tmpdir(), 'leaderboard-csharp-'));
    execFileSync(LANGUAGES.csharp.command[0]!, ['--build'], { cwd: ROOT });
    service = await clientGround();
  });
  afterAll(async () => {
    await service.close();
    rmSync(folder, { recursive: true });
  });

  test(`C#: ${SCENARIO}`, async () => {
    const runner = new Runner(LANGUAGES.csharp, service.ground);
    await runner.run(scenarios().find(({ name }) => name === SCENARIO)!);
    await runner.end();
  });

  test('the ten lines of the page for C# bring a first ranked score', async () => {
    const page = readFileSync(path.join(ROOT, 'docs/guides/game-csharp.md'), 'utf8');
    const lines = /```csharp\n([^`]*)```/
      .exec(page)![1]!
      .split('\n')
      .filter((line) => line !== '');
    expect(lines).toHaveLength(10);
    const { game, board } = await service.ground.makeGame({}, {});
    const [using, ...body] = lines;
    const text = `using System;
using System.Threading.Tasks;
${using}
static class FirstScore {
static void Show(string text) { Console.WriteLine(text); }
static async Task Play() {
${body.join('\n')}
}
static void Main() { Play().Wait(); }
}`;
    const filled = text
      .replace('https://scores.example.com', service.ground.url)
      .replace(/gam_[\w-]+/, game)
      .replace(/brd_[\w-]+/, board);
    expect(filled).toContain(game);
    expect(filled).toContain(board);
    const [source, program] = [path.join(folder, 'FirstScore.cs'), path.join(folder, 'FirstScore.exe')];
    writeFileSync(source, filled);
    const library = path.join(PACKAGE, 'dist~/LeaderboardClient.dll');
    execFileSync('mcs', ['-langversion:7', `-r:${library}`, `-out:${program}`, source]);
    mkdirSync(path.join(folder, 'data'));
    const env = {
      ...process.env,
      MONO_PATH: path.dirname(library),
      XDG_DATA_HOME: path.join(folder, 'data'),
    };
    // The service runs in this process, which therefore must not wait for the program.
    const player = spawn('mono', [program], { env, stdio: ['ignore', 'pipe', 'inherit'] });
    let printed = '';
    player.stdout.on('data', (part) => {
      printed += part;
    });
    await once(player, 'close');
    expect(printed).toBe('Rank 1\n');
    expect(await service.ground.counted(board)).toEqual([1200]);
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
  ['Score', 'ClientScore', 'Score.cs'],
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
