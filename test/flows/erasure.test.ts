import { randomUUID } from 'node:crypto';
import { uuidOf } from '../../src/base/ids.js';
import { makeLog } from '../../src/base/log.js';
import { erasureFile, readErasures } from '../../src/privacy/list.js';
import { reapplyErasures } from '../../src/privacy/reapply.js';
import { ERASURE_LEASE_MS, ErasureWorker } from '../../src/privacy/worker.js';
import { startApp, type TestApp } from '../support/app.js';
import { rowsWith } from '../support/dump.js';
import { byHand } from '../support/follow-guard.js';
import type { Data } from '../support/http.js';
import * as live from '../support/live.js';
import { WATCH } from '../support/live.js';
import { holding } from '../support/locks.js';
import {
  change,
  changeFault,
  makeBoard,
  makeGame,
  makeStudio,
  type Player,
  type Studio,
  startSession,
  unique,
} from '../support/make.js';
import { COLUMNS } from '../support/personal-columns.js';
import { post, standings, submit, submitFault } from '../support/play.js';
import { TestSocket } from '../support/socket.js';
import { expectSound } from '../support/standings.js';
import { Terminal } from '../support/terminal.js';
import { until } from '../support/wait.js';

const ERASURE = `identityId status scores requestedAt finishedAt boardsDone boardsTotal overwritten
  records { devices sessions submissions flags reviews auditEntries } boards { boardId name isTest submissions }`;
const ERASE = `mutation ($input: EraseIdentityInput!) { eraseIdentity(input: $input) { erasure { ${ERASURE} } } }`;
const PREVIEW = `query ($id: ID!) { identityErasure(identityId: $id) { ${ERASURE} } }`;

/** In every planted value of a test, and in nothing else. */
let MARK: string;
/** Columns that hold no free text: asserted by themselves. */
const NO_TEXT = [
  'identities.trust_tier',
  'identities.trust_tier_given',
  'identities.trust_tier_given_at',
  'idempotency_keys.body_hash',
  'friend_lists.friend_id',
  // Bytes; tickets-rules.test.ts and recordings.test.ts beside this one erase them.
  'attempts.tickets',
  'attempts.keys',
  'recordings.content',
  'recordings.sha256',
];

let app: TestApp;
let studio: Studio;
let game: Data;
let best: Data;
let runs: Data;
let counter: Data;
let ratio: Data;
let ann: Player;
let bob: Player;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.close());

beforeEach(async () => {
  // As it is in the words of a name, too.
  MARK = `zanzibar${unique()}`;
  studio = await makeStudio(app);
  game = await makeGame(studio);
  best = await makeBoard(studio, game.id, { keepStrategy: 'BEST' });
  runs = await makeBoard(studio, game.id, { keepStrategy: 'ALL' });
  counter = await makeBoard(studio, game.id, { boardType: 'COUNTER' });
  const other = await makeBoard(studio, game.id, { boardType: 'COUNTER' });
  ratio = await makeBoard(studio, game.id, {
    boardType: 'RATIO',
    ratioConfig: { numeratorBoardId: counter.id, denominatorBoardId: other.id },
  });
  ann = await startSession(app, game.id, {
    clientFingerprint: `${MARK} fingerprint ${randomUUID()}`,
    platform: `${MARK} platform`,
    metadata: { owner: MARK },
  });
  bob = await startSession(app, game.id);
  const personal = { playerName: `${MARK} Ann`, valueDisplay: `${MARK} display`, metadata: { of: MARK } };
  for (const { id } of [best, runs, counter, other]) {
    await submit(bob, id, 5, { playerName: 'Bob' });
    await submit(ann, id, 10, personal);
    await submit(ann, id, 7, personal);
  }
  // A ratio board follows its sources in the background.
  await until(async () => (await standings(studio.admin, ratio.id)).length === 2);
});

const all = () => [best, runs, counter, ratio];
const identity = () => ann.session.identityId as string;
const erase = async (input: Data = {}): Promise<Data> =>
  (await studio.admin.data(ERASE, { input: { id: identity(), ...input } })).eraseIdentity.erasure;
