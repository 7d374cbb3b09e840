import type { Knex } from 'knex';
import { idOf, isId, uuidOf } from '../../base/ids.js';
import type { PlaceRow } from '../../closings/read.js';
import { runStatement } from '../../db/pool.js';
import { valueTextOf } from '../../scores/value-text.js';
import type { WebhookEvent } from '../deliveries/event-row.js';
import { playerOf, type ToldBoard } from './standings.js';

/** A closing as events have it, with its first places. Bare uuids. */
export interface ToldClosing {
  id: string;
  view_name: string;
  period_key: string;
  group_key: string;
  reason: string;
  status: string;
  ended_at: Date;
  settles_at: Date;
  entry_count: number | null;
  seq: number | null;
  podium: Place[];
}

type Place = Omit<PlaceRow, 'closing_id'>;

const PODIUM = 3;

const CLOSINGS = `
  select c.id, c.view_name, c.period_key, c.group_key, c.reason, c.status, c.ended_at, c.settles_at, c.entry_count, c.seq, coalesce((
    select jsonb_agg(jsonb_build_object('rank', p.rank, 'display_rank', p.display_rank, 'identity_id', p.identity_id,
      'player_name', p.player_name, 'value', p.value, 'value_display', p.value_display) order by p.rank)
    from closing_places p where p.board_id = c.board_id and p.closing_id = c.id and p.rank <= ${PODIUM}), '[]') as podium
  from closings c where c.id = any(?::uuid[])`;

/** The closings that reported events are about, by prefixed id. */
export async function readClosings(
  trx: Knex,
  events: readonly WebhookEvent[],
): Promise<Map<string, ToldClosing>> {
  const ids = events.flatMap(({ subject: { closing_id: id, reward_ids: rewards } }) =>
    isId('closing', id) && !rewards ? [uuidOf(id)] : [],
  );
  if (ids.length === 0) return new Map();
  const { rows } = await runStatement<ToldClosing>(trx, CLOSINGS, [ids]);
  return new Map(rows.map((row) => [idOf('closing', row.id), row]));
}

/** What an event of a closing tells; undefined: it was withdrawn before it was told. */
export function toldClosing(type: string, board: ToldBoard, closing: ToldClosing | undefined) {
  if (!closing || closing.status === 'withdrawn') return undefined;
  const about = {
    closing_id: idOf('closing', closing.id),
    view: closing.view_name || null,
    period: closing.period_key || null,
    group: closing.group_key || null,
    reason: closing.reason,
    ended_at: closing.ended_at.toISOString(),
  };
  if (type === 'ranking.settling') {
    return { data: { ...about, settles_at: closing.settles_at.toISOString() }, players: [] };
  }
  const podium = closing.podium.map(
    ({ rank, display_rank, identity_id, player_name, value, value_display }) => ({
      ...{ rank, display_rank, player: playerOf(identity_id, player_name), value },
      value_text: valueTextOf(board, { value, valueDisplay: value_display }),
    }),
  );
  const data = { ...about, podium, total: Number(closing.entry_count), seq: Number(closing.seq) };
  return { data, players: closing.podium.map(({ identity_id }) => identity_id) };
}
