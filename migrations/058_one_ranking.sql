-- contracts: 058_one_ranking.sql
-- Every ranking is a ranking: the board's own is number 0 of `rankings` (view 0, period 0, group ''). Its generations stay positive, those of
-- views negative, so entries, trees and their partial indexes are as they were. board_rankings.generation and tie_policy stay as copies
-- for the hot reads and are written where ranking 0 turns.

-- Accounts that move between databases, or have moved, get their row, too.
set local leaderboard.mover = 'on';

-- Processes of the version before that are still running write nothing any more: these answer "try again later" until the functions of this
-- version replace them, and those that this version has not, for good.
do $$
declare
  f record;
begin
  for f in
    select pg_get_functiondef(p.oid) as definition from pg_proc p
    where p.pronamespace = current_schema()::regnamespace and p.prokind = 'f' and p.proname in (
      'write_submissions', 'begin_groups', 'view_facts', 'rederive', 'build_step', 'follow_rules', 'view_step', 'follow_views', 'drop_view', 'free_groups',
      'retire_rankings', 'forget_generation', 'pull_ratio', 'settle_ratio', 'settle_events', 'settle_identity', 'settle_review', 'settle_tier',
      'restate_flags', 'boards_to_settle', 'finish_settling', 'retag_player', 'boards_to_retag', 'finish_retagging', 'show_present_name', 'rename_runs', 'import_step', 'erase_step',
      'try_review_on_ratio')
  loop
    execute split_part(f.definition, E'\n LANGUAGE ', 1) || $def$
      language plpgsql volatile as $f$ begin raise exception 'A newer version of the service has migrated the database' using errcode = '53LB0'; end $f$ $def$;
  end loop;
end $$;

alter table rankings
  drop constraint rankings_number, add constraint rankings_number check (ranking_no <= 0) not valid,
  drop constraint rankings_generation, add constraint rankings_generation check ((generation > 0) = (ranking_no = 0)) not valid,
  drop constraint rankings_next_generation, add constraint rankings_next_generation check ((next_generation > 0) = (ranking_no = 0)) not valid;
insert into rankings (board_id, ranking_no, view_no, period_number, group_key, generation, next_generation, status, empty_since)
  select r.board_id, 0, 0, 0, '', r.generation, case when r.build ->> 'phase' <> 'states' then (r.build ->> 'generation')::integer end, 'live', null
  from board_rankings r;
-- Builds of rules under way go on as builds of ranking 0 and the live views; those of views begin again, at once.
-- A tree that is built twice is the same.
update board_rankings r set build = r.build || jsonb_build_object('tree', 1, 'done', coalesce(r.build -> 'done', '0'), 'views', array(
    select 0 union all select v.view_no from board_views v where v.board_id = r.board_id and v.status = 'live'))
  where r.build ->> 'phase' <> 'states';

-- Boards are inserted with their ranking 0. Copies of whole rows (replicas, moves) have it already.
create function begin_own_ranking() returns trigger language plpgsql as $$
begin
  insert into rankings (board_id, ranking_no, view_no, period_number, group_key, generation, status, empty_since)
    values (new.board_id, 0, 0, 0, '', new.generation, 'live', null) on conflict do nothing;
  return null;
end $$;
create trigger begin_own_ranking after insert on board_rankings for each row execute function begin_own_ranking();

-- An entry as it is derived, from events or from two rankings. `generation` is the number of the ranking's entries.
create type derived_entry as (
  generation integer, is_test boolean, slot uuid, id uuid, identity_id uuid, event_board_id uuid, event_seq bigint, value float8,
  rank_key float8, seq bigint, ranked boolean, status text, player_name text, value_display text, metadata jsonb,
  created_at timestamptz, updated_at timestamptz);
-- A place where a derivation may have to take an entry away.
create type entry_place as (generation integer, is_test boolean, slot uuid);
-- A ranking that begins, with its number in the build that writers follow, if there is one.
create type begun_ranking as (
  board_id uuid, ranking_no integer, view_no integer, period_number integer, group_key text, next_generation integer);

drop function if exists events_upto(uuid, uuid[], bigint), ranking_keys(uuid, integer[], jsonb, text, timestamptz),
  ranked_events(uuid, integer[], uuid[], bigint), begin_rankings(uuid, integer[], uuid[], bigint, boolean),
  number_rankings(uuid, integer[], integer[], integer[], text[], boolean), counting_events(uuid, uuid[]),
  entries_upto(uuid, uuid[], text, text, text, bigint), derive_entries(uuid, uuid[], text, text, text),
  placed_entries(uuid, uuid[], text, text, text, text, bigint), view_entries(uuid, integer[], uuid[], text, text, text, bigint),
  state_values(uuid, uuid[], text, text, text), rederive_events(uuid, integer, uuid[], timestamptz), build_news(uuid, bigint, integer),
  derive_ratios(jsonb, text, uuid[]), rederive_ratio_board(uuid, integer, uuid[], timestamptz), rederive_ratio(uuid, integer, uuid[], timestamptz),
  followed_views(uuid), is_followed(board_views), rederive_views(uuid, integer[], uuid[], boolean), note_view(uuid, integer, jsonb),
  restart_views(uuid, timestamptz), forget_next_rankings(uuid, timestamptz), turn_rankings(uuid, timestamptz),
  ratio_view_keys(uuid, integer[], jsonb, uuid[], bigint, bigint), derive_ratio_views(uuid, integer[], jsonb, text, uuid[], bigint, bigint),
  begin_ratio_rankings(uuid, integer[], jsonb, uuid[], bigint, bigint, boolean), ratio_reached(jsonb, uuid[]),
  ratio_views_reached(uuid, integer[], jsonb, uuid[]), verify_ratio_views(uuid, uuid, integer),
  rederive_ratio_views(uuid, integer[], uuid[], timestamptz, boolean, boolean, bigint, bigint), ratio_views_ready(uuid, integer);