const planted = () => rowsWith(app.database, MARK);
const ids = () => ({ i: uuidOf(identity()), g: uuidOf(game.id) });
const sql = (text: string, values: Data = ids()) => app.database.knex.raw(text, values);

async function expectAllSound(): Promise<void> {
  for (const { id } of [best, runs, counter]) await expectSound(app.database, id);
}

/** Fills every personal column of every table with something of Ann. */
async function plantEverywhere(): Promise<void> {
  await post(ann, { board_id: best.id, value: 8, player_name: `${MARK} Ann` }, { 'idempotency-key': MARK });
  await studio.admin.with({ 'idempotency-key': `${MARK}-admin` }).post('/v1/score-events', {
    board_id: best.id,
    identity_id: identity(),
    value: 9,
    player_name: `${MARK} Ann`,
  });
  const { rows } = await sql('select id from score_events where identity_id = :i order by seq desc limit 1');
  const flag = await studio.admin.data(
    `mutation ($e: ID!) { createScoreFlag(input: { scoreEventId: $e, metadata: { seen: "${MARK}" } }) { scoreFlag { id } } }`,
    { e: `sev_${rows[0].id}` },
  );
  await studio.admin.data(
    `mutation ($id: ID!) { reviewScoreFlag(input: { id: $id,
      reviewerDecision: "${MARK} again", status: DISMISSED }) { scoreFlag { id } } }`,
    { id: flag.createScoreFlag.scoreFlag.id },
  );
  await studio.admin.data(
    `mutation ($id: ID!) { createComment(input: { target: { identityId: $id }, text: "${MARK} said" }) { comment { id } } }`,
    { id: identity() },
  );
  await studio.admin.data(
    `mutation ($id: ID!) { reviewIdentity(input: { target: { identityId: $id }, decision: DISMISSED,
      reason: "${MARK} cleared" }) { identityReview { id } } }`,
    { id: identity() },
  );
  await change(studio.admin, 'Identity', identity(), { trustTier: 'A' });
  await sql(`update identities set trust_tier_reason = '${MARK}' where id = :i`);
  await sql(
    `update score_events set shown_name = '${MARK}', city = '${MARK}', country = '${MARK}', timezone = '${MARK}' where identity_id = :i`,
  );
  await sql(`update score_events set tags = '{"class": "${MARK}"}' where identity_id = :i`);
  await sql(
    `with provider as (insert into player_providers (id, account_id, game_id, kind, slug, allow_borrowed, created_at, updated_at)
       select gen_random_uuid(), account_id, game_id, 'oidc', 'planted', true, now(), now() from identities where id = :i returning *)
     insert into player_proofs (provider_id, subject, account_id, game_id, identity_id, proven_at, last_proven_at)
       select id, '${MARK}', account_id, game_id, :i, now(), now() from provider`,
  );
  await sql(
    `insert into player_tags (identity_id, name, value, updated_at) values (:i, 'guild', '${MARK}', now())`,
  );
  await sql(
    `insert into player_merges (id, account_id, game_id, source_id, target_id, status, reason, leased_until, created_at, updated_at)
     select gen_random_uuid(), i.account_id, i.game_id, o.id, i.id, 'undone', '${MARK}', now(), now(), now()
     from identities i join identities o on o.game_id = i.game_id and o.id <> i.id where i.id = :i limit 1`,
  );
  // A pass over a former name takes back what is planted before its end.
  await until(async () => {
    const { rows } = await sql('select from renames_due where identity_id = :i and followed < ticket');
    return rows.length === 0;
  });
  await sql(
    `insert into renames_due (identity_id, steps, due_at) values (:i, '[{"ticket": 1, "was": "${MARK}"}]', 'infinity')
     on conflict (identity_id) do update set steps = excluded.steps, due_at = excluded.due_at`,
  );
  await sql(
    `insert into rankings (board_id, ranking_no, view_no, period_number, group_key, generation, status, podium)
     values (:b, -1, 1, 1, '', -1, 'dropped', jsonb_build_array(jsonb_build_object('identityId', 'ide_' || :i, 'playerName', '${MARK}')))`,
    { ...ids(), b: uuidOf(best.id) },
  );
  await sql('update board_rankings set newest_view = 1, newest_ranking = -1 where board_id = :b', {
    b: uuidOf(best.id),
  });
  await sql(`update devices set label = '${MARK}' where identity_id = :i`);
  await sql(
    `insert into runs (board_id, event_seq, ticket, started_at, elapsed_ms, idle_ms, advance, attempt, game_version)
     select board_id, seq, gen_random_uuid(), now(), 1, 0, false, 0, '${MARK}' from score_events where identity_id = :i`,
  );
  await sql(
    `insert into verdicts (board_id, event_seq, pass_id, verifier, id, account_id, verdict, reason, mode, given_by, created_at)
     select v.board_id, v.seq, gen_random_uuid(), 'planted', gen_random_uuid(), v.account_id, 'unknown', '${MARK}', 'log', u.id, now()
     from score_events v join users u on u.account_id = v.account_id where v.identity_id = :i`,
  );
  await sql(
    `insert into verification_passes (id, account_id, game_id, board_id, status, total, sent, sent_upto, upto, podium_before, podium_after,
       requested_by, created_at, updated_at)
     select gen_random_uuid(), g.account_id, g.id, :b, 'applied', 0, 0, 0, 0, p.podium, p.podium, u.id, now(), now()
     from games g join users u on u.account_id = g.account_id
     cross join (select jsonb_build_array(jsonb_build_object('identityId', 'ide_' || :i, 'playerName', '${MARK}'))) p(podium)
     where g.id = :g`,
    { ...ids(), b: uuidOf(best.id) },
  );
  await sql(
    `update device_sessions set ip_address = '${MARK}', user_agent = '${MARK}' where identity_id = :i`,
  );
  await sql(
    `update audit_entries set before = '{"note": "${MARK}"}', after = '{"note": "${MARK}", "status": "dismissed"}'
     where subject_id = 'ide_' || :i`,
  );
  await sql(
    `select graphile_worker.add_job('expire-boards', json_build_object('identity', 'ide_' || :i, 'name', '${MARK}'))`,
  );
  await sql(`update graphile_worker._private_jobs set last_error = '${MARK}'`);
  await sql(
    `with endpoint as (
       insert into webhook_endpoints (id, account_id, name, url, events, population, format, ordered, closing_minutes,
         leader_seconds, overtaken_top,
         status, sealed_secret, epoch, watching_since, created_at, updated_at)
       select gen_random_uuid(), g.account_id, 'erasures', 'https://hooks.example', '{}', 'all', 'json', false, 60, 10, 10,
         'paused', '', gen_random_uuid(), now(), now(), now() from games g where g.id = :g returning id, account_id, epoch
     ), event as (
       insert into webhook_events (id, account_id, type, subject, occurred_at, due_at, dispatched_at, data, players, created_at)
       select gen_random_uuid(), account_id, 'score.flagged', '{}', now(), now(), now(), 
         jsonb_build_object('player', jsonb_build_object('id', 'ide_' || :i, 'name',
           '${MARK}'), 'value_text', '${MARK}', 'reason', '${MARK}'),
         array[:i]::uuid[], now() from endpoint
       returning id
     )
     insert into webhook_deliveries (id, account_id, endpoint_id, event_id, type, epoch, status, due_at, response_head,
       last_error, created_at)
     select gen_random_uuid(), e.account_id, e.id, v.id, 'score.flagged', e.epoch, 'failed', now(), '${MARK}', '${MARK}', now()
     from endpoint e cross join event v`,
  );
  await sql(
    `insert into closing_places (board_id, closing_id, rank, display_rank, identity_id, player_name, value, value_display)
     values (:b, gen_random_uuid(), 1, 1, :i, '${MARK}', 1, '${MARK}')`,
    { ...ids(), b: uuidOf(best.id) },
  );
  await sql(
    `insert into rewards (board_id, id, account_id, game_id, closing_id, line, identity_id, is_test, rank, status,
      status_order, revoked_at, revoke_reason, created_at, updated_at)
     select :b, gen_random_uuid(), d.account_id, d.game_id, gen_random_uuid(), 'gold', d.id, false, 1, 'revoked', 4, now(),
       '${MARK}', now(), now()
     from identities d where d.id = :i`,
    { ...ids(), b: uuidOf(best.id) },
  );
  const { body: begun } = await studio.admin.post(`/v1/boards/${best.id}/imports`, {});
  await sql(
    `insert into import_rows (import_id, at, hint, chunk, line, kind, external_key, player_name, value_display, metadata,
      is_test, ref, shown_name, present_name, country, tags, player_tags)
     select '${uuidOf(begun.id)}', 'infinity', 0, 1, 1, d.kind, d.external_key, '${MARK}', '${MARK}', '{"of":
       "${MARK}"}', false, '${MARK}', '${MARK}', '${MARK}',
       '${MARK}', '{"class": "${MARK}"}', '{"guild": "${MARK}"}'
     from identities d where d.id = :i`,
  );
  await sql(
    `insert into jobs (name, last_error, last_error_of, runs, failures)
     values ('pay', 'no payment for ${MARK} Ann', array[:i]::uuid[], 1, 1)
     on conflict (name) do update set last_error = excluded.last_error, last_error_of = excluded.last_error_of`,
  );
}

