import { type CompositeField, type CompositeType, compositeArray } from '../../db/composite.js';
import { sessionStatus } from '../../players/sessions/authenticate.js';
import { RECENT_MILLIS } from './recent-submissions.js';

// The statements of a batch, in the order of execution. Functions: migrations/functions/2_submissions.sql.

export const LOCK = {
  name: 'lock_board',
  text: 'select from board_rankings where board_id = $1::uuid for update',
};

/** One value, because it is the same for all items of a board. */
const BOARD_FACTS = `
    select r.generation, r.board_type, r.sort_direction, r.keep_strategy, r.player_tags, g.anti_cheat_enabled as checked, json_build_object(
      'generation', r.generation, 'seq', r.seq, 'version', r.version, 'newest_batch', r.newest_batch, 'last_event_at', r.last_event_at,
      'board_type', r.board_type, 'sort_direction', r.sort_direction, 'keep_strategy', r.keep_strategy, 'tie_policy', r.tie_policy,
      'account_id', d.account_id, 'game_id', d.game_id, 'is_active', d.is_active, 'starts_at', d.starts_at, 'ends_at', d.ends_at,
      'live', d.deleted_at is null and g.deleted_at is null and a.deleted_at is null, 'account_status', a.status,
      'measure', case when d.format is not null then json_build_object('format', d.format, 'unit', d.unit) end,
      'anti_cheat_enabled', g.anti_cheat_enabled, 'anti_cheat_settings', g.anti_cheat_settings, 'hold_top', d.hold_top, 'hold_hours', d.hold_hours, 'proof', d.proof, 'tickets', d.tickets, 'recordings', d.recordings, 'verdicts', d.verdicts,
      'rights_changes', coalesce((select s.changes from game_standings s where s.game_id = d.game_id), 0),
      'newest_ranking', r.newest_ranking, 'views', case when r.newest_view > 0 or r.build ->> 'phase' = 'follow' then view_facts(r.board_id, $4::timestamptz) end) as facts
    from board_rankings r
    join boards d on d.id = r.board_id
    join games g on g.id = d.game_id
    join accounts a on a.id = d.account_id
    where r.board_id = wanted.board_id limit 1`;

/**
 * All facts for the decisions, at one instant: one row per item, in the given order, each board's first row with
 * the board. Lateral probes with LIMIT 1: this shape forces a plan that walks primary keys, however empty the
 * tables were when it was made. The event an entry shows is read only if the entry stays as it is and is part of
 * the response. The last hour is read only if the game has checks, and not for a player's first submission; of a run that
 * was played earlier, the hour before it.
 */
