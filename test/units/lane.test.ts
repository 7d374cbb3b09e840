import { isDue, type Lane, takeBatch, type Waiting } from '../../src/scores/lane.js';
import type { Submission } from '../../src/scores/submission.js';

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
  expect(takeBatch([sameKey, waiting('dan', { isTest: true, nonce: 'a third' })], 10, [keyed])[0]).toEqual(
    [],
  );
});

test('a second batch is sent ahead once it is as large as the first, which must have the lock', () => {
  const lane: Lane = { waiting: [ann], writing: undefined, ahead: undefined, queued: false, blocked: false };
  expect(isDue(lane)).toBe(true);
  const writing = { entries: [bob, cem], locked: true };
  expect(isDue({ ...lane, writing })).toBe(false);
  const two = [ann, waiting('dan')];
  expect(isDue({ ...lane, writing, waiting: two })).toBe(true);
  expect(isDue({ ...lane, writing: { ...writing, locked: false }, waiting: two })).toBe(false);
  expect(isDue({ ...lane, writing, waiting: two, ahead: { entries: [ann], locked: false } })).toBe(false);
  expect(isDue({ ...lane, writing, waiting: two, blocked: true })).toBe(false);
});
