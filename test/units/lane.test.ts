import {
  type Batch,
  isDueAhead,
  newLane,
  takeBatch,
  type Waiting,
} from '../../src/scores/submit/pipeline/board-queue.js';
import type { Submission } from '../../src/scores/submit/submission.js';

function waiting(identityId: string, { isTest = false, key = '', nonce = '' } = {}): Waiting {
  const origin = {
    kind: 'client',
    nonce: { uuid: nonce || `${identityId} ${isTest}`, expiresAt: new Date() },
  };
  const idempotency = key ? { scope: identityId, key, bodyHash: Buffer.alloc(0) } : undefined;
  const item = { identityId, isTest, idempotency, origin } as Submission;
  return { item, resolve: () => undefined, reject: () => undefined };
}

const [ann, bob, cem] = [waiting('ann'), waiting('bob'), waiting('cem')];

test('a batch holds a player once; what comes later keeps its place', () => {
  const again = waiting('ann', { nonce: 'another' });
  expect(takeBatch([ann, again, bob], 10, [])).toEqual([[ann, bob], [again]]);
  expect(takeBatch([ann, bob, cem], 2, [])).toEqual([[ann, bob], [cem]]);
});

test('nor does it share a player, a key or a nonce with the batch that is being written', () => {
  const keyed = waiting('dan', { key: 'k' });
  const sameKey = waiting('dan', { key: 'k', isTest: true, nonce: 'another' });
  const sameNonce = waiting('bob', { isTest: true, nonce: 'bob false' });
  expect(takeBatch([ann, cem], 10, [ann])).toEqual([[cem], [ann]]);
  expect(takeBatch([sameKey, sameNonce, cem], 10, [keyed, bob])).toEqual([[cem], [sameKey, sameNonce]]);
  // Whoever waits for one that waits does so, too.
  const shared = waiting('eve', { nonce: 'ann false' });
  expect(takeBatch([shared, waiting('eve', { nonce: 'a third' })], 10, [ann])[0]).toEqual([]);
  // Production and test are one player, who has one name.
  expect(takeBatch([waiting('ann', { isTest: true, nonce: 'a fourth' })], 10, [ann])[0]).toEqual([]);
});

test('a second batch is sent ahead once it is as large as the first, and not small; the first must be decided on', () => {
  const head = { seq: 2, version: 1, newest_batch: null, last_event_at: null };
  const many = (count: number) => Array.from({ length: count }, (_, i) => waiting(`player ${i}`));
  const sent = Promise.resolve();
  const batch = (count: number): Batch => ({ entries: many(count), head, sent, done: sent });
  const lane = { ...newLane(), waiting: many(10), writing: batch(10) };
  expect(isDueAhead(lane)).toBe(true);
  expect(isDueAhead({ ...lane, writing: batch(1) })).toBe(true);
  expect(isDueAhead({ ...lane, writing: batch(11) })).toBe(false);
  expect(isDueAhead({ ...lane, waiting: many(7), writing: batch(1) })).toBe(false);
  expect(isDueAhead({ ...lane, writing: undefined })).toBe(false);
  expect(isDueAhead({ ...lane, writing: { ...batch(10), head: undefined } })).toBe(false);
  expect(isDueAhead({ ...lane, ahead: batch(1) })).toBe(false);
  expect(isDueAhead({ ...lane, blocked: true })).toBe(false);
  expect(isDueAhead({ ...lane, broken: true })).toBe(false);
});
