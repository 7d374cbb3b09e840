-- Views of ratio boards: an entry in a ranking is the ratio of the player's entries in both sources' rankings of the same key,
-- which belong to the views of the same name (docs/decisions/views.md). All writers hold the ratio board's lock.

-- The views of a ratio board with the source views they divide; a view whose source views are not both live is left out.
create or replace function ratio_view_sources(b uuid, nos integer[], rules jsonb) returns table (
  view_no integer, ties text, num uuid, den uuid, num_no integer, den_no integer) language sql stable as $$
  select v.view_no, v.tie_policy, n.board_id, d.board_id, n.view_no, d.view_no
  from board_views v
  join board_views n on n.board_id = (rules ->> 'numerator')::uuid and n.name = v.name and n.status = 'live'
  join board_views d on d.board_id = (rules ->> 'denominator')::uuid and d.name = v.name and d.status = 'live'
  where v.board_id = b and v.view_no = any(nos)
$$;

-- True if the view can be built: the ratio board has an order, and both sources' views are live.
create or replace function ratio_views_ready(b uuid, no integer) returns boolean language sql stable as $$
  select exists (select from board_rankings r cross join lateral ratio_view_sources(b, array[no], r.ratio) s where r.board_id = b and r.ratio is not null)
$$;

-- The rankings of these players' events on either source beyond the given numbers; of players with a ruling beyond them, those
-- of all events. Entries can be nowhere else. Events that do not count are included.
create or replace function ratio_view_keys(b uuid, nos integer[], rules jsonb, ids uuid[], num_from bigint, den_from bigint) returns table (
  view_no integer, period_number integer, group_key text, is_test boolean, identity_id uuid, ties text, num_no integer, den_no integer)
language sql stable as $$
  with pair as materialized (
    select * from ratio_view_sources(b, nos, rules)
  ), source as materialized (
    select (rules ->> 'numerator')::uuid as board_id, num_from as seen, array(select p.num_no from pair p) as nos
    union all
    select (rules ->> 'denominator')::uuid, den_from, array(select p.den_no from pair p)
  ), ruled as materialized (
    select coalesce(r.identity_id, (select v.identity_id from score_events v where v.id = r.event_id and v.board_id = r.board_id limit 1)) as id
    from source x join rulings r on r.board_id = x.board_id and r.seq > x.seen
    where num_from > 0 or den_from > 0
  )
  select distinct p.view_no, k.period_number, k.group_key, t.is_test, i.id, p.ties, p.num_no, p.den_no
  from source x
  cross join unnest(ids) i(id)
  cross join (values (false), (true)) t(is_test)
  cross join lateral (select v.tags, v.country, coalesce(v.occurred_at, v.created_at) as at from score_events v
    where v.board_id = x.board_id and v.is_test = t.is_test and v.identity_id = i.id
      and v.seq > case when i.id in (select r.id from ruled r) then 0 else x.seen end) e
  cross join lateral ranking_keys(x.board_id, x.nos, e.tags, e.country, e.at) k
  join pair p on k.view_no = case when x.board_id = p.num then p.num_no else p.den_no end
$$;

-- These players' ratios in the rankings of the sources, as derive_ratios computes them for the board. A ranking that a source
-- has dropped no longer decides anything.
create or replace function derive_ratio_views(b uuid, nos integer[], rules jsonb, direction text, ids uuid[], num_from bigint, den_from bigint)
returns table (
  view_no integer, period_number integer, group_key text, ties text, is_test boolean, identity_id uuid, lives boolean, ratio float8,
  value float8, rank_key float8, value_display text, status text, player_name text, metadata jsonb, event_board_id uuid, event_seq bigint,
  created_at timestamptz, reached_at timestamptz, numerator_seq bigint, denominator_seq bigint)
