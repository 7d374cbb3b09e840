import { idOf, uuidOf } from '../base/ids.js';
import type { Queryable } from '../db/pool.js';
import { SHOWN_EVENT } from './rows.js';

/** Where the submission that a score shows came from. */
export interface ScoreOrigin {
  country: string | null;
  platform: string | null;
}

const ORIGINS = {
  name: 'origins',
  text: `select e.id, v.country, coalesce(d.platform, v.tags ->> 'platform') as platform from entries e
    join board_rankings r on r.board_id = e.board_id and r.generation = e.generation
    ${SHOWN_EVENT} left join devices d on d.id = v.device_id
    where e.id = any($1::uuid[]) and e.generation > 0 and e.ranked`,
};

/** Origins of ranked scores, by their ids. */
export async function originsOf(
  db: Queryable,
  scoreIds: readonly string[],
): Promise<Map<string, ScoreOrigin>> {
  const values = [scoreIds.map(uuidOf)];
  const { rows } = await db.query<ScoreOrigin & { id: string }>({ ...ORIGINS, values });
  return new Map(rows.map(({ id, country, platform }) => [idOf('score', id), { country, platform }]));
}
