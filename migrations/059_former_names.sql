-- contracts: 059_former_names.sql
-- The functions by which this version writes to rankings have names that no process of an earlier version calls. By the former ones nothing
-- is written any more: they answer "try again later".
do $$
declare
  f record;
begin
  for f in
    select pg_get_functiondef(p.oid) as definition from pg_proc p
    where p.pronamespace = current_schema()::regnamespace and p.prokind = 'f' and p.proname in (
      'write_submissions', 'begin_groups', 'free_groups', 'build_step', 'import_step', 'erase_step', 'drop_view', 'forget_generation', 'retire_rankings',
      'follow_rules', 'pull_ratio', 'settle_ratio', 'settle_identity', 'settle_events', 'settle_review', 'settle_tier', 'restate_flags', 'retag_player',
      'show_present_name', 'rename_runs')
  loop
    execute split_part(f.definition, E'\n LANGUAGE ', 1) || $def$
      language plpgsql volatile as $f$ begin raise exception 'A newer version of the service has migrated the database' using errcode = '53LB0'; end $f$ $def$;
  end loop;
end $$;

alter table score_imports drop column to_rank;