language sql stable as $$
  with rule as materialized (
    select (rules ->> 'numerator')::uuid as num, (rules ->> 'denominator')::uuid as den, rules ->> 'zero' as zero,
      (rules ->> 'min_numerator')::float8 as min_numerator, (rules ->> 'min_denominator')::float8 as min_denominator,
      (rules ->> 'scale')::float8 as scale, rules ->> 'display' as display, (rules ->> 'decimals')::integer as decimals
  ), pair as materialized (
    select c.*, k.view_no, k.period_number, k.group_key, k.ties, k.is_test, k.identity_id,
      (en.slot is not null or ed.slot is not null)
        and coalesce((select r.effect from rulings r where r.board_id = c.num and r.identity_id = k.identity_id order by r.seq desc limit 1), 'include') = 'include'
        and coalesce((select r.effect from rulings r where r.board_id = c.den and r.identity_id = k.identity_id order by r.seq desc limit 1), 'include') = 'include' as lives,
      coalesce(en.value, 0) as numerator, coalesce(ed.value, 0) as denominator,
      coalesce(event_number(en.seq), 0) as num_reached, coalesce(event_number(ed.seq), 0) as den_reached,
      -- The newer of the two events is shown.
      ed.slot is null or vn.at >= vd.at as shows_numerator,
      en.player_name as num_name, ed.player_name as den_name, en.metadata as num_metadata, ed.metadata as den_metadata, en.event_seq as num_seq, ed.event_seq as den_seq,
      case when 'under_review' in (en.status, ed.status) then 'under_review' else 'active' end as status,
      least(en.created_at, ed.created_at) as created_at, greatest(en.updated_at, ed.updated_at) as reached_at
    from rule c
    cross join lateral ratio_view_keys(b, nos, rules, ids, num_from, den_from) k
    -- Probes of keys by their shape, as in derive_ratios.
    left join lateral (select r.generation, r.status from rankings r
      where r.board_id = c.num and r.view_no = k.num_no and r.period_number = k.period_number and r.group_key = k.group_key limit 1) rn on true
    left join lateral (select r.generation, r.status from rankings r
      where r.board_id = c.den and r.view_no = k.den_no and r.period_number = k.period_number and r.group_key = k.group_key limit 1) rd on true
    left join lateral (select * from entries e
      where e.board_id = c.num and e.generation = rn.generation and e.is_test = k.is_test and e.slot = k.identity_id limit 1) en on true
    left join lateral (select * from entries e
      where e.board_id = c.den and e.generation = rd.generation and e.is_test = k.is_test and e.slot = k.identity_id limit 1) ed on true
    left join lateral (select coalesce(v.occurred_at, v.created_at) as at from score_events v where v.board_id = c.num and v.seq = en.event_seq limit 1) vn on true
    left join lateral (select coalesce(v.occurred_at, v.created_at) as at from score_events v where v.board_id = c.den and v.seq = ed.event_seq limit 1) vd on true
    where rn.status is distinct from 'dropped' and rd.status is distinct from 'dropped'
  ), divided as (
    select p.*, case when p.denominator = 0 then 'nan' else ratio_quotient(p.numerator, p.denominator) end as ratio,
      p.denominator = 0 and p.zero = 'infinity' and p.numerator >= 0 as endless
    from pair p
  ), valued as (
    select d.*, case
        when not d.lives or d.numerator < d.min_numerator or d.denominator < d.min_denominator then null
        when d.endless then 1e15
        when d.ratio <> 'nan' then ratio_product(d.ratio, d.scale)
        when d.zero = 'zero' then 0 end as value
    from divided d
  )
  select v.view_no, v.period_number, v.group_key, v.ties, v.is_test, v.identity_id, v.lives, case when v.lives then v.ratio end,
    v.value, case when v.endless then '-infinity' else rank_key_of(v.value, direction) end,
    case when v.endless then '∞' else ratio_text(case when v.ratio = 'nan' then 0 else v.ratio end, v.display, v.decimals) end,
    v.status, case when v.shows_numerator then v.num_name else v.den_name end,
    case when v.shows_numerator then v.num_metadata else v.den_metadata end,
    case when v.shows_numerator then v.num else v.den end, case when v.shows_numerator then v.num_seq else v.den_seq end,
    v.created_at, v.reached_at, v.num_reached, v.den_reached
  from valued v
$$;