export const FACTS = {
  name: 'submission_facts',
  text: `
    select case when u.n = wanted.first then b.facts end as board,
      i.game_id as identity_game_id, i.deleted_at is not null as identity_deleted, i.display_name, i.name_locked, i.trust_tier,
      i.proven_at is not null as identity_proven,
      d.status as device_status, d.deleted_at is not null as device_deleted, d.platform as device_platform,
      ${sessionStatus('x')} as session_status, x.version as session_version, x.deleted_at is not null as session_deleted,
      date_part('epoch', x.created_at) * 1000 as session_started,
      s.id as state_id, s.best_value, s.accepted_count, date_part('epoch', s.rejected_at) * 1000 as rejected_at,
      case when b.checked and s.id is not null then recent_submissions(wanted.board_id, u.is_test, u.identity_id,
        least($4::timestamptz, x.created_at + (($5::float8[])[u.n + 1] - ${RECENT_MILLIS}) * interval '1 millisecond')) end as recent,
      case when b.player_tags is not null then player_tags_on(wanted.board_id, u.identity_id, b.player_tags) end as player_tags,
      e.event_seq as entry_event_seq, e.value as entry_value, e.rank_key as entry_rank_key, e.seq as entry_seq,
      e.ranked as entry_ranked, e.status as entry_status, e.player_name as entry_player_name,
      e.value_display as entry_value_display,
      date_part('epoch', e.created_at) * 1000 as entry_created_at, date_part('epoch', e.updated_at) * 1000 as entry_updated_at,
      v.id as entry_event_id, v.device_id as entry_device_id, v.metadata as entry_metadata, v.city as entry_city,
      v.country as entry_country, v.timezone as entry_timezone,
      k.body_hash as key_hash, k.answer as key_answer, n.used is not null as nonce_used
    from unnest($1::facts_board[]) wanted
    left join lateral (${BOARD_FACTS}) b on true
    join unnest($2::facts_key[]) u on u.n between wanted.first and wanted.last
    left join lateral (select game_id, deleted_at, display_name, name_locked, trust_tier, proven_at from identities
      where id = u.identity_id limit 1) i on true
    left join lateral (select status, deleted_at, platform from devices where id = u.device_id limit 1) d on true
    left join lateral (select status, version, deleted_at, device_id, identity_id, created_at, started_by from device_sessions
      where id = u.session_id limit 1) x
      on x.device_id = u.device_id and x.identity_id = u.identity_id
    left join lateral (select id, best_value, accepted_count, rejected_at from states where board_id = wanted.board_id and is_test = u.is_test and identity_id = u.identity_id limit 1) s on true
    left join lateral (select * from entries where board_id = wanted.board_id and generation = b.generation and is_test = u.is_test and slot = u.identity_id limit 1) e on true
    left join lateral (select id, device_id, metadata, city, country, timezone from score_events where board_id = wanted.board_id and seq = e.event_seq
      and b.board_type = 'run_identity' and (b.keep_strategy = 'first' or b.keep_strategy = 'best' and e.rank_key <= rank_key_of(u.amount, b.sort_direction)) limit 1) v on true
    left join lateral (select body_hash, answer, created_at from idempotency_keys where scope = u.scope and key = u.key limit 1) k on k.created_at >= $3::timestamptz
    left join lateral (select true as used from nonce_uses where nonce = u.nonce limit 1) n on true
    order by u.n`,
};

/**
 * Rankings by tags: one row each, in the given order. `newest`: the lowest ranking number at that time. For a
 * ranking that has not started: how many its period may have (`have`) and has (`held`); `late`: it must include
 * earlier runs when it starts.
 */
export const RANKINGS = {
  name: 'rankings_of_batch',
  text: `
    with held as materialized (
      select u.board_id, u.view_no, u.period_number, v.most_groups, count(x.ranking_no)::int as held
      from (select distinct p.board_id, p.view_no, p.period_number from unnest($1::ranking_probe[]) p) u
      join board_views v on v.board_id = u.board_id and v.view_no = u.view_no
      left join rankings x on x.board_id = u.board_id and x.view_no = u.view_no and x.period_number = u.period_number
      group by u.board_id, u.view_no, u.period_number, v.most_groups)
    select r.ranking_no as no, r.generation, r.next_generation as next, r.status, h.held, h.most_groups as most,
      (select b.newest_ranking from board_rankings b where b.board_id = u.board_id) as newest,
      r.ranking_no is null and exists (select from left_out_runs l where l.board_id = u.board_id and l.view_no = u.view_no
        and l.period_number = u.period_number and l.group_key = u.group_key) as late
    from unnest($1::ranking_probe[]) with ordinality u
    left join held h on h.board_id = u.board_id and h.view_no = u.view_no and h.period_number = u.period_number
    left join lateral (select * from rankings x where x.board_id = u.board_id and x.view_no = u.view_no
      and x.period_number = u.period_number and x.group_key = u.group_key limit 1) r on true
    order by u.ordinality`,
};

/** Notes players whose runs are left out because a view has no room for their group. */
export const LEFT_OUT = {
  name: 'note_left_out',
  text: `
    insert into left_out_runs (board_id, view_no, period_number, group_key, identity_id)
    select $1::uuid, u.* from unnest($2::int[], $3::int[], $4::text[], $5::uuid[]) u order by 2, 3, 4, 5 on conflict do nothing`,
};

