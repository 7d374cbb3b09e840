import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';
import { signatureOf } from '../../src/base/outbound/webhook-signature.js';
import { Seal } from '../../src/mail/outbox.js';
import { newSecret } from '../../src/webhooks/endpoints/secret.js';
import { SETTINGS, startApp, type TestApp } from '../support/app.js';
import { HOUR } from '../support/clock.js';
import { type Caller, type Data, send } from '../support/http.js';
import { change, makeBoard, makeGame, makeStudio, type Studio } from '../support/make.js';
import { Terminal } from '../support/terminal.js';
import { until } from '../support/wait.js';

let app: TestApp;
let studio: Studio;
beforeAll(async () => {
  app = await startApp();
  studio = await makeStudio(app);
});
afterAll(() => app.close());

const patch = (caller: Caller, path: string, body: Data) =>
  send(caller.url + path, {
    method: 'PATCH',
    headers: { 'content-type': 'application/json', ...caller.headers },
    body: JSON.stringify(body),
  });

const PATH = '/v1/webhook-endpoints';
const made = async (input: Data = {}, of: Studio = studio): Promise<Data> => {
  const body = { account_id: of.accountId, name: 'Backend', url: 'https://hooks.example.com/a', ...input };
  return of.admin.post(PATH, { events: ['board.closed'], ...body });
};
const rowOf = (id: string) => app.database.knex('webhook_endpoints').where('id', id.slice(4)).first();

test('an endpoint has its defaults and a secret that is shown once and stored encrypted', async () => {
  const { status, body } = await made({ url: 'https://Hooks.Example.com/a?token=s3cret' });
  expect(status).toBe(201);
  expect(body).toMatchObject({
    id: expect.stringMatching(/^whk_/),
    url: 'https://hooks.example.com/a?token=s3cret',
    events: ['board.closed'],
    game_ids: [],
    board_ids: [],
    population: 'production',
    format: 'json',
    ordered: false,
    closing_minutes: 60,
    leader_seconds: 60,
    overtaken_top: 10,
    overtaken_by: 'anyone',
    status: 'active',
    status_reason: null,
    previous_secret_until: null,
    secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
  });
  const read = await studio.admin.get(`${PATH}/${body.id}`);
  const { secret, ...shown } = body;
  expect(read.body).toEqual(shown);
  const row = await rowOf(body.id);
  expect(row.sealed_secret.includes(Buffer.from(secret.slice(6), 'base64'))).toBe(false);
  expect(new Seal(SETTINGS.keySecret, 'secrets of webhooks').open(body.id, row.sealed_secret)).toBe(secret);
  // Another purpose, another key.
  expect(() => new Seal(SETTINGS.keySecret).open(body.id, row.sealed_secret)).toThrow();

  const graph = await studio.admin.data(
    `mutation ($input: CreateWebhookEndpointInput!) { createWebhookEndpoint(input: $input) {
      secret webhookEndpoint { id population account { id } } } }`,
    {
      input: {
        accountId: studio.accountId,
        name: 'B',
        url: 'https://b.example.com',
        events: ['score.flagged'],
      },
    },
  );
  expect(graph.createWebhookEndpoint).toMatchObject({
    secret: expect.stringMatching(/^whsec_/),
    webhookEndpoint: { population: 'PRODUCTION', account: { id: studio.accountId } },
  });
});

test.each<[string, Data]>([
  ['url', { url: 'http://hooks.example.com' }],
  ['url', { url: 'ftp://hooks.example.com' }],
  ['url', { url: 'https://user:secret@hooks.example.com' }],
  ['url', { url: 'hooks' }],
  ['events', { events: [] }],
  ['events', { events: ['board.closed', 'board.closed'] }],
  ['events', { events: ['board.eaten'] }],
  ['events', { events: ['endpoint.test'] }],
  ['game_ids', { game_ids: ['none'] }],
  ['board_ids', { board_ids: Array(101).fill('brd_00000000-0000-7000-8000-000000000000') }],
  ['closing_minutes', { closing_minutes: 0 }],
  ['leader_seconds', { leader_seconds: 9 }],
  ['overtaken_top', { overtaken_top: 101 }],
  ['ordered', { ordered: true, format: 'discord' }],
])('%s of %j is refused', async (name, input) => {
  const { status, body } = await made(input);
  expect([status, body.details?.[0]?.loc?.[1]]).toEqual([422, name]);
});