-- Numbers the rankings of these keys that have no number yet, and assigns each its period, as in the sources.
create or replace function begin_ratio_rankings(b uuid, nos integer[], rules jsonb, ids uuid[], num_from bigint, den_from bigint, following boolean)
returns void language plpgsql volatile as $$
declare
  missing record;
begin
  select array_agg(m.view_no) as views, array_agg(m.period_number) as periods, array_agg(m.group_key) as groups into missing from (
    select distinct k.view_no, k.period_number, k.group_key from ratio_view_keys(b, nos, rules, ids, num_from, den_from) k
    where not exists (select from rankings r
      where r.board_id = b and r.view_no = k.view_no and r.period_number = k.period_number and r.group_key = k.group_key)) m;
  insert into view_periods (board_id, view_no, number, key, starts_at, ends_at)
    select b, s.view_no, p.number, p.key, p.starts_at, p.ends_at
    from ratio_view_sources(b, nos, rules) s
    join view_periods p on (p.board_id, p.view_no) in ((s.num, s.num_no), (s.den, s.den_no))
    join unnest(missing.views, missing.periods) m(view_no, number) on m.view_no = s.view_no and m.number = p.number
  on conflict do nothing;
  if missing.views is not null or following then
    perform number_rankings(b, nos, missing.views, missing.periods, missing.groups, following);
    insert into left_out_runs (board_id, view_no, period_number, group_key, identity_id)
      select distinct b, k.view_no, k.period_number, k.group_key, k.identity_id from ratio_view_keys(b, nos, rules, ids, num_from, den_from) k
      where not exists (select from rankings r
        where r.board_id = b and r.view_no = k.view_no and r.period_number = k.period_number and r.group_key = k.group_key)
    on conflict do nothing;
  end if;
end $$;

-- As ratio_reached, in each ranking of these views.
create or replace function ratio_views_reached(b uuid, nos integer[], rules jsonb, ids uuid[]) returns table (
  view_no integer, period_number integer, group_key text, is_test boolean, identity_id uuid, at timestamptz) language plpgsql stable as $$
begin
  if ids = '{}' then
    return;
  end if;
  return query
    with pair as materialized (
      select * from ratio_view_sources(b, nos, rules)
    ), event as (
      select p.view_no, e.period_number, e.group_key, s.own, e.is_test, e.identity_id, e.created_at as at, e.place, e.amount
      from (values (true, rules ->> 'numerator'), (false, rules ->> 'denominator')) s(own, board)
      join board_rankings r on r.board_id = s.board::uuid
      cross join lateral ranked_events(r.board_id, array(select case when s.own then p.num_no else p.den_no end from pair p), ids, r.imported_seq) e
      join pair p on e.view_no = case when s.own then p.num_no else p.den_no end
    ), divided as (
      select e.*, ratio_at(sum(e.amount) filter (where e.own) over upto, sum(e.amount) filter (where not e.own) over upto) as ratio
      from event e window upto as (partition by e.view_no, e.period_number, e.group_key, e.is_test, e.identity_id order by e.at, e.own, e.place rows unbounded preceding)
    ), stepped as (
      select d.*, d.ratio is distinct from lag(d.ratio) over (
        partition by d.view_no, d.period_number, d.group_key, d.is_test, d.identity_id order by d.at, d.own, d.place) as steps
      from divided d
    )
    select s.view_no, s.period_number, s.group_key, s.is_test, s.identity_id, max(s.at) filter (where s.steps)
    from stepped s group by s.view_no, s.period_number, s.group_key, s.is_test, s.identity_id;
end $$;

-- Makes these players' entries and positions in these views' rankings match the sources: in the served ones or, with
-- `following`, in those of the generation under construction, by its rules. `planted`: they have trees. Only where there are
-- events or rulings beyond the given numbers; 0: everywhere. Returns how many entries differed.
create or replace function rederive_ratio_views(
  b uuid, nos integer[], ids uuid[], at timestamptz, following boolean, planted boolean, num_from bigint, den_from bigint)
