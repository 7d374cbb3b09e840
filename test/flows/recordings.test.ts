import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { uuidOf } from '../../src/base/ids.js';
import { checkedGame } from '../support/checked-game.js';
import { DAY, MINUTE } from '../support/clock.js';
import { type Data, send } from '../support/http.js';
import { holding, waiting } from '../support/locks.js';
import { change, makeStudio, type Player } from '../support/make.js';
import { post, takeNonce } from '../support/play.js';
import { until } from '../support/wait.js';

const { on, session, board } = checkedGame();

const recorded = (input: Data = {}, settings: Data = {}) => board({ ...input, recordings: settings });
const hashOf = (file: Buffer | string) => createHash('sha256').update(file).digest('hex');
/** A file of a run. */
const fileOf = (name: string, bytes = 1_000) => Buffer.alloc(bytes, name);
const rowsOf = async (boardId: string) =>
  (
    await on.app.database.pool.query(
      'select event_seq, bytes, leaving_at, content from recordings where board_id = $1 order by event_seq',
      [uuidOf(boardId)],
    )
  ).rows;
const usage = async () =>
  (
    await on.app.database.pool.query('select files, bytes from recording_usage where account_id = $1', [
      uuidOf(on.studio.accountId),
    ])
  ).rows[0] ?? { files: 0, bytes: 0 };
const tidy = () => on.app.app.jobs.run('tidy-recordings');

/** Submits a run with the hash of its recording. */
async function play(player: Player, boardId: string, value: number, file: Buffer | null = fileOf('run')) {
  const { status, body } = await post(player, {
    board_id: boardId,
    value,
    ...(file && { recording_hash: hashOf(file) }),
  });
  expect(status).toBe(201);
  return body;
}

async function put(player: Player, eventId: string, file: Buffer | string, headers: Data = {}) {
  const nonce = headers['service-client-nonce'] ?? (await takeNonce(player.client));
  return send(`${on.app.url}/v1/client/score-events/${eventId}/recording`, {
    method: 'PUT',
    headers: {
      ...player.client.headers,
      'content-type': 'application/octet-stream',
      'service-client-nonce': nonce,
      ...headers,
    },
    body: file,
  });
}

/** Submits a run and sends its recording. @returns the event */
async function record(player: Player, boardId: string, value: number, file = fileOf('run')): Promise<string> {
  const { recording } = await play(player, boardId, value, file);
  const { status } = await put(player, recording.score_event_id, file);
  expect(status).toBe(200);
  return recording.score_event_id;
}

const RECORDING =
  'query ($id: ID!) { scoreEvent(id: $id) { recording { url bytes hash storedAt leavingAt } } }';
const recordingOf = async (eventId: string, caller = on.studio.admin) =>
  (await caller.data(RECORDING, { id: eventId })).scoreEvent.recording;

