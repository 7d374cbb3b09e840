-- Webhooks (docs/decisions/webhooks.md).

-- Reports what a transaction does: a row, if an endpoint of the account asks for such events, and a call of the dispatcher. A report that is
-- due later, or repeated, has an id of its own choice: until it is dispatched, the newest one counts.
create or replace function report_event(account uuid, event text, game uuid, board uuid, test boolean, about jsonb, at timestamptz, due timestamptz,
    event_id uuid) returns void language plpgsql volatile as $$
begin
  if not exists (select from webhook_endpoints e where e.account_id = account and e.deleted_at is null and event = any(e.events)) or is_rehearsal(board) then
    return;
  end if;
  insert into webhook_events as w (id, account_id, type, game_id, board_id, is_test, subject, occurred_at, due_at, created_at)
    values (coalesce(event_id, gen_random_uuid()), account, event, game, board, test, about, at, due, due)
  on conflict (id) do update set subject = excluded.subject, occurred_at = excluded.occurred_at, due_at = excluded.due_at, created_at = excluded.created_at
    where w.dispatched_at is null;
  perform graphile_worker.add_job('dispatch-webhooks', run_at := now() + greatest(due - at, interval '0'),
    job_key := 'dispatch-webhooks@' || (extract(epoch from due) * 1000)::bigint, max_attempts := 3);
end $$;

-- Reports rewards, in events of at most 100. Each is named by its first reward: one changes to a state once, so a repeated report makes the
-- same events. `since`: what has the same time was reported before it.
create or replace function report_rewards(event text, ids uuid[], at timestamptz, since timestamptz default null) returns void language plpgsql volatile as $$
begin
  insert into webhook_events (id, account_id, type, game_id, board_id, is_test, subject, occurred_at, due_at, created_at)
    select named_uuid(concat_ws(E'\n', event, (array_agg(r.id order by r.nth))[1])), r.account_id, event, r.game_id, r.board_id, r.is_test,
      jsonb_build_object('closing_id', 'cls_' || r.closing_id, 'reward_ids', jsonb_agg('rwd_' || r.id order by r.nth)),
      greatest(at, since + interval '1 millisecond'), at, at
    from (select w.*, u.nth, (row_number() over (partition by w.closing_id order by u.nth) - 1) / 100 as part
      from unnest(ids) with ordinality u(id, nth) join rewards w on w.id = u.id
      where exists (select from webhook_endpoints e where e.account_id = w.account_id and e.deleted_at is null and event = any(e.events))
        and not is_rehearsal(w.board_id)) r
    group by r.account_id, r.game_id, r.board_id, r.closing_id, r.is_test, r.part
  on conflict (id) do nothing;
  if found then
    perform graphile_worker.add_job('dispatch-webhooks', job_key := 'dispatch-webhooks@' || (extract(epoch from at) * 1000)::bigint, max_attempts := 3);
  end if;
end $$;

-- What a player is called in the data of an event is overwritten, and what came with its runs.
create or replace function without_person(data jsonb, player text) returns jsonb language plpgsql immutable as $$
begin
  case jsonb_typeof(data)
    when 'array' then
      return coalesce((select jsonb_agg(without_person(x.v, player) order by x.n) from jsonb_array_elements(data) with ordinality x(v, n)), '[]');
    when 'object' then
      return coalesce((select jsonb_object_agg(x.k, case
          when data -> 'player' ->> 'id' = player and x.k in ('value_text', 'metadata', 'reason') then 'null'::jsonb
          when data ->> 'id' = player and x.k = 'name' then to_jsonb(erased_name())
          else without_person(x.v, player) end) from jsonb_each(data) x(k, v)), '{}');
    else
      return data;
  end case;
end $$;

-- Erases a player in stored events and in answers of receivers, which may repeat them.
create or replace function erase_webhooks(i uuid) returns void language plpgsql volatile as $$
begin
  -- A dispatcher that has read the name writes it before, and the next one reads the new name.
  perform from webhook_state for share;
  with named as (
    update webhook_events w set data = without_person(w.data, 'ide_' || i) where w.players @> array[i] returning w.id)
  update webhook_deliveries d set response_head = null, last_error = null from named n where d.event_id = n.id;
end $$;