test('filters are games and boards of the account', async () => {
  const game = await makeGame(studio);
  const board = await makeBoard(studio, game.id);
  const other = await makeStudio(app);
  const foreign = await makeGame(other);
  const { body } = await made({ game_ids: [game.id], board_ids: [board.id] });
  expect(body).toMatchObject({ game_ids: [game.id], board_ids: [board.id] });
  expect((await made({ game_ids: [foreign.id] })).status).toBe(404);
  const changed = await patch(studio.admin, `${PATH}/${body.id}`, { game_ids: [foreign.id] });
  expect(changed.status).toBe(404);
  await change(studio.admin, 'Board', board.id, { deleted: true });
  expect((await patch(studio.admin, `${PATH}/${body.id}`, { board_ids: [board.id] })).status).toBe(404);
  const cleared = await patch(studio.admin, `${PATH}/${body.id}`, { game_ids: [], ordered: true });
  expect(cleared.body).toMatchObject({ game_ids: [], board_ids: [board.id], ordered: true });
  expect((await patch(studio.admin, `${PATH}/${body.id}`, { format: 'slack' })).status).toBe(422);
});

test('a rotated secret overlaps with the former one as long as asked', async () => {
  const { body } = await made();
  const before = await rowOf(body.id);
  const rotated = await studio.admin.post(`${PATH}/${body.id}/rotate-secret`, { overlap_hours: 2 });
  expect(rotated.body.secret).not.toBe(body.secret);
  const until = new Date(app.clock.now() + 2 * HOUR).toISOString();
  expect(rotated.body.previous_secret_until).toBe(until);
  expect((await rowOf(body.id)).previous_secret).toEqual(before.sealed_secret);
  const ended = await studio.admin.post(`${PATH}/${body.id}/rotate-secret`, { overlap_hours: 0 });
  expect(ended.body.previous_secret_until).toBeNull();
  expect(await rowOf(body.id)).toMatchObject({ previous_secret: null });
  const byDefault = await studio.admin.post(`${PATH}/${body.id}/rotate-secret`, {});
  expect(byDefault.body.previous_secret_until).toBe(new Date(app.clock.now() + 24 * HOUR).toISOString());
});

test('pausing and resuming clears what the service has set', async () => {
  const { body } = await made();
  const paused = await patch(studio.admin, `${PATH}/${body.id}`, { paused: true });
  expect(paused.body.status).toBe('paused');
  await app.database
    .knex('webhook_endpoints')
    .where('id', body.id.slice(4))
    .update({ status: 'disabled', status_reason: 'It answered 410.', failures: 9, open_until: new Date(0) });
  const kept = await patch(studio.admin, `${PATH}/${body.id}`, { paused: true });
  expect(kept.body).toMatchObject({ status: 'disabled', status_reason: 'It answered 410.' });
  const resumed = await patch(studio.admin, `${PATH}/${body.id}`, { paused: false });
  expect(resumed.body).toMatchObject({ status: 'active', status_reason: null, failing_since: null });
  expect(await rowOf(body.id)).toMatchObject({ failures: 0, open_until: null });
});

test('the audit log has every change, and neither secrets nor tokens in addresses', async () => {
  const { body } = await made({ url: 'https://discord.com/api/webhooks/1/t0ken', format: 'discord' });
  await patch(studio.admin, `${PATH}/${body.id}`, { url: 'https://discord.com/api/webhooks/1/0ther' });
  await studio.admin.post(`${PATH}/${body.id}/rotate-secret`, {});
  await patch(studio.admin, `${PATH}/${body.id}`, { deleted: true });
  await patch(studio.admin, `${PATH}/${body.id}`, { deleted: false });
  const { auditEntries } = await studio.admin.data(
    `query ($filter: AuditEntryFilter) { auditEntries(filter: $filter,
      orderBy: [{ field: ID }]) { nodes { action before after subject { id } } } }`,
    { filter: { subjectId: body.id } },
  );
  const address = expect.stringMatching(/^https:\/\/discord\.com\/… \([0-9a-f]{8}\)$/);
  expect(auditEntries.nodes).toMatchObject([
    { action: 'RECORD_CREATED', after: { name: 'Backend', format: 'discord', address } },
    { action: 'RECORD_CHANGED', before: { address }, after: { address }, subject: { id: body.id } },
    { action: 'WEBHOOK_SECRET_ROTATED', after: { overlapHours: 24 } },
    { action: 'RECORD_DELETED' },
    { action: 'RECORD_RESTORED' },
  ]);
  const { before, after } = auditEntries.nodes[1];
  expect(before.address).not.toBe(after.address);
  expect(JSON.stringify(auditEntries)).not.toMatch(/t0ken|0ther|whsec_|sealed/i);
});

