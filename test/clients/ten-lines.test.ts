import { execFile, execFileSync, spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { LANGUAGES } from '../../clients/conformance/languages.js';
import { beginningsFor, clientSamplesOf } from '../../src/rest/docs/client-samples.js';
import type { ApiDocument } from '../../src/rest/docs/document.js';
import { samplesOf } from '../../src/rest/docs/samples.js';
import { startApp, type TestApp } from '../support/app.js';
import { makeBoard, makeGame, makeStudio } from '../support/make.js';
import { patience } from '../support/wait.js';

const ROOT = path.resolve(__dirname, '../..');
const OPERATIONS = [
  ...['submitScore', 'listClientScores', 'issueTickets', 'listClientBoards', 'listClientRewards'],
  ...['listClientFriends', 'watchBoardForClient', 'watchRank'],
];

/** The parts of each page. */
const SECTIONS = ['Your first ranked score', 'Offline', 'Messages to players', 'Before a release'];

const linesOf = (operation: string, language: string) =>
  clientSamplesOf(operation).find((sample) => sample.language === language)!.text;

test.each([
  ['docs/guides/game-typescript.md', 'TypeScript client', 'ts'],
  ['docs/guides/game-csharp.md', 'C# client', 'csharp'],
  ['docs/guides/game-godot.md', 'GDScript client', 'gdscript'],
  ['docs/guides/game-lua.md', 'Lua client', 'lua'],
])('%s has the lines of the reference, and the first ones are about ten', (page, language, fence) => {
  const text = readFileSync(path.join(ROOT, page), 'utf8');
  const blocks = [...text.matchAll(new RegExp(`\`\`\`${fence}\n([\\s\\S]*?)\n\`\`\``, 'g'))].map(
    ([, block]) => block,
  );
  expect(blocks).toEqual(OPERATIONS.map((operation) => linesOf(operation, language)));
  expect(blocks[0]!.split('\n').filter(Boolean).length).toBeLessThanOrEqual(10);
  const headings = [...text.matchAll(/^## (.*)$/gm)].map(([, heading]) => heading);
  for (const heading of SECTIONS) expect(headings).toContain(heading);
  expect(text.match(/^- \[ \] /gm)!.length).toBeGreaterThan(6);
});

test.each([
  ['clients/typescript', 'TypeScript client'],
  ['clients/csharp', 'C# client'],
  ['clients/godot', 'GDScript client'],
  ['clients/lua', 'Lua client'],
])('the README of %s has the lines of rewards', (folder, language) => {
  const text = readFileSync(path.join(ROOT, folder, 'README.md'), 'utf8');
  expect(text).toContain(`\n${linesOf('listClientRewards', language)}\n\`\`\``);
});

test('the guide to views has the lines of the reference', () => {
  const text = readFileSync(path.join(ROOT, 'docs/guides/views.md'), 'utf8');
  expect(text).toContain(`\`\`\`ts\n${linesOf('getStandingsForClient', 'TypeScript client')}\n\`\`\``);
});

test('each operation of game clients has lines of every client, and no other operation has', () => {
  const document = JSON.parse(readFileSync(path.join(ROOT, 'schema/openapi.json'), 'utf8')) as {
    paths: Record<string, Record<string, { operationId: string }>>;
  };
  const found: Record<string, number> = {};
  for (const [place, methods] of Object.entries(document.paths)) {
    for (const { operationId } of Object.values(methods)) {
      const samples = clientSamplesOf(operationId).length;
      if (place.startsWith('/v1/client/') || samples > 0) found[operationId] = samples;
    }
  }
  expect(Object.keys(found).length).toBeGreaterThan(8);
  // Views are read by the TypeScript client alone.
  const ofViews = (operation: string) => /Views|Periods|Groups|Standing/.test(operation);
  // A player's held runs and best splits are REST only, and so are recordings, proofs and link codes until the clients send them.
  const isOfRest =
    /HeldRuns|BestSplits|storeRecording|listGhosts|addProof|getClientMe|watchPlayer|LinkCode|unlinkOwnDevice/;
  const wanted = (name: string) => (isOfRest.test(name) ? 0 : ofViews(name) ? 1 : 4);
  const wrong = Object.entries(found).filter(([name, samples]) => samples !== wanted(name));
  expect(wrong).toEqual([]);
});

test('the console begins a game with six lines of each client, or seven, and no name of a device', () => {
  const ids = { BASE: 'https://scores.test', GAME: 'gam_1', BOARD: 'brd_1' };
  for (const { language, text } of beginningsFor(ids)) {
    for (const id of Object.values(ids)) expect(text).toContain(`"${id}"`);
    expect(linesOf('submitScore', `${language} client`)).toContain(text.split('\n').at(-1)!);
    expect(text.split('\n').filter(Boolean).length).toBeLessThanOrEqual(7);
    expect(text).not.toMatch(/device|fingerprint/i);
  }
});

/** The output of a program once it holds all of these texts; the program is ended. */
async function outputOf(command: string[], cwd: string, wanted: string[]): Promise<string> {
  const child = spawn(command[0]!, command.slice(1), { cwd, env: { ...process.env, HOME: cwd } });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (text) => {
      output += text;
    });
  }
  const ended = new Promise((resolve) => child.once('close', resolve));
  try {
    const inTime = patience(`a game to print ${wanted.join(', ')}`);
    while (!wanted.every((text) => output.includes(text))) {
      try {
        inTime();
      } catch (error) {
        throw new Error(`${(error as Error).message}\n${output}`);
      }
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  } finally {
    child.kill('SIGKILL');
    await ended;
  }
  return output;
}

describe('run as they stand', () => {
  let app: TestApp;
  let ids: { game: string; board: string };
  let folder: string;
  beforeEach(async () => {
    app = await startApp();
    const studio = await makeStudio(app);
    const game = await makeGame(studio);
    const dimensions = [{ name: 'guild', source: 'PLAYER' }];
    ids = {
      game: game.id,
      board: (await makeBoard(studio, game.id, { keepStrategy: 'BEST', dimensions })).id,
    };
    folder = mkdtempSync(path.join(os.tmpdir(), 'leaderboard-ten-lines-'));
  });
  afterEach(async () => {
    rmSync(folder, { recursive: true, force: true });
    await app.close();
  });

  const beginning = (language: string) =>
    beginningsFor({ BASE: app.url, GAME: ids.game, BOARD: ids.board }).find(
      (sample) => sample.language === language,
    )!.text;

  test('the lines of TypeScript run as they stand in a folder with the package', async () => {
    const installed = path.join(folder, 'node_modules/leaderboard-client');
    for (const part of ['package.json', 'dist'])
      cpSync(path.join(ROOT, 'clients/typescript', part), path.join(installed, part), { recursive: true });
    const lines = OPERATIONS.map((operation) => linesOf(operation, 'TypeScript client'));
    const last = lines.pop()!;
    const own = `const [BASE, GAME, BOARD] = ${JSON.stringify([app.url, ids.game, ids.board])};`;
    writeFileSync(path.join(folder, 'game.mjs'), [own, ...lines].join('\n'));
    const output = await outputOf(['node', 'game.mjs'], folder, [
      'Rank 1, before none',
      '1 Ann 1200',
      "[ 'Ann' ]",
    ]);
    expect(output).toContain('without an end');
    expect(output).toContain('You are number 1');
    expect(output).toContain('ranked any number of attempts left');
    expect(output).toContain('1 Ann 1200\nRavens\n');
    // A watch does not end, so each has a game of its own.
    writeFileSync(path.join(folder, 'watch.mjs'), [own, lines[0], last].join('\n'));
    await outputOf(['node', 'watch.mjs'], folder, ['2 0 behind Ann']);
    // Those of the console end by themselves.
    writeFileSync(path.join(folder, 'first.mjs'), beginning('TypeScript'));
    const first = await new Promise<string>((resolve, reject) => {
      execFile('node', ['first.mjs'], { cwd: folder }, (error, stdout) =>
        error ? reject(error) : resolve(stdout),
      );
    });
    // Another installation.
    expect(first).toContain('Rank 3, before none');
  });

  test('the example for Phaser plays a run and shows its rank and the board', async () => {
    const script = execFileSync('node', [path.join(ROOT, 'test/clients/phaser-game.mjs')], {
      encoding: 'utf8',
    });
    const own = `globalThis.LEADERBOARD = ${JSON.stringify({ BASE: app.url, GAME: ids.game, BOARD: ids.board })};`;
    writeFileSync(path.join(folder, 'game.mjs'), `${own}\n${script}`);
    const output = await outputOf(['node', 'game.mjs'], folder, ['1. You  1']);
    // It waits four seconds for the answer, which a busy machine may need.
    expect(output).toMatch(/Sending|Rank 1|Saved/);
  });

  test('the requests of the reference are those of one installation, and a run that is sent again counts once', async () => {
    const document = JSON.parse(readFileSync(path.join(ROOT, 'schema/openapi.json'), 'utf8')) as ApiDocument;
    const sampleOf = (place: string, language: string) => {
      const operation = { method: 'POST', path: place, spec: document.paths[place]!.post! };
      return samplesOf(document, operation).find((sample) => sample.language === language)!.text;
    };
    const own = (text: string) =>
      text.replace(/gam_[\w-]{36}/g, ids.game).replace(/brd_[\w-]{36}/g, ids.board);
    const javascript = (place: string) =>
      new Function(
        ...['BASE', 'DEVICE', 'TOKEN', 'NONCE', 'RUN'],
        `return (async () => { ${own(sampleOf(place, 'JavaScript'))}; return { response, answer }; })()`,
      );
    const start = javascript('/v1/client/sessions');
    const [phone, tablet] = [(await start(app.url, 'phone')).answer, (await start(app.url, 'tablet')).answer];
    expect(phone.identity_id).not.toBe(tablet.identity_id);
    const curl = own(sampleOf('/v1/client/sessions', 'curl'));
    const env = { ...process.env, BASE: app.url, DEVICE: 'phone' };
    const again = await new Promise<string>((resolve, reject) => {
      execFile('sh', ['-c', `${curl} -s`], { env }, (error, stdout) =>
        error ? reject(error) : resolve(stdout),
      );
    });
    expect(JSON.parse(again).identity_id).toBe(phone.identity_id);
    expect(sampleOf('/v1/client/sessions', 'C#')).toContain('""client_fingerprint"": """ + DEVICE + @"""');

    const authorization = `Bearer ${phone.access_token}`;
    const nonce = async () => {
      const answer = await fetch(`${app.url}/v1/client/nonce`, { headers: { authorization } });
      return ((await answer.json()) as { nonce_value: string }).nonce_value;
    };
    const submit = javascript('/v1/client/scores');
    const sent = [];
    for (let i = 0; i < 2; i += 1)
      sent.push((await submit(app.url, '', phone.access_token, await nonce(), 'run-1')).response);
    expect(sent.map(({ status, headers }) => [status, headers.get('service-replayed')])).toEqual([
      [201, null],
      [201, 'true'],
    ]);
  });

  const hasLove = existsSync('/usr/bin/love');
  (hasLove ? test : test.skip)(
    `the lines of Lua run as they stand in a game of ` +
      `LÖVE${hasLove ? '' : ', which is not installed (node clients/conformance/install.cjs)'}`,
    async () => {
      cpSync(path.join(ROOT, 'clients/lua/leaderboard'), path.join(folder, 'leaderboard'), {
        recursive: true,
      });
      cpSync(path.join(ROOT, 'clients/lua/conformance/love/conf.lua'), path.join(folder, 'conf.lua'));
      mkdirSync(path.join(folder, 'save'));
      const own = `BASE, GAME, BOARD = "${app.url}", "${ids.game}", "${ids.board}" io.stdout:setvbuf("no")`;
      const lines = OPERATIONS.map((operation) => linesOf(operation, 'Lua client'));
      writeFileSync(path.join(folder, 'main.lua'), [own, ...lines].join('\n'));
      const output = await outputOf(['love', folder], folder, [
        'Rank 1',
        '\t1\tAnn',
        'The run is ranked',
        'Ravens',
      ]);
      expect(output).toMatch(/You are number 1|No score yet/);
      // The console's, in another installation, which is another player.
      const other = path.join(folder, 'other');
      cpSync(path.join(folder, 'leaderboard'), path.join(other, 'leaderboard'), { recursive: true });
      cpSync(path.join(folder, 'conf.lua'), path.join(other, 'conf.lua'));
      mkdirSync(path.join(other, 'save'));
      writeFileSync(path.join(other, 'main.lua'), `io.stdout:setvbuf("no")\n${beginning('Lua')}`);
      await outputOf(['love', other], other, ['Rank 2']);
    },
  );

  const missing = LANGUAGES.csharp.needs.find((file) => !existsSync(file));
  (missing === undefined ? test : test.skip)(
    `the lines of C# run as they stand under ` +
      `Mono${missing === undefined ? '' : `, which is not installed: ${missing} (node clients/conformance/install.cjs)`}`,
    async () => {
      execFileSync(LANGUAGES.csharp.command[0]!, ['--build'], { cwd: ROOT });
      const [first, ...others] = OPERATIONS.map((operation) => linesOf(operation, 'C# client'));
      const last = others.pop()!;
      const uses = ['using System;\n', 'using System.Threading.Tasks;\n'];
      /** A file of C# has these before its methods. */
      const body = (lines: string) =>
        lines.replace(/^using .*;\n/gm, (line) => {
          uses.push(line);
          return '';
        });
      const [begin, ...rest] = [body(first!), ...others.map((lines) => `{\n${body(lines)}\n}`)];
      const program = (lines: string) => `${[...new Set(uses)].join('')}static class Game {
  const string BASE = "${app.url}", GAME = "${ids.game}", BOARD = "${ids.board}";
  static void Show(string text) { Console.WriteLine(text); }
  static async Task Play() {
  ${lines}
  }
  static void Main() { Play().Wait(); }
  }`;
      writeFileSync(path.join(folder, 'Game.cs'), program([begin, ...rest].join('\n')));
      const library = path.join(ROOT, 'clients/csharp/dist~/LeaderboardClient.dll');
      cpSync(library, path.join(folder, 'LeaderboardClient.dll'));
      execFileSync('mcs', ['-langversion:7', '-r:LeaderboardClient.dll', 'Game.cs'], { cwd: folder });
      const output = await outputOf(['mono', 'Game.exe'], folder, ['Version ', ', 1 players']);
      expect(output).toMatch(/^Rank 1\n1 Ann 1200\nYou are number 1\n1 Ann 1200\n1 scores\n/);
      expect(output).toContain('\nThe run counts\n');
      expect(output).toContain(`${ids.board} `);
      expect(output).toContain('\n1 Ann 1200\nRavens\n');
      writeFileSync(path.join(folder, 'Watch.cs'), program([begin, body(last)].join('\n')));
      execFileSync('mcs', ['-langversion:7', '-r:LeaderboardClient.dll', 'Watch.cs'], { cwd: folder });
      await outputOf(['mono', 'Watch.exe'], folder, ['Nobody passed you', 'Rank 1,  behind']);
      // The console's, in another installation, which is another player.
      writeFileSync(path.join(folder, 'Begin.cs'), program(body(beginning('C#'))));
      execFileSync('mcs', ['-langversion:7', '-r:LeaderboardClient.dll', 'Begin.cs'], { cwd: folder });
      const other = path.join(folder, 'other');
      mkdirSync(other);
      await outputOf(['mono', path.join(folder, 'Begin.exe')], other, ['Rank 2']);
    },
  );
});
