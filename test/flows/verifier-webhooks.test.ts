import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { uuidOf } from '../../src/base/ids.js';
import { signatureOf } from '../../src/base/outbound/webhook-signature.js';
import { startApp, type TestApp } from '../support/app.js';
import { record } from '../support/arcade-play.js';
import { HOUR, MINUTE, SECOND } from '../support/clock.js';
import type { Data } from '../support/http.js';
import { openOnesEnded } from '../support/locks.js';
import { makeBoard, makeGame, makeKey, makeStudio, type Studio } from '../support/make.js';
import { patience, until } from '../support/wait.js';

// A run from its submission to *Verified*: the service delivers `run.verify` to the demo's verifier, which runs as a program of its own,
// plays the run again, and answers with its key.

const ROOT = path.resolve(__dirname, '../..');
const LOCAL = { webhookAllowHttp: true, webhookAllowNetworks: ['127.0.0.0/8'] };

let app: TestApp;
let studio: Studio;
let game: Data;
let board: Data;
let endpoint: Data;
let port: number;
let key: string;
let verifier: ChildProcess | undefined;

beforeAll(async () => {
  app = await startApp(LOCAL);
  // Two hours ago: the verifier refuses what was signed long before its own time.
  app.clock.advance(Date.now() - 2 * HOUR - app.clock.now());
  studio = await makeStudio(app);
  game = await makeGame(studio);
  board = await makeBoard(studio, game.id, {
    ...{ keepStrategy: 'BEST', recordings: {}, tickets: { mode: 'ASKED', seed: 'RUN' }, isPublished: true },
    verdicts: { mode: 'DECIDE', verifyTop: 10, hours: 1, confirmed: true },
  });
  ({ key } = await makeKey(app.superadmin, studio.accountId, studio.userId, { scopes: ['VERIFY'] }));
  port = await freePort();
  const { body } = await studio.admin.post('/v1/webhook-endpoints', {
    ...{ account_id: studio.accountId, name: 'verifier', events: ['run.verify'] },
    url: `http://127.0.0.1:${port}/runs`,
  });
  endpoint = body;
});
afterAll(async () => {
  await stop();
  await app.close();
});

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port: free } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return free;
}

