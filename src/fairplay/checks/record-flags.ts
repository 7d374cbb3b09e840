import type pg from 'pg';
import { uuid7, uuidOf } from '../../base/ids.js';
import type { BoardFacts } from '../../scores/submit/decide.js';
import type { Objected } from '../../scores/submit/fair-play.js';
import { plainArray, plainArrayOrNull } from '../../scores/submit/statements.js';
import type { Hit } from './finding.js';

/**
 * Looks up the events that a hit was compared with here, by the times and amounts in the player's state: flags are rare, and
 * the ids of a hundred events in every state would cost much space.
 */
const FLAG = {
  name: 'flag_submissions',
  text: `
    insert into score_flags (board_id, event_seq, id, event_id, account_id, game_id, identity_id, device_id, is_test, flag_type, confidence,
      status, metadata, compared_events, created_at, updated_at)
    select $1::uuid, u.seq, u.id, u.event_id, $2::uuid, $3::uuid, u.identity_id, u.device_id, u.is_test, u.flag_type, u.confidence,
      'pending', u.metadata, array(
        select e.id from score_events e
        where e.board_id = $1::uuid and e.is_test = u.is_test and e.identity_id = u.identity_id and e.seq < u.seq
          and e.created_at between u.from_time and u.to_time and (u.amount is null or e.amount = u.amount)
          and event_counts($1::uuid, e.id, e.disposition)
        order by e.seq desc limit u.most),
      $4::timestamptz, $4::timestamptz
    from unnest($5::bigint[], $6::uuid[], $7::uuid[], $8::uuid[], $9::uuid[], $10::boolean[], $11::text[], $12::text[], $13::jsonb[],
      $14::timestamptz[], $15::timestamptz[], $16::float8[], $17::integer[])
      u(seq, id, event_id, identity_id, device_id, is_test, flag_type, confidence, metadata, from_time, to_time, amount, most)`,
};

/** Writes a flag for each hit on these events, in the transaction that wrote the events. */
export async function recordFlags(
  client: pg.PoolClient,
  board: BoardFacts,
  boardId: string,
  at: Date,
  objected: readonly Objected[],
): Promise<void> {
  const flags = objected.flatMap(({ item, seq, verdict }) =>
    (verdict.objections as Hit[]).map((hit) => ({ item, seq, hit })),
  );
  await client.query({
    ...FLAG,
    values: [
      boardId,
      board.account_id,
      board.game_id,
      at,
      plainArray(flags.map(({ seq }) => seq)),
      plainArray(flags.map(() => uuid7(at.getTime()))),
      plainArray(flags.map(({ item }) => uuidOf(item.eventId))),
      plainArray(flags.map(({ item }) => uuidOf(item.identityId))),
      plainArrayOrNull(
        flags.map(({ item }) => (item.origin.kind === 'client' ? uuidOf(item.origin.deviceId) : null)),
      ),
      plainArray(flags.map(({ item }) => item.isTest)),
      plainArray(flags.map(({ hit }) => hit.check)),
      plainArray(flags.map(({ hit }) => hit.confidence)),
      flags.map(({ hit }) => JSON.stringify(hit.metadata)),
      flags.map(({ hit }) => timeOf(hit.compared?.from ?? -Infinity)),
      flags.map(({ hit }) => timeOf(hit.compared?.to ?? -Infinity)),
      plainArrayOrNull(flags.map(({ hit }) => hit.compared?.amount ?? null)),
      plainArray(flags.map(({ hit }) => hit.compared?.most ?? 0)),
    ],
  });
}

function timeOf(millis: number): Date | string {
  return millis === -Infinity ? '-infinity' : new Date(millis);
}
