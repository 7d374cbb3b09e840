import { createHash } from 'node:crypto';
import { uuidOf } from '../../src/base/ids.js';
import { checkedGame } from '../support/checked-game.js';
import { DAY, HOUR, MINUTE } from '../support/clock.js';
import { type Data, send } from '../support/http.js';
import { change, type Player } from '../support/make.js';
import { post, standings, takeNonce } from '../support/play.js';
import { expectSound } from '../support/standings.js';

const { on, flags, session, board } = checkedGame();

const FILE = 'left left jump';
const HASH = createHash('sha256').update(FILE).digest('hex');

const demanding = (input: Data, recordings: Data = {}) =>
  board({ holdTop: 2, ...input, recordings: { keepTop: 0, demandTop: 2, ...recordings } });

async function play(
  player: Player,
  boardId: string,
  value: number,
  hash: string | null = HASH,
): Promise<Data> {
  on.app.clock.advance(MINUTE);
  const { body } = await post(player, { board_id: boardId, value, ...(hash && { recording_hash: hash }) });
  return body;
}

async function put(player: Player, { recording }: Data) {
  const { status, body } = await send(
    `${on.app.url}/v1/client/score-events/${recording.score_event_id}/recording`,
    {
      method: 'PUT',
      headers: { ...player.client.headers, 'service-client-nonce': await takeNonce(player.client) },
      body: FILE,
    },
  );
  return `${status} ${body.code ?? 'stored'}`;
}

const raised = async (boardId: string) =>
  (await flags(boardId)).map(({ event_seq: seq, flag_type: type, status }) => `${seq} ${type} ${status}`);
const queued = async (boardId: string) => {
  const { flaggedPlayers } = await on.studio.admin.data(
    'query ($id: ID!) { flaggedPlayers(filter: { boardId: $id }) { nodes { pendingFlags flags { flagType explanation } } } }',
    { id: boardId },
  );
  return flaggedPlayers.nodes.flatMap(({ flags: shown }: Data) =>
    shown.map(({ explanation }: Data) => explanation),
  );
};

test('a run among the first waits for its recording, and ranks with it; nobody reviews it meanwhile', async () => {
  const { id } = await demanding({});
  const [ann, bob, cyd] = [await session(), await session(), await session()];
  const first = await play(ann, id, 10);
  expect([first.held.rank, first.recording !== undefined]).toEqual([1, true]);
  expect(await raised(id)).toEqual(['1 recording pending']);
  expect(await standings(on.studio.admin, id)).toEqual([]);
  expect(await queued(id)).toEqual([]);
  expect(await put(ann, first)).toBe('200 stored');
  expect(await raised(id)).toEqual(['1 recording dismissed']);
  expect(await standings(on.studio.admin, id)).toEqual(['1 Ann 10']);
  expect(await put(ann, await play(bob, id, 20))).toBe('404 NOT_FOUND');
  const second = await play(bob, id, 30);
  expect(await put(bob, second)).toBe('200 stored');
  // Out of the first two: nothing is demanded, nor wanted.
  const third = await play(cyd, id, 5);
  expect([third.held, third.recording]).toEqual([undefined, undefined]);
  expect(await standings(on.studio.admin, id)).toEqual(['1 Ann 30', '2 Ann 10', '3 Ann 5']);
  // Bob's first run was never sent: after a day, people see it.
  expect(await queued(id)).toEqual([]);
  on.app.clock.advance(DAY);
  expect(await queued(id)).toEqual(['Its recording has not been sent.']);
  await expectSound(on.app.database, id);
});

test('a run without a recording waits for a person, and a flag is as any other', async () => {
  const { id } = await demanding({ holdTop: 0 });
  const [ann, bob] = [await session(), await session()];
  expect((await play(ann, id, 10, null)).status).toBe('under_review');
  expect(await raised(id)).toEqual(['1 recording pending']);
  const run = await play(bob, id, 20);
  expect(run.status).toBe('under_review');
  expect(await put(bob, run)).toBe('200 stored');
  expect(await raised(id)).toEqual(['1 recording pending', '2 recording dismissed']);
  on.app.clock.advance(DAY + HOUR);
  expect(await queued(id)).toEqual(['It was sent without a recording.']);
  const [flag] = await flags(id);
  const { status } = await on.studio.admin.patch(`/v1/score-flags/flg_${flag!.id}`, {
    status: 'confirmed_cheat',
  });
  expect(status).toBe(200);
  expect(await standings(on.studio.admin, id)).toEqual(['1 Ann 20']);
  await expectSound(on.app.database, id);
});

test('what is demanded is taken by a full account, and where checks are off nothing waits', async () => {
  const { id } = await demanding({});
  const ann = await session();
  const run = await play(ann, id, 10);
  await on.app.database.pool.query(
    `insert into recording_usage (account_id, files, bytes) values ($1, 1, 1073741824)
     on conflict (account_id) do update set bytes = recording_usage.bytes + 1073741824`,
    [uuidOf(on.studio.accountId)],
  );
  expect(await put(ann, run)).toBe('200 stored');
  await change(on.studio.admin, 'Game', on.game.id, { antiCheatEnabled: false });
  const next = await play(ann, id, 20);
  expect([next.held, next.recording !== undefined]).toEqual([undefined, true]);
  expect(await put(ann, next)).toBe('200 stored');
  await change(on.studio.admin, 'Game', on.game.id, { antiCheatEnabled: true });
});

test('file and flag are one write: a failure in between leaves both as they were', async () => {
  const { id } = await demanding({});
  const ann = await session();
  const run = await play(ann, id, 10);
  const sql = (text: string) => on.app.database.pool.query(text);
  await sql(
    `create function fail_review() returns trigger language plpgsql as $$ begin raise exception 'gone'; end $$`,
  );
  for (const table of ['flag_reviews', 'rulings', 'recordings']) {
    await sql(
      `create trigger fail_review before insert or update on ${table} for each row execute function fail_review()`,
    );
    expect(await put(ann, run)).toBe('500 INTERNAL');
    await sql(`drop trigger fail_review on ${table}`);
    expect(await raised(id)).toEqual(['1 recording pending']);
    const { rows } = await sql(`select bytes from recordings where board_id = '${uuidOf(id)}'`);
    expect(rows).toEqual([{ bytes: null }]);
  }
  expect(await put(ann, run)).toBe('200 stored');
  expect(await standings(on.studio.admin, id)).toEqual(['1 Ann 10']);
  await expectSound(on.app.database, id);
});

test('announcement and score are one write', async () => {
  const { id } = await demanding({});
  const ann = await session();
  const sql = (text: string) => on.app.database.pool.query(text);
  await sql(
    `create function fail_announcement() returns trigger language plpgsql as $$ begin raise exception 'gone'; end $$`,
  );
  await sql(
    'create trigger fail before insert on recordings for each row execute function fail_announcement()',
  );
  const { status } = await post(ann, { board_id: id, value: 1, recording_hash: HASH });
  expect(status).toBe(500);
  await sql('drop trigger fail on recordings');
  const { rows } = await sql(`select from score_events where board_id = '${uuidOf(id)}'`);
  expect(rows).toEqual([]);
  expect(await put(ann, await play(ann, id, 1))).toBe('200 stored');
});