async function start(): Promise<void> {
  const args = ['-r', './test/support/ts-require.cjs', '-r', './test/support/orphan-guard.cjs'];
  const child = spawn(process.execPath, [...args, 'examples/verifier/main.ts', '--listen', String(port)], {
    cwd: ROOT,
    env: { ...process.env, BASE: app.url, KEY: key, WEBHOOK_SECRET: endpoint.secret },
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  verifier = child;
  let said = '';
  child.stdout!.on('data', (text) => {
    said += text;
  });
  const inTime = patience('the verifier to listen');
  while (!said.includes('listening')) {
    inTime();
    await Promise.race([once(child.stdout!, 'data'), once(child, 'exit')]);
  }
}

async function stop(): Promise<void> {
  if (!verifier || verifier.exitCode !== null) return;
  const ended = once(verifier, 'exit');
  verifier.kill();
  await ended;
}

/** Attempts of the deliveries that are due now, each of which ends. */
async function deliver(): Promise<Data[]> {
  await openOnesEnded(app);
  await app.app.jobs.run('dispatch-webhooks');
  await app.app.jobs.run('send-webhooks');
  const deliveries = () => app.database.knex('webhook_deliveries').orderBy('created_at').orderBy('id');
  const now = new Date(app.clock.now());
  await until(async () =>
    (await deliveries()).every(
      ({ status, due_at }) => status !== 'sending' && !(status === 'queued' && due_at <= now),
    ),
  );
  return deliveries();
}

/** The run's flag, whether people see it, its rank and its mark, and its verdicts. */
async function state(event: string): Promise<Data> {
  const { rows } = await app.database.pool.query(
    `select f.status, f.people_from <= $2 as open from score_flags f join score_events v on v.board_id = f.board_id and v.seq = f.event_seq
     where v.id = $1`,
    [uuidOf(event), new Date(app.clock.now())],
  );
  const { board: read, scoreEvent } = await studio.admin.data(
    `query ($board: ID!, $event: ID!) {
      board(by: { id: $board }) { ranking { entries { nodes { identity { id } verifiedAt } } } }
      scoreEvent(id: $event) { identity { id } verdicts { verdict verifier undoneAt } }
    }`,
    { board: board.id, event },
  );
  const entry = read.ranking.entries.nodes.find(
    ({ identity }: Data) => identity.id === scoreEvent.identity.id,
  );
  return {
    flag: `${rows[0].status}${rows[0].open ? ' for people' : ''}`,
    isVerified: entry ? entry.verifiedAt !== null : null,
    // The clock stands still: their times say nothing of their order.
    said: scoreEvent.verdicts
      .map(({ verifier: name, verdict, undoneAt }: Data) => `${name} ${verdict}${undoneAt ? ' undone' : ''}`)
      .toSorted(),
  };
}

const forged = ({ score, file }: { score: number; file: Uint8Array }) => ({ score: score + 10, file });

test('silence, an endpoint that is down, and a retry: a late verdict still decides', async () => {
  const real = await record(app, game.id, board.id);
  const [delivery] = await deliver();
  expect([delivery!.status, delivery!.attempts]).toEqual(['queued', 1]);
  expect(await state(real)).toEqual({ flag: 'pending', isVerified: null, said: [] });
  app.clock.advance(HOUR);
  expect(await state(real)).toEqual({ flag: 'pending for people', isVerified: null, said: [] });
  app.clock.advance(Date.now() - app.clock.now());
  await start();
  const [sent] = await deliver();
  expect([sent!.status, sent!.attempts]).toEqual(['delivered', 2]);
  expect(await state(real)).toEqual({
    flag: 'dismissed for people',
    isVerified: true,
    said: ['arcade VERIFIED'],
  });
  // Sent again, as after an answer that was lost: the first verdict is there once.
  const again = { ids: [`dlv_${delivery!.id}`] };
  await studio.admin.got(studio.admin.post(`/v1/webhook-endpoints/${endpoint.id}/redeliver`, again));
  await deliver();
  expect((await state(real)).said).toEqual(['arcade VERIFIED']);
});

test('a forged run is removed once its webhook arrives, and a wrong verdict of another verifier is undone', async () => {
  const fake = await record(app, game.id, board.id, forged);
  const wrong = await record(app, game.id, board.id, forged);
  const liar = app.anyone.with({ 'service-api-key': key });
  await liar.got(liar.post(`/v1/score-events/${wrong}/verdicts`, { verdict: 'verified', verifier: 'liar' }));
  expect(await state(wrong)).toMatchObject({ flag: 'dismissed', isVerified: true });
  await deliver();
  expect(await state(fake)).toMatchObject({
    flag: 'confirmed_cheat for people',
    isVerified: null,
    said: ['arcade REJECTED'],
  });
  expect(await state(wrong)).toMatchObject({
    ...{ flag: 'pending for people', isVerified: null, said: ['arcade REJECTED', 'liar VERIFIED'] },
  });
  await studio.admin.got(studio.admin.post(`/v1/boards/${board.id}/undo-verdicts`, { verifier: 'liar' }));
  expect(await state(wrong)).toMatchObject({
    ...{ flag: 'confirmed_cheat for people', said: ['arcade REJECTED', 'liar VERIFIED undone'] },
  });
});

test('the verifier answers nobody but the service', async () => {
  const url = `http://127.0.0.1:${port}/runs`;
  const body = JSON.stringify({ type: 'run.verify', data: {} });
  const ask = async (at: number, secret: string) => {
    const headers = { 'webhook-id': 'dlv_1', 'webhook-timestamp': String(at) };
    const signature = signatureOf([secret], 'dlv_1', at, body);
    return (
      await fetch(url, { method: 'POST', body, headers: { ...headers, 'webhook-signature': signature } })
    ).status;
  };
  const now = Math.floor(Date.now() / SECOND);
  const other = `whsec_${Buffer.alloc(24).toString('base64')}`;
  expect(await ask(now, other)).toBe(401);
  expect(await ask(now - (6 * MINUTE) / SECOND, endpoint.secret)).toBe(401);
  expect((await fetch(url, { method: 'POST', body })).status).toBe(401);
  expect((await fetch(url, { method: 'POST', body: 'x'.repeat(300_000) })).status).toBe(413);
  // Signed, but no run: it is asked to be sent again, and the verifier goes on.
  expect(await ask(now, endpoint.secret)).toBe(503);
  expect(verifier!.exitCode).toBeNull();
});