test.each(['KEEP', 'REMOVE'])(
  'nothing of an erased player is left in any table, and boards are sound (%s)',
  async (scores) => {
    await plantEverywhere();
    const before = await planted();
    const columns = Object.entries(COLUMNS).flatMap(([table, { personal }]) =>
      Object.entries(personal)
        .filter(([, { of }]) => of === 'player')
        .map(([column]) => `${table}.${column}`),
    );
    const empty: string[] = [];
    for (const name of columns.filter((column) => !NO_TEXT.includes(column))) {
      const [column, ...table] = name.split('.').reverse();
      const { rows } = await sql(
        `select count(*) as n from ${table.reverse().join('.')} where ${column}::text like '%${MARK}%'`,
        {},
      );
      if (rows[0].n === 0) empty.push(name);
    }
    expect(empty).toEqual([]);
    expect(new Set(before.map((row) => row.split(':')[0])).size).toBeGreaterThan(12);

    const erasure = await erase({ scores });
    expect(erasure).toMatchObject({ status: 'DONE', scores, finishedAt: expect.any(String) });
    expect(await planted()).toEqual([]);
    expect(await app.database.knex('device_sessions').where('identity_id', uuidOf(identity()))).toEqual([]);
    const row = await app.database.knex('identities').where('id', uuidOf(identity())).first();
    expect(row).toMatchObject({
      trust_tier: null,
      trust_tier_given: null,
      trust_tier_given_at: null,
      keeps_scores: scores === 'KEEP',
    });
    await expectAllSound();
    const kept = scores === 'KEEP' ? ['1 deleted player 10', '2 Bob 5'] : ['1 Bob 5'];
    expect(await standings(studio.admin, best.id)).toEqual(kept);
    const summed = scores === 'KEEP' ? ['1 deleted player 17', '2 Bob 5'] : ['1 Bob 5'];
    expect(await standings(studio.admin, counter.id)).toEqual(summed);
    const each = scores === 'KEEP' ? ['1 deleted player 10', '2 deleted player 7', '3 Bob 5'] : ['1 Bob 5'];
    expect(await standings(studio.admin, runs.id)).toEqual(each);
    const share = scores === 'KEEP' ? ['1 Bob 1', '2 deleted player 1'] : ['1 Bob 1'];
    expect(await standings(studio.admin, ratio.id)).toEqual(share);
    for (const { id } of all()) {
      expect(
        (await studio.admin.get(`/v1/boards/${id}/export?what=events&format=ndjson`)).body,
      ).not.toContain(MARK);
    }
  },
);

