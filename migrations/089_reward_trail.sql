-- Each change of a reward is in the audit trail, and so are claims by players. Earlier versions counted a closing's rewards by hour.
alter table audit_entries
  drop constraint audit_entries_author,
  add constraint audit_entries_author check (author in ('user', 'superadmin', 'operator', 'job', 'player'));
update audit_entries set action = 'reward_' || substr(action, 9) where action in ('rewards_acknowledged', 'rewards_expired');
-- There may be millions of these: lists of everything leave them out, and do not read past them.
create index audit_entries_acts_created on audit_entries (created_at desc, id)
  where action not in ('reward_claimed', 'reward_acknowledged', 'reward_expired');
create index audit_entries_acts_account_created on audit_entries (account_id, created_at desc, id)
  where action not in ('reward_claimed', 'reward_acknowledged', 'reward_expired');
drop index audit_entries_game_created;
create index audit_entries_acts_game_created on audit_entries (game_id, created_at desc, id)
  where action not in ('reward_claimed', 'reward_acknowledged', 'reward_expired');
