import type { Knex } from 'knex';
import { idOf, uuidOf } from '../../base/ids.js';
import type { LoaderSpec } from '../../graphql/loader.js';
import type { Score } from '../../scores/score.js';
import { type FlagRow, flagOf, type ScoreFlag } from './flag.js';
import { liveFlags } from './read.js';

const MOST = 100;

/** Flags by the event's id, oldest first. */
export const flagsOfEvent: LoaderSpec<ScoreFlag[]> = {
  batch: async (ids, db) => {
    const rows: FlagRow[] = await liveFlags(db)
      .joinRaw(
        'join score_events v on v.id = any(?::uuid[]) and v.board_id = f.board_id and v.seq = f.event_seq',
        [ids.map(uuidOf)],
      )
      .orderBy(['f.created_at', 'f.id']);
    const found = new Map<string, ScoreFlag[]>(ids.map((id) => [id, []]));
    for (const row of rows) found.get(idOf('scoreEvent', row.event_id))!.push(flagOf(row));
    return found;
  },
};

/** Key that identifies the flags of a score. */
export function scoreKey({ boardId, identityId, scoreEventId, isTest }: Score): string {
  return JSON.stringify([uuidOf(boardId), uuidOf(identityId), uuidOf(scoreEventId!), isTest]);
}

const OF_SCORES = `
  select k.key, f.*
  from jsonb_array_elements_text(?::jsonb) k(key)
  cross join lateral (select (k.key::jsonb ->> 0)::uuid as board_id, (k.key::jsonb ->> 1)::uuid as identity_id,
    (k.key::jsonb ->> 2)::uuid as event_id, (k.key::jsonb ->> 3)::boolean as is_test) s
  join boards d on d.id = s.board_id
  cross join lateral (
    select * from score_flags f
    where f.identity_id = s.identity_id and f.deleted_at is null
      and (f.event_id = s.event_id or (d.board_type = 'counter' and f.board_id = s.board_id and f.is_test = s.is_test))
    order by f.created_at desc, f.id limit ${MOST}) f`;

/** Flags by {@link scoreKey}, newest first. */
export const flagsOfScore: LoaderSpec<ScoreFlag[]> = {
  batch: async (keys, db: Knex) => {
    const { rows } = await db.raw<{ rows: (FlagRow & { key: string })[] }>(OF_SCORES, [JSON.stringify(keys)]);
    const found = new Map<string, ScoreFlag[]>(keys.map((key) => [key, []]));
    for (const row of rows) found.get(row.key)!.push(flagOf(row));
    return found;
  },
};