returns bigint language plpgsql volatile as $$
declare
  ranking board_rankings;
  rules jsonb; direction text;
  changed bigint := 0; given bigint := 0;
  moves record;
  late uuid[];
begin
  if cardinality(ids) = 0 or cardinality(nos) = 0 then
    return 0;
  end if;
  select * into ranking from board_rankings r where r.board_id = b for update;
  rules := case when following then ranking.build -> 'ratio' else ranking.ratio end;
  direction := case when following then ranking.build ->> 'sort_direction' else ranking.sort_direction end;
  perform begin_ratio_rankings(b, nos, rules, ids, num_from, den_from, following);
  late := take_in(b, nos, case when num_from = 0 and den_from = 0 then ids else '{}' end);
  if cardinality(late) > 0 then
    perform rederive_ratio_views(b, nos, late, at, false, true, 0, 0);
    select * into ranking from board_rankings r where r.board_id = b;
  end if;

  for moves in
    with target as materialized (
      select t.*, r.ranking_no, r.generation as served, case when following then r.next_generation else r.generation end as g
      from derive_ratio_views(b, nos, rules, direction, ids, num_from, den_from) t
      cross join lateral (select x.* from rankings x
        where x.board_id = b and x.view_no = t.view_no and x.period_number = t.period_number and x.group_key = t.group_key limit 1) r
      where r.status <> 'dropped' and (not following or r.next_generation is not null)
    ), placed as materialized (
      -- A position moves to the generation under construction with the ratio it was reached with.
      select t.*, p.ratio as old_ratio, p.numerator_seq as old_numerator, p.denominator_seq as old_denominator, p.seq as old_place, p.reached_at as old_at,
        coalesce((p.ratio, p.numerator_seq, p.denominator_seq) = (t.ratio, t.numerator_seq, t.denominator_seq), false) as stands,
        case when f.seq is not null then f.seq when p.ratio = t.ratio then p.seq when q.ratio = t.ratio then q.seq end as place,
        case when f.seq is not null then f.reached_at when p.ratio = t.ratio then p.reached_at when q.ratio = t.ratio then q.reached_at end as place_at
      from target t
      left join lateral (select * from ratio_places r
        where r.board_id = b and r.generation = t.g and r.is_test = t.is_test and r.identity_id = t.identity_id limit 1) p on true
      left join lateral (select * from ratio_places r
        where following and not only_imported(rules) and r.board_id = b and r.generation = t.served and r.is_test = t.is_test and r.identity_id = t.identity_id limit 1) q on true
      left join lateral (select * from ratio_places_former r
        where r.board_id = b and r.ranking_no = t.ranking_no and r.is_test = t.is_test and r.identity_id = t.identity_id and r.ratio = t.ratio
          and r.numerator_seq = t.numerator_seq and r.denominator_seq = t.denominator_seq
          and (p.ratio, p.numerator_seq, p.denominator_seq) is distinct from (t.ratio, t.numerator_seq, t.denominator_seq) limit 1) f on true
    ), history as materialized (
      select * from ratio_views_reached(b, nos, rules, array(
        select p.identity_id from placed p where (following or not planted) and p.lives and p.place is null group by p.identity_id))
    ), counted as materialized (
      select p.*, p.lives and p.place is null as is_new,
        coalesce(p.place, ranking.seq + count(*) filter (where p.lives and p.place is null)
          over (order by coalesce(h.at, p.reached_at), p.event_seq, p.identity_id, p.is_test, p.ranking_no desc rows unbounded preceding)) as seq,
        coalesce(p.place_at, h.at, p.reached_at) as updated_at
      from placed p left join history h on (h.view_no, h.period_number, h.group_key, h.is_test, h.identity_id) = (p.view_no, p.period_number, p.group_key, p.is_test, p.identity_id)
    ), numbered as materialized (
      select c.*, placed_seq(c.seq, c.ties) as order_seq from counted c
    ), former as (
      insert into ratio_places_former (board_id, ranking_no, is_test, identity_id, ratio, numerator_seq, denominator_seq, seq, reached_at)
        select b, n.ranking_no, n.is_test, n.identity_id, n.old_ratio, n.old_numerator, n.old_denominator, n.old_place, n.old_at
        from numbered n
        where n.lives and n.old_place <> n.seq and exists (select from score_flags f where f.identity_id = n.identity_id)
      on conflict do nothing
    ), places as (
      insert into ratio_places as r (board_id, generation, is_test, identity_id, ratio, seq, reached_at, numerator_seq, denominator_seq)
        select b, n.g, n.is_test, n.identity_id, n.ratio, n.seq, n.updated_at, n.numerator_seq, n.denominator_seq
        from numbered n where n.lives and not n.stands
      on conflict (board_id, generation, is_test, identity_id) do update
        set ratio = excluded.ratio, seq = excluded.seq, reached_at = excluded.reached_at,
          numerator_seq = excluded.numerator_seq, denominator_seq = excluded.denominator_seq
      returning 1
    ), gone as (
      delete from entries e where e.ctid = any(array(
        select x.place from numbered n
        cross join lateral (select v.ctid as place from entries v
          where v.board_id = b and v.generation = n.g and v.is_test = n.is_test and v.slot = n.identity_id limit 1) x
        where n.value is null))
      returning e.generation as g, e.is_test, e.rank_key, e.seq
    ), different as materialized (
      select t.*, p.rank_key as old_key, p.seq as old_seq
      from numbered t
      left join lateral (select e.* from entries e
        where e.board_id = b and e.generation = t.g and e.is_test = t.is_test and e.slot = t.identity_id limit 1) p on true
      where t.value is not null and (p.slot is null or (p.event_board_id, p.event_seq, p.value, p.rank_key, p.seq, p.status, p.player_name, p.value_display, p.metadata, p.created_at, p.updated_at)
        is distinct from (t.event_board_id, t.event_seq, t.value, t.rank_key, t.order_seq, t.status, t.player_name, t.value_display, t.metadata, t.created_at, t.updated_at))
    ), written as (
      insert into entries as e (board_id, generation, is_test, slot, id, identity_id, event_board_id, event_seq, value, rank_key, seq, ranked,
          status, player_name, value_display, metadata, created_at, updated_at)
        select b, d.g, d.is_test, d.identity_id, ratio_id(b, d.identity_id, d.is_test), d.identity_id, d.event_board_id, d.event_seq, d.value,
          d.rank_key, d.order_seq, true, d.status, d.player_name, d.value_display, d.metadata, d.created_at, d.updated_at
        from different d
      on conflict (board_id, generation, is_test, slot) do update set
        event_board_id = excluded.event_board_id, event_seq = excluded.event_seq, value = excluded.value, rank_key = excluded.rank_key,
        seq = excluded.seq, status = excluded.status, player_name = excluded.player_name, value_display = excluded.value_display,
        metadata = excluded.metadata, created_at = excluded.created_at, updated_at = excluded.updated_at
      returning 1
    ), shifts as (
      select g, is_test, rank_key, seq, -1 as d from gone
      union all select g, is_test, old_key, old_seq, -1 from different where old_key is not null
      union all select g, is_test, rank_key, order_seq, 1 from different
    )
    select s.g, s.is_test, array_agg(s.rank_key) filter (where s.d is not null) as ks, array_agg(s.seq) filter (where s.d is not null) as ss,
      array_agg(s.d) filter (where s.d is not null) as ds,
      -- If counted, all entries and positions are written before the trees follow.
      (select count(*) from gone) + (select count(*) from different) + 0 * (select count(*) from written) + 0 * (select count(*) from places) as touched,
      (select count(*) from numbered n where n.is_new) as numbers
    from (select * from shifts union all select 0, false, null, null, null) s
    group by s.g, s.is_test
  loop
    changed := moves.touched; given := moves.numbers;
    perform note_left(b, moves.g) where moves.ds is not null and -1 = any(moves.ds);
    if planted and moves.ks is not null then
      perform apply_rank_deltas(b, moves.g, moves.is_test, moves.ks, moves.ss, moves.ds);
      if ranking.dense_views then
        perform follow_values(b, moves.g, moves.is_test, moves.ks);
      end if;
    end if;
  end loop;

  if given > 0 or not following and changed > 0 then
    update board_rankings r set seq = r.seq + given, last_event_at = at,
        version = r.version + case when not following and changed > 0 then 1 else 0 end,
        derived_version = case when not following and changed > 0 then r.version + 1 else r.derived_version end
      where r.board_id = b;
  end if;
  return changed;