test('an account has twenty endpoints at most, and restores none beyond', async () => {
  const full = await makeStudio(app);
  const first = (await made({}, full)).body;
  for (let n = 1; n < 20; n += 1) expect((await made({}, full)).status).toBe(201);
  expect((await made({}, full)).body.code).toBe('BAD_REQUEST');
  await patch(full.admin, `${PATH}/${first.id}`, { deleted: true });
  expect((await made({}, full)).status).toBe(201);
  expect((await patch(full.admin, `${PATH}/${first.id}`, { deleted: false })).body.code).toBe('BAD_REQUEST');
});

test('the terminal creates, pauses and resumes endpoints and rotates secrets', async () => {
  const environment = {
    LEADERBOARD_API: app.url,
    LEADERBOARD_API_KEY: studio.admin.headers['service-api-key'],
  };
  const terminal = new Terminal(environment);
  let signing: Terminal | undefined;
  try {
    const created = await terminal.out(
      'webhooks',
      'create',
      'Terminal',
      'https://t.example.com',
      'board.closed',
      'score.flagged',
    );
    expect(created).toMatch(/whsec_/);
    const { body } = await studio.admin.get(`${PATH}?sort=id:desc&limit=1`);
    const [{ id, events }] = body.data;
    expect(events).toEqual(['board.closed', 'score.flagged']);
    await terminal.out('webhooks', 'pause', id);
    expect((await rowOf(id)).status).toBe('paused');
    await terminal.out('webhooks', 'resume', id);
    expect((await rowOf(id)).status).toBe('active');
    const [secret = ''] = /whsec_\S+/.exec(await terminal.out('webhooks', 'rotate-secret', id)) ?? [];
    const heard: { headers: IncomingHttpHeaders; text: string }[] = [];
    const local = createServer(async (request, response) => {
      let text = '';
      for await (const part of request) text += part;
      heard.push({ headers: request.headers, text });
      response.writeHead(200).end();
    }).listen(0, '127.0.0.1');
    await once(local, 'listening');
    const to = `http://127.0.0.1:${(local.address() as AddressInfo).port}/`;
    signing = new Terminal({ ...environment, WEBHOOK_SECRET: secret });
    const listening = signing.start(['webhooks', 'listen', id, '--to', to]);
    let said = '';
    for (const stream of [listening.stdout, listening.stderr]) stream.on('data', (part) => (said += part));
    await until(() => said.includes('Forwarding'));
    const sent = await studio.admin.post(`${PATH}/${id}/test`, {});
    await until(() => said.includes('→ 200'));
    listening.kill('SIGKILL');
    local.close();
    expect(heard).toHaveLength(1);
    expect(JSON.parse(heard[0]!.text)).toEqual(sent.body.request);
    expect(heard[0]!.headers['webhook-id']).toBe(sent.body.id);
    const [{ headers, text }] = heard as [(typeof heard)[0]];
    expect(() => new Webhook(secret).verify(text, headers as Record<string, string>)).not.toThrow();
    await app.database
      .knex('webhook_deliveries')
      .where('endpoint_id', id.slice(4))
      .update({ status: 'failed' });
    expect(await terminal.out('webhooks', 'redeliver', id, '--failed-since', '2020-01-01')).toMatch(
      /^Sending 1 delivery again\.\n/,
    );
  } finally {
    terminal.close();
    signing?.close();
  }
});

test('WEBHOOK_ALLOW_HTTP accepts http, and WEBHOOKS=off sends nothing and keeps it', async () => {
  const local = await startApp({ webhookAllowHttp: true, webhooks: false });
  try {
    const own = await makeStudio(local);
    const { status, body } = await made({ url: 'http://127.0.0.1:8080/', events: ['board.opened'] }, own);
    expect(status).toBe(201);
    await own.admin.post(`${PATH}/${body.id}/test`, {});
    await makeBoard(own, (await makeGame(own)).id);
    for (const job of ['dispatch-webhooks', 'send-webhooks']) await local.app.jobs.run(job);
    const kept = await local.database.knex('webhook_deliveries');
    expect(kept).toMatchObject([{ type: 'endpoint.test', status: 'queued', attempts: 0 }]);
    expect(await local.database.knex('webhook_events').whereNull('dispatched_at')).toMatchObject([
      { type: 'board.opened' },
    ]);
  } finally {
    await local.close();
  }
});

test('a signature is that of Standard Webhooks, one for each secret', () => {
  const [one, other] = [newSecret(), newSecret()];
  const parts = signatureOf([one, other], 'dlv_1', 1_700_000_000, '{}').split(' ');
  expect(parts).toHaveLength(2);
  expect(parts[0]).toBe(signatureOf([one], 'dlv_1', 1_700_000_000, '{}'));
  expect(parts[1]).not.toBe(parts[0]);
});
