import { createHook } from 'node:async_hooks';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { startApp, type TestApp } from '../../../../test/support/app.js';
import { makeStudio, type Studio } from '../../../../test/support/make.js';
import { until } from '../../../../test/support/wait.js';
import { got, type ListPage, leaderboardClient, pagesOf, ServiceError } from '../../src/rest/client.js';

let app: TestApp;
let studio: Studio;
beforeAll(async () => {
  app = await startApp({ headerPrefix: 'acme' });
  studio = await makeStudio(renamed(app));
});
afterAll(() => app.close());

/** The factories speak with the default prefix. */
function renamed(of: TestApp): TestApp {
  const key = of.superadmin.headers['service-api-key']!;
  return { ...of, superadmin: of.anyone.with({ 'acme-api-key': key }) };
}

function clientOf(of: Studio, options = {}) {
  const apiKey = of.admin.headers['service-api-key'];
  return leaderboardClient({ baseUrl: `${app.url}/`, apiKey, headerPrefix: 'acme', ...options });
}

test('an administrator makes a game and a board, a device plays on it, whatever the headers are called', async () => {
  const admin = clientOf(studio);
  const me = await got(admin.GET('/v1/me'));
  expect(me).toMatchObject({ kind: 'admin', account_id: studio.accountId, user: { id: studio.userId } });
  const game = await got(
    admin.POST('/v1/games', { body: { account_id: me.account_id, name: 'Sky Race', tags: ['ä b'] } }),
  );
  expect(game.tags).toEqual(['ä b']);
  const named = { account_id: me.account_id, game_id: game.id, name: 'High score' };
  const board = await got(admin.POST('/v1/boards', { body: { ...named, keep_strategy: 'best' } }));
  expect(board).toMatchObject({ board_type: 'run_identity', ratio_config: null });

  const anyone = leaderboardClient({ baseUrl: app.url, headerPrefix: 'acme' });
  const device = { game_id: game.id, client_fingerprint: 'phone' };
  const session = await got(anyone.POST('/v1/client/sessions', { body: device }));
  const player = leaderboardClient({
    baseUrl: app.url,
    accessToken: session.access_token,
    headerPrefix: 'acme',
  });
  const nonce = await got(player.GET('/v1/client/nonce'));
  const score = await got(
    player.POST('/v1/client/scores', {
      params: { header: { 'service-client-nonce': nonce.nonce_value, 'idempotency-key': 'run-1' } },
      body: { board_id: board.id, player_name: 'Ann', value: 1200 },
    }),
  );
  expect(score).toMatchObject({ rank: 1, value: 1200, player_name: 'Ann' });
  const changed = await got(
    admin.PATCH('/v1/games/{game_id}', { params: { path: { game_id: game.id } }, body: { tags: [''] } }),
  ).catch((error: unknown) => error);
  expect(changed).toMatchObject({ status: 422, code: 'VALIDATION_FAILED' });
  const unproven = await got(
    player.POST('/v1/client/scores', {
      params: { header: { 'service-client-nonce': '' } },
      body: { board_id: board.id, player_name: 'Ann', value: 1300 },
    }),
  ).catch((error: unknown) => error);
  expect(unproven).toMatchObject({
    code: 'NONCE_REQUIRED',
    message: expect.stringContaining('in the header acme-client-nonce'),
  });
});

test('a refusal names the header of the key as it is called here, and knows a key where a token belongs', async () => {
  const key = studio.admin.headers['service-api-key']!;
  const refusal = async (path: string, headers: Record<string, string>) => {
    const { status, body } = await fetch(app.url + path, { headers }).then(async (answer) => ({
      status: answer.status,
      body: (await answer.json()) as { code: string; error: string },
    }));
    return [status, body.code, body.error];
  };
  expect(await refusal('/v1/games', {})).toEqual([
    401,
    'API_KEY_REQUIRED',
    expect.stringContaining('the header acme-api-key'),
  ]);
  const known = [
    401,
    'INVALID_TOKEN',
    expect.stringMatching(/API key, not an access token.* the header acme-api-key/),
  ];
  expect(await refusal('/v1/games', { authorization: `Bearer ${key}` })).toEqual(known);
  expect(await refusal('/v1/client/boards', { authorization: `Bearer ${key}` })).toEqual(known);
  expect(await refusal('/v1/games', { authorization: key })).toEqual(known);
  const [, , other] = await refusal('/v1/games', { authorization: 'Bearer svc_a.b.c' });
  expect(other).toContain('access token');
  const { message } = await app.anyone.fault('{ games { nodes { id } } }');
  expect(message).toContain('the header acme-api-key');
});