end $$;

-- Contradictions between the rankings of a ratio board's views and those of its sources, of the next players after one, except
-- players whose news the board has yet to read.
create or replace function verify_ratio_views(b uuid, after uuid, most integer) returns table (upto uuid, faults text[]) language sql stable as $$
  with ranking as materialized (
    select r.* from board_rankings r where r.board_id = b and r.newest_view > 0 and r.ratio is not null
  ), subject as materialized (
    select next_identities(b, after, most) as ids from ranking
  ), pending as materialized (
    select n.ids from ranking r cross join lateral ratio_news(r.ratio, r.numerator_seq, r.denominator_seq, 2147483647) n
  )
  select (select max(i::text)::uuid from subject s, unnest(s.ids) i),
    array(
      select format('view %s, period %s %s: player %s has the ratio %s instead of %s', t.view_no, t.period_number, t.group_key, t.identity_id,
          coalesce(concat_ws('/', e.value, e.status, e.event_seq), 'none'), coalesce(concat_ws('/', t.value, t.status, t.event_seq), 'none'))
      from ranking r cross join subject s
      cross join lateral derive_ratio_views(b, live_views(b), r.ratio, r.sort_direction, s.ids, 0, 0) t
      left join lateral (select x.generation, x.status from rankings x
        where x.board_id = b and x.view_no = t.view_no and x.period_number = t.period_number and x.group_key = t.group_key limit 1) n on true
      left join lateral (select x.* from entries x
        where x.board_id = b and x.generation = n.generation and x.is_test = t.is_test and x.slot = t.identity_id limit 1) e on true
      where n.status is distinct from 'dropped'
        and (e.value, e.rank_key, e.status, e.event_seq) is distinct from
          (t.value, case when t.value is not null then t.rank_key end, case when t.value is not null then t.status end, case when t.value is not null then t.event_seq end)
        and not t.identity_id = any(coalesce((select p.ids from pending p), '{}'))
      limit 100)
