import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import Ajv2020 from 'ajv/dist/2020';
import pg from 'pg';
import { Webhook } from 'standardwebhooks';
import { uuidOf } from '../../src/base/ids.js';
import { makeLog } from '../../src/base/log.js';
import { raiseAlert } from '../../src/fairplay/alerts/save.js';
import { Seal } from '../../src/mail/outbox.js';
import { RecordingAddresses } from '../../src/scores/recordings/address.js';
import { chatBody } from '../../src/webhooks/deliveries/chat.js';
import { BoardWatch } from '../../src/webhooks/dispatch/board-watch.js';
import { pauseAllEndpoints } from '../../src/webhooks/endpoints/pause-all.js';
import { attempt } from '../../src/webhooks/sending/attempt.js';
import { startApp, type TestApp } from '../support/app.js';
import { DAY, HOUR, MINUTE, SECOND } from '../support/clock.js';
import { crowdPlays, makeCrowd } from '../support/crowd.js';
import { flag, makePlayer, play, review, reviewRuns, undo } from '../support/flags.js';
import { type Caller, type Data, send } from '../support/http.js';
import { ImportClient } from '../support/imports.js';
import { openOnesEnded } from '../support/locks.js';
import {
  change,
  makeBoard,
  makeGame,
  makeStudio,
  makeTemplate,
  makeUser,
  type Studio,
  startSession,
} from '../support/make.js';
import { makeLogin, ownToken } from '../support/own-tokens.js';
import { submit, takeNonce } from '../support/play.js';
import { until } from '../support/wait.js';

interface Request {
  path: string;
  headers: IncomingHttpHeaders;
  text: string;
  body: Data;
}

const ajv = new Ajv2020({ strict: false, validateFormats: false });

/** Every event has to be what its published schema says. */
function holdToSchema(body: Data): void {
  if (typeof body.type !== 'string') return;
  const file = path.resolve(__dirname, `../../schema/webhooks/${body.type}.json`);
  const validate =
    ajv.getSchema(body.type) ??
    ajv.addSchema(JSON.parse(readFileSync(file, 'utf8')), body.type).getSchema(body.type)!;
  if (!validate(body))
    throw new Error(`${body.type}: ${ajv.errorsText(validate.errors)} ${JSON.stringify(body)}`);
}

/** A receiver of the studio: what it answers to a path is its manner there. */
class Receiver {
  readonly requests: Request[] = [];
  readonly manners = new Map<string, (response: ServerResponse, request: Request) => void>();
  readonly #server: Server;

