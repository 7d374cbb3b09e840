import fc from 'fast-check';
import { compareKeys, type OrderKey } from '../../src/rankings/order.js';
import type { BoardPart } from '../../src/submissions/decide/batch.js';
import type { RankingMove } from '../../src/submissions/decide/move.js';
import { BatchRanks, type KeyRow } from '../../src/submissions/write/ranks.js';

interface Entry extends OrderKey {
  slot: string;
  isTest: boolean;
}

/** Few values, so that most keys are ties. */
const rankKey = fc.constantFrom(-Infinity, -1e300, -1, 0, 5e-324, 1, Infinity);

const history = fc.record({
  entries: fc.array(fc.record({ rankKey, isTest: fc.boolean() }), { maxLength: 30 }),
  batch: fc.array(
    fc.record({
      /** The player; beyond the entries of before: a new one. */
      player: fc.nat(40),
      rankKey,
      isTest: fc.boolean(),
      stays: fc.boolean(),
    }),
    { maxLength: 20 },
  ),
});

const entriesBefore = (entries: Iterable<Entry>, isTest: boolean, key: OrderKey) =>
  [...entries].filter((other) => other.isTest === isTest && compareKeys(other, key) < 0).length;

test('ranks after a batch are those of the sorted keys, whatever entries it adds, moves and leaves', () => {
  fc.assert(
    fc.property(history, ({ entries, batch }) => {
      const before = entries.map((entry, i): Entry => ({ ...entry, slot: `${i}`, seq: i + 1 }));
      const slotOf = ({ slot, isTest }: Pick<Entry, 'slot' | 'isTest'>) => `${slot} ${isTest}`;
      const after = new Map(before.map((entry) => [slotOf(entry), entry]));
      const decided = batch.map(({ player, stays, ...run }, i) => {
        const place = { slot: `${player}`, isTest: run.isTest };
        const old = after.get(slotOf(place));
        const key: Entry = { ...place, rankKey: run.rankKey, seq: before.length + i + 1 };
        const entry = old && stays ? undefined : key;
        if (entry) after.set(slotOf(entry), entry);
        const move = { ...place, ranking: { generation: 1 }, ties: 'earliest', before: old ?? null, entry };
        return { item: { isTest: run.isTest, wantPreviousRank: true }, decision: { moves: [move] } };
      });
      const rows: KeyRow[] = [];
      const ranks = new BatchRanks({ boardId: 'b', decided } as unknown as BoardPart, rows);
      const aheads = rows.map(({ is_test, key, seq }) =>
        entriesBefore(before, is_test, { rankKey: key, seq }),
      );
      for (const { decision } of decided) {
        const [move] = decision.moves as unknown as [RankingMove & { isTest: boolean }];
        // An entry that a later submission of the batch replaces is not ahead of itself.
        const others = [...after.values()].filter((other) => slotOf(other) !== slotOf(move));
        const key = (move.entry ?? move.before)!;
        expect(ranks.after(move, aheads)?.rank).toBe(1 + entriesBefore(others, move.isTest, key));
      }
    }),
    { numRuns: 1_000 },
  );
});
