import { startApp, type TestApp } from '../support/app.js';
import { gist, SCORES, takeNonces, upTo } from '../support/batches.js';
import { Recorder } from '../support/hooks/recorder.js';
import type { Data } from '../support/http.js';
import { makeBoard, makeGame, makeStudio, type Player, type Studio, startSession } from '../support/make.js';

const recorder = new Recorder();
const limited: string[] = [];
let strict: TestApp;
let owner: Studio;
let board: Data;
let rival: Player;
beforeAll(async () => {
  const rateLimit = async ({ method, route }: Data) => void limited.push(`${method} ${route}`);
  strict = await startApp({ httpRateLimit: 30 }, { hooks: { ...recorder.hooks, rateLimit } });
  owner = await makeStudio(strict);
  const checked = await makeGame({ ...owner, admin: strict.superadmin });
  board = await makeBoard({ ...owner, admin: strict.superadmin }, checked.id);
  rival = await startSession(strict, checked.id);
});
afterAll(() => strict.close());

test('each item counts as one request, is checked, and is shown to the hooks in its turn', async () => {
  const fresh = await takeNonces(rival, 30);
  limited.length = 0;
  const seen: number[] = [];
  recorder.does({ preCreateScore: async ({ value }: Data) => void seen.push(value) });
  // Of 30 requests a minute the nonces were one.
  const items = fresh.map((nonce, i) => ({ board_id: board.id, player_name: 'Ann', value: i + 1, nonce }));
  const answer = await rival.client.post(SCORES, { items });
  expect(gist(answer)).toEqual([...Array(29).fill(201), '429 RATE_LIMITED']);
  expect(limited).toEqual(Array(29).fill('POST /v1/client/scores'));
  expect(seen).toEqual(upTo(29));
  expect((await rival.client.post(SCORES, { items })).status).toBe(429);
  const flags = await strict.superadmin.data(
    'query ($id: ID!) { scoreFlags(filter: {boardId: $id}, first: 100) { nodes { flagType } } }',
    { id: board.id },
  );
  const velocity = flags.scoreFlags.nodes.filter(({ flagType }: Data) => flagType === 'VELOCITY');
  expect(velocity).toHaveLength(28);
});
