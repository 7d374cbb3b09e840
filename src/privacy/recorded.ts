import { unavailable } from '../base/errors.js';
import type { Queryable } from '../db/pool.js';

const HAVE_OBJECTS = `
  select exists (
    select from identities i join boards b on b.game_id = i.game_id
    cross join (values (false), (true)) p(is_test)
    join score_events v on v.board_id = b.id and v.is_test = p.is_test and v.identity_id = i.id
    join recordings r on r.board_id = v.board_id and r.event_seq = v.seq and r.object is not null
    where i.id = any($1::uuid[])) as found`;

/** A bucket that this process can't reach. */
export function lacksBucket(): Error {
  return unavailable(
    "Recordings of this player are in a bucket that this process doesn't know: set RECORDINGS_STORE, then repeat the request.",
  );
}

/**
 * To be called where there is no bucket, before anything is done about players: with recordings in one, it would be done by half.
 * @param players uuids @throws DomainError UNAVAILABLE
 */
export async function refuseObjects(pool: Queryable, players: readonly string[]): Promise<void> {
  const { rows } = await pool.query<{ found: boolean }>(HAVE_OBJECTS, [players]);
  if (rows[0]!.found) throw lacksBucket();
}
