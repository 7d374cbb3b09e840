-- Lists of rewards have open ones first.
alter table rewards add column status_order smallint not null default 0;
alter table rewards add constraint rewards_status_order
  check (status_order = case status when 'open' then 0 when 'claimed' then 1 when 'acknowledged' then 2 when 'expired' then 3 else 4 end);
drop index rewards_closing;
drop index rewards_identity;
create index rewards_closing on rewards (closing_id, is_test, status_order, created_at desc, id);
create index rewards_identity on rewards (identity_id, is_test, status_order, created_at desc, id);
create index rewards_game on rewards (game_id, is_test, status_order, created_at desc, id);
