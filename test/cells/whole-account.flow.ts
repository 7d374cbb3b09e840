import path from 'node:path';
import type { GraphQLSchema } from 'graphql';
import pg from 'pg';
import { uuidOf } from '../../src/base/ids.js';
import { beginErasure } from '../../src/privacy/erase.js';
import { ErasedScores } from '../../src/privacy/erasure.js';
import type { TestApp } from '../support/app.js';
import { type TestCell, TestDirectory } from '../support/cells.js';
import { DAY, SECOND } from '../support/clock.js';
import { review } from '../support/flags.js';
import {
  GATEWAY_KEY,
  startGateway,
  startGatewayCell,
  type TestGateway,
  through,
} from '../support/gateway.js';
import { type Data, send } from '../support/http.js';
import { ImportClient } from '../support/imports.js';
import { codeFor } from '../support/mail.js';
import { makeBoard, type Player, type Studio, startSession } from '../support/make.js';
import { Load, makePlayed, moverOf, Route, wrongAfter } from '../support/moves.js';
import { PNG } from '../support/pictures.js';
import { post, submit } from '../support/play.js';
import { emptyDocument, fullDocument } from '../support/roles/documents.js';
import { GRAPH_ROWS } from '../support/roles/graph-rows.js';
import { REST_ROWS } from '../support/roles/rest-rows.js';
import { namesIn, type Row } from '../support/roles/rows.js';
import { makeSubject } from '../support/roles/studio.js';
import type { Names, Studio as Subject } from '../support/roles/studio-shape.js';
import { refusedTo } from '../support/roles/unseen-table.js';
import { TestSocket } from '../support/socket.js';
import { declareView, expectExactViews } from '../support/views.js';
import { patienceMs, until } from '../support/wait.js';
import { Wire } from '../support/wire.js';

// Every reading row of the role matrix, asked for the records of one account: for comparisons before and after a move.

/** Of the process or the cell and not of the account, or another answer each time. */
const OTHER = [
  / (\/v1|\/v1\/health|\/health\/\w+|\/openapi\.json|\/metrics)$/,
  /jam[-_]?code/i,
  /nonce|Query\.jobs/,
];

const ROWS: Row[] = [...REST_ROWS, ...GRAPH_ROWS].filter(
  ({ door, type }) =>
    /^(GET |Query\.|Subscription\.)/.test(door) &&
    !OTHER.some((other) => other.test(door)) &&
    !/^Jam/.test(type ?? ''),
);
/** Not more than exports run in a process. */
const AT_ONCE = 2;

type Reader = 'visitor' | 'player' | 'admin' | 'superadmin';

/** The answer to one read. */
interface Read {
  name: string;
  text: string;
  /** Of a refusal; undefined: something was shown. */
  code: string | undefined;
}

/** A service that is asked. */
interface Asked {
  url: string;
  schema: GraphQLSchema;
  /** The superadmin's credential there. */
  superadmin: Record<string, string>;
}

/**
 * All reads that one reader is let in to, for the records of an account.
 * @param brief true: as little as possible is asked for
 * @param rows which of them
 */