test('the erasure of a player whose name is a word of other accounts’ errors clears none of them', async () => {
  const rival = await makeStudio(app);
  const errors = [
    { name: 'of-none', last_error: 'connection lost', last_error_of: null },
    { name: 'of-another', last_error: 'connection lost', last_error_of: [uuidOf(rival.accountId)] },
    { name: 'of-the-game', last_error: 'connection lost', last_error_of: [uuidOf(best.gameId)] },
    { name: 'of-the-game-alone', last_error: 'disk full', last_error_of: [uuidOf(best.gameId)] },
  ];
  await app.database.knex('jobs').insert(errors.map((error) => ({ ...error, runs: 1, failures: 1 })));
  await change(studio.admin, 'Identity', identity(), { displayName: 'connection' });
  await erase();
  const { rows } = await sql(
    "select name from jobs where name like 'of-%' and last_error is not null order by name",
    {},
  );
  expect(rows.map(({ name }: Data) => name)).toEqual(['of-another', 'of-none', 'of-the-game-alone']);
});

test('the preview names records and boards and changes nothing; the same request twice gives the same answer', async () => {
  const { identityErasure: preview } = await studio.admin.data(PREVIEW, { id: identity() });
  expect(preview).toMatchObject({ status: 'NONE', scores: null, boardsDone: 0, finishedAt: null });
  expect(preview.records).toMatchObject({ devices: 1, sessions: 1, submissions: 8 });
  expect(preview.boards.map(({ boardId }: Data) => boardId)).toEqual(
    expect.arrayContaining(all().map(({ id }) => id)),
  );
  expect((await planted()).length).toBeGreaterThan(5);

  const rest = await studio.admin.post(`/v1/identities/${identity()}/erase`, {});
  expect(rest.body).toMatchObject({ status: 'done', scores: 'keep', boards_done: 5, overwritten: 8 });
  const again = await studio.admin.post(`/v1/identities/${identity()}/erase`, {});
  expect(again.body).toEqual(rest.body);
  const state = await studio.admin.get(`/v1/identities/${identity()}/erasure`);
  expect(state.body).toEqual(rest.body);
  const entries = await app.database.knex('audit_entries').where('action', 'identity_erased');
  expect(entries.filter(({ subject_id: id }) => id === identity())).toMatchObject([
    { before: null, after: { scores: 'keep' }, reason: null },
  ]);

  // Kept scores may go later; removed ones do not come back.
  expect(await erase({ scores: 'REMOVE' })).toMatchObject({ status: 'DONE', scores: 'REMOVE' });
  expect(await standings(studio.admin, best.id)).toEqual(['1 Bob 5']);
  expect(await erase({ scores: 'KEEP' })).toMatchObject({ status: 'DONE', scores: 'REMOVE' });
  await expectAllSound();
});

