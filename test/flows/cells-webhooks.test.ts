import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { uuidOf } from '../../src/base/ids.js';
import { startCell, type TestCell, TestDirectory } from '../support/cells.js';
import { flag, makePlayer, play } from '../support/flags.js';
import type { Data } from '../support/http.js';
import { openOnesEnded } from '../support/locks.js';
import { change, makeBoard, makeGame, makeStudio } from '../support/make.js';
import { moverOf } from '../support/moves.js';
import { until } from '../support/wait.js';

// Endpoints, open deliveries and what endpoints were told move with their account.

const LOCAL = { webhookAllowHttp: true, webhookAllowNetworks: ['127.0.0.0/8'] };

let directory: TestDirectory;
let east: TestCell;
let west: TestCell;
let receiver: Server;
const got: Data[] = [];
beforeAll(async () => {
  receiver = createServer((request, response) => {
    let text = '';
    request.on('data', (part) => {
      text += part;
    });
    request.on('end', () => {
      got.push(JSON.parse(text));
      response.writeHead(200).end();
    });
  });
  receiver.listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  directory = await TestDirectory.make();
  east = await startCell(directory, 'east', {}, {}, LOCAL);
  west = await startCell(directory, 'west', {}, {}, LOCAL);
});
afterAll(async () => {
  await east.close();
  await west.close();
  await directory.close();
  receiver.closeAllConnections();
  receiver.close();
});

const open = async ({ database }: TestCell) =>
  (await database.knex('webhook_deliveries').whereIn('status', ['queued', 'sending', 'blocked'])).length;

test('a moved account takes its endpoints along, and nothing is lost or told twice', async () => {
  const studio = await makeStudio(east);
  const game = await makeGame(studio);
  const { body: endpoint } = await studio.admin.post('/v1/webhook-endpoints', {
    ...{ account_id: studio.accountId, name: 'Moved', ordered: true, leader_seconds: 10 },
    url: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`,
    events: ['board.closed', 'score.flagged', 'board.leader_changed'],
  });
  east.clock.advance(1_000);
  west.clock.advance(1_000);
  const board = await makeBoard(studio, game.id);
  const player = await makePlayer(studio.admin, game.id, 'moved');
  const early = await flag(studio.admin, await play(studio.admin, board.id, player, 5), {});
  // A run that another one is ahead of does nothing.
  await until(async () => {
    await east.app.jobs.run('dispatch-webhooks');
    await east.app.jobs.run('send-webhooks');
    return got.length === 2;
  });
  // Open when it moves: one that is dispatched, one that is not, and a flag that nobody looked at.
  await change(studio.admin, 'Board', board.id, { isActive: false });
  await east.app.jobs.run('dispatch-webhooks');
  await change(studio.admin, 'Board', board.id, { isActive: true });
  await change(studio.admin, 'Board', board.id, { isActive: false });
  const late = await flag(
    studio.admin,
    (await studio.admin.get(`/v1/score-flags/${early.id}`)).body.score_event_id,
    {},
  );
  // The other cell is ahead with its flags.
  await west.app.jobs.run('dispatch-webhooks');

  const urls = { east: east.database.connectionString, west: west.database.connectionString };
  await moverOf(directory, urls).move(uuidOf(studio.accountId), 'west');
  await east.app.jobs.run('send-webhooks');
  await east.app.jobs.run('dispatch-webhooks');
  expect(got).toHaveLength(2);

  await openOnesEnded(west);
  await west.app.jobs.run('dispatch-webhooks');
  await until(async () => {
    await west.app.jobs.run('send-webhooks');
    return (await open(west)) === 0;
  });
  const moved = got.slice(2);
  expect(moved.map(({ type }) => type).toSorted()).toEqual(['board.closed', 'board.closed', 'score.flagged']);
  expect(moved.find(({ type }) => type === 'score.flagged')?.data.flag_id).toBe(late.id);
  expect(got.map(({ number }) => number)).toEqual([1, 2, 3, 4, 5]);
  expect(new Set(got.map(({ epoch }) => epoch)).size).toBe(1);
  expect(new Set(got.map(({ id }) => id)).size).toBe(5);
  const admin = west.anyone.with(studio.admin.headers);
  const log = await admin.get(`/v1/webhook-endpoints/${endpoint.id}/deliveries`);
  expect(log.body.data).toHaveLength(5);
});
