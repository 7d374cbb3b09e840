-- What the lists' orders and filters need beside the indexes that were there (docs/decisions/lists.md).

-- Records that people write: one index for each field a list can be ordered by, over all accounts. Within an account the
-- planner walks it when the account is large, and sorts the account's few rows when it is not: indexes of their own for
-- every account and game would be three times as many and save less than a millisecond. Names and slugs of accounts, slugs
-- of games and short codes of boards have their unique indexes.
create index accounts_updated on accounts (updated_at desc, id) where deleted_at is null;
create index users_email on users (email, id) where deleted_at is null;
create index users_display_name on users (display_name, id) where deleted_at is null;
create index users_updated on users (updated_at desc, id) where deleted_at is null;
create index api_keys_name on api_keys (name, id) where deleted_at is null;
create index api_keys_updated on api_keys (updated_at desc, id) where deleted_at is null;
create index games_name on games (name, id) where deleted_at is null;
create index games_updated on games (updated_at desc, id) where deleted_at is null;
create index boards_name on boards (name, id) where deleted_at is null;
create index boards_slug on boards (slug, id) where deleted_at is null;
create index boards_updated on boards (updated_at desc, id) where deleted_at is null;

-- Devices are many, and a studio that nobody plays any more is not spread evenly over the order of all: so who played
-- last has an index for each scope.
create index devices_seen on devices (last_seen_at desc, id) where deleted_at is null;
create index devices_account_seen on devices (account_id, last_seen_at desc, id) where deleted_at is null;
create index devices_game_seen on devices (game_id, last_seen_at desc, id) where deleted_at is null;

-- The few that somebody looks for among millions. Whoever is active, or was never revoked, costs nothing here.
create index devices_blocked on devices (created_at desc, id) where deleted_at is null and status <> 'active';
create index devices_blocked_seen on devices (last_seen_at desc, id) where deleted_at is null and status <> 'active';
create index devices_account_blocked on devices (account_id, created_at desc, id) where deleted_at is null and status <> 'active';
create index devices_account_blocked_seen on devices (account_id, last_seen_at desc, id) where deleted_at is null and status <> 'active';
create index device_sessions_revoked_created on device_sessions (created_at desc, id) where deleted_at is null and status = 'revoked';
create index device_sessions_account_revoked on device_sessions (account_id, created_at desc, id) where deleted_at is null and status = 'revoked';

-- Test submissions among production's. Only test submissions pay for them.
create index score_events_test on score_events (board_id, seq) where is_test;
create index score_events_account_test on score_events (account_id, created_at desc, id) where is_test;

-- The events of a board by time need no index of their own, which every submission would pay for: times never run
-- against the numbers (a batch is stamped with the board's last time at least, see write_batch), so that a
-- page lies between two numbers, found by halving.

-- The largest number below which, itself included, all events of board b are older than t (`inclusive`: or as old).
create function events_until(b uuid, t timestamptz, inclusive boolean) returns bigint
language plpgsql stable strict as $$
declare
  low bigint := 0;
  high bigint := (select r.seq from board_rankings r where r.board_id = b);
  middle bigint;
  found_seq bigint;
  found_at timestamptz;
begin
  -- All up to low are older, all beyond high are not.
  while low < high loop
    middle := low + (high - low) / 2 + 1;
    -- Rulings have numbers of the same sequence: the nearest event at or below.
    select e.seq, e.created_at into found_seq, found_at from score_events e
      where e.board_id = b and e.seq <= middle order by e.seq desc limit 1;
    if found_seq is null or found_seq <= low or found_at < t or (inclusive and found_at = t) then low := middle;
    else high := found_seq - 1;
    end if;
  end loop;
  return coalesce(low, 0);
end $$;

-- The numbers between which lie the n events of board b that are next to the time `at`, those of that time itself and all
-- that share the time of the last of them: whatever decides among equal times, a page of n beyond a position at that time
-- is in here. `at` null: from the list's edge on. Only test or production events, or those of one identity: null for all.
-- A bound that is null: none.
create function events_span(b uuid, test boolean, who uuid, at timestamptz, older boolean, n integer, out low bigint, out high bigint)
language plpgsql stable as $$
declare
  populations boolean[] := case when who is null then array[test] when test is null then '{f,t}' else array[test] end;
  edge bigint;
  farthest timestamptz;
begin
  if at is not null then
    low := events_until(b, at, false) + 1;
    high := events_until(b, at, true);
  end if;
  edge := case when older then low - 1 else high end;
  -- A branch for each population: no index has the numbers of one identity in both of them.
  execute format('select x.created_at from (%s) x order by x.seq %s offset $1 - 1 limit 1',
      (select string_agg(format(
        '(select e.seq, e.created_at from score_events e where e.board_id = $2 %s %s %s order by e.seq %s limit $1)',
        case when p then 'and e.is_test' when not p then 'and not e.is_test' end,
        case when who is not null then 'and e.identity_id = $3' end,
        case when edge is null then '' when older then 'and e.seq <= $4' else 'and e.seq > $4' end,
        case when older then 'desc' else 'asc' end), ' union all ')
       from unnest(populations) p),
      case when older then 'desc' else 'asc' end)
    into farthest using n, b, who, edge;
  if older then low := events_until(b, farthest, false) + 1; else high := events_until(b, farthest, true); end if;
end $$;

-- Also deleted sessions tell for whom a device submitted (lists of submission metadata by device).
drop index device_sessions_device;
create index device_sessions_device on device_sessions (device_id, created_at desc, id);
