import { createHash, randomBytes } from 'node:crypto';
import { uuidOf } from '../../src/base/ids.js';
import { Caller, type Data, send } from '../support/http.js';
import { KillableService } from '../support/killable.js';
import { S3Server } from '../support/s3.js';
import { expectSound } from '../support/standings.js';
import { until } from '../support/wait.js';

// A real process, killed around an upload: before it, and while its object is stored and its row is not.

const store = { server: undefined as unknown as S3Server };
const service = new KillableService(async () => {
  store.server = await S3Server.start();
  return { RECORDINGS_STORE: store.server.address() };
});
afterAll(async () => {
  await store.server.stop();
  store.server.remove();
});

const sql = async (text: string, ...values: unknown[]): Promise<Data[]> =>
  (await service.database.pool.query(text, values)).rows;

/** Of the process that runs now: its port is another one after each start. */
const client = (token: string) => new Caller(service.admin.url, { authorization: `Bearer ${token}` });
const nonceOf = async (token: string): Promise<string> =>
  (await client(token).get('/v1/client/nonce')).body.nonce_value;

async function put(token: string, event: string, file: Buffer) {
  return send(`${service.admin.url}/v1/client/score-events/${event}/recording`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${token}`, 'service-client-nonce': await nonceOf(token) },
    body: file,
  });
}

test('kills between run, object, row and flag lose no recording, and leave none without its row', async () => {
  const accountId = (await service.created('/v1/accounts', { name: 'Killed' })).id;
  const { id: gameId } = await service.created('/v1/games', { account_id: accountId, name: 'Killed' });
  const { id: boardId } = await service.created('/v1/boards', {
    ...{ account_id: accountId, game_id: gameId, name: 'Board', keep_strategy: 'best', hold_top: 2 },
    recordings: { keep_top: 10, demand_top: 2, max_bytes: 4_000_000 },
  });
  const session = await new Caller(service.admin.url).post('/v1/client/sessions', {
    ...{ game_id: gameId, client_fingerprint: 'phone' },
  });
  const token = session.body.access_token;
  const file = randomBytes(2_000_000);
  const submitted = await client(token)
    .with({ 'service-client-nonce': await nonceOf(token) })
    .post('/v1/client/scores', {
      ...{ board_id: boardId, player_name: 'Ann', value: 10 },
      recording_hash: createHash('sha256').update(file).digest('hex'),
    });
  const event = submitted.body.recording.score_event_id;
  const state = async () => {
    const [row] = await sql(
      `select r.bytes, f.status, (select count(*)::int from recording_objects_due) as due,
          (select count(*)::int from entries e where e.board_id = r.board_id and e.ranked) as ranked
        from recordings r join score_flags f on f.board_id = r.board_id and f.event_seq = r.event_seq where r.board_id = $1`,
      uuidOf(boardId),
    );
    return { ...row, objects: store.server.sizes() };
  };
  const waits = { bytes: null, status: 'pending', due: 0, ranked: 0, objects: [] };
  expect(await state()).toEqual(waits);
  await service.killWhen(async () => true);
  await service.start();
  expect(await state()).toEqual(waits);

  // Its transaction has taken the flag back, and waits for the row.
  const holder = await service.database.pool.connect();
  await holder.query('begin');
  await holder.query('select from recordings where board_id = $1 for update', [uuidOf(boardId)]);
  const lost = put(token, event, file).catch(() => 'no response');
  await service.killWhen(async () => {
    const [{ count }] = (await sql(
      `select count(*)::int from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
        and query like '%store_recording%'`,
    )) as [Data];
    return count === 1;
  });
  expect(await lost).toBe('no response');
  await holder.query('rollback');
  holder.release();
  await until(
    async () =>
      (await sql(`select from pg_locks where locktype = 'relation' and relation = 'recordings'::regclass`))
        .length === 0,
  );
  expect(await state()).toEqual({ ...waits, due: 1, objects: [file.length] });

  await service.start();
  expect((await put(token, event, file)).status).toBe(200);
  const stored = { bytes: file.length, status: 'dismissed', ranked: 1 };
  expect(await state()).toEqual({ ...stored, due: 1, objects: [file.length, file.length] });
  await expectSound(service.database, boardId);
  // An hour later a start of the jobs deletes the object without a row, and that one alone.
  await sql("update recording_objects_due set due_at = now() - interval '1 second'");
  await service.killWhen(async () => true);
  await service.start();
  await until(async () => (await state()).due === 0);
  expect(await state()).toEqual({ ...stored, due: 0, objects: [file.length] });
  const { scoreEvent } = await service.admin.data(
    'query ($id: ID!) { scoreEvent(id: $id) { recording { url } } }',
    { id: event },
  );
  const read = await fetch(service.admin.url + scoreEvent.recording.url);
  expect(Buffer.from(await read.arrayBuffer()).equals(file)).toBe(true);
});