test('the hash goes with the score, the file where it is wanted, and administrators read the same bytes', async () => {
  const { id } = await recorded({}, { keepTop: 2 });
  const [ann, bob, cyd] = [await session(), await session(), await session()];
  const file = Buffer.from([0, 255, 128, ...fileOf('frames', 5_000)]);
  const wanted = await play(ann, id, 10, file);
  expect(wanted.recording).toEqual({
    score_event_id: expect.stringMatching(/^sev_/),
    wanted_until: new Date(on.app.clock.now() + DAY).toISOString(),
  });
  const eventId = wanted.recording.score_event_id;
  expect(await recordingOf(eventId)).toBeNull();
  const nonce = await takeNonce(ann.client);
  // Another file is refused and leaves the nonce; the same request may be repeated.
  for (const wrong of [fileOf('frames', 5_003), fileOf('x', 10)]) {
    const { status, body } = await put(ann, eventId, wrong, { 'service-client-nonce': nonce });
    expect([status, body.code]).toEqual([422, 'VALIDATION_FAILED']);
  }
  const stored = await put(ann, eventId, file, { 'service-client-nonce': nonce });
  expect([stored.status, stored.body]).toEqual([
    200,
    { score_event_id: eventId, hash: hashOf(file), bytes: file.length },
  ]);
  expect((await put(ann, eventId, file, { 'service-client-nonce': nonce })).body.code).toBe('NONCE_USED');
  expect((await put(ann, eventId, file)).status).toBe(200);
  expect((await put(ann, eventId, fileOf('y', 20))).status).toBe(422);
  expect((await usage()).files).toBe(1);

  const shown = await recordingOf(eventId);
  expect(shown).toMatchObject({ bytes: file.length, hash: hashOf(file), leavingAt: null });
  const answer = await fetch(on.app.url + shown.url);
  expect(Buffer.from(await answer.arrayBuffer()).equals(file)).toBe(true);
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    'content-type': 'application/octet-stream',
    'content-length': String(file.length),
    'x-content-type-options': 'nosniff',
    'content-disposition': `attachment; filename="${eventId}.bin"`,
    etag: `"${hashOf(file)}"`,
    'cache-control': 'private, max-age=600, immutable',
  });
  const again = await fetch(on.app.url + shown.url, { headers: { 'if-none-match': `"${hashOf(file)}"` } });
  expect([again.status, await again.text()]).toEqual([304, '']);

  // Out of the first ranks, and without a hash, nothing is wanted.
  await play(bob, id, 9);
  expect((await play(cyd, id, 8)).recording).toBeUndefined();
  expect((await play(cyd, id, 20, null)).recording).toBeUndefined();
  expect((await rowsOf(id)).map(({ event_seq, bytes }) => [event_seq, bytes])).toEqual([
    [1, file.length],
    [2, null],
  ]);
});

test('an address of a recording is one event’s, for ten minutes, and cannot be made up', async () => {
  const { id } = await recorded();
  const [ann, bob] = [await session(), await session()];
  const eventId = await record(ann, id, 10, fileOf('ann'));
  const other = await record(bob, id, 9, fileOf('bob'));
  const { url } = await recordingOf(eventId);
  const status = async (path: string) => (await fetch(on.app.url + path)).status;
  expect(await status(url)).toBe(200);
  expect(await status(url.replace(eventId, other))).toBe(404);
  const [, until] = /until=(\d+)/.exec(url)!;
  expect(await status(url.replace(until!, String(Number(until) + 1)))).toBe(404);
  for (let at = url.length - 22; at < url.length - 1; at += 1) {
    const forged = url.slice(0, at) + (url[at] === 'A' ? 'B' : 'A') + url.slice(at + 1);
    expect([at, await status(forged)]).toEqual([at, 404]);
  }
  expect(await status(url.split('?')[0])).toBe(404);
  on.app.clock.advance(11 * MINUTE);
  expect(await status(url)).toBe(404);
  const stranger = await makeStudio(on.app);
  expect(await stranger.admin.code(RECORDING, { id: eventId })).toBe('FORBIDDEN');
});

test('a recording is taken from its own player alone, with every bound before its bytes', async () => {
  const { id } = await recorded({}, { maxBytes: 2_000 });
  const [ann, bob] = [await session(), await session()];
  const { recording } = await play(ann, id, 10);
  const eventId = recording.score_event_id;
  const codeOf = async (answer: Promise<{ status: number; body: Data }>) => {
    const { status, body } = await answer;
    return `${status} ${body.code}`;
  };
  const file = fileOf('run');
  expect(await codeOf(put(bob, eventId, file))).toBe('404 NOT_FOUND');
  expect(await codeOf(put(ann, 'sev_1', file))).toBe('422 VALIDATION_FAILED');
  expect(await codeOf(put(ann, eventId, fileOf('large', 2_001)))).toBe('413 BODY_TOO_LARGE');
  expect(await codeOf(put(ann, eventId, ''))).toBe('422 VALIDATION_FAILED');
  expect(await codeOf(put(ann, eventId, file, { 'content-encoding': 'gzip' }))).toBe(
    '415 UNSUPPORTED_MEDIA_TYPE',
  );
  expect(await codeOf(put(ann, eventId, file, { 'service-client-nonce': '' }))).toBe('412 NONCE_REQUIRED');
  expect(await codeOf(put(ann, eventId, file, { 'service-client-nonce': 'made-up' }))).toBe(
    '412 NONCE_INVALID',
  );
  expect(await codeOf(put(ann, eventId, file, { authorization: 'Bearer no' }))).toBe('401 INVALID_TOKEN');
  const { status } = await send(`${on.app.url}/v1/client/score-events/${eventId}/recording`, {
    ...{ method: 'PUT', headers: on.studio.admin.headers, body: file },
  });
  expect(status).toBe(401);
  const unannounced = await play(bob, id, 11, null);
  const events = await on.studio.admin.get(`/v1/score-events?board_id=${id}&sort=id:desc`);
  expect(unannounced.recording).toBeUndefined();
  expect(await codeOf(put(bob, events.body.data[0].id, file))).toBe('400 RECORDING_NOT_WANTED');
  // A day later.
  await on.app.database.pool.query('update recordings set wanted_until = $2 where board_id = $1', [
    ...[uuidOf(id), new Date(on.app.clock.now())],
  ]);
  expect(await codeOf(put(ann, eventId, file))).toBe('400 RECORDING_NOT_WANTED');
});