test('an erased player is gone for every other request, and its device begins anew', async () => {
  await erase();
  expect((await studio.admin.get(`/v1/identities/${identity()}`)).status).toBe(404);
  expect(await changeFault(studio.admin, 'Identity', identity(), { displayName: 'back' })).toBe('NOT_FOUND');
  expect(await changeFault(studio.admin, 'Identity', identity(), { deleted: false })).toBe('CONFLICT');
  expect(await submitFault(ann, best.id, 99, { nonce: null })).toBe('INVALID_TOKEN');
  const event = { board_id: best.id, identity_id: identity(), value: 99 };
  expect((await studio.admin.post('/v1/score-events', event)).status).toBe(404);
  const fresh = await startSession(app, game.id, { clientFingerprint: ann.session.clientFingerprint });
  expect(fresh.session.identityId).not.toBe(identity());
  expect(fresh.session.displayName).toBe('');
  // A deleted player can be erased, too: its scores stay away.
  await change(studio.admin, 'Identity', bob.session.identityId, { deleted: true });
  const { body } = await studio.admin.post(`/v1/identities/${bob.session.identityId}/erase`, {
    scores: 'keep',
  });
  expect(body).toMatchObject({ status: 'done', scores: 'remove' });
  expect(await standings(studio.admin, best.id)).toEqual(['1 deleted player 10']);
});