test("an error is the service's sentence with its code, request id and details", async () => {
  const admin = clientOf(studio);
  const fault = await got(
    admin.POST('/v1/games', { body: { account_id: studio.accountId, name: '', page_url: 'x' } }),
  ).catch((error: unknown) => error as ServiceError);
  expect(fault).toBeInstanceOf(ServiceError);
  expect(fault).toMatchObject({ status: 422, code: 'VALIDATION_FAILED', requestId: expect.any(String) });
  expect((fault as ServiceError).details.map(({ loc }) => loc.join('.')).toSorted()).toEqual([
    'body.name',
    'body.page_url',
  ]);
  const stranger = clientOf(studio, { apiKey: 'svc_wrong' });
  await expect(got(stranger.GET('/v1/me'))).rejects.toMatchObject({ status: 401, code: 'INVALID_API_KEY' });
});

test('a list is walked page by page, once each', async () => {
  const admin = clientOf(studio);
  const names = ['one', 'two', 'three', 'four', 'five'].map((word) => `List ${word}`);
  for (const name of names) {
    await got(admin.POST('/v1/games', { body: { account_id: studio.accountId, name } }));
  }
  const found: string[] = [];
  const read = (cursor?: string): Promise<ListPage<{ name: string }>> => {
    const query = { limit: 2, sort: 'created_at:asc', ...(cursor !== undefined && { cursor }) };
    return got(admin.GET('/v1/games', { params: { query } }));
  };
  for await (const page of pagesOf(read)) {
    expect(page.data.length).toBeLessThanOrEqual(2);
    found.push(...page.data.map(({ name }) => name));
  }
  expect(found.filter((name) => name.startsWith('List '))).toEqual(names);
  expect(new Set(found).size).toBe(found.length);
});

/** A server that is not ours, for as long as `use` takes. */
async function besideIt<T>(answer: Parameters<typeof createServer>[1], use: (url: string) => Promise<T>) {
  const server = createServer({}, answer).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  try {
    return await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

test('a redirect does not carry the key elsewhere, a silent server times out, and another server is named', async () => {
  const received: unknown[] = [];
  await besideIt(
    (request, response) => {
      received.push(request.headers);
      response.end('{}');
    },
    async (elsewhere) => {
      await besideIt(
        (_request, response) => response.writeHead(307, { location: elsewhere }).end(),
        async (baseUrl) => {
          await expect(clientOf(studio, { baseUrl }).GET('/v1/me')).rejects.toThrow('fetch failed');
        },
      );
    },
  );
  expect(received).toEqual([]);
  await besideIt(
    () => undefined,
    async (baseUrl) => {
      const call = clientOf(studio, { baseUrl, timeoutMs: 50 }).GET('/v1/me');
      await expect(call).rejects.toMatchObject({ name: 'TimeoutError' });
    },
  );
  await besideIt(
    (_request, response) => response.writeHead(502).end('<html>'),
    async (baseUrl) => {
      const call = got(clientOf(studio, { baseUrl }).GET('/v1/me'));
      await expect(call).rejects.toThrow(`${baseUrl}/v1/me returned 502.`);
    },
  );
});

test('requests end at their timeout, before and within the answer, when garbage is collected meanwhile', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  await besideIt(
    ({ url }, response) => {
      if (url === '/v1/games')
        response.writeHead(200, { 'content-type': 'application/json' }).write('{"data":');
    },
    async (baseUrl) => {
      const client = clientOf(studio, { baseUrl, timeoutMs: 300 });
      const calls = [...Array.from({ length: 4 }, () => client.GET('/v1/me')), client.GET('/v1/games')];
      let ended = 0;
      const ends = calls.map((call) =>
        call
          .then(String, ({ name }: Error) => name)
          .finally(() => {
            ended += 1;
          }),
      );
      await until(() => {
        collect();
        return ended === calls.length;
      });
      expect(await Promise.all(ends)).toEqual(calls.map(() => 'TimeoutError'));
    },
  );
});

test('a request ends with the signal of its caller, and one that is answered leaves no timer', async () => {
  // The service runs in this process and has timers of its own: only those of one hour are the client's.
  const hour = 3_600_000;
  const running = new Set<number>();
  let set = 0;
  const timers = createHook({
    init(id, type, _trigger, { _idleTimeout: ms }: { _idleTimeout?: number }) {
      if (type !== 'Timeout' || ms !== hour) return;
      set += 1;
      running.add(id);
    },
    destroy: (id) => running.delete(id),
  }).enable();
  try {
    const client = clientOf(studio, { timeoutMs: hour });
    expect(await got(client.GET('/v1/me'))).toMatchObject({ account_id: studio.accountId });
    await besideIt(
      () => undefined,
      async (baseUrl) => {
        const caller = new AbortController();
        const call = clientOf(studio, { baseUrl, timeoutMs: hour }).GET('/v1/me', { signal: caller.signal });
        caller.abort(new Error('not wanted any more'));
        await expect(call).rejects.toThrow('not wanted any more');
      },
    );
    // Node reports the end of a timer in a later task.
    await delay(1);
    expect({ set, running: running.size }).toEqual({ set: 2, running: 0 });
  } finally {
    timers.disable();
  }
});