async function readAccount(
  asked: Asked,
  studio: Subject,
  reader: Reader,
  brief = false,
  rows = ROWS,
): Promise<Read[]> {
  const { player, owner } = studio;
  const headers = {
    visitor: {},
    player: player.client.headers,
    admin: owner.headers,
    superadmin: asked.superadmin,
  }[reader];
  const wire = new Wire(asked.url, patienceMs());
  const reads: Read[] = [];
  const left = rows.filter(
    (row) =>
      row.policy.cells.get('live')?.[reader] === 'ok' &&
      namesIn(row).every((name) => studio.live[name] !== undefined),
  );
  const work = async () => {
    for (let row = left.shift(); row; row = left.shift()) {
      const name = [reader, row.door, row.label].filter(Boolean).join(' ');
      const answer = await (row.args
        ? graph(asked, wire, row, studio.live, headers, brief ? undefined : reader)
        : rest(wire, row, studio.live, headers));
      reads.push({ name, ...answer, text: answer.text.replace(REQUEST_ID, 'of a request') });
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  wire.close();
  return reads.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

const REQUEST_ID = /[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/g;
const IN_PATH = /{(\w+)}/g;

type Headers = Record<string, string>;

async function rest(
  wire: Wire,
  { door, query }: Row,
  of: Names,
  headers: Headers,
): Promise<Omit<Read, 'name'>> {
  const search = Object.entries(query?.({ of, home: of, n: 0 }) ?? {}) as [string, string][];
  const path = door.slice('GET '.length).replace(IN_PATH, (_all, name: string) => of[name]!);
  const { status, body, text } = await wire.send({
    method: 'GET',
    path: search.length > 0 ? `${path}?${new URLSearchParams(search)}` : path,
    headers,
  });
  return { text: `${status} ${text}`, code: status < 300 ? undefined : body.code };
}

async function graph(
  { url, schema }: Asked,
  wire: Wire,
  { door, args, type }: Row,
  of: Names,
  headers: Headers,
  reader: Reader | undefined,
): Promise<Omit<Read, 'name'>> {
  const variables = args!({ of, home: of, n: 0 });
  const wish = { given: Object.keys(variables), ...(type && { of: type }) };
  const query = reader
    ? fullDocument(schema, door, { ...wish, omit: refusedTo(reader) })
    : emptyDocument(schema, door, wish);
  if (door.startsWith('Subscription')) {
    const socket = await TestSocket.connect(url, headers);
    const { type: kind, payload } = await socket.run(query, variables);
    await socket.close();
    return {
      text: JSON.stringify(payload),
      code: (kind === 'next' ? payload.errors : payload)?.[0].extensions.code,
    };
  }
  const { body, text } = await wire.send({
    method: 'POST',
    path: '/graphql',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ query, variables }),
  });
  const shown = body.data?.[door.split('.')[1]!];
  const something = Array.isArray(shown) ? shown.some((one) => one !== null) : shown != null;
  return { text, code: something ? undefined : (body.errors?.[0]?.extensions.code ?? 'null') };
}

/** Rows of the import that is half done: a step writes a thousand. */
const IMPORTED = 1_500;
const FROM_LONDON = { 'x-forwarded-for': '81.2.69.142' };
/** Class of the advisory locks of builds (migrations/functions/3_derivation.sql). */
const BUILDS = 7_100_002;

/** An account that uses everything, beside what the role matrix has of it. */
interface WholeAccount {
  subject: Subject;
  studio: Studio;
  /** Bare uuid. */
  account: string;
  player: Player;
  /** With live views by week, country, tag of a run, tag of a player, and with dense ranks. */
  viewed: Data;
  /** Their builds are half done after {@link leaveHalfDone}. */
  rebuilt: Data;
  shown: Data;
  imported: Data;
  ratio: Data;
  /** The answer to a submission with a key. */
  keyed: Data;
  invited: string;
  /** Path of the game's logo. */
  logo: string;
}

/** @param app callers of the account go through it; its database is that of the account's cell */
async function makeWholeAccount(app: TestApp): Promise<WholeAccount> {
  const subject = await makeSubject(app, 'aurora');
  const { live, owner } = subject;
  // Its state would not agree with a rule of the service.
  await app.database.knex('identities').whereNull('deleted_with').update({ deleted_at: null });
  const gameId = live.game_id!;
  const studio = { accountId: live.account_id!, userId: live.user_id!, keyId: live.key_id!, admin: owner };
  const board = (input: Data = {}) => makeBoard(studio, gameId, { isPublished: true, ...input });
  const viewed = await board({
    keepStrategy: 'BEST',
    dimensions: [{ name: 'class' }, { name: 'guild', source: 'PLAYER' }],
    views: [
      { name: 'week', period: 'WEEK' },
      { name: 'country', by: ['country'] },
      { name: 'class', by: ['class'] },
      { name: 'guild', by: ['guild'] },
      { name: 'even', period: 'DAY', tiePolicy: 'DENSE' },
    ],
  });
  const [all, won, lost] = [
    await board({ keepStrategy: 'ALL' }),
    await board({ boardType: 'COUNTER' }),
    await board({ boardType: 'COUNTER' }),
  ];
  const ratio = await board({
    boardType: 'RATIO',
    ratioConfig: { numeratorBoardId: won.id, denominatorBoardId: lost.id },
  });
  const [rebuilt, shown, imported] = [await board({ keepStrategy: 'BEST' }), await board(), await board()];

  const guilds = ['Ravens', 'Foxes', 'Ravens', 'Foxes'];
  const players: Player[] = [];
  for (const [n, guild] of guilds.entries()) {
    const { session, client } = await startSession(app, gameId);
    const player = { session, client: client.with(FROM_LONDON) };
    players.push(player);
    await owner.data(
      'mutation ($input: SetIdentityTagsInput!) { setIdentityTags(input: $input) { identity { id } } }',
      { input: { identityId: session.identityId, tags: [{ name: 'guild', value: guild }] } },
    );
    for (const { id } of [viewed, all, won, lost, rebuilt, shown]) {
      const tags = id === viewed.id ? { tags: { class: n % 2 ? 'mage' : 'rogue' } } : {};
      for (const value of [3 + n, 5, 1])
        await submit(player, id, value, { playerName: `Player ${n}`, ...tags });
    }
  }
  const ids = players.map(({ session }) => session.identityId);
  await owner.data('mutation ($input: SetFriendsInput!) { setFriends(input: $input) { count } }', {
    input: { identityId: ids[0], friendIds: ids.slice(1) },
  });
  const headers = { ...owner.headers, 'content-type': 'image/png' };
  await send(`${app.url}/v1/games/${gameId}/logo`, { method: 'PUT', headers, body: new Uint8Array(PNG) });
  const { game } = await owner.data('query ($id: ID!) { game(by: { id: $id }) { logoUrl } }', { id: gameId });
  // Readers of reviews wait for the first one.
  await review(owner, live.flag_id!, { status: 'DISMISSED' });
  const invited = 'ben@example.com';
  await owner.post('/register/invite', { email: invited });
  const player = players[0]!;
  const keyed = await post(player, { board_id: all.id, value: 9 }, { 'idempotency-key': 'once' });
  expect(keyed.status).toBe(201);
  await until(
    async () =>
      (await owner.get(`/v1/scores?board_id=${ratio.id}&account_id=${studio.accountId}`)).body.data
        ?.length === guilds.length,
  );
  return {
    subject,
    studio,
    account: uuidOf(studio.accountId),
    player,
    viewed,
    rebuilt,
    shown,
    imported,
    ratio,
    keyed: keyed.body,
    invited,
    logo: new URL(game.logoUrl).pathname,
  };
}

/** Background work of an account that its cell has begun. */
interface HalfDone {
  importId: string;
  /** Of the player whose erasure is due. */
  erased: string;
  /** Lets the cell go on. */
  release(): Promise<void>;
}

/**
 * An import of which two thirds are written, a board and a view that are half built, an erasure that is due. All of it
 * waits until it is released, on this cell.
 */
async function leaveHalfDone(cell: TestApp, whole: WholeAccount): Promise<HalfDone> {
  const { rebuilt, shown, imported, studio, subject } = whole;
  const now = new Date(cell.clock.now());
  const holder = new pg.Client({ connectionString: cell.database.connectionString });
  await holder.connect();
  for (const { id } of [rebuilt, shown]) {
    await holder.query('select pg_advisory_lock($1, hashtext($2))', [BUILDS, uuidOf(id)]);
  }
  const board = uuidOf(rebuilt.id);
  await holder.query(`update boards set keep_strategy = 'last' where id = $1`, [board]);
  await holder.query('select apply_rules($1, $2, 0)', [board, now]);
  await holder.query('select advance_build($1, $2, 1, true)', [board, now]);
  await declareView(cell.database.knex, shown.id, { name: 'later', period: 'week', by: [] }, now);
  for (let step = 0; step < 2; step += 1) {
    await holder.query('select advance_build($1, $2, 1, true)', [uuidOf(shown.id), now]);
  }

  const { session } = await startSession(cell, subject.live.game_id!);
  await cell.database.knex.transaction((trx) =>
    beginErasure(
      trx,
      { caller: { kind: 'anonymous' }, clock: cell.clock.now },
      session.identityId,
      ErasedScores.REMOVE,
    ),
  );

  const imports = new ImportClient(() => studio.admin);
  const importId = await imports.begin(imported.id);
  const lines = Array.from({ length: IMPORTED }, (_, n) => `old ${n},${n},Old ${n}`);
  const { body } = await imports.send(importId, 0, ['external_key,value,player_name', ...lines].join('\n'));
  expect(body.bad).toEqual([]);
  // Steps beyond the first fail on this cell.
  await holder.query(`
    create function hold_import() returns trigger language plpgsql as $$ begin raise 'held'; end $$;
    create trigger hold_import before update on score_imports for each row when (new.written > 1000)
    execute function hold_import()`);
  expect((await studio.admin.post(`/v1/imports/${importId}/finish`, {})).status).toBe(200);
  await until(async () => (await imports.read(importId)).written === 1_000);
  const release = async () => {
    await holder.query('drop function hold_import cascade');
    await holder.end();
  };
  return { importId, erased: session.identityId, release };
}

// An account that uses everything moves between two cells behind a gateway.

const SETTINGS = {
  geoipDatabase: path.resolve(__dirname, '../fixtures/place/GeoIP2-City-Test.mmdb'),
  trustedProxies: ['127.0.0.1'],
};
const SUPERADMIN = { 'service-api-key': GATEWAY_KEY };

/** The superadmin's own account, and lists over all accounts. */
const OF_MANY = /^superadmin .*([/.]me$|audit-?entries(\/export)? of )/i;

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
  const played = await makePlayed(through(gateway, east), 2, true, studio);
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
  const before = await readAll(west);
  await move('east');
  expect(await readAll(east)).toEqual(before);
  await moverOf(directory, urls).clean(whole.account);
});

const ofExports = ({ door }: Row) => door.endsWith('/export');

/** @param cell that has the account */
async function readAll({ database }: TestCell) {
  const asked = { ...askedOf(east, {}), url: gateway.url };
  const read = (rows: Row[]) => readAccount(asked, whole.subject, 'admin', false, rows);
  // Each export leaves an entry in the trail, so that the trail is read without them.
  const forgetExports = () => database.knex('audit_entries').where('action', 'data_exported').delete();
  const reads: Read[] = [];
  for (const row of ROWS.filter(ofExports)) {
    await forgetExports();
    reads.push(...(await read([row])));
  }
  await forgetExports();
  reads.push(...(await read(ROWS.filter((row) => !ofExports(row)))));
  // Numbers of transactions are the cell's own; the trail has the export that shows it, under an id of its own.
  return reads.map(({ text, ...read }) => ({
    ...read,
    text: /\.scoreFlag(ged|Reviewed)\b/.test(read.name)
      ? text.replace(/"cursor":"[^"]*"/, '')
      : text.replace(/aud_[-0-9a-f]+(?=.*data_exported)/g, 'of this export'),
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