  constructor() {
    this.#server = createServer((incoming, response) => {
      let text = '';
      incoming.on('data', (part) => {
        text += part;
      });
      incoming.on('end', () => {
        const { headers, url = '/' } = incoming;
        const request = { path: url, headers, text, body: JSON.parse(text || '{}') };
        this.requests.push(request);
        const answer = this.manners.get(url) ?? ((to) => to.writeHead(204).end());
        answer(response, request);
      });
    });
  }

  async listen(): Promise<void> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
  }

  url(path: string): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}${path}`;
  }

  of(path: string): Request[] {
    return this.requests.filter((request) => request.path === path);
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }
}

const LOCAL = { webhookAllowHttp: true, webhookAllowNetworks: ['127.0.0.0/8'] };

let app: TestApp;
let receiver: Receiver;
let studio: Studio;
let game: Data;
beforeAll(async () => {
  receiver = new Receiver();
  await receiver.listen();
  app = await startApp(LOCAL);
  studio = await makeStudio(app);
  game = await makeGame(studio);
});
afterAll(async () => {
  await app.close();
  await receiver.close();
});
// Each test has its own endpoints.
afterEach(async () => {
  await app.database.knex('webhook_endpoints').update({ deleted_at: new Date(app.clock.now()) });
  for (const { body } of receiver.requests.splice(0)) holdToSchema(body);
  await app.database.knex('webhook_deliveries').delete();
  await app.database.knex('webhook_events').delete();
});

const patch = (caller: Caller, path: string, body: Data) =>
  send(caller.url + path, {
    method: 'PATCH',
    headers: { 'content-type': 'application/json', ...caller.headers },
    body: JSON.stringify(body),
  });

let serial = 0;
/** An endpoint at a path of its own. */
async function listening(input: Data = {}, of = studio): Promise<Data & { path: string }> {
  serial += 1;
  // What happened before is older than it.
  app.clock.advance(1);
  const path = `/hook${serial}`;
  const { status, body } = await of.admin.post('/v1/webhook-endpoints', {
    account_id: of.accountId,
    name: `Endpoint ${serial}`,
    url: receiver.url(path),
    events: ['board.closed'],
    ...input,
  });
  if (status !== 201) throw new Error(JSON.stringify(body));
  return { ...body, path };
}

const run = (job: string) => app.app.jobs.run(job);
const rows = (endpoint: Data): Promise<Data[]> =>
  app.database
    .knex('webhook_deliveries')
    .where('endpoint_id', endpoint.id.slice(4))
    .orderBy('created_at')
    .orderBy('number')
    .orderBy('id');
const endpointRow = (endpoint: Data): Promise<Data> =>
  app.database.knex('webhook_endpoints').where('id', endpoint.id.slice(4)).first();

/** Sends all that is due: until nothing is being sent and nothing due waits that could be sent. */
async function sent(): Promise<void> {
  await run('send-webhooks');
  const now = () => new Date(app.clock.now());
  const open = () =>
    app.database.knex.raw<{ rows: object[] }>(
      `select from webhook_deliveries d join webhook_endpoints e on e.id = d.endpoint_id join accounts a on a.id = e.account_id
       where d.status = 'sending' or (d.status = 'queued' and d.due_at <= ? and e.status = 'active' and a.status = 'active'
         and (e.open_until is null or e.open_until <= ?)) limit 1`,
      [now(), now()],
    );
  await until(
    async () => {
      if ((await open()).rows.length === 0) return true;
      await run('send-webhooks');
      return false;
    },
    50,
    'deliveries to be sent',
  );
}

async function delivered(endpoint: Data & { path: string }): Promise<Data[]> {
  await openOnesEnded(app);
  await run('dispatch-webhooks');
  await sent();
  return receiver.of(endpoint.path).map(({ body }) => body);
}

/** They arrive in any order. */
const byTypes = (events: Data[]) =>
  events.toSorted(
    (a, b) => a.type.localeCompare(b.type) || Number(a.data.undone ?? 0) - Number(b.data.undone ?? 0),
  );

const typesOf = (events: Data[]) => events.map(({ type }) => type);

/** Closes a board, which is one event. */
async function closedBoard(of = studio, on = game): Promise<Data> {
  const board = await makeBoard(of, on.id);
  await change(of.admin, 'Board', board.id, { isActive: false });
  return board;
}

describe('events', () => {
  test('a board that is closed has podium and total, and the version it is told with', async () => {
    const endpoint = await listening();
    const board = await makeBoard(studio, game.id, { name: 'Cup', format: { kind: 'TIME', decimals: 1 } });
    for (const [n, value] of [30, 50, 10, 40].entries()) {
      await play(studio.admin, board.id, await makePlayer(studio.admin, game.id, `cup ${n}`), value, {
        playerName: `P${n}`,
      });
    }
    await change(studio.admin, 'Board', board.id, { isActive: false });
    const [event, ...more] = await delivered(endpoint);
    expect(more).toEqual([]);
    expect(event).toEqual({
      id: expect.stringMatching(/^dlv_/),
      type: 'board.closed',
      version: 1,
      timestamp: new Date(app.clock.now()).toISOString(),
      account_id: studio.accountId,
      game_id: game.id,
      board_id: board.id,
      epoch: expect.any(String),
      data: {
        board: { id: board.id, name: 'Cup', slug: board.slug, seq: 4, version: expect.any(Number) },
        reason: 'closed',
        starts_at: null,
        ends_at: null,
        podium: [
          {
            rank: 1,
            score_id: expect.stringMatching(/^scr_/),
            player: { id: expect.any(String), name: 'P1' },
            value: 50,
            value_text: '0:50.0',
          },
          expect.objectContaining({ rank: 2, value: 40 }),
          expect.objectContaining({ rank: 3, value: 30 }),
        ],
        total: 4,
      },
    });
  });

  test('boards are reported when they open, once, and before they end', async () => {
    const endpoint = await listening({
      events: ['board.opened', 'board.closing', 'board.closed'],
      closing_minutes: 30,
    });
    const at = (ms: number) => new Date(app.clock.now() + ms).toISOString();
    const board = await makeBoard(studio, game.id, { startsAt: at(HOUR), endsAt: at(3 * HOUR) });
    await makeBoard(studio, game.id, { isActive: false });
    expect(await delivered(endpoint)).toEqual([]);
    app.clock.advance(HOUR);
    expect(typesOf(await delivered(endpoint))).toEqual(['board.opened']);
    await change(studio.admin, 'Board', board.id, { isActive: false });
    await change(studio.admin, 'Board', board.id, { isActive: true });
    expect(typesOf(await delivered(endpoint))).toEqual(['board.opened', 'board.closed']);
    app.clock.advance(HOUR + 31 * MINUTE);
    await delivered(endpoint);
    const [, , closing, ...more] = await delivered(endpoint);
    expect(more).toEqual([]);
    expect(closing).toMatchObject({ type: 'board.closing', data: { ends_at: at(29 * MINUTE) } });
    // Another end is reported in advance again.
    await change(studio.admin, 'Board', board.id, { endsAt: at(20 * MINUTE) });
    expect(typesOf(await delivered(endpoint)).slice(3)).toEqual(['board.closing']);
    app.clock.advance(20 * MINUTE);
    await run('expire-boards');
    const last = (await delivered(endpoint)).at(-1);
    expect(last).toMatchObject({ type: 'board.closed', data: { reason: 'ended', podium: [], total: 0 } });
  });

  test('a board that was not open when it was to open is not reported; one made before the endpoint is', async () => {
    const starts = new Date(app.clock.now() + HOUR).toISOString();
    const early = await makeBoard(studio, game.id, { startsAt: starts });
    const endpoint = await listening({ events: ['board.opened'] });
    const other = await makeBoard(studio, game.id, { startsAt: starts });
    await change(studio.admin, 'Board', other.id, { isActive: false });
    app.clock.advance(HOUR);
    expect((await delivered(endpoint)).map(({ board_id }) => board_id)).toEqual([early.id]);
    // One that opened and was closed at once did open.
    const short = await closedBoard();
    expect((await delivered(endpoint)).map(({ board_id }) => board_id)).toEqual([early.id, short.id]);
  });

  test('a new leader is reported once in the span, and at rest the leader last reported is the leader', async () => {
    const board = await makeBoard(studio, game.id);
    const old = await makeBoard(studio, game.id);
    const [ann, bob] = [
      await makePlayer(studio.admin, game.id, 'lead a'),
      await makePlayer(studio.admin, game.id, 'lead b'),
    ];
    await play(studio.admin, old.id, ann, 5);
    app.clock.advance(SECOND);
    const endpoint = await listening({
      events: ['board.leader_changed'],
      leader_seconds: 60,
      game_ids: [game.id],
    });
    app.clock.advance(SECOND);
    const fresh = await makeBoard(studio, game.id);
    await play(studio.admin, fresh.id, ann, 5, { playerName: 'Ann' });
    // Of boards that are older, the leader they have is known.
    let events = await delivered(endpoint);
    expect(events).toMatchObject([
      {
        board_id: fresh.id,
        is_test: false,
        data: { leader: { player: { id: ann, name: 'Ann' }, value: 5 }, previous: null },
      },
    ]);
    await play(studio.admin, fresh.id, bob, 7);
    await play(studio.admin, old.id, bob, 7);
    events = await delivered(endpoint);
    expect(events.slice(1)).toMatchObject([
      { board_id: old.id, data: { leader: { player: { id: bob } }, previous: { player: { id: ann } } } },
    ]);
    await play(studio.admin, fresh.id, ann, 9);
    app.clock.advance(MINUTE);
    // It is Ann again: nothing to tell.
    expect(await delivered(endpoint)).toHaveLength(2);
    await play(studio.admin, fresh.id, bob, 11);
    events = await delivered(endpoint);
    expect(events.slice(2)).toMatchObject([
      { board_id: fresh.id, data: { leader: { player: { id: bob }, value: 11 } } },
    ]);
    await change(studio.admin, 'Identity', bob, { deleted: true });
    await change(studio.admin, 'Identity', ann, { deleted: true });
    app.clock.advance(MINUTE);
    const gone = (await delivered(endpoint)).slice(3);
    expect(gone.map(({ board_id, data }) => [board_id, data.leader])).toEqual(
      expect.arrayContaining([
        [fresh.id, null],
        [old.id, null],
      ]),
    );
    expect(board).toBeDefined();
  });

  test('populations are told apart', async () => {
    const [real, tests] = [
      await listening({ events: ['board.leader_changed'] }),
      await listening({ events: ['board.leader_changed'], population: 'test' }),
    ];
    app.clock.advance(SECOND);
    const board = await makeBoard(studio, game.id);
    const player = await makePlayer(studio.admin, game.id, `population ${serial}`);
    await play(studio.admin, board.id, player, 5, { isTest: true });
    expect(await delivered(real)).toEqual([]);
    expect(await delivered(tests)).toMatchObject([{ is_test: true, board_id: board.id }]);
  });

  test('players among the first are reported as overtaken, those behind and those who left are not', async () => {
    const endpoint = await listening({ events: ['player.overtaken'], overtaken_top: 2, leader_seconds: 10 });
    app.clock.advance(SECOND);
    const board = await makeBoard(studio, game.id);
    const [a, b, c] = await Promise.all(
      ['a', 'b', 'c'].map((n) => makePlayer(studio.admin, game.id, `over ${serial} ${n}`)),
    );
    await play(studio.admin, board.id, a!, 30);
    await play(studio.admin, board.id, b!, 20);
    await play(studio.admin, board.id, c!, 10);
    expect(await delivered(endpoint)).toEqual([]);
    await play(studio.admin, board.id, c!, 25);
    const [event, ...more] = await delivered(endpoint);
    expect(more).toEqual([]);
    expect(event).toMatchObject({
      type: 'player.overtaken',
      data: {
        overtaken: { player: { id: b }, rank: 3, previous_rank: 2 },
        by: { player: { id: c }, rank: 2, value: 25 },
      },
    });
  });

  test('players are reported as overtaken by friends at any rank, as a model of their lists says', async () => {
    const endpoint = await listening({
      ...{ events: ['player.overtaken'], overtaken_by: 'friends', overtaken_top: 1, leader_seconds: 10 },
    });
    app.clock.advance(SECOND);
    const board = await makeBoard(studio, game.id, { keepStrategy: 'LAST' });
    const players: string[] = [];
    for (let n = 0; n < 6; n += 1)
      players.push(await makePlayer(studio.admin, game.id, `friend ${serial} ${n}`));
    const lists = new Map(
      players.map((id, n) => [id, players.filter((_, m) => m !== n && (m * n + m) % 3 !== 0)]),
    );
    for (const [id, ids] of lists) await patch(studio.admin, `/v1/identities/${id}/friends`, { ids });
    const values = new Map<string, number>();
    const order = () =>
      players.filter((id) => values.has(id)).toSorted((a, b) => values.get(b)! - values.get(a)!);
    await run('dispatch-webhooks');
    let reported = 0;
    for (let round = 0; round < 8; round += 1) {
      const before = order();
      const movers = new Set<string>();
      for (let n = 0; n < 3; n += 1) {
        const player = players[Math.floor(Math.random() * players.length)]!;
        const value = Math.random();
        await play(studio.admin, board.id, player, value);
        values.set(player, value);
        movers.add(player);
      }
      const after = order();
      const placeBefore = (id: string) => (before.includes(id) ? before.indexOf(id) : players.length);
      const passed = before.flatMap((id) => {
        const by = after
          .slice(0, after.indexOf(id))
          .find(
            (other) =>
              movers.has(other) && lists.get(id)!.includes(other) && placeBefore(other) > placeBefore(id),
          );
        const ranks = { rank: after.indexOf(id) + 1, previous_rank: before.indexOf(id) + 1 };
        return by ? [{ id, ...ranks, by, by_rank: after.indexOf(by) + 1, value: values.get(by) }] : [];
      });
      receiver.requests.splice(0).map(({ body }) => holdToSchema(body));
      app.clock.advance(10 * SECOND);
      const told = (await delivered(endpoint)).map(({ data: { overtaken, by } }) => ({
        ...{ id: overtaken.player.id, rank: overtaken.rank, previous_rank: overtaken.previous_rank },
        ...{ by: by.player.id, by_rank: by.rank, value: by.value },
      }));
      const byRank = (a: { rank: number }, b: { rank: number }) => a.rank - b.rank;
      expect(told.toSorted(byRank)).toEqual(passed.toSorted(byRank));
      reported += told.length;
    }
    expect(reported).toBeGreaterThan(0);
  });

  test('a board that changed is compared soon, without the job', async () => {
    const endpoint = await listening({ events: ['board.leader_changed', 'score.flagged'] });
    const board = await makeBoard(studio, game.id);
    const { changes } = app.app;
    const dispatch = {
      ...{ pool: app.database.pool, isOn: true, logDays: 14 },
      recordings: new RecordingAddresses({ keySecret: 'unused' }),
    };
    const watch = new BoardWatch({
      ...{ database: app.database, clock: app.clock.now, log: makeLog('fatal'), changes },
      dispatch,
    });
    try {
      watch.start();
      await until(async () => {
        serial += 1;
        // Also until it has seen that somebody asks.
        await flag(
          studio.admin,
          await play(studio.admin, board.id, await makePlayer(studio.admin, game.id, `w${serial}`), serial),
          {},
        );
        const types = new Set((await rows(endpoint)).map(({ type }) => type));
        return types.size === 2;
      }, 200);
    } finally {
      await watch.close();
    }
  });

  test('flags, reviews, bans and erasures', async () => {
    const endpoint = await listening({
      events: ['score.flagged', 'score.reviewed', 'runs.reviewed', 'device.banned', 'player.erased'],
    });
    const board = await makeBoard(studio, game.id);
    const player = await makePlayer(studio.admin, game.id, `flagged ${serial}`);
    const run1 = await play(studio.admin, board.id, player, 5);
    const raised = await flag(studio.admin, run1, {});
    let events = await delivered(endpoint);
    expect(events).toMatchObject([
      {
        type: 'score.flagged',
        board_id: board.id,
        data: {
          flag_id: raised.id,
          score_event_id: run1,
          player: { id: player },
          flag_type: 'manual',
          value: 5,
        },
      },
    ]);
    // A second look finds nothing new.
    expect(await delivered(endpoint)).toHaveLength(1);
    await review(studio.admin, raised.id, { status: 'CONFIRMED_CHEAT' });
    await review(studio.admin, raised.id, { reviewerDecision: 'A note alone.' });
    const { review: runs } = await reviewRuns(studio.admin, { identityId: player, decision: 'DISMISSED' });
    await undo(studio.admin, runs.id);
    await studio.admin.post(`/v1/identities/${player}/erase`, { scores: 'keep' });
    events = byTypes((await delivered(endpoint)).slice(1));
    expect(events).toMatchObject([
      { type: 'player.erased', data: { player: { id: player }, scores: 'keep' } },
      {
        type: 'runs.reviewed',
        data: { review_id: runs.id, decision: 'dismissed', undone: false, boards: [board.id] },
      },
      { type: 'runs.reviewed', data: { review_id: runs.id, undone: true } },
      {
        type: 'score.reviewed',
        data: { flag_id: raised.id, status: 'confirmed_cheat', previous_status: 'pending' },
      },
    ]);
    expect(events[0]?.data.player).toEqual({ id: player });
  });

  test('proofs of players, each account once', async () => {
    const endpoint = await listening({ events: ['player.proven'] });
    await makeLogin(studio, game.id);
    const guest = await startSession(app, game.id);
    const prove = async (sub: string) =>
      guest.client.data(
        'mutation ($input: AddPlayerProofInput!) { addPlayerProof(input: $input) { identity { id } } }',
        {
          input: {
            ...{ provider: 'login', token: ownToken(sub, app.clock.now()) },
            nonce: await takeNonce(guest.client),
          },
        },
      );
    await prove('ann');
    await prove('ann');
    expect(byTypes(await delivered(endpoint))).toMatchObject([
      {
        type: 'player.proven',
        data: { player: { id: guest.session.identityId }, provider: 'login', kind: 'signed' },
      },
    ]);
  });

  test('merges of players and their undos', async () => {
    const endpoint = await listening({ events: ['player.merged', 'player.unmerged'] });
    const [source_id, target_id] = await Promise.all(
      ['source', 'target'].map((key) => makePlayer(studio.admin, game.id, `${key} ${serial}`)),
    );
    const { body } = await studio.admin.post('/v1/player-merges', { source_id, target_id });
    await studio.admin.patch(`/v1/player-merges/${body.merge.id}`, { undone: true });
    const data = { merge_id: body.merge.id, source_id, target_id };
    expect(byTypes(await delivered(endpoint))).toMatchObject([
      { type: 'player.merged', game_id: game.id, data },
      { type: 'player.unmerged', data },
    ]);
  });

  test('held runs, bans and imports', async () => {
    const endpoint = await listening({ events: ['score.held', 'device.banned', 'import.finished'] });
    const board = await makeBoard(studio, game.id, { holdTop: 3, keepStrategy: 'BEST' });
    const device = await startSession(app, game.id);
    for (const value of [1, 2]) await submit(device, board.id, value);
    const [raised] = await app.database.knex('score_flags').where('board_id', board.id.slice(4));
    await change(studio.admin, 'Device', device.session.deviceId, { status: 'BANNED' });
    // Banned already.
    await change(studio.admin, 'Device', device.session.deviceId, { status: 'BANNED' });
    const done = await new ImportClient(() => studio.admin).bringIn(board.id, [
      'external_key,value\na,9\nb,8\n',
    ]);
    const events = byTypes(await delivered(endpoint));
    expect(events).toMatchObject([
      { type: 'device.banned', data: { device_id: device.session.deviceId, review_id: null } },
      {
        ...{ type: 'import.finished', board_id: board.id },
        data: { import_id: done.id, rows: 2, written: 2, skipped: 0, refused: 0 },
      },
      {
        ...{ type: 'score.held', board_id: board.id, is_test: false },
        data: { score_event_id: `sev_${raised.event_id}`, value: 2, rank: 1 },
      },
    ]);
  });

  test('keys, people and templates', async () => {
    const endpoint = await listening({
      events: ['key.created', 'key.revoked', 'user.invited', 'template.failed'],
    });
    const user = await makeUser(app.superadmin, studio.accountId);
    const made = await studio.admin.post('/v1/api-keys', {
      account_id: studio.accountId,
      user_id: user.id,
      name: 'Build',
    });
    await patch(studio.admin, `/v1/api-keys/${made.body.id}`, { status: 'revoked' });
    await patch(studio.admin, `/v1/api-keys/${made.body.id}`, { deleted: true });
    await studio.admin.post('/register/invite', { email: `guest${serial}@example.com` });
    await makeTemplate(studio, game.id, {
      name: 'Broken',
      nextRunAt: new Date(app.clock.now()).toISOString(),
      endsAt: new Date(app.clock.now() + 1).toISOString(),
    });
    app.clock.advance(MINUTE);
    await run('run-board-templates');
    const events = byTypes(await delivered(endpoint));
    expect(events).toMatchObject([
      { type: 'key.created', data: { key_id: made.body.id, user_id: user.id, name: 'Build' } },
      { type: 'key.revoked', data: { key_id: made.body.id } },
      { type: 'template.failed', data: { name: 'Broken', failures: 1 } },
      { type: 'user.invited', data: { user_id: expect.stringMatching(/^usr_/) } },
    ]);
    expect(JSON.stringify(events)).not.toContain(made.body.key);
  });

  test('alerts of a board and of a game', async () => {
    const endpoint = await listening({ events: ['alert.raised'] });
    const board = await makeBoard(studio, game.id);
    const of = { account: uuidOf(studio.accountId), game: uuidOf(game.id) };
    const now = new Date(app.clock.now());
    const jump = { ...of, board: uuidOf(board.id), kind: 'median_jump' as const, metadata: { median: 1 } };
    const burst = { ...of, board: null, kind: 'new_players' as const, metadata: { players: 60, usual: 1 } };
    for (const noticed of [jump, jump, burst]) await raiseAlert(app.database.knex, noticed, now);
    const told = (await delivered(endpoint)).toSorted((a, b) => (a.data.kind < b.data.kind ? -1 : 1));
    expect(told).toMatchObject([
      { type: 'alert.raised', board_id: board.id, data: { board: { id: board.id }, kind: 'median_jump' } },
      { type: 'alert.raised', game_id: game.id, data: { kind: 'new_players', metadata: burst.metadata } },
    ]);
    expect(told[0]!.data.alert_id).toMatch(/^alr_/);
  });

  test('rewards: granted in messages of at most 100, claimed, expired, revoked, each told once', async () => {
    const types = ['reward.granted', 'reward.claimed', 'reward.expired', 'reward.revoked'];
    const prizes = {
      expiresDays: 1,
      lines: [
        { name: 'gold', title: 'Gold', grant: { gems: 5 }, firstRank: 1 },
        { name: 'all', title: 'Thanks' },
      ],
    };
    const [unheard, board] = await Promise.all(
      [0, 1].map(() => makeBoard(studio, game.id, { closingRules: [{ prizes }] })),
    );
    const [me, tester] = [
      await startSession(app, game.id),
      await startSession(app, game.id, { testMode: true }),
    ];
    const closed = async ({ id }: Data) => {
      const caller = studio.admin.data.bind(studio.admin);
      await caller('mutation ($input: CloseBoardInput!) { closeBoard(input: $input) { board { id } } }', {
        input: { id },
      });
      await run('close-rankings');
    };
    await submit(me, unheard!.id, 5);
    await closed(unheard!);
    expect(await app.database.knex('webhook_events')).toEqual([]);
    const [endpoint, tests, other] = [
      await listening({ events: ['ranking.closed', ...types], board_ids: [board!.id], ordered: true }),
      await listening({ events: types, population: 'test' }),
      await listening({ events: ['ranking.closed'] }),
    ];
    const crowd = await makeCrowd(app.database, studio.accountId, game.id, 109);
    await crowdPlays(app.database, board!.id, crowd, 1);
    await submit(me, board!.id, 1_000, { playerName: 'Mia' });
    await submit(tester, board!.id, 1_000);
    await closed(board!);
    await run('close-rankings');
    let events = await delivered(endpoint);
    expect(typesOf(events)).toEqual(['ranking.closed', 'reward.granted', 'reward.granted']);
    const granted = events.slice(1).flatMap(({ data }) => data.rewards as Data[]);
    expect(
      events
        .slice(1)
        .map(({ data }) => data.rewards.length)
        .toSorted(),
    ).toEqual([100, 11]);
    expect(new Set(granted.map(({ reward_id: id }) => id)).size).toBe(111);
    const [mine, gold] = granted
      .filter(({ rank }) => rank === 1)
      .toSorted((a, b) => (a.line < b.line ? -1 : 1));
    const first = events.find(({ data }) => data.rewards?.some(({ rank }: Data) => rank === 1))!;
    expect(first).toMatchObject({
      ...{ board_id: board!.id, game_id: game.id, is_test: false },
      data: {
        closing_id: events[0]!.data.closing_id,
        view: null,
        lines: [
          { ...prizes.lines[0], picture_url: null },
          { name: 'all', grant: {} },
        ].map(({ firstRank: _, ...line }: Data) => line),
      },
    });
    expect(gold).toEqual({
      ...{
        reward_id: expect.stringMatching(/^rwd_/),
        line: 'gold',
        rank: 1,
        shared_by: null,
        status: 'open',
      },
      player: { id: me.session.identityId, name: 'Mia' },
      expires_at: new Date(app.clock.now() + DAY).toISOString(),
    });
    expect(await delivered(tests)).toMatchObject([
      { is_test: true, data: { rewards: [{ line: 'all' }, { line: 'gold' }] } },
    ]);
    expect(typesOf(await delivered(other))).toEqual(['ranking.closed']);
    const { knex } = app.database;
    const report = (type: string, ids: string[]) =>
      knex.raw('select report_rewards(?, ?, ?)', [
        type,
        ids.map((id) => id.slice(4)),
        new Date(app.clock.now()),
      ]);
    // A range that is granted again, as after a restored backup.
    await report('reward.granted', [mine!.reward_id, gold!.reward_id]);

    for (let n = 0; n < 2; n += 1) {
      await me.client.data(
        'mutation ($input: ClaimRewardInput!) { claimReward(input: $input) { reward { id } } }',
        { input: { id: gold!.reward_id, nonce: await takeNonce(me.client) } },
      );
    }
    events = (await delivered(endpoint)).slice(3);
    expect(events).toMatchObject([
      { type: 'reward.claimed', data: { rewards: [{ reward_id: gold!.reward_id, status: 'claimed' }] } },
    ]);
    app.clock.advance(DAY);
    await run('close-rankings');
    events = (await delivered(endpoint)).slice(4);
    expect(events.map(({ type, data }) => [type, data.rewards.length]).toSorted()).toEqual([
      ['reward.expired', 10],
      ['reward.expired', 100],
    ]);
    const ids = (rows: Data[]) => rows.map(({ reward_id: id }) => id).toSorted();
    expect(ids(events.flatMap(({ data }) => data.rewards))).toEqual(
      ids(granted.filter(({ reward_id: id }) => id !== gold!.reward_id)),
    );
    await report('reward.revoked', [gold!.reward_id]);
    await report('reward.revoked', [gold!.reward_id]);
    expect(typesOf((await delivered(endpoint)).slice(6))).toEqual(['reward.revoked']);
    await studio.admin.post(`/v1/identities/${me.session.identityId}/erase`, { scores: 'keep' });
    const stored = JSON.stringify(await knex('webhook_events'));
    expect(stored).toContain(me.session.identityId);
    expect(stored).not.toContain('Mia');
  });

  test('what was rolled back or refused did not happen', async () => {
    const endpoint = await listening({ events: ['key.created', 'board.closed', 'board.opened'] });
    const board = await makeBoard(studio, game.id, { isActive: false });
    const views = [{ name: 'none' }, { name: 'none' }];
    await studio.admin.fault(
      'mutation ($input: UpdateBoardInput!) { updateBoard(input: $input) { board { id } } }',
      { input: { id: board.id, isActive: true, views } },
    );
    expect(await delivered(endpoint)).toEqual([]);
  });

  test('filters of games and boards, and other accounts', async () => {
    const other = await makeGame(studio);
    const stranger = await makeStudio(app);
    const strange = await makeGame(stranger);
    const board = await makeBoard(studio, game.id);
    const [all, ofGame, ofBoard, theirs] = [
      await listening(),
      await listening({ game_ids: [other.id] }),
      await listening({ board_ids: [board.id] }),
      await listening({}, stranger),
    ];
    await change(studio.admin, 'Board', board.id, { isActive: false });
    const second = await closedBoard(studio, other);
    const third = await closedBoard(stranger, strange);
    await delivered(all);
    const boardsOf = (endpoint: { path: string }) =>
      receiver.of(endpoint.path).map(({ body }) => body.board_id);
    expect(boardsOf(all).toSorted()).toEqual([board.id, second.id].toSorted());
    expect(boardsOf(ofGame)).toEqual([second.id]);
    expect(boardsOf(ofBoard)).toEqual([board.id]);
    expect(boardsOf(theirs)).toEqual([third.id]);
  });
});

describe('delivery', () => {
  test('requests are signed by Standard Webhooks, with both secrets while they overlap', async () => {
    const endpoint = await listening();
    await closedBoard();
    await delivered(endpoint);
    const rotated = (
      await studio.admin.post(`/v1/webhook-endpoints/${endpoint.id}/rotate-secret`, { overlap_hours: 1 })
    ).body;
    await closedBoard();
    await delivered(endpoint);
    app.clock.advance(HOUR);
    await closedBoard();
    await delivered(endpoint);
    const [first, second, third] = receiver.of(endpoint.path);
    const verifies = (secret: string, { text, headers }: Request) => {
      // Its tolerance is five minutes around the system's clock.
      const system = jest.spyOn(Date, 'now').mockReturnValue(Number(headers['webhook-timestamp']) * 1_000);
      try {
        return new Webhook(secret).verify(text, headers as Record<string, string>) !== undefined;
      } catch {
        return false;
      } finally {
        system.mockRestore();
      }
    };
    expect([first!, second!, third!].map((request) => verifies(endpoint.secret, request))).toEqual([
      true,
      true,
      false,
    ]);
    expect([first!, second!, third!].map((request) => verifies(rotated.secret, request))).toEqual([
      false,
      true,
      true,
    ]);
    expect(verifies(rotated.secret, { ...second!, text: `${second!.text} ` })).toBe(false);
    expect(first!.headers).toMatchObject({
      'content-type': 'application/json',
      'webhook-id': first!.body.id,
    });
  });

  test('a failure is tried again under its id, with growing pauses for three days', async () => {
    const endpoint = await listening();
    receiver.manners.set(endpoint.path, (response) => response.writeHead(500).end('broken'));
    await closedBoard();
    await delivered(endpoint);
    const began = app.clock.now();
    let pause = 0;
    for (let n = 1; ; n += 1) {
      const [row] = await rows(endpoint);
      expect(row.attempts).toBe(n);
      if (row.status === 'failed') break;
      expect(row).toMatchObject({ status: 'queued', response_status: 500, response_head: null });
      const wait = row.due_at.getTime() - app.clock.now();
      expect(wait).toBeGreaterThan(pause * 0.6);
      pause = wait;
      await app.database.knex('webhook_endpoints').update({ open_until: null });
      app.clock.advance(wait);
      await sent();
      expect(n).toBeLessThan(30);
    }
    expect(app.clock.now() - began).toBeGreaterThanOrEqual(3 * DAY);
    expect(app.clock.now() - began).toBeLessThan(5 * DAY);
    const ids = receiver.of(endpoint.path).map(({ headers }) => headers['webhook-id']);
    expect(new Set(ids).size).toBe(1);
    const times = receiver.of(endpoint.path).map(({ headers }) => Number(headers['webhook-timestamp']));
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    const { body } = await studio.admin.get(`/v1/webhook-deliveries/dlv_${(await rows(endpoint))[0]!.id}`);
    expect(body).toMatchObject({
      status: 'failed',
      last_error: 'It answered 500.',
      request: { type: 'board.closed' },
    });
  });

  test('Retry-After is kept to, seconds up to an hour and dates up to a day, for the whole endpoint', async () => {
    const endpoint = await listening();
    const asks = (text: string) =>
      receiver.manners.set(endpoint.path, (response) =>
        response.writeHead(429, { 'retry-after': text }).end(),
      );
    asks('36.5');
    await closedBoard();
    await delivered(endpoint);
    const [row] = await rows(endpoint);
    expect(row.due_at.getTime() - app.clock.now()).toBe(36_500);
    await closedBoard();
    await delivered(endpoint);
    expect(receiver.of(endpoint.path)).toHaveLength(1);
    const wait = async () =>
      Math.max(...(await rows(endpoint)).map((one) => one.due_at.getTime() - app.clock.now()));
    for (const [text, millis] of [
      ['999999999', HOUR],
      [new Date(app.clock.now() + 3 * HOUR + 36_500).toUTCString(), 2 * HOUR],
      ['Sun, 06 Nov 2094 08:49:37 GMT', DAY],
    ] as const) {
      asks(text);
      app.clock.advance(await wait());
      await sent();
      expect(Math.abs((await wait()) - millis)).toBeLessThan(1_000);
    }
  });

  test('410 disables the endpoint, and tells others and the owner of the account', async () => {
    const [endpoint, other] = [
      await listening({ ordered: true }),
      await listening({ events: ['endpoint.disabled'] }),
    ];
    receiver.manners.set(endpoint.path, (response) => response.writeHead(410).end());
    const board = await makeBoard(studio, game.id);
    await change(studio.admin, 'Board', board.id, { isActive: false });
    await change(studio.admin, 'Board', board.id, { isActive: true });
    await change(studio.admin, 'Board', board.id, { isActive: false });
    await delivered(endpoint);
    await until(async () => (await endpointRow(endpoint)).status === 'disabled');
    expect(await endpointRow(endpoint)).toMatchObject({
      status: 'disabled',
      status_reason: 'It answered 410 Gone.',
    });
    expect((await rows(endpoint)).at(-1)).toMatchObject({
      status: 'failed',
      last_error: 'The endpoint is disabled.',
    });
    await closedBoard();
    expect(await delivered(other)).toMatchObject([
      { data: { endpoint_id: endpoint.id, reason: 'It answered 410 Gone.' } },
    ]);
    expect((await rows(endpoint)).at(-1)).toMatchObject({ status: 'failed', attempts: 0 });
    const mail = await app.database.knex('mails').where({ kind: 'webhook', about: endpoint.id.slice(4) });
    expect(mail).toHaveLength(1);
    // Resumed, everything that failed goes out, in order.
    receiver.manners.delete(endpoint.path);
    receiver.requests.length = 0;
    await patch(studio.admin, `/v1/webhook-endpoints/${endpoint.id}`, { paused: false });
    const again = await studio.admin.post(`/v1/webhook-endpoints/${endpoint.id}/redeliver`, {
      failed_since: new Date(0).toISOString(),
    });
    expect(again.body.count).toBe(3);
    await sent();
    const numbers = receiver.of(endpoint.path).filter(({ body }) => body.board_id === board.id);
    expect(numbers.map(({ body }) => body.number)).toEqual([1, 2]);
  });

  test('an endpoint without a success for five days is disabled', async () => {
    const endpoint = await listening();
    receiver.manners.set(endpoint.path, (response) => response.writeHead(500).end());
    await closedBoard();
    await delivered(endpoint);
    app.clock.advance(5 * DAY);
    await sent();
    await until(async () => (await endpointRow(endpoint)).status === 'disabled');
    expect((await endpointRow(endpoint)).status_reason).toBe('Every request to it failed for five days.');
  });

  test('after five failures in a row an endpoint gets single attempts with pauses; a success ends that', async () => {
    const endpoint = await listening();
    receiver.manners.set(endpoint.path, (response) => response.destroy());
    for (let n = 0; n < 8; n += 1) await closedBoard();
    await delivered(endpoint);
    const { open_until: openUntil, failures } = await endpointRow(endpoint);
    expect(failures).toBeGreaterThanOrEqual(5);
    expect(openUntil.getTime()).toBeGreaterThan(app.clock.now());
    const before = receiver.of(endpoint.path).length;
    await sent();
    expect(receiver.of(endpoint.path)).toHaveLength(before);
    receiver.manners.delete(endpoint.path);
    app.clock.advance(HOUR);
    await sent();
    expect(await endpointRow(endpoint)).toMatchObject({ failures: 0, failing_since: null, open_until: null });
    expect((await rows(endpoint)).every(({ status }) => status === 'delivered')).toBe(true);
  });

  test('with an order, a board waits behind a failure and other boards do not', async () => {
    const endpoint = await listening({ ordered: true });
    const [slow, quick] = [await makeBoard(studio, game.id), await makeBoard(studio, game.id)];
    receiver.manners.set(endpoint.path, (response, { body }) =>
      response.writeHead(body.board_id === slow.id ? 500 : 200).end(),
    );
    const flip = async (board: Data) => {
      await change(studio.admin, 'Board', board.id, { isActive: false });
      await change(studio.admin, 'Board', board.id, { isActive: true });
    };
    for (let n = 0; n < 3; n += 1) {
      await flip(slow);
      await flip(quick);
    }
    await delivered(endpoint);
    const numbersOf = (board: Data) =>
      receiver.of(endpoint.path).flatMap(({ body }) => (body.board_id === board.id ? [body.number] : []));
    expect(numbersOf(slow)).toEqual([1]);
    expect(numbersOf(quick)).toEqual([1, 2, 3]);
    expect((await rows(endpoint)).filter(({ status }) => status === 'blocked')).toHaveLength(2);
    receiver.manners.delete(endpoint.path);
    app.clock.advance(MINUTE);
    await sent();
    expect(numbersOf(slow)).toEqual([1, 1, 2, 3]);
    await flip(slow);
    expect(await delivered(endpoint)).toHaveLength(8);
    expect(numbersOf(slow).at(-1)).toBe(4);
  });

  test('a delivery that is dispatched while the one before it is settled does not wait for it', async () => {
    const endpoint = await listening({ ordered: true });
    const board = await closedBoard();
    await run('dispatch-webhooks');
    await change(studio.admin, 'Board', board.id, { isActive: true });
    await change(studio.admin, 'Board', board.id, { isActive: false });
    const { knex } = app.database;
    const dispatching = await knex.transaction(async (settling) => {
      await settling('webhook_boards')
        .where({ endpoint_id: endpoint.id.slice(4) })
        .forUpdate()
        .first();
      const dispatched = run('dispatch-webhooks');
      const waiting =
        "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
      await until(async () => (await knex.raw(waiting)).rows.length > 0);
      await settling('webhook_deliveries').update({
        status: 'delivered',
        settled_at: new Date(app.clock.now()),
      });
      return { dispatched };
    });
    await dispatching.dispatched;
    expect((await rows(endpoint)).map(({ status }) => status)).toEqual(['delivered', 'queued']);
  });

  test('a delivery whose sender was killed is taken again when its lease ends', async () => {
    const endpoint = await listening();
    await closedBoard();
    await run('dispatch-webhooks');
    const due = new Date(app.clock.now() + 45 * SECOND);
    await app.database
      .knex('webhook_deliveries')
      .update({ status: 'sending', attempts: 1, due_at: due, first_attempt_at: new Date(app.clock.now()) });
    await run('send-webhooks');
    expect(receiver.of(endpoint.path)).toEqual([]);
    app.clock.advance(45 * SECOND);
    await sent();
    expect((await rows(endpoint))[0]).toMatchObject({ status: 'delivered', attempts: 2 });
  });

  test('redirects, loopback without permission and other private networks are refused', async () => {
    const [moved, link, none] = [
      await listening(),
      await listening({ url: 'http://169.254.169.254/latest' }),
      await listening({ url: 'http://nobody.invalid/latest' }),
    ];
    receiver.manners.set(moved.path, (response) =>
      response.writeHead(302, { location: receiver.url('/secret') }).end(),
    );
    await closedBoard();
    await delivered(moved);
    expect(receiver.of('/secret')).toEqual([]);
    expect((await rows(moved))[0]).toMatchObject({
      last_error: 'It redirected (302). Redirects are not followed.',
    });
    expect((await rows(link))[0]).toMatchObject({ status: 'queued', response_status: null });
    // It reads as a name that does not exist.
    const textOf = async (endpoint: Data) => (await rows(endpoint))[0]!.last_error.replace(/^\S+/, '');
    expect(await textOf(link)).toBe(await textOf(none));
  });

  test('a suspended account keeps its deliveries, a deleted one loses them, and a paused endpoint waits', async () => {
    const own = await makeStudio(app);
    const ownGame = await makeGame(own);
    const [endpoint, paused] = [await listening({}, own), await listening({}, own)];
    await patch(own.admin, `/v1/webhook-endpoints/${paused.id}`, { paused: true });
    expect((await own.admin.post(`/v1/webhook-endpoints/${paused.id}/test`, {})).body.code).toBe(
      'INVALID_TRANSITION',
    );
    await closedBoard(own, ownGame);
    await patch(app.superadmin, `/v1/accounts/${own.accountId}`, { status: 'suspended' });
    expect(await delivered(endpoint)).toEqual([]);
    expect((await rows(endpoint))[0]).toMatchObject({ status: 'queued', attempts: 0 });
    await patch(app.superadmin, `/v1/accounts/${own.accountId}`, { status: 'active' });
    expect(await delivered(endpoint)).toHaveLength(1);
    expect(receiver.of(paused.path)).toEqual([]);
    await patch(app.superadmin, `/v1/accounts/${own.accountId}`, { deleted: true });
    await run('dispatch-webhooks');
    expect((await rows(paused))[0]).toMatchObject({
      status: 'failed',
      last_error: 'The account was deleted.',
    });
  });

  test('a test is sent on request; the log pages, filters and sends again', async () => {
    const endpoint = await listening();
    const tested = await studio.admin.post(`/v1/webhook-endpoints/${endpoint.id}/test`, {});
    expect(tested.body).toMatchObject({
      type: 'endpoint.test',
      status: 'queued',
      request: { data: { name: endpoint.name } },
    });
    await sent();
    expect(receiver.of(endpoint.path)).toMatchObject([
      { body: { id: tested.body.id, type: 'endpoint.test' } },
    ]);
    await closedBoard();
    await delivered(endpoint);
    const log = await studio.admin.get(
      `/v1/webhook-endpoints/${endpoint.id}/deliveries?status=delivered&limit=1`,
    );
    expect(log.body).toMatchObject({
      data: [{ status: 'delivered', attempts: 1, response_status: 204 }],
      pagination: { has_next: true },
    });
    const { webhookEndpoint } = await studio.admin.data(
      'query ($id: ID!) { webhookEndpoint(id: $id) { deliveries(filter: { status: DELIVERED }) { nodes { id type endpoint { id } } } } }',
      { id: endpoint.id },
    );
    expect(webhookEndpoint.deliveries.nodes).toMatchObject([
      { type: 'endpoint.test', endpoint: { id: endpoint.id } },
      { type: 'board.closed' },
    ]);
    const path = `/v1/webhook-endpoints/${endpoint.id}/redeliver`;
    expect((await studio.admin.post(path, { ids: [tested.body.id] })).body).toEqual({ count: 1 });
    await sent();
    expect(
      receiver
        .of(endpoint.path)
        .map(({ body }) => body.id)
        .filter((id) => id === tested.body.id),
    ).toHaveLength(2);
    const span = {
      created_after: new Date(0).toISOString(),
      created_before: new Date(app.clock.now() + 1).toISOString(),
    };
    expect((await studio.admin.post(path, span)).body).toEqual({ count: 2 });
    for (const wrong of [
      {},
      { ids: [tested.body.id], failed_since: span.created_after },
      { created_after: span.created_after },
    ]) {
      expect((await studio.admin.post(path, wrong)).status).toBe(422);
    }
    app.clock.advance(30 * DAY + 1);
    await run('tidy-webhooks');
    expect(await rows(endpoint)).toEqual([]);
    expect(await app.database.knex('webhook_events')).toEqual([]);
  });

  test('chat formats escape names and mention nobody', async () => {
    const [discord, slack] = [
      await listening({ format: 'discord', events: ['board.leader_changed'] }),
      await listening({ format: 'slack', events: ['board.leader_changed'] }),
    ];
    app.clock.advance(SECOND);
    const board = await makeBoard(studio, game.id, { name: '**Cup**' });
    const player = await makePlayer(studio.admin, game.id, `chat ${serial}`);
    await play(studio.admin, board.id, player, 5, { playerName: '@everyone <!here> [x](https://e.vil)' });
    const [message] = await delivered(discord);
    expect(message.allowed_mentions).toEqual({ parse: [] });
    expect(message.content).not.toMatch(/@everyone|(?<!\\)[<[*]|https:\/\//);
    const [{ text }] = receiver.of(slack.path).map(({ body }) => body) as [Data];
    expect(text).not.toMatch(/[<>]|@everyone|https:\/\//);
    expect(text).toContain('&lt;!here&gt;');
    expect(receiver.of(discord.path)[0]!.headers).not.toHaveProperty('webhook-signature');
    const closed = { board: { name: 'Cup' }, view: 'weekly', period: '2026-W48', total: 1, podium: [] };
    expect(chatBody('discord', 'ranking.closed', closed)).toMatchObject({
      content: 'The places of Cup \\(weekly, 2026\\-W48\\) are fixed. 1 player.',
    });
    const gold = { name: 'gold', title: 'Gold <3' };
    const rewards = [{ line: 'gold', player: { name: '@everyone' } }];
    expect(chatBody('slack', 'reward.claimed', { ...closed, lines: [gold], rewards })).toMatchObject({
      text: 'A reward of Cup (weekly, 2026-W48) was claimed: Gold &lt;3, @\u200beveryone.',
    });
    expect(
      chatBody('slack', 'reward.granted', { ...closed, lines: [gold], rewards: [...rewards, ...rewards] }),
    ).toMatchObject({ text: '2 rewards of Cup (weekly, 2026-W48) were granted.' });
  });

  test('an erased player is erased in what is stored, and the export of a player has it', async () => {
    const endpoint = await listening();
    const board = await makeBoard(studio, game.id);
    const player = await makePlayer(studio.admin, game.id, `erased ${serial}`);
    await play(studio.admin, board.id, player, 5, { playerName: 'Secret Name' });
    await change(studio.admin, 'Board', board.id, { isActive: false });
    await delivered(endpoint);
    expect(receiver.of(endpoint.path)[0]!.text).toContain('Secret Name');
    const exported = await studio.admin.get(`/v1/identities/${player}/export`);
    expect(exported.body).toContain('"record":"webhook_event"');
    await studio.admin.post(`/v1/identities/${player}/erase`, { scores: 'keep' });
    const stored = await app.database.knex('webhook_events');
    expect(JSON.stringify(stored)).not.toContain('Secret Name');
    expect(JSON.stringify(stored)).toContain('deleted player');
    await studio.admin.post(`/v1/webhook-endpoints/${endpoint.id}/redeliver`, {
      failed_since: null,
      ids: [receiver.of(endpoint.path)[0]!.body.id],
    });
    await sent();
    expect(receiver.of(endpoint.path)[1]!.body.data.podium[0].player.name).toBe('deleted player');
  });

  test('the first 2 KiB of an answer are stored only where private networks are not allowed', async () => {
    const endpoint = await listening();
    receiver.manners.set(endpoint.path, (response) => response.writeHead(200).end('x'.repeat(5_000)));
    await closedBoard();
    await delivered(endpoint);
    const seal = new Seal('a secret', 'secrets of webhooks');
    const { id } = endpoint;
    const sealedSecret = seal.close(id, String(endpoint.secret));
    const kept = await attempt(
      {
        ...{ fetch: async () => new Response(`\0${'y'.repeat(5_000)}`), seal },
        ...{ clock: () => app.clock.now(), keepsAnswers: true },
      },
      { id, url: endpoint.url, format: 'json', sealedSecret } as never,
      { delivery: { id: 'dlv_1' }, event: { occurredAt: new Date(0) } } as never,
      AbortSignal.timeout(1_000),
    );
    expect(kept).toMatchObject({ error: null, bytes: 5_001, head: 'y'.repeat(2_047) });
    expect((await rows(endpoint))[0]).toMatchObject({
      response_head: null,
      response_bytes: 5_000,
      response_status: 200,
    });
  });

  test('after a restore nothing is posted before somebody resumes; then it goes out under its old id', async () => {
    const endpoint = await listening({ ordered: true });
    const board = await closedBoard();
    await run('dispatch-webhooks');
    const [open] = await rows(endpoint);
    expect(await pauseAllEndpoints(app.database.knex, 'restore', new Date(app.clock.now()))).toBe(1);
    await change(studio.admin, 'Board', board.id, { isActive: true });
    await change(studio.admin, 'Board', board.id, { isActive: false });
    expect(await delivered(endpoint)).toEqual([]);
    const { body } = await studio.admin.get(`/v1/webhook-endpoints/${endpoint.id}`);
    expect(body).toMatchObject({ status: 'paused', status_reason: expect.stringContaining('restored') });
    await patch(studio.admin, `/v1/webhook-endpoints/${endpoint.id}`, { paused: false });
    const [first, second] = await delivered(endpoint);
    expect(first).toMatchObject({ id: `dlv_${open!.id}`, number: 1 });
    expect(second).toMatchObject({ number: 2 });
    expect(second!.epoch).not.toBe(first!.epoch);
  });

  test('receivers that hang, close, answer without end or with headers without end are cut off, and delay nobody', async () => {
    const [hanging, closing, endless, headers, quick] = [
      await listening(),
      await listening(),
      await listening(),
      await listening(),
      await listening(),
    ];
    receiver.manners.set(hanging.path, () => undefined);
    receiver.manners.set(closing.path, (response) => response.socket!.destroy());
    receiver.manners.set(endless.path, (response) => {
      response.writeHead(200);
      const part = Buffer.alloc(65_536);
      const more = () => {
        while (!response.destroyed && response.write(part));
      };
      response.on('drain', more);
      more();
    });
    receiver.manners.set(headers.path, (response) => {
      response.socket!.write(`HTTP/1.1 200 OK\r\n${`x: ${'y'.repeat(1_000)}\r\n`.repeat(100)}`);
    });
    const began = Date.now();
    for (let n = 0; n < 3; n += 1) await closedBoard();
    await run('dispatch-webhooks');
    await run('send-webhooks');
    await until(() => receiver.of(quick.path).length === 3);
    expect(Date.now() - began).toBeLessThan(12_000);
    await sent();
    const errorsOf = async (endpoint: Data) => new Set((await rows(endpoint)).map((row) => row.last_error));
    expect(await errorsOf(hanging)).toEqual(new Set(['No complete response within 15 s.']));
    expect([...(await errorsOf(closing))].join()).toMatch(/could not be reached: ECONNRESET/);
    expect(await errorsOf(endless)).toEqual(new Set(['The response is larger than 262144 bytes.']));
    expect(await errorsOf(headers)).toEqual(new Set(['The headers of the response are too large.']));
  });

  test('a submission runs the same statements with and without endpoints', async () => {
    const board = await makeBoard(studio, game.id);
    const device = await startSession(app, game.id);
    const recorded = async (value: number) => {
      const texts: string[] = [];
      const query = pg.Client.prototype.query;
      const watch = jest.spyOn(pg.Client.prototype, 'query').mockImplementation(function (
        this: pg.Client,
        ...args: unknown[]
      ) {
        const [first] = args as [string | { text: string }];
        texts.push(typeof first === 'string' ? first : first.text);
        return (query as (...all: unknown[]) => unknown).apply(this, args) as never;
      });
      try {
        await submit(device, board.id, value);
      } finally {
        watch.mockRestore();
      }
      // Of the submission: the process has work of its own meanwhile.
      return texts.filter((text) => /begin|commit|write_submissions|insert|webhook|score_events/.test(text));
    };
    await recorded(1);
    await recorded(2);
    const without = await recorded(3);
    expect(without.length).toBeGreaterThan(0);
    for (let n = 0; n < 3; n += 1) {
      await listening({
        events: ['board.leader_changed', 'player.overtaken', 'score.flagged', 'score.held', 'board.closing'],
      });
    }
    expect(await recorded(4)).toEqual(without);
    await run('dispatch-webhooks');
    expect(await recorded(5)).toEqual(without);
  });
});
