-- Webhooks: players who are overtaken by their friends, found by what happened on a board since it was compared last.
alter table webhook_endpoints
  add column overtaken_by text collate "C" not null default 'anyone' constraint webhook_endpoints_overtaken_by check (overtaken_by in ('anyone', 'friends'));
alter table webhook_leaders
  add column seq bigint,
  add column numerator_seq bigint,
  add column denominator_seq bigint;
comment on column webhook_leaders.seq is 'How far the board was compared for endpoints that ask for friends; null: it was not.';
