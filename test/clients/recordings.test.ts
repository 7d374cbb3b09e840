// Its sources know the browser, which types of the service's tests do not.
const { Leaderboard } = require('../../clients/typescript/src/client.js');

const HASHED = { boardId: 'brd_1', value: 1, key: 'run', recordingHash: 'ab' };

function memory(items = new Map<string, string>()) {
  const faults = { unreadable: false };
  return {
    items,
    faults,
    getItem: (name: string) => {
      if (faults.unreadable && name.endsWith('recordings')) throw new Error('The disk is away');
      return items.get(name) ?? null;
    },
    setItem: (name: string, value: string) => void items.set(name, value),
    removeItem: (name: string) => void items.delete(name),
  };
}

/** A client whose service ranks each run and wants its recording. */
function clientOn(storage: object, seen: string[] = []) {
  const answer = (path: string) => {
    if (path.endsWith('/sessions'))
      return { access_token: 'a', refresh_token: 'r', expires_in: 3600, identity_id: 'ide_1' };
    if (path.endsWith('/nonce'))
      return { nonces: ['1', '2', '3', '4', '5', '6'].map((nonce_value) => ({ nonce_value })) };
    if (path.endsWith('/batch'))
      return { results: [{ score: { player_name: 'Ann' }, recording: { score_event_id: 'evt_1' } }] };
    return {};
  };
  return new Leaderboard({
    ...{ url: 'http://service.test', gameId: 'gam_1', device: 'phone', storage, deadlineMs: 1_000 },
    retry: { firstMs: 10, mostMs: 20 },
    fetch: async (url: string, { method }: { method: string }) => {
      const { pathname } = new URL(url);
      seen.push(`${method} ${pathname}`);
      return {
        ok: true,
        status: 200,
        headers: new Headers(),
        text: async () => JSON.stringify(answer(pathname)),
      };
    },
  });
}

const LIST = 'leaderboard:gam_1:phone:recordings';
const PUT = 'PUT /v1/client/score-events/evt_1/recording';

test('a page without ./runs notes where the recording of a waiting run is wanted', async () => {
  const storage = memory(new Map([[LIST, '[{"key":"run","slot":0}]']]));
  const client = clientOn(storage);
  await expect(client.submit(HASHED)).resolves.toMatchObject({ status: 'ranked' });
  await client.close();
  expect(JSON.parse(storage.items.get(LIST)!)).toEqual([{ key: 'run', slot: 0, eventId: 'evt_1' }]);
});

test('a client that was made before ./runs was loaded submits its runs and sends their recordings', async () => {
  const seen: string[] = [];
  const client = clientOn(memory(), seen);
  await client.player();
  const { GameRun } = require('../../clients/typescript/src/runs.js');
  const run = new GameRun(client, 'brd_1', { now: Date.now, elapsed: Date.now }, Date.now(), {});
  const result = await run.finish({ value: 1, recording: Uint8Array.of(1) });
  expect(result).toMatchObject({ status: 'ranked' });
  await (await client.tools()).recordings.flush(1_000);
  expect(seen).toContain(PUT);
  await client.close();
});

test('waiting recordings stay listed while the list cannot be read, and nothing is rejected unhandled', async () => {
  const { GameRun } = require('../../clients/typescript/src/runs.js');
  const storage = memory(
    new Map([
      [LIST, '[{"key":"old","slot":0,"eventId":"evt_1"}]'],
      [`${LIST}.0`, 'AQ'],
    ]),
  );
  storage.faults.unreadable = true;
  const unhandled: unknown[] = [];
  const note = (error: unknown) => unhandled.push(error);
  process.on('unhandledRejection', note);
  const seen: string[] = [];
  const client = clientOn(storage, seen);
  const run = new GameRun(client, 'brd_1', { now: Date.now, elapsed: Date.now }, Date.now(), {});
  await run.finish({ value: 1, recording: Uint8Array.of(1) });
  expect(JSON.parse(storage.items.get(LIST)!)).toHaveLength(1);
  storage.faults.unreadable = false;
  await (await client.tools()).recordings.flush(1_000);
  expect(seen.filter((one) => one === PUT)).toHaveLength(2);
  await client.close();
  process.off('unhandledRejection', note);
  expect(unhandled).toEqual([]);
});
