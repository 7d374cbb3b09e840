import type { Submission } from '../../src/submissions/facts/submission.js';
import { BoardQueue, takeBatch, type Waiting } from '../../src/submissions/queue/board-queue.js';

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

test('a batch holds the submissions of a player in their order, if they are of one population', () => {
  const again = waiting('ann', { nonce: 'another' });
  const asTest = waiting('ann', { isTest: true, nonce: 'a third' });
  const last = waiting('ann', { nonce: 'a fourth' });
  expect(takeBatch([ann, again, bob], 10, [])).toEqual([[ann, again, bob], []]);
  // Later ones do not pass one that waits.
  expect(takeBatch([ann, asTest, last, bob], 10, [])).toEqual([
    [ann, bob],
    [asTest, last],
  ]);
  expect(takeBatch([ann, bob, cem], 2, [])).toEqual([[ann, bob], [cem]]);
});

test('a batch shares no player, key or nonce with the batch that is being written', () => {
  const keyed = waiting('dan', { key: 'k' });
  const sameKey = waiting('dan', { key: 'k', isTest: true, nonce: 'another' });
  const sameNonce = waiting('bob', { isTest: true, nonce: 'bob false' });
  expect(takeBatch([ann, cem], 10, [ann])).toEqual([[cem], [ann]]);
  expect(takeBatch([sameKey, sameNonce, cem], 10, [keyed, bob])).toEqual([[cem], [sameKey, sameNonce]]);
  // A board that waits for a waiting board waits, too.
  const shared = waiting('eve', { nonce: 'ann false' });
  expect(takeBatch([shared, waiting('eve', { nonce: 'a third' })], 10, [ann])[0]).toEqual([]);
  // Production and test are one player, who has one name.
  expect(takeBatch([waiting('ann', { isTest: true, nonce: 'a fourth' })], 10, [ann])[0]).toEqual([]);
});

const many = (count: number) => Array.from({ length: count }, (_, i) => waiting(`player ${i}`));
const head = { seq: 2, version: 1, newest_batch: null, last_event_at: null, newest_ranking: 0 };

/** A queue whose first batch of so many is being written, with others waiting. */
function writing(first: number, later: number, { decided = true } = {}): BoardQueue {
  const queue = new BoardQueue('board');
  queue.waiting.push(...many(first + later));
  queue.queue();
  const batch = queue.begin(first, [])!;
  if (decided) batch.head = head;
  return queue;
}

test('a second batch is sent ahead once the first is decided and it is as large, and not small', () => {
  expect(writing(10, 10).isDueAhead).toBe(true);
  expect(writing(1, 10).isDueAhead).toBe(true);
  expect(writing(11, 10).isDueAhead).toBe(false);
  expect(writing(1, 7).isDueAhead).toBe(false);
  expect(writing(10, 10, { decided: false }).isDueAhead).toBe(false);
  const ahead = writing(10, 30);
  ahead.sendAhead(10);
  expect(ahead.isDueAhead).toBe(false);
  const broken = writing(10, 10);
  broken.broken = true;
  expect(broken.isDueAhead).toBe(false);
});

test('a board goes through idle, queued, writing, and writing with a batch ahead', () => {
  const queue = new BoardQueue('board');
  const states = [queue.state];
  const note = () => states.push(queue.state);
  queue.waiting.push(...many(20));
  queue.queue();
  note();
  const first = queue.begin(10, [])!;
  note();
  const second = queue.sendAhead(10)!;
  note();
  expect([queue.writing, queue.finish(), queue.writing]).toEqual([first, true, second]);
  note();
  expect([queue.finish(), queue.writing, queue.isEmpty]).toEqual([false, undefined, true]);
  note();
  expect(states).toEqual(['idle', 'queued', 'writing', 'writing+ahead', 'writing', 'idle']);
});

test('a board is blocked while all waiting submissions have to wait for the commit', () => {
  const queue = writing(1, 0);
  queue.waiting.push(waiting('player 0', { nonce: 'another' }));
  expect([queue.sendAhead(10), queue.state, queue.waiting.length]).toEqual([undefined, 'blocked', 1]);
  expect([queue.finish(), queue.state]).toEqual([false, 'idle']);
});

test('a board that has nothing to write beside others stays queued; a batch that was not written comes again alone', () => {
  const queue = new BoardQueue('board');
  queue.waiting.push(ann);
  queue.queue();
  expect([queue.begin(10, [ann]), queue.state]).toEqual([undefined, 'queued']);
  const batch = queue.begin(10, [])!;
  queue.finish();
  queue.putBack(batch.entries);
  expect([queue.state, queue.waiting, queue.alone]).toEqual(['idle', [ann], true]);
});

test('an invalid transition throws', () => {
  const queue = new BoardQueue('board');
  expect(() => queue.finish()).toThrow('cannot go from idle to idle');
  queue.queue();
  expect(() => queue.queue()).toThrow('cannot go from queued to queued');
  queue.waiting.push(ann, bob);
  queue.begin(1, []);
  queue.sendAhead(1);
  expect(() => queue.sendAhead(1)).toThrow('cannot go from writing+ahead');
});
