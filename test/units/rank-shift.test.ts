import fc from 'fast-check';
import { compareKeys, type Move, type OrderKey, ranksAfter } from '../../src/rankings/order.js';

/** Few values, so that most keys are ties. */
const rankKey = fc.constantFrom(-Infinity, -1e300, -1, 0, 5e-324, 1, Infinity);

const history = fc.record({
  entries: fc.array(fc.record({ rankKey, isTest: fc.boolean() }), { maxLength: 30 }),
  batch: fc.array(
    fc.record({
      /** Which entry it is of, while there are that many; beyond: a new one. */
      of: fc.nat(40),
      rankKey,
      isTest: fc.boolean(),
      kind: fc.constantFrom('replaces', 'stays', 'new'),
    }),
    { maxLength: 20 },
  ),
});

function ahead(keys: readonly OrderKey[], key: OrderKey): number {
  return keys.filter((other) => compareKeys(other, key) < 0).length;
}

test('ranks after a batch are those of the sorted keys, whatever entries it adds, moves and leaves', () => {
  fc.assert(
    fc.property(history, ({ entries, batch }) => {
      const before = entries.map((entry, i) => ({ ...entry, seq: i + 1 }));
      const after = new Set(before);
      const touched = new Set<number>();
      const moves: Move[] = [];
      batch.forEach((item, i) => {
        const old = touched.has(item.of) ? undefined : before[item.of];
        touched.add(item.of);
        if (old && item.kind === 'stays') {
          const own = before.filter(({ isTest }) => isTest === old.isTest);
          moves.push({ isTest: old.isTest, key: old, ahead: ahead(own, old), added: false, removed: null });
          return;
        }
        const replaced = old && item.kind === 'replaces' ? old : undefined;
        const isTest = replaced?.isTest ?? item.isTest;
        const key = { rankKey: item.rankKey, isTest, seq: before.length + i + 1 };
        if (replaced) after.delete(replaced);
        after.add(key);
        const own = before.filter((entry) => entry.isTest === isTest);
        moves.push({ isTest, key, ahead: ahead(own, key), added: true, removed: replaced ?? null });
      });
      const expected = moves.map(({ isTest, key }) => {
        const own = [...after].filter((entry) => entry.isTest === isTest);
        return 1 + ahead(own, key);
      });
      expect(ranksAfter(moves)).toEqual(expected);
    }),
    { numRuns: 1_000 },
  );
});