const VIEW_ENTRY = `json_build_object('value', x.value, 'rank_key', x.rank_key, 'seq', x.seq, 'status', x.status,
        'created_at', date_part('epoch', x.created_at) * 1000, 'updated_at', date_part('epoch', x.updated_at) * 1000)`;

/**
 * Players' entries in rankings of views: a row for each submission and ranking beyond its first one, at least one
 * row per submission. If a submission does not beat the entry in the first one, rankings that contain it are
 * skipped.
 */
export const VIEW_ENTRIES = {
  name: 'view_entries_of_batch',
  text: `
    select u.n, u.first, f.entry as first_entry, r.generation, r.entry
    from unnest($1::view_probe[]) u
    left join lateral (select x.rank_key, ${VIEW_ENTRY} as entry from entries x
      where x.board_id = u.board_id and x.generation = u.first and x.is_test = u.is_test and x.slot = u.slot limit 1) f on true
    left join lateral (
      select g.generation, e.entry
      from unnest(u.rest, u.implied) g(generation, implied)
      left join lateral (select ${VIEW_ENTRY} as entry from entries x
        where x.board_id = u.board_id and x.generation = g.generation and x.is_test = u.is_test and x.slot = u.slot limit 1) e on true
      where not g.implied or f.rank_key is null or u.rank_key < f.rank_key) r on true`,
};

/** Number of counting and held submissions of these players, each since a time, up to a limit, in the given order. */
export const COUNTED = {
  name: 'count_submissions',
  text: `
    select (select count(*) filter (where n.at > u.since) from (
      select judged_at(c) as at from score_events c
      where c.board_id = $1::uuid and c.is_test = u.is_test and c.identity_id = u.identity_id and c.source <> 'import'
        and event_effect($1::uuid, c.id, c.disposition) <> 'exclude'
      order by c.seq desc limit $3::int) n) as counted
    from json_to_recordset($2::json) u(n int, identity_id uuid, is_test boolean, since timestamptz)
    order by u.n`,
};

/** The first entries of a board's own ranking, best first. */
export const TOP = {
  name: 'top_of_board',
  text: `
    select e.slot, e.rank_key as "rankKey", e.seq from entries e
    where e.board_id = $1::uuid and e.generation = $2::int and e.is_test = $3::boolean and e.ranked
    order by e.rank_key, e.seq limit $4::int`,
};

/** What the response to a held run shows of the event of the player's entry. */
export const EVENT_OF_ENTRY = {
  name: 'event_of_entry',
  text: `
    select v.id as entry_event_id, v.device_id as entry_device_id, v.metadata as entry_metadata, v.city as entry_city,
      v.country as entry_country, v.timezone as entry_timezone
    from score_events v where v.board_id = $1::uuid and v.seq = $2::bigint`,
};

export const HOLD = {
  name: 'hold_runs',
  text: `
    insert into held_runs (board_id, event_seq, rank, created_at, ends_at)
    select $1::uuid, u.seq, u.rank, $4::timestamptz, $4::timestamptz + $5::int * interval '1 hour' from unnest($2::bigint[], $3::int[]) u(seq, rank)`,
};

/** Notes the recordings that are wanted. */
export const ANNOUNCE_RECORDINGS = {
  name: 'announce_recordings',
  text: `
    insert into recordings (board_id, event_seq, account_id, sha256, wanted_until, demanded)
    select $1::uuid, u.seq, $2::uuid, u.sha256, $3::timestamptz, u.demanded
    from unnest($4::bigint[], $5::bytea[], $6::boolean[]) u(seq, sha256, demanded)`,
};

