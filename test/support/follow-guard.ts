import type { Knex } from 'knex';

/**
 * Pages in memory and live ranks follow a board through its events for as long as `derived_version` stays. So whatever changes entries
 * otherwise must raise it in the same transaction. This trigger, in every test database, refuses the commit that does not: all tests
 * of writes are tests of that rule.
 */
export const FOLLOW_GUARD = `
create function derived_mark(board uuid) returns text language sql immutable as $$ select 'test.derived_' || replace(board::text, '-', '_') $$;

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
  if current_setting(derived_mark(entry.board_id), true) = 'raised' or (tg_op = 'UPDATE' and new is not distinct from old) then
    return null;
  end if;
  select generation into served from board_rankings where board_id = entry.board_id;
  -- A ranking that is built or given up serves no reader.
  if served is distinct from entry.generation then return null; end if;
  if tg_op <> 'DELETE' and exists (
    select from score_events v
    where v.board_id = entry.board_id and v.seq = entry.event_seq and v.xmin::text::bigint >= pg_current_xact_id()::text::bigint
      and v.replaced_seq is not null
      and case when tg_op = 'INSERT' or not old.ranked then v.replaced_key is null else v.replaced_key = old.rank_key and v.replaced_seq = old.seq end
  ) then return null; end if;
  raise exception 'an entry of board % changed (%), and neither an event nor derived_version says so: % -> %',
    entry.board_id, tg_op, old, new;
end $$;
create constraint trigger followable after insert or update or delete on entries
  deferrable initially deferred for each row execute function check_followable();
`;

/** Fixtures that write entries themselves, without the guard, in one transaction. */
export function byHand<T>(knex: Knex, work: (trx: Knex.Transaction) => Promise<T>): Promise<T> {
  return knex.transaction(async (trx) => {
    await trx.raw("set local session_replication_role = 'replica'");
    return work(trx);
  });
}
