import { copyFileSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { SetupError } from '../../src/base/errors.js';
import { startApp, type TestApp } from '../support/app.js';
import type { Data } from '../support/http.js';
import { register } from '../support/mail.js';
import {
  makeBoard,
  makeGame,
  makeStudio,
  type Player,
  type Studio,
  startSession,
  unique,
} from '../support/make.js';
import { post } from '../support/play.js';
import { until } from '../support/wait.js';

// Databases that MaxMind publishes for tests (github.com/maxmind/MaxMind-DB, test-data), under the MIT license.
const FILES = path.resolve(__dirname, '../fixtures/place');
const LONDON = { city: 'London', country: 'GB', timezone: 'Europe/London' };
const NOWHERE = { city: null, country: null, timezone: null };

const folder = mkdtempSync(path.join(os.tmpdir(), `leaderboard-test-${process.pid}-`));
const file = path.join(folder, 'places.mmdb');
/** A new file takes the place of the old one at once, as the operators' tools do it. */
const install = (name: string) => {
  copyFileSync(path.join(FILES, name), `${file}.new`);
  renameSync(`${file}.new`, file);
};

let app: TestApp;
let studio: Studio;
let board: Data;
let player: Player;
beforeAll(async () => {
  install('GeoIP2-City-Test.mmdb');
  app = await startApp({ geoipDatabase: file, trustedProxies: ['127.0.0.1'] });
  studio = await makeStudio(app);
  const game = await makeGame(studio);
  board = await makeBoard(studio, game.id, { keepStrategy: 'LAST' });
  player = await startSession(app, game.id);
});
afterAll(async () => {
  await app.close();
  rmSync(folder, { recursive: true });
});

const from = (address: string) => ({ 'x-forwarded-for': address });
const placeOf = ({ city, country, timezone }: Data) => ({ city, country, timezone });

/** Where a submission from an address is, as an administrator sees the score. */
async function submittedFrom(address: string): Promise<Data> {
  const { status, body } = await post(player, { board_id: board.id, value: unique() }, from(address));
  if (status !== 201) throw new Error(JSON.stringify(body));
  expect(Object.keys(body).filter((name) => name in NOWHERE)).toEqual([]);
  return placeOf((await studio.admin.get(`/v1/scores/${body.id}`)).body);
}

test('an account gets the place that it was registered from', async () => {
  const at = { ...app, anyone: app.anyone.with(from('198.51.100.7, 81.2.69.142')) };
  const { account_id: id } = await register(at, 'london@example.com');
  expect(placeOf((await app.superadmin.get(`/v1/accounts/${id}`)).body)).toEqual(LONDON);
  const { account_id: nowhere } = await register(app, 'nowhere@example.com');
  expect(placeOf((await app.superadmin.get(`/v1/accounts/${nowhere}`)).body)).toEqual(NOWHERE);
});

test('a score and its event get the place of the submission, which clients do not see', async () => {
  expect(await submittedFrom('81.2.69.142')).toEqual(LONDON);
  const { data } = (await studio.admin.get(`/v1/score-events?board_id=${board.id}&limit=1`)).body;
  expect(placeOf(data[0])).toEqual(LONDON);
  // A place that is known in part, by IPv6, and IPv4 addresses in the form of IPv6.
  expect(await submittedFrom('2001:218::1')).toEqual({ city: null, country: 'JP', timezone: 'Asia/Tokyo' });
  expect(await submittedFrom('::ffff:81.2.69.142')).toEqual(LONDON);
});

test.each([
  '10.1.2.3',
  '192.168.0.1',
  '127.0.0.1',
  '::1',
  'fd00::1',
  'fe80::1%eth0',
  '192.0.2.1',
  'no address',
  '',
])('%s has no place', async (address) => {
  expect(await submittedFrom(address)).toEqual(NOWHERE);
});

test('a retry from another network is the same submission', async () => {
  const body = { board_id: board.id, value: unique() };
  const headers = { 'idempotency-key': 'from two networks' };
  const first = await post(player, body, { ...headers, ...from('81.2.69.142') });
  const again = await post(player, body, { ...headers, ...from('216.160.83.56') });
  expect([again.status, again.headers.get('service-replayed')]).toEqual([201, 'true']);
  expect(placeOf((await studio.admin.get(`/v1/scores/${first.body.id}`)).body)).toEqual(LONDON);
});

test('an administrator sets the place, or none', async () => {
  const event = { board_id: board.id, identity_id: player.session.identityId, value: 1 };
  const admin = studio.admin.with(from('81.2.69.142'));
  expect(placeOf((await admin.post('/v1/score-events', event)).body)).toEqual(NOWHERE);
  const given = { ...event, city: 'Utrecht', country: 'nl', timezone: 'Europe/Amsterdam' };
  expect(placeOf((await admin.post('/v1/score-events', given)).body)).toEqual({
    city: 'Utrecht',
    country: 'NL',
    timezone: 'Europe/Amsterdam',
  });
});

test('a file that changes is read anew while scores come in', async () => {
  install('GeoLite2-Country-Test.mmdb');
  // Seldom: a player may submit fifty times an hour.
  await until(async () => (await submittedFrom('81.2.69.142')).city === null, 200);
  expect(await submittedFrom('81.2.69.142')).toEqual({ city: null, country: 'GB', timezone: null });
});

test('a file of another format stops the start with a sentence', async () => {
  for (const name of [path.join(folder, 'missing.mmdb'), __filename]) {
    const start = startApp({ geoipDatabase: name });
    await expect(start).rejects.toThrow(SetupError);
    await expect(start).rejects.toThrow(/^GEOIP_DATABASE is ".+", which cannot be read: .+unset it\.$/s);
  }
});

test('without trusted proxies the header is ignored', async () => {
  install('GeoIP2-City-Test.mmdb');
  const strict = await startApp({ geoipDatabase: file });
  try {
    const liar = { ...strict, anyone: strict.anyone.with(from('81.2.69.142')) };
    const { account_id: id } = await register(liar, 'liar@example.com');
    expect(placeOf((await strict.superadmin.get(`/v1/accounts/${id}`)).body)).toEqual(NOWHERE);
  } finally {
    await strict.close();
  }
});

test("a score event's country comes in either case; its zone is a zone", async () => {
  const create = `mutation ($input: CreateScoreEventInput!) {
    createScoreEvent(input: $input) { submission { scoreEvent { country timeZone } } } }`;
  const input = { boardId: board.id, identityId: player.session.identityId, playerName: 'Ada', value: 1 };
  const place = { country: 'de', timeZone: 'Europe/Berlin' };
  const { createScoreEvent } = await studio.admin.data(create, { input: { ...input, ...place } });
  expect(createScoreEvent.submission.scoreEvent).toEqual({ ...place, country: 'DE' });
  for (const odd of [{ country: 'DEU' }, { timeZone: '+02:00' }, { timeZone: 'Mars/Base' }]) {
    expect(await studio.admin.code(create, { input: { ...input, ...odd } })).toBe('VALIDATION_FAILED');
  }
});