export const WRITE = {
  name: 'write_submissions',
  text: `select write_submissions($1::board_write[], $2::player_write[], $3::nonce_write[], $4::played_event_write[], $5::state_write[],
    $6::state_write[], $7::entry_write[], $8::entry_write[], $9::key_write[], $10::name_write[], $11::begun_ranking[], $12::text[], $13::split_run_write[]) as aheads`,
};

export const ANSWER = {
  name: 'store_answers',
  text: 'select store_answers($1::json, $2::timestamptz, $3::timestamptz)',
};

/**
 * Columns of the composite types in which rows are sent, in order (migrations/025_lean_writes.sql, 041_views.sql,
 * 058_one_ranking.sql, 103_played_times.sql, 127_splits.sql).
 */
export const ROW_TYPES = {
  board_write: [
    'board_id',
    'game_id',
    'found_seq',
    'found_version',
    'found_batch',
    'standings',
    'seq',
    'version',
    'newest_batch',
    'at',
  ],
  player_write: ['board_id', 'session_id', 'version', 'identity_id', 'name', 'tier'],
  nonce_write: ['nonce', 'expires_at'],
  played_event_write: [
    'board_id',
    'seq',
    'id',
    'account_id',
    'game_id',
    'identity_id',
    'device_id',
    'is_test',
    'amount',
    'player_name',
    'value_display',
    'metadata',
    'disposition',
    'source',
    'city',
    'country',
    'timezone',
    'replaced_key',
    'replaced_seq',
    'created_at',
    'tags',
    'played_at',
  ],
  state_write: [
    'board_id',
    'is_test',
    'identity_id',
    'id',
    'account_id',
    'game_id',
    'device_id',
    'submissions',
    'accepted',
    'last_event_id',
    'last_value',
    'best_value',
    'rejected_at',
    'selected_event_id',
    'value',
    'at',
  ],
  entry_write: [
    'board_id',
    'generation',
    'is_test',
    'slot',
    'id',
    'identity_id',
    'event_seq',
    'value',
    'rank_key',
    'seq',
    'status',
    'player_name',
    'value_display',
    'metadata',
    'created_at',
    'updated_at',
  ],
  key_write: ['n', 'board_id', 'generation', 'is_test', 'key', 'seq', 'd', 'counted'],
  name_write: ['id', 'name', 'at'],
  split_run_write: [
    'board_id',
    'event_seq',
    'ticket',
    'started_at',
    'elapsed_ms',
    'idle_ms',
    'run_ms',
    'advance',
    'attempt',
    'seed',
    'game_version',
    'fault',
    'splits',
  ],
  begun_ranking: ['board_id', 'ranking_no', 'view_no', 'period_number', 'group_key', 'next_generation'],
  ranking_probe: ['board_id', 'view_no', 'period_number', 'group_key'],
  view_probe: ['n', 'board_id', 'is_test', 'slot', 'rank_key', 'first', 'rest', 'implied'],
  facts_key: ['n', 'identity_id', 'is_test', 'amount', 'device_id', 'session_id', 'scope', 'key', 'nonce'],
  facts_board: ['board_id', 'first', 'last'],
} as const;

type RowType = keyof typeof ROW_TYPES;
export type RowOf<T extends RowType> = { [C in (typeof ROW_TYPES)[T][number]]?: CompositeField };

const FREE = new Set([
  'player_name',
  'value_display',
  'metadata',
  'city',
  'country',
  'timezone',
  'name',
  'key',
  'tags',
  'group_key',
  'game_version',
  'splits',
  'rest',
  'implied',
]);

const TYPES = Object.fromEntries(
  Object.entries(ROW_TYPES).map(([type, columns]) => [
    type,
    columns.map((column) => [column, FREE.has(column) && type !== 'key_write'] as const),
  ]),
) as unknown as Record<RowType, CompositeType>;

/** Rows of a composite type as a parameter; null for an empty list. */
export function rowsOf<T extends RowType>(type: T, rows: readonly RowOf<T>[]): string | null {
  return compositeArray(TYPES[type], rows as readonly Record<string, CompositeField>[]);
}
