import path from 'node:path';
import { readAccount } from '../support/account-reads.js';
import { type TestCell, TestDirectory } from '../support/cells.js';
import { DAY, SECOND } from '../support/clock.js';
import {
  GATEWAY_KEY,
  startGateway,
  startGatewayCell,
  type TestGateway,
  through,
} from '../support/gateway.js';
import type { Data } from '../support/http.js';
import { ImportClient } from '../support/imports.js';
import { codeFor } from '../support/mail.js';
import { Load, moverOf, playIn, Route, wrongAfter } from '../support/moves.js';
import { post } from '../support/play.js';
import { expectExactViews } from '../support/views.js';
import { until } from '../support/wait.js';
import { IMPORTED, leaveHalfDone, makeWholeAccount, type WholeAccount } from '../support/whole-account.js';

// An account that uses everything moves between two cells behind a gateway.

const SETTINGS = {
  geoipDatabase: path.resolve(__dirname, '../support/place/GeoIP2-City-Test.mmdb'),
  trustedProxies: ['127.0.0.1'],
};
const SUPERADMIN = { 'service-api-key': GATEWAY_KEY };

/** The superadmin's own account, and lists over all accounts. */
const OF_MANY = /^superadmin .*([/.]me$|audit-?entries of )/i;

let directory: TestDirectory;
let east: TestCell;
let west: TestCell;
let gateway: TestGateway;
let urls: Record<string, string>;
let whole: WholeAccount;
beforeAll(async () => {
  directory = await TestDirectory.make();
  east = await startGatewayCell(directory, 'east', {}, SETTINGS);
  west = await startGatewayCell(directory, 'west', {}, SETTINGS);
  gateway = await startGateway(directory.database.connectionString, { east, west }, SETTINGS);
  urls = { east: east.database.connectionString, west: west.database.connectionString };
  const app = through(gateway, east);
  whole = await makeWholeAccount({ ...app, superadmin: app.superadmin.with({ 'service-cell': 'east' }) });
});
afterAll(async () => {
  await gateway.close();
  await east.close();
  await west.close();
  await directory.close();
});

const move = (cell: string) => moverOf(directory, urls).move(whole.account, cell);
const askedOf = ({ url, app }: TestCell, superadmin: Record<string, string>) => ({
  url,
  schema: app.schema,
  superadmin,
});

test('work that is half done when the account moves ends on the other cell', async () => {
  const { studio, subject, rebuilt, shown } = whole;
  const half = await leaveHalfDone(east, whole);
  const played = await playIn(through(gateway, east), studio, 2, true);
  const load = new Load(new Route(directory, { east, west }, whole.account), played);
  const some = (more: number) => {
    const wanted = load.acknowledged.size + more;
    return until(() => load.acknowledged.size >= wanted || load.faults.length > 0);
  };
  await some(5);
  await move('west');
  await some(5);
  await load.stop();
  await half.release();

  const imports = new ImportClient(() => studio.admin);
  await until(async () => (await imports.read(half.importId)).status === 'finished');
  expect(await imports.read(half.importId)).toMatchObject({
    written: IMPORTED,
    processed: IMPORTED,
  });
  const counts = await west.database
    .knex('score_events')
    .where('board_id', whole.imported.id.slice(4))
    .count();
  expect(Number(counts[0]!.count)).toBe(IMPORTED);

  await until(async () => {
    const views = await west.database.knex('board_views').where('status', 'building');
    const builds = await west.database.knex('board_rankings').whereNotNull('build');
    return views.length === 0 && builds.length === 0;
  });
  for (const { id } of [rebuilt, shown, whole.viewed, whole.imported])
    await expectExactViews(west.database, id);
  const rules = await west.database.knex('board_rankings').where('board_id', rebuilt.id.slice(4)).first();
  expect([rules.keep_strategy, rules.generation]).toEqual(['last', 2]);

  const erasure = async (): Promise<Data> =>
    (await studio.admin.get(`/v1/identities/${half.erased}/erasure`)).body;
  expect((await erasure()).status).toBe('running');
  // The lease of the process that began it has to run out.
  west.clock.advance(31 * SECOND);
  await until(async () => (await erasure()).status === 'done');

  expect(await wrongAfter(load, played, west, [east, west])).toEqual([]);
  expect(subject.live.account_id).toBe(studio.accountId);
});

test('a cell that does not have the account says so at every read, and never that there is none', async () => {
  const wrong: string[] = [];
  let count = 0;
  // The account's own callers are refused with their credentials, wherever they ask.
  for (const reader of ['superadmin', 'visitor'] as const) {
    const reads = await readAccount(askedOf(east, SUPERADMIN), whole.subject, reader, true);
    count += reads.length;
    for (const { name, code, text } of reads.filter(({ name }) => !OF_MANY.test(name))) {
      if (code !== 'ACCOUNT_MOVED') wrong.push(`${name}: ${code} ${text.slice(0, 200)}`);
    }
  }
  expect(count).toBeGreaterThan(100);
  expect(wrong).toEqual([]);
});

test('every read is answered with the same bytes after the account has moved', async () => {
  await moverOf(directory, urls).clean(whole.account);
  east.clock.advance(west.clock.now() - east.clock.now());
  const before = await readAll();
  await move('east');
  expect(await readAll()).toEqual(before);
  await moverOf(directory, urls).clean(whole.account);
});

async function readAll() {
  const asked = { ...askedOf(east, {}), url: gateway.url };
  const reads = await readAccount(asked, whole.subject, 'admin');
  // Numbers of transactions are the cell's own.
  return reads.map(({ text, ...read }) => ({
    ...read,
    text: read.name.endsWith('.scoreFlagReviewed') ? text.replace(/"cursor":"[^"]*"/, '') : text,
  }));
}

test('keys, sessions, invitations and pictures go along', async () => {
  const { player, keyed, invited, subject } = whole;
  const again = await post(player, { board_id: keyed.board_id, value: 9 }, { 'idempotency-key': 'once' });
  expect(again.body).toEqual(keyed);
  expect((await fetch(gateway.url + whole.logo)).status).toBe(200);
  const refreshed = await gateway.anyone.post('/v1/client/sessions/refresh', {
    refresh_token: player.session.refreshToken,
  });
  expect(refreshed.status).toBe(200);
  const code = await codeFor(east, invited);
  const verified = await gateway.anyone.post('/register/verify', { email: invited, code });
  const joined = await gateway.anyone.post('/register/complete', {
    verification_token: verified.body.verification_token,
  });
  expect([joined.status, joined.body.account_id]).toEqual([201, subject.live.account_id]);
});

test('records that are kept for some days are forgotten by the cell that has the account', async () => {
  east.clock.advance(800 * DAY);
  for (const job of ['forget-sessions', 'forget-audit-entries']) await east.app.jobs.run(job);
  for (const table of ['device_sessions', 'audit_entries']) {
    expect([table, await east.database.knex(table).where('account_id', whole.account)]).toEqual([table, []]);
  }
});
