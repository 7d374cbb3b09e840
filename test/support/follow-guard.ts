import type { Knex } from 'knex';

/**
 * Live ranks and cached pages follow a board through its events as long as `derived_version` is unchanged, so any
 * other change of entries must raise it in the same transaction. This trigger, in every test database, refuses a
 * commit that does not, so every test that writes tests that rule.
 */
export const FOLLOW_GUARD = `
create function derived_mark(board uuid) returns text language sql immutable as $$ select 'test.derived_' ||
  replace(board::text, '-', '_') $$;

create function note_derived() returns trigger language plpgsql as $$
begin
  perform set_config(derived_mark(new.board_id), 'raised', true);
  return null;
end $$;
create trigger derived after update of derived_version on board_rankings for each row
  when (new.derived_version > old.derived_version) execute function note_derived();

create function check_followable() returns trigger language plpgsql as $$
declare
  entry entries := case tg_op when 'DELETE' then old else new end;
  served integer;
begin
  -- Readers see no hidden entry.
  if current_setting(derived_mark(entry.board_id), true) = 'raised' or (old.ranked or new.ranked) is not true
    or (tg_op = 'UPDATE' and new is not distinct from old) then
    return null;
  end if;
  select generation into served from board_rankings where board_id = entry.board_id;
  if served is distinct from entry.generation then
    -- A ranking that is built or given up serves no reader. In one of a view the event that an entry shows moved it there.
    if not exists (select from rankings r where r.board_id = entry.board_id and r.generation = entry.generation
      and r.ranking_no < 0 and r.status = 'live') then return null; end if;
    if tg_op <> 'DELETE' and exists (select from score_events e where e.board_id = entry.board_id and e.seq = entry.event_seq
      and e.is_test = entry.is_test
      and e.identity_id = entry.identity_id and pg_xact_status(e.xmin::text::xid8) = 'in progress') then return null; end if;
  end if;
  -- The player's events of this transaction lead from what stood there to what stands there: as readers follow them.
  if tg_op <> 'DELETE' and served = entry.generation and (
    select bool_and((v.replaced_key, v.replaced_seq) is not distinct from (v.key_before, v.seq_before)) and max(v.seq) = entry.event_seq
    from (
      select x.seq, x.replaced_key, x.replaced_seq,
        coalesce(lag(x.rank_key) over w, case when tg_op = 'UPDATE' and old.ranked then old.rank_key end) as key_before,
        coalesce(lag(x.placed) over w, case when tg_op = 'UPDATE' and old.ranked then old.seq else 0 end) as seq_before
      from (
        select e.seq, e.replaced_key, e.replaced_seq, k.rank_key,
          case when k.rank_key = e.replaced_key then e.replaced_seq else placed_seq(e.seq, b.tie_policy) end as placed
        from board_rankings b
        join score_events e on e.board_id = b.board_id and e.is_test = entry.is_test and e.identity_id = entry.identity_id
        cross join lateral (select rank_key_of(e.amount, b.sort_direction)
          + case b.board_type when 'counter' then coalesce(e.replaced_key, 0) else 0 end as rank_key) k
        where b.board_id = entry.board_id and pg_xact_status(e.xmin::text::xid8) = 'in progress' and e.replaced_seq is not null
          and (b.board_type <> 'run_runs' or e.seq = entry.event_seq)) x
      window w as (order by x.seq)) v
  ) then return null; end if;
  raise exception 'an entry of board % changed (%), and neither an event nor derived_version says so: % -> %',
    entry.board_id, tg_op, old, new;
end $$;
create constraint trigger followable after insert or update or delete on entries
  deferrable initially deferred for each row execute function check_followable();
`;

/** Runs a fixture that writes entries itself, without the guard, in one transaction. */
export function byHand<T>(knex: Knex, work: (trx: Knex.Transaction) => Promise<T>): Promise<T> {
  return knex.transaction(async (trx) => {
    await trx.raw("set local session_replication_role = 'replica'");
    return work(trx);
  });
}
