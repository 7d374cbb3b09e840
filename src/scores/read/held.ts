import { uuidOf } from '../../base/ids.js';
import type { LoaderSpec } from '../../graphql/loader.js';
import type { HeldRun } from '../../submissions/facts/submission.js';

/** A player on a board. Ids prefixed. */
interface HeldSubject {
  identityId: string;
  testMode: boolean;
}

const OF_PLAYERS = `
  select u.key, x.value, x.rank
  from unnest(:keys::text[], :boards::uuid[], :tests::boolean[], :identities::uuid[]) u(key, board_id, is_test, identity_id)
  cross join lateral (
    select v.amount as value, h.rank
    from score_events v join held_runs h on h.board_id = v.board_id and h.event_seq = v.seq
    where v.board_id = u.board_id and v.is_test = u.is_test and v.identity_id = u.identity_id and v.disposition = 'held'
      and event_effect(v.board_id, v.id, v.disposition) = 'hold'
    order by v.seq desc limit 100) x`;

export function heldKey(boardId: string, { identityId, testMode }: HeldSubject): string {
  return [boardId, testMode, identityId].join();
}

/** A player's held runs on a board, newest first, by {@link heldKey}. */
export const heldRuns: LoaderSpec<HeldRun[]> = {
  batch: async (keys, db) => {
    const parts = keys.map((key) => key.split(',') as [string, string, string]);
    const { rows } = await db.raw<{ rows: ({ key: string } & HeldRun)[] }>(OF_PLAYERS, {
      keys: [...keys],
      boards: parts.map(([board]) => uuidOf(board)),
      tests: parts.map(([, isTest]) => isTest === 'true'),
      identities: parts.map(([, , identity]) => uuidOf(identity)),
    } as never);
    const runsOf = new Map<string, HeldRun[]>(keys.map((key) => [key, []]));
    for (const { key, value, rank } of rows) runsOf.get(key)!.push({ value, rank });
    return runsOf;
  },
};