test('chunks without a length, a body that ends early and one that stops are refused', async () => {
  const { id } = await recorded();
  const ann = await session();
  const file = fileOf('run', 3_000);
  const { recording } = await play(ann, id, 10, file);
  const eventId = recording.score_event_id;
  const path = `/v1/client/score-events/${eventId}/recording`;
  const chunked = await fetch(on.app.url + path, {
    method: 'PUT',
    headers: { ...ann.client.headers, 'service-client-nonce': await takeNonce(ann.client) },
    body: new Blob([file]).stream(),
    duplex: 'half',
  } as RequestInit);
  expect([chunked.status, ((await chunked.json()) as Data).code]).toEqual([422, 'VALIDATION_FAILED']);

  const { hostname, port } = new URL(on.app.url);
  const cut = connect(Number(port), hostname);
  const head = [
    `PUT ${path} HTTP/1.1`,
    `host: ${hostname}`,
    `authorization: ${ann.client.headers.authorization}`,
    `service-client-nonce: ${await takeNonce(ann.client)}`,
    `content-length: ${file.length}`,
  ];
  cut.write(`${head.join('\r\n')}\r\n\r\n`);
  cut.write(file.subarray(0, 1_000));
  // While it is under way, the device has its slot.
  await until(async () => /recording_uploads 1$/m.test(await (await fetch(`${on.app.url}/metrics`)).text()));
  const refused = await put(ann, eventId, file);
  expect([refused.status, refused.body.code]).toEqual([429, 'RATE_LIMITED']);
  cut.destroy();
  await once(cut, 'close');
  await until(async () => (await put(ann, eventId, file)).status === 200);
  expect(await rowsOf(id)).toHaveLength(1);
});

test('what a board stops keeping leaves after seven days, and returns if the run does', async () => {
  const { id } = await recorded({}, { keepTop: 1 });
  const [ann, bob] = [await session(), await session()];
  const first = await record(ann, id, 10);
  await record(bob, id, 20, fileOf('bob'));
  const before = await usage();
  await tidy();
  const leaving = (await recordingOf(first)).leavingAt;
  expect(leaving).toBe(new Date(on.app.clock.now() + 7 * DAY).toISOString());
  // A banned winner makes room.
  await change(on.studio.admin, 'Identity', bob.session.identityId, { deleted: true });
  await tidy();
  expect((await recordingOf(first)).leavingAt).toBeNull();
  on.app.clock.advance(8 * DAY);
  await tidy();
  expect((await rowsOf(id)).map(({ event_seq }) => event_seq)).toEqual([1]);
  expect(await usage()).toEqual({ files: before.files - 1, bytes: before.bytes - 1_000 });
  // Without settings, everything leaves.
  await change(on.studio.admin, 'Board', id, { recordings: null });
  await tidy();
  on.app.clock.advance(8 * DAY);
  await tidy();
  expect(await rowsOf(id)).toEqual([]);
});