test('another account gets 403, an unknown player 404, a wrong word 422', async () => {
  const rival = await makeStudio(app);
  const none = `ide_${randomUUID()}`;
  for (const path of ['erasure', 'export']) {
    expect((await rival.admin.get(`/v1/identities/${identity()}/${path}`)).status).toBe(403);
    expect((await studio.admin.get(`/v1/identities/${none}/${path}`)).status).toBe(404);
  }
  expect((await rival.admin.post(`/v1/identities/${identity()}/erase`, {})).status).toBe(403);
  expect((await studio.admin.post(`/v1/identities/${none}/erase`, {})).status).toBe(404);
  for (const scores of ['all', null]) {
    expect((await studio.admin.post(`/v1/identities/${identity()}/erase`, { scores })).status).toBe(422);
  }
  expect((await planted()).length).toBeGreaterThan(5);
});

test('live viewers and cached pages show the change at once', async () => {
  const page = () => studio.admin.get(`/v1/scores?board_id=${best.id}&account_id=${studio.accountId}`);
  expect((await page()).body.data[0].player_name).toBe(`${MARK} Ann`);
  const socket = await TestSocket.connect(app.url, {
    'service-api-key': studio.admin.headers['service-api-key'],
  });
  live.begin(socket, WATCH, { id: best.id });
  await live.until(socket, (event) => live.lines(event)[0] === `1 ${MARK} Ann 10`);
  await erase();
  await live.until(socket, (event) => live.lines(event)[0] === '1 deleted player 10');
  const { data } = (await page()).body;
  expect(data[0]).toMatchObject({
    player_name: 'deleted player',
    value_display: null,
    metadata: null,
    rank: 1,
  });
  await socket.close();
});

