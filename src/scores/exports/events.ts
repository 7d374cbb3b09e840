import type pg from 'pg';
import { idOf, uuidOf } from '../../base/ids.js';
import { hasControl } from '../../base/text.js';
import { platformOf, tagValueOf } from '../../boards/views/tag-value.js';
import { ofShownPlayer } from '../../players/read.js';
import { valueTextOf } from '../value-text.js';
import { CHUNK_ROWS, type ExportSource, seqOf } from './source.js';

const COLUMNS = [
  'board_id',
  'seq',
  'event_id',
  'is_test',
  'identity_id',
  'identity_kind',
  'external_key',
  'player_name',
  'value',
  'value_display',
  'metadata',
  'disposition',
  'counts',
  'source',
  'device_id',
  'city',
  'country',
  'timezone',
  'occurred_at',
  'created_at',
  'shown_name',
  'present_name',
  'platform',
  'tags',
  'player_tags',
  'shown_value',
] as const;

/**
 * The newest ruling on an event decides; without one its disposition. No events of an excluded player count. Events
 * stored without a platform take that of the device, as views do. Tags the board no longer declares are ignored.
 */
const CHUNK = {
  name: 'export_events',
  text: `
    with declared as materialized (
      select coalesce(array_agg(d ->> 'name') filter (where d ->> 'source' <> 'player'), '{}') as of_runs,
        coalesce(array_agg(d ->> 'name') filter (where d ->> 'source' = 'player'), '{}') as of_players
      from boards b, jsonb_array_elements(b.dimensions) d where b.id = $1::uuid
    )
    select v.*, i.kind as identity_kind, i.external_key, i.display_name as present_name, ${ofShownPlayer('v')} as shown,
      case when v.tags ? 'platform' then v.tags ->> 'platform' else (select x.platform from devices x
        where x.id = v.device_id) end as platform,
      case when n.of_runs <> '{}' and v.tags is not null then (
        select jsonb_object_agg(t.key, t.value) from jsonb_each_text(v.tags) t where t.key = any(n.of_runs)
          and t.value is not null) end as run_tags,
      case when n.of_players <> '{}' then (
        select jsonb_object_agg(t.name, t.value) from player_tags t where t.identity_id = v.identity_id
          and t.name = any(n.of_players)) end as player_tags,
      effect_counts(coalesce((select u.effect from rulings u where u.board_id = v.board_id and u.event_id = v.id
        order by u.seq desc limit 1),
        effect_of(v.disposition)))
        and coalesce((select u.effect from rulings u where u.board_id = v.board_id and u.identity_id = v.identity_id
          order by u.seq desc limit 1), 'include') <> 'exclude' as counts
    from declared n cross join score_events v
    left join lateral (select x.kind, x.external_key, x.display_name from identities x where x.id = v.identity_id limit 1) i on true
    where v.board_id = $1::uuid and v.seq > $2::bigint and v.seq <= $3::bigint
    order by v.seq limit $4::integer`,
};

interface EventLine {
  shown: boolean;
  seq: number;
  id: string;
  is_test: boolean;
  identity_id: string;
  identity_kind: string | null;
  external_key: string | null;
  player_name: string;
  amount: number;
  value_display: string | null;
  metadata: object | null;
  disposition: string;
  counts: boolean;
  source: string;
  device_id: string | null;
  city: string | null;
  country: string | null;
  timezone: string | null;
  occurred_at: Date | null;
  created_at: Date;
  /** The name that boards ranking every run show instead. */
  shown_name: string | null;
  present_name: string | null;
  platform: string | null;
  run_tags: Record<string, string> | null;
  player_tags: Record<string, string> | null;
}

/** The platform as an import takes it; older ones may contain control characters. */
function validPlatform(platform: string | null): string | null {
  return platformOf(platform && hasControl(platform) ? tagValueOf(platform) : platform) || null;
}

/**
 * Every event up to the newest one at the start, in order of number, without those of deleted players, as in lists.
 */
export const eventSource: ExportSource = {
  columns: COLUMNS,
  async *rows(pool: pg.Pool, { boardId: id }, measure, keyFor) {
    const boardId = uuidOf(id);
    const upto = await seqOf(pool, boardId);
    for (let after = 0; after < upto; ) {
      const { rows } = await pool.query<EventLine>({
        ...CHUNK,
        values: [boardId, after, upto, CHUNK_ROWS],
      });
      const shown = rows.filter((row) => row.shown);
      yield shown.map((row) => [
        idOf('board', boardId),
        row.seq,
        idOf('scoreEvent', row.id),
        row.is_test,
        idOf('identity', row.identity_id),
        row.identity_kind,
        keyFor(row.identity_kind, row.external_key),
        row.player_name,
        row.amount,
        row.value_display,
        row.metadata,
        row.disposition,
        row.counts,
        row.source,
        row.device_id && idOf('device', row.device_id),
        row.city,
        row.country,
        row.timezone,
        row.occurred_at ?? row.created_at,
        row.created_at,
        row.shown_name,
        row.present_name,
        validPlatform(row.platform),
        row.run_tags,
        row.player_tags,
        valueTextOf(measure, { value: row.amount, valueDisplay: row.value_display }),
      ]);
      if (rows.length < CHUNK_ROWS) break;
      after = rows.at(-1)!.seq;
    }
    return upto;
  },
};
