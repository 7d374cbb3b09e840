-- Fair play: what the checks of a submission need beyond its player's state, and what a rejection leaves behind.

-- Thresholds of the game's own, as its administrators wrote them; what is absent is the service's. Null: all is.
alter table games add column anti_cheat_settings jsonb
  constraint games_anti_cheat_settings_object check (jsonb_typeof(anti_cheat_settings) = 'object');

-- A batch is judged by the checks of its game as they were read for it, or for one before.
create constraint trigger games_checks_standing after update on games deferrable initially deferred for each row
  when (old.anti_cheat_enabled <> new.anti_cheat_enabled or old.anti_cheat_settings is distinct from new.anti_cheat_settings)
  execute function game_standing_changed();

-- When the newest rejection that stored its event came: those of the hour after it are only counted.
alter table states add column rejected_at timestamptz(3);

-- Whether an event counts, by its newest ruling or else as it was disposed of: for single events (see 005_rederive.sql).
create function event_counts(b uuid, event uuid, disposition text) returns boolean language sql stable as $$
  select coalesce((select r.effect <> 'exclude' from rulings r where r.board_id = b and r.event_id = event order by r.seq desc limit 1),
    disposition <> 'rejected')
$$;

-- Writes a batch's rejections, after take_boards or write_batch: of those `stored` the events, numbered from first_seq on, of all the
-- counts of submissions. Whoever is rejected has a state: there are submissions to count.
create function reject_submissions(
  b uuid, first_seq bigint, account uuid, game uuid, at timestamptz, ids uuid[], identities_ uuid[], devices_ uuid[], tests boolean[],
  amounts float8[], names text[], displays text[], metadatas jsonb[], cities text[], countries text[], timezones text[], stored boolean[])
returns void language plpgsql volatile as $$
declare
  events bigint;
begin
  insert into score_events (board_id, seq, id, account_id, game_id, identity_id, device_id, is_test, amount, player_name,
      value_display, metadata, disposition, source, city, country, timezone, created_at)
    select b, first_seq + row_number() over (order by u.ord) - 1, u.id, account, game, u.identity_id, u.device_id, u.is_test, u.amount,
      u.player_name, u.value_display, u.metadata, 'rejected', case when u.device_id is null then 'admin' else 'client' end,
      u.city, u.country, u.timezone, at
    from unnest(ids, identities_, devices_, tests, amounts, names, displays, metadatas, cities, countries, timezones, stored)
      with ordinality u(id, identity_id, device_id, is_test, amount, player_name, value_display, metadata, city, country, timezone, stored, ord)
    where u.stored;
  get diagnostics events = row_count;

  update states s set device_id = coalesce(u.device_id, s.device_id), submission_count = s.submission_count + 1,
      last_event_id = case when u.stored then u.id else s.last_event_id end, last_submission_at = at, last_value = u.amount,
      rejected_at = case when u.stored then at else s.rejected_at end, updated_at = at
    from unnest(ids, identities_, devices_, tests, amounts, stored) u(id, identity_id, device_id, is_test, amount, stored)
    where s.board_id = b and s.is_test = u.is_test and s.identity_id = u.identity_id;

  -- Nothing that readers of the board see has changed: its version stays.
  update board_rankings r set seq = r.seq + events, last_event_at = at, newest_batch = ids[1] where r.board_id = b;
end $$;

-- What the outlier check takes a population's median and deviations from: packed pairs of rank key (float8send) and
-- how many entries it stands for (int4send), ascending. All entries of a board of fewer than exact_below; else the lower bounds of
-- the counted tree's leaves, from coarse_from entries on of its runs, so that it stays some thousand numbers. Null `sample`: the
-- game has no checks, or there are no entries.
create function population_sample(b uuid, t boolean, exact_below integer, coarse_from integer)
returns table (generation integer, direction text, seq bigint, checked boolean, entries bigint, exact boolean, sample bytea) language plpgsql stable as $$
begin
  select r.generation, r.sort_direction, r.seq, g.anti_cheat_enabled into generation, direction, seq, checked
    from board_rankings r join boards d on d.id = r.board_id join games g on g.id = d.game_id where r.board_id = b;
  if checked is not true then
    return next; return;
  end if;
  entries := ranked_count(b, population_sample.generation, t);
  exact := entries < exact_below;
  if exact then
    select string_agg(float8send(e.rank_key) || int4send(1), '' order by e.rank_key, e.seq) into sample
      from entries e where e.board_id = b and e.generation = population_sample.generation and e.is_test = t and e.ranked;
  elsif entries < coarse_from then
    select string_agg(float8send(u.k) || int4send(r.sums[u.i + 1] - r.sums[u.i]), '' order by r.lo_key, r.lo_seq, u.i) into sample
      from rank_runs r cross join lateral unnest(r.lo_keys) with ordinality u(k, i)
      where r.board_id = b and r.generation = population_sample.generation and r.is_test = t;
  else
    select string_agg(float8send(u.k) || int4send(r.sums[u.i + 1] - r.sums[u.i]), '' order by r.lo_key, r.lo_seq, u.i) into sample
      from rank_tops r cross join lateral unnest(r.lo_keys) with ordinality u(k, i)
      where r.board_id = b and r.generation = population_sample.generation and r.is_test = t;
  end if;
  return next;
end $$;