$$;

-- Entries of a ranking of a ratio board whose players have none in either source's ranking, or are excluded from a source.
create or replace function verify_ratio_ranking(b uuid, no integer, test boolean, after uuid, most integer) returns table (upto uuid, faults text[]) language sql stable as $$
  with ranking as materialized (
    select r.* from board_rankings r where r.board_id = b and r.ratio is not null
  ), pending as materialized (
    select n.ids from ranking r cross join lateral ratio_news(r.ratio, r.numerator_seq, r.denominator_seq, 2147483647) n
  ), part as materialized (
    select e.* from rankings x
    cross join lateral (select y.* from entries y
      where y.board_id = b and y.generation = x.generation and y.is_test = test and y.slot > after order by y.slot limit most) e
    where x.board_id = b and x.ranking_no = no and x.status = 'live'
  )
  select (select max(p.slot::text)::uuid from part p),
    array(
      select format('ranking %s: player %s has an entry and nothing on the boards it is derived from', x.ranking_no, e.slot)
      from ranking r
      join rankings x on x.board_id = b and x.ranking_no = no and x.status = 'live'
      cross join lateral ratio_view_sources(b, array[x.view_no], r.ratio) s
      cross join part e
      left join lateral (select k.generation, k.status from rankings k
        where k.board_id = s.num and k.view_no = s.num_no and k.period_number = x.period_number and k.group_key = x.group_key limit 1) rn on true
      left join lateral (select k.generation, k.status from rankings k
        where k.board_id = s.den and k.view_no = s.den_no and k.period_number = x.period_number and k.group_key = x.group_key limit 1) rd on true
      where rn.status is distinct from 'dropped' and rd.status is distinct from 'dropped'
        and not (identity_counts(s.num, e.slot) and identity_counts(s.den, e.slot)
          and (exists (select from entries y where y.board_id = s.num and y.generation = rn.generation and y.is_test = e.is_test and y.slot = e.slot)
            or exists (select from entries y where y.board_id = s.den and y.generation = rd.generation and y.is_test = e.is_test and y.slot = e.slot)))
        and not e.slot = any(coalesce((select p.ids from pending p), '{}'))
      limit 100)
