import { idOf, uuidOf } from '../../base/ids.js';
import { type Board, PublicField } from '../../boards/board/board.js';
import type { Queryable } from '../../db/pool.js';
import { SHOWN_EVENT } from '../../rankings/rows.js';

/** The origin of a score, as far as its board makes it public. */
export interface PublicOrigin {
  scoreId: string;
  country: string | null;
  platform: string | null;
}

const ORIGINS = {
  name: 'public_origins',
  text: `select e.id, v.country, coalesce(d.platform, v.tags ->> 'platform') as platform from entries e
    join board_rankings r on r.board_id = e.board_id and r.generation = e.generation
    ${SHOWN_EVENT} left join devices d on d.id = v.device_id
    where e.id = any($2::uuid[]) and e.generation > 0 and e.board_id = $1 and e.ranked and not e.is_test`,
};

/**
 * Origins of these ranked scores of the board, in no order; none if it makes neither country nor platform public.
 */
export async function publicOrigins(
  db: Queryable,
  { id, publicFields }: Pick<Board, 'id' | 'publicFields'>,
  scoreIds: readonly string[],
): Promise<PublicOrigin[]> {
  const shown = (field: PublicField) => publicFields.includes(field);
  if (!shown(PublicField.COUNTRY) && !shown(PublicField.PLATFORM)) return [];
  const values = [uuidOf(id), scoreIds.map(uuidOf)];
  const { rows } = await db.query<{ id: string; country: string | null; platform: string | null }>({
    ...ORIGINS,
    values,
  });
  return rows.map(({ id, country, platform }) => ({
    scoreId: idOf('score', id),
    country: shown(PublicField.COUNTRY) ? country : null,
    platform: shown(PublicField.PLATFORM) ? platform || null : null,
  }));
}