test('what a board keeps is found once for thousands of recordings that leave, not for each step', async () => {
  const { id } = await recorded();
  await on.app.database.pool.query(
    `insert into recordings (board_id, event_seq, account_id, sha256, wanted_until, demanded, bytes, stored_at, content)
      select $1, n, $2, sha256('x'), now(), false, 1, now(), 'x' from generate_series(1, 1000) n`,
    [uuidOf(id), uuidOf(on.studio.accountId)],
  );
  await on.app.database.pool.query('select use_recording_room($1, 1000, 1000, null)', [
    uuidOf(on.studio.accountId),
  ]);
  const before = await usage();
  const sent: string[] = [];
  const listen = ({ sql, bindings }: { sql: string; bindings: unknown[] }) => {
    if (bindings.includes(uuidOf(id))) sent.push(/(tidy|delete_left)_recordings/.exec(sql)?.[1] ?? 'other');
  };
  on.app.database.knex.on('query', listen);
  await tidy();
  expect((await rowsOf(id)).every(({ leaving_at }) => leaving_at !== null)).toBe(true);
  on.app.clock.advance(8 * DAY);
  await tidy();
  on.app.database.knex.off('query', listen);
  expect(await rowsOf(id)).toEqual([]);
  expect(Number(before.files) - Number((await usage()).files)).toBe(1_000);
  expect(sent.filter((one) => one === 'tidy')).toHaveLength(2);
  expect(sent.filter((one) => one === 'delete_left')).toHaveLength(7);
});

test('what comes back while others are deleted keeps its recording', async () => {
  const { id } = await recorded({}, { keepTop: 1 });
  const { pool } = on.app.database;
  const ann = await session();
  await record(ann, id, 10);
  await record(await session(), id, 20, fileOf('bob'));
  await pool.query(
    `insert into recordings (board_id, event_seq, account_id, sha256, wanted_until, demanded, bytes, stored_at, content)
      select $1, -n, $2, sha256('x'), now(), false, 1, now(), 'x' from generate_series(1, 2500) n`,
    [uuidOf(id), uuidOf(on.studio.accountId)],
  );
  await pool.query('select use_recording_room($1, 2500, 2500, null)', [uuidOf(on.studio.accountId)]);
  await tidy();
  on.app.clock.advance(8 * DAY);
  // The board keeps both runs from the first deletion on.
  await pool.query(`
    create function keep_more() returns trigger language plpgsql as $$
    begin
      update boards set recordings = jsonb_set(recordings, '{keepTop}', '2') where id = old.board_id;
      return null;
    end $$;
    create trigger keep_more after delete on recordings for each row when (old.event_seq = -2500) execute function keep_more()`);
  await tidy();
  await pool.query('drop function keep_more() cascade');
  expect((await rowsOf(id)).map(({ event_seq, leaving_at }) => [Number(event_seq), leaving_at])).toEqual([
    [1, null],
    [2, null],
  ]);
});

test('the recording of a run that moves with a merge is taken from the player that it moves to', async () => {
  const { id } = await recorded();
  const [ann, bob] = [await session(), await session()];
  const { recording } = await play(ann, id, 10);
  const release = await holding(
    on.app,
    'select from board_rankings where board_id = $1 for update',
    uuidOf(id),
  );
  const merged = on.studio.admin.post('/v1/player-merges', {
    ...{ source_id: ann.session.identityId, target_id: bob.session.identityId },
  });
  await waiting(on.app, 1);
  expect((await put(await session(), recording.score_event_id, fileOf('run'))).status).toBe(404);
  const { status } = await put(bob, recording.score_event_id, fileOf('run'));
  await release();
  expect([status, (await merged).status]).toEqual([200, 200]);
});

test('a view’s podium keeps its recordings, and a file that never came is forgotten', async () => {
  const { id } = await recorded(
    { keepStrategy: 'ALL', views: [{ name: 'daily', period: 'DAY' }] },
    { keepTop: 1 },
  );
  const [ann, bob, cyd] = [await session(), await session(), await session()];
  await record(ann, id, 10);
  await record(bob, id, 20);
  const announced = await play(cyd, id, 30);
  expect(announced.recording).not.toBeNull();
  await tidy();
  expect((await rowsOf(id)).map(({ leaving_at }) => leaving_at)).toEqual([null, null, null]);
  on.app.clock.advance(2 * DAY);
  await tidy();
  expect(await rowsOf(id)).toHaveLength(2);
});