test('submissions and session starts that run beside an erasure bring nothing back', async () => {
  const letGo = await holding(
    app,
    'select from board_rankings where board_id = $1 for update',
    uuidOf(best.id),
  );
  const late = [1, 2, 3].map((value) =>
    post(
      ann,
      { board_id: best.id, value, player_name: `${MARK} late` },
      { 'idempotency-key': `${MARK} ${value}` },
    ),
  );
  const waits = async () => {
    const { rows } = await sql(
      `select count(*) as n from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    );
    return rows[0].n > 0;
  };
  await until(waits);
  const starts = Array.from({ length: 5 }, () =>
    startSession(app, game.id, { clientFingerprint: ann.session.clientFingerprint }),
  );
  const erased = erase();
  await until(
    async () =>
      (await app.database.knex('identity_erasures').where('identity_id', uuidOf(identity()))).length > 0,
  );
  await letGo();
  const [erasure, players, answers] = await Promise.all([erased, Promise.all(starts), Promise.all(late)]);
  await until(async () => (await erase()).status === 'DONE');
  expect(erasure.scores).toBe('KEEP');
  expect(answers.map(({ status }) => status).every((status) => status === 201 || status === 401)).toBe(true);
  const own = new Set(players.map(({ session }) => session.identityId).filter((id) => id !== identity()));
  const rows = (await planted()).filter((row) => ![...own].some((id) => row.includes(uuidOf(id))));
  expect(rows).toEqual([]);
  await expectAllSound();
});

test('a long history is erased in steps that another process takes over, with its progress', async () => {
  const worker = (most: number) =>
    new ErasureWorker(app.database, app.clock.now, makeLog('silent'), () => undefined, most);
  const letGo = await holding(
    app,
    'select from board_rankings where board_id = $1 for update',
    uuidOf(runs.id),
  );
  const erased = erase({ scores: 'REMOVE' });
  const left = () =>
    app.database.knex('identity_erasures').where('identity_id', uuidOf(identity())).first() as Promise<Data>;
  await until(async () => (await left())?.boards?.length > 0);
  const pid = async () =>
    (
      await sql(
        `select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
          and query like '%advance_erasure%'`,
      )
    ).rows[0]?.pid;
  await until(async () => (await pid()) !== undefined);
  await app.database.pool.query('select pg_cancel_backend($1)', [await pid()]);
  expect(await erased).toMatchObject({ status: 'RUNNING', boardsTotal: 5 });
  await letGo();
  await worker(1).eraseDue();
  expect((await left()).status).toBe('running');
  app.clock.advance(ERASURE_LEASE_MS);
  await worker(1).eraseDue();
  expect(await left()).toMatchObject({ status: 'done', boards: [], events: 8 });
  expect(await planted()).toEqual([]);
  await expectAllSound();
});

test('everything stored about a player is exported, as a stream and by GraphQL', async () => {
  await plantEverywhere();
  const { body } = await studio.admin.get(`/v1/identities/${identity()}/export`);
  const lines: Data[] = body
    .trim()
    .split('\n')
    .map((line: string) => JSON.parse(line));
  expect(lines.at(-1)).toEqual({
    trailer: { what: 'identity', identity_id: identity(), count: lines.length - 1 },
  });
  const kinds = new Map<string, number>();
  for (const { record } of lines.slice(0, -1)) kinds.set(record, (kinds.get(record) ?? 0) + 1);
  expect(Object.fromEntries(kinds)).toMatchObject({
    identity: 1,
    device: 1,
    device_session: 1,
    score_event: 10,
    flag: expect.any(Number),
    flag_review: expect.any(Number),
    identity_review: 1,
    audit_entry: expect.any(Number),
    idempotency_key: 1,
    board_state: 5,
    score: 6,
  });
  expect(lines[0]).toMatchObject({ record: 'identity', id: identity(), game_id: game.id });
  expect(lines.find(({ record }) => record === 'score_event')).toMatchObject({
    city: MARK,
    metadata: { of: MARK },
  });
  await erase();
  const after = await studio.admin.get(`/v1/identities/${identity()}/export`);
  expect(after.body).not.toContain(MARK);
});

test('a restored older state repeats the erasures of the list before it serves', async () => {
  const older = await app.database.knex('identities').where('id', uuidOf(identity())).first();
  const devices = await app.database.knex('devices').where('identity_id', uuidOf(identity()));
  const events = await app.database.knex('score_events').where('identity_id', uuidOf(identity()));
  await erase();
  const list = await readErasures(erasureFile(app.dataDir));
  expect(list.at(-1)).toEqual({ identityId: identity(), scores: 'keep', requestedAt: expect.any(String) });
  // The older state: as if the erasure had never been.
  await app.database.knex('identity_erasures').where('identity_id', older.id).delete();
  const { id, ...player } = older;
  await app.database.knex('identities').where('id', id).update(player);
  for (const { id: device, ...values } of devices) {
    await app.database
      .knex('devices')
      .where('id', device)
      .update({ ...values, metadata: JSON.stringify(values.metadata) });
  }
  for (const event of events) {
    await app.database
      .knex('score_events')
      .where({ board_id: event.board_id, seq: event.seq })
      .update({ player_name: event.player_name, value_display: event.value_display });
    await byHand(app.database.knex, (trx) =>
      trx('entries')
        .where({ board_id: event.board_id, identity_id: id })
        .update({ player_name: event.player_name }),
    );
  }
  expect((await planted()).length).toBeGreaterThan(5);
  const parts = { clock: app.clock.now, log: makeLog('silent') };
  const unknown = { identityId: `ide_${randomUUID()}`, scores: 'remove' as const, requestedAt: '' };
  expect(await reapplyErasures(app.database, parts, [...list, unknown])).toBe(1);
  expect(await planted()).toEqual([]);
  expect(await reapplyErasures(app.database, parts, list)).toBe(0);
  await expectAllSound();
});

test('the terminal exports, previews and erases a player', async () => {
  const terminal = new Terminal({
    LEADERBOARD_API: app.url,
    LEADERBOARD_API_KEY: studio.admin.headers['service-api-key'],
  });
  const preview = await terminal.run(['players', 'erase', identity(), '--dry-run', '--json']);
  expect(preview).toMatchObject({ code: 0, stderr: '' });
  expect(JSON.parse(preview.stdout)).toMatchObject({ status: 'none', records: { submissions: 8 } });
  const exported = await terminal.run(['players', 'export', identity()]);
  expect(exported).toMatchObject({ code: 0, stdout: expect.stringContaining('"trailer"') });
  const erased = await terminal.run([
    'players',
    'erase',
    identity(),
    '--scores',
    'remove',
    '--yes',
    '--json',
  ]);
  expect(JSON.parse(erased.stdout)).toMatchObject({ status: 'done', scores: 'remove' });
  expect(await planted()).toEqual([]);
  terminal.close();
});
