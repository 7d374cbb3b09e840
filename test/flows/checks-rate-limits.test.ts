import { checkedGame } from '../support/checked-game.js';
import { HOUR, MINUTE, SECOND } from '../support/clock.js';
import { post, standings, takeNonce } from '../support/play.js';
import { expectSound } from '../support/standings.js';

const { on, flags, events, session, board, tier, settings, plays, reject, metadataOf } = checkedGame();

test('a player of tier C is rejected after twenty accepted submissions within an hour', async () => {
  const { id } = await board();
  const player = await session();
  await tier(player, 'C');
  for (let n = 1; n <= 20; n += 1) expect(await plays(player, id, n, 2 * MINUTE)).toBe('active');
  const accepted = await events(id);
  // 38 minutes and 10 seconds after the first.
  on.app.clock.advance(10 * SECOND);
  const nonce = await takeNonce(player.client);
  const rejected = await reject(player, { board_id: id, value: 79 }, { 'service-client-nonce': nonce });
  expect(rejected.body.error).toMatch(/too often.*try again later/);
  expect(await flags(id)).toMatchObject([
    {
      flag_type: 'rate_limit',
      confidence: 'high',
      status: 'pending',
      event_seq: 21,
      metadata: { tier: 'c', limit: 20, count: 20, window_seconds: 3600 },
      compared_events: accepted.map((event) => event.id).toReversed(),
    },
  ]);
  expect((await events(id))[20]).toMatchObject({
    seq: 21,
    amount: 79,
    disposition: 'rejected',
    id: (await flags(id))[0]!.event_id,
  });
  expect(await standings(on.studio.admin, id)).toEqual(['1 Ann 20']);
  expect(await metadataOf(id)).toMatchObject({
    submission_count: 21,
    last_score_value: 79,
    score_event_id: `sev_${(await events(id))[20]!.id}`,
  });
  // The nonce is burned.
  expect((await post(player, { board_id: id, value: 1 }, { 'service-client-nonce': nonce })).body.code).toBe(
    'NONCE_USED',
  );
  // Later rejections of the hour are only counted.
  on.app.clock.advance(MINUTE);
  await reject(player, { board_id: id, value: 78 });
  expect([(await events(id)).length, (await flags(id)).length]).toEqual([21, 1]);
  expect(await metadataOf(id)).toMatchObject({
    submission_count: 22,
    last_score_value: 78,
    score_event_id: `sev_${(await events(id))[20]!.id}`,
  });
  // Another player and another board are not concerned.
  expect(await plays(await session(), id, 5, 0)).toBe('active');
  expect(await plays(player, (await board()).id, 5, 0)).toBe('active');
  // An hour after the first accepted one there is room for one more, and rejections have not used it up.
  on.app.clock.advance(21 * MINUTE - 10 * SECOND - 1);
  await reject(player, { board_id: id, value: 77 });
  expect(await plays(player, id, 30, 1)).toBe('active');
  await reject(player, { board_id: id, value: 76 });
  expect((await events(id)).filter(({ disposition }) => disposition === 'rejected')).toHaveLength(1);
  await expectSound(on.app.database, id);
});

test('one rejection an hour is stored', async () => {
  await settings({ rate_limit: { b: 1 } });
  const { id } = await board();
  const player = await session();
  expect(await plays(player, id, 1)).toBe('active');
  expect(await plays(player, id, 2)).toBe('SCORE_REJECTED rate_limit/high');
  expect(await plays(player, id, 3, HOUR - 10 * SECOND)).toBe('active');
  expect(await plays(player, id, 4)).toBe('SCORE_REJECTED rate_limit/high');
  expect(await plays(player, id, 5)).toBe('SCORE_REJECTED');
  await settings(null);
  await expectSound(on.app.database, id);
});

test('a rejection is the answer to its idempotency key, too', async () => {
  await settings({ rate_limit: { b: 1 } });
  const { id } = await board();
  const player = await session();
  await plays(player, id, 1);
  const headers = { 'idempotency-key': 'rejected run' };
  const first = await reject(player, { board_id: id, value: 2 }, headers);
  expect(first.headers.get('service-replayed')).toBeNull();
  await settings(null);
  const again = await reject(
    player,
    { board_id: id, value: 2 },
    { ...headers, 'service-client-nonce': 'any' },
  );
  expect(again.headers.get('service-replayed')).toBe('true');
  expect(again.body.error).toBe(first.body.error);
  expect(await metadataOf(id)).toMatchObject({ submission_count: 2 });
  expect((await post(player, { board_id: id, value: 3 }, headers)).body.code).toBe('CONFLICT');
});

test('the first answer to a key again is no submission: retries are not held against a player', async () => {
  const { id } = await board();
  const player = await session();
  const headers = { 'idempotency-key': 'lost reply' };
  for (let n = 0; n < 3; n += 1) {
    expect((await post(player, { board_id: id, value: 2 }, headers)).body.status).toBe('active');
  }
  expect(await flags(id)).toEqual([]);
});

test('limits beyond the recent submissions in memory are counted exactly', async () => {
  await settings({ rate_limit: { b: 103 }, velocity_seconds: { b: 'off' } });
  const { id } = await board({ keepStrategy: 'LAST' });
  const player = await session();
  for (let n = 1; n <= 102; n += 1) await post(player, { board_id: id, value: n });
  expect(await plays(player, id, 200, MINUTE)).toBe('active');
  expect(await plays(player, id, 201, 0)).toBe('SCORE_REJECTED rate_limit/high');
  expect((await flags(id))[0]).toMatchObject({ metadata: { limit: 103, count: 103 } });
  expect((await flags(id))[0]!.compared_events).toHaveLength(100);
  expect(await plays(player, id, 202, 59 * MINUTE - 1)).toBe('SCORE_REJECTED');
  expect(await plays(player, id, 203, 1)).toBe('active');
  await settings(null);
  await expectSound(on.app.database, id);
});