test('an erased player’s recordings are gone, from the export, too', async () => {
  const { id } = await recorded();
  const [ann, bob] = [await session(), await session()];
  const file = fileOf('of Ann');
  const eventId = await record(ann, id, 10, file);
  await record(bob, id, 9);
  const exported = async () => {
    const { body } = await on.studio.admin.get(`/v1/identities/${ann.session.identityId}/export`);
    return body.split('\n').filter((line: string) => line.includes('"record":"recording"'));
  };
  const [line, ...more] = await exported();
  expect(more).toEqual([]);
  expect(Buffer.from(JSON.parse(line).content, 'base64').equals(file)).toBe(true);
  const { url } = await recordingOf(eventId);
  await on.studio.admin.data(
    'mutation ($input: EraseIdentityInput!) { eraseIdentity(input: $input) { erasure { status } } }',
    { input: { id: ann.session.identityId, scores: 'KEEP' } },
  );
  await until(async () => {
    const { rows } = await on.app.database.pool.query(
      'select status from identity_erasures where identity_id = $1',
      [uuidOf(ann.session.identityId)],
    );
    return rows[0].status === 'done';
  });
  expect((await rowsOf(id)).map(({ event_seq }) => event_seq)).toEqual([2]);
  expect((await fetch(on.app.url + url)).status).toBe(404);
});

test('a full account takes nothing more', async () => {
  const { id } = await recorded();
  const ann = await session();
  const { recording } = await play(ann, id, 10);
  const full = on.app.database.pool;
  await full.query('update recording_usage set bytes = bytes + 1073741824 where account_id = $1', [
    uuidOf(on.studio.accountId),
  ]);
  const { body } = await put(ann, recording.score_event_id, fileOf('run'));
  expect(body.code).toBe('RECORDING_NOT_WANTED');
  await full.query('update recording_usage set bytes = bytes - 1073741824 where account_id = $1', [
    uuidOf(on.studio.accountId),
  ]);
  expect((await put(ann, recording.score_event_id, fileOf('run'))).status).toBe(200);
});

test('a retry by its key returns the same wanted recording, batches have it, too, and ratio boards take none', async () => {
  const { id } = await recorded();
  const ann = await session();
  const body = { board_id: id, value: 5, recording_hash: hashOf('a').toUpperCase() };
  const key = { 'idempotency-key': 'run-1' };
  const first = await post(ann, body, key);
  const second = await post(ann, body, key);
  expect(second.headers.get('service-replayed')).toBe('true');
  expect(second.body.recording).toEqual(first.body.recording);
  expect(first.body.recording).toBeDefined();
  expect((await post(ann, { ...body, recording_hash: hashOf('b') }, key)).body.code).toBe('CONFLICT');
  expect((await post(ann, { ...body, recording_hash: 'abc' })).status).toBe(422);
  const items = await Promise.all(
    [6, 7].map(async (value) => ({
      ...{ board_id: id, player_name: 'Ann', value, nonce: await takeNonce(ann.client) },
      recording_hash: hashOf(`run ${value}`),
    })),
  );
  const batch = await ann.client.post('/v1/client/scores/batch', { scores: items, items });
  expect(batch.body.results.map(({ recording }: Data) => recording?.score_event_id.slice(0, 4))).toEqual([
    'sev_',
    'sev_',
  ]);
  const ratio = await on.studio.admin.code(
    'mutation ($input: CreateBoardInput!) { createBoard(input: $input) { board { id } } }',
    {
      input: {
        ...{ accountId: on.studio.accountId, gameId: on.game.id, name: 'Ratio', boardType: 'RATIO' },
        ratioConfig: { numeratorBoardId: id, denominatorBoardId: id },
        recordings: {},
      },
    },
  );
  expect(ratio).toBe('VALIDATION_FAILED');
});
