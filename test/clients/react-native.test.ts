import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { startApp, type TestApp } from '../support/app.js';
import { makeBoard, makeGame, makeStudio } from '../support/make.js';

const DIST = path.resolve(__dirname, '../../clients/typescript/dist');
const run = promisify(execFile);

/** Takes away what React Native lacks: randomness, localStorage, streams, and URLs that can be changed. */
const PLATFORM = `
const { getRandomValues } = crypto;
await fetch(BASE).catch(() => undefined);
for (const name of ['crypto', 'localStorage', 'navigator', 'performance', 'TextDecoder', 'URLSearchParams'])
  Object.defineProperty(globalThis, name, { value: undefined, configurable: true, writable: true });
delete Response.prototype.body;
Object.defineProperty(URL.prototype, 'searchParams', { get() { throw new Error('URL.searchParams is not implemented'); } });
const { Leaderboard } = await import(DIST + '/client.js');
const { watch } = await import(DIST + '/live.js');
/** As expo-crypto and AsyncStorage are. */
const parts = { crypto: { getRandomValues: (bytes) => getRandomValues.call(globalThis.webcrypto, bytes) } };
const texts = new Map();
const storage = {
  getItem: async (name) => texts.get(name) ?? null,
  setItem: async (name, value) => void texts.set(name, value),
  removeItem: async (name) => void texts.delete(name),
};
const say = (value) => console.log(JSON.stringify(value));
const options = { url: BASE, gameId: GAME, playerName: 'Ann' };
`;

let app: TestApp;
let reader: string;
beforeAll(async () => {
  app = await startApp();
  const studio = await makeStudio(app);
  const game = await makeGame(studio);
  const board = await makeBoard(studio, game.id, { keepStrategy: 'ALL' });
  const names = { BASE: app.url, GAME: game.id, BOARD: board.id, DIST };
  reader = Object.entries(names)
    .map(([name, value]) => `const ${name} = ${JSON.stringify(value)};`)
    .join('\n');
});
afterAll(() => app.close());

/** The lines that a game prints on such a platform. */
async function played(game: string): Promise<unknown[]> {
  const script = `import { webcrypto } from 'node:crypto';\nglobalThis.webcrypto = webcrypto;\n${reader}${PLATFORM}${game}`;
  const { stdout } = await run('node', ['--input-type=module', '-e', script]);
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}

test('the client says what the platform lacks: randomness at once, a storage and streams in a sentence', async () => {
  const [randomness, kept, live] = await played(`
    try { new Leaderboard(options); } catch (error) { say(error.message); }
    const trouble = new Promise((resolve) => {
      const onTrouble = ({ code, message }) => resolve([code, message, leaderboard]);
      const leaderboard = new Leaderboard({ ...options, ...parts, onTrouble });
    });
    const [code, message, leaderboard] = await trouble;
    say([code, message]);
    try { for await (const state of watch(leaderboard, BOARD)) say(state); } catch (error) { say(error.message); }
    await leaderboard.close();`);
  expect(randomness).toMatch(/crypto\.getRandomValues.*expo-crypto/);
  expect(kept).toEqual(['STORAGE', expect.stringMatching(/only as long as this process.*AsyncStorage/)]);
  expect(live).toMatch(/fetch that streams.*expo\/fetch/);
});

test('with these parts given as options, no run is lost over a start of the game, and reads work', async () => {
  const lines = await played(`
    const away = async () => { throw new TypeError('Network request failed'); };
    const first = new Leaderboard({ ...options, ...parts, storage, fetch: away });
    say((await first.submit({ boardId: BOARD, value: 7 }, { deadlineMs: 50 })).status);
    await first.close();
    const later = new Leaderboard({ ...options, ...parts, storage });
    say(await later.flush());
    say((await later.submit({ boardId: BOARD, value: 9 })).status);
    const { items } = await later.top(BOARD, { limit: 10 });
    say(items.map(({ value }) => value));
    await later.close();`);
  expect(lines).toEqual(['queued', 0, 'ranked', [9, 7]]);
});