$$;

-- The newest period of a view that is no longer kept; null: none. A view of a ratio board keeps at most what its sources keep.
create or replace function retirable_upto(b uuid, no integer, at timestamptz) returns integer language sql stable as $$
  select max(old.number)
  from (
    select b as board_id, no as view_no
    union all
    select u.board_id, u.view_no from board_rankings r
      cross join lateral ratio_view_sources(b, array[no], r.ratio) s
      cross join lateral (values (s.num, s.num_no), (s.den, s.den_no)) u(board_id, view_no)
      where r.board_id = b and r.ratio is not null) w
  join board_views v on v.board_id = w.board_id and v.view_no = w.view_no and v.keep_periods is not null
  cross join lateral (select p.number from view_periods p
    where p.board_id = v.board_id and p.view_no = v.view_no and p.ends_at <= at order by p.number desc offset v.keep_periods limit 1) old
$$;

-- True if a period's rankings may be dropped: a ratio board has read all of it from its sources, and the rankings of ratio
-- boards derived from these were dropped before.
create or replace function may_retire(b uuid, no integer, nth integer) returns boolean language sql stable as $$
  select not exists (
      select from board_rankings r
      cross join lateral (values ((r.ratio ->> 'numerator')::uuid, r.numerator_seq), ((r.ratio ->> 'denominator')::uuid, r.denominator_seq)) s(board_id, seen)
      where r.board_id = b and r.ratio is not null
        and s.seen < events_until(s.board_id, (select p.ends_at from view_periods p where p.board_id = b and p.view_no = no and p.number = nth), false))
    and not exists (
      select from ratio_configs c
      join boards d on d.id = c.board_id and d.deleted_at is null
      join board_rankings r on r.board_id = c.board_id
      join board_views o on o.board_id = b and o.view_no = no
      join board_views v on v.board_id = c.board_id and v.name = o.name and v.status <> 'dropping'
      where b in (c.numerator_board_id, c.denominator_board_id)
        and (v.status = 'building' or r.ratio is null or coalesce(r.build ->> 'phase' <> 'states', false)
          or exists (select from rankings x where x.board_id = v.board_id and x.view_no = v.view_no and x.period_number = nth and x.status <> 'dropped')
          or case b when c.numerator_board_id then r.numerator_seq else r.denominator_seq end
            < events_until(b, (select p.ends_at from view_periods p where p.board_id = b and p.view_no = no and p.number = nth), false)))
$$;

-- Boards with rankings to be dropped at this time.
create or replace function boards_to_retire(at timestamptz) returns setof uuid language sql stable as $$
  select v.board_id
  from board_views v
  cross join lateral (select p.number from view_periods p
    where p.board_id = v.board_id and p.view_no = v.view_no and p.ends_at <= at order by p.number desc offset v.keep_periods limit 1) newest
  where v.status = 'live' and v.keep_periods is not null
    and exists (select from rankings r where r.board_id = v.board_id and r.view_no = v.view_no and r.period_number between 1 and newest.number
      and r.status = 'live' and may_retire(v.board_id, v.view_no, r.period_number))
  union
  select v.board_id
  from ratio_configs c
  join board_views v on v.board_id = c.board_id and v.status = 'live' and v.period is not null
  cross join lateral (select retirable_upto(v.board_id, v.view_no, at) as number offset 0) newest
  where exists (select from rankings r where r.board_id = v.board_id and r.view_no = v.view_no and r.period_number between 1 and newest.number
    and r.status = 'live' and may_retire(v.board_id, v.view_no, r.period_number))
$$;
