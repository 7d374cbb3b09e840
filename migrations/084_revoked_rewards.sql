-- Rewards: who revoked one that nobody had claimed, and why.
alter table rewards add column revoked_by uuid;
alter table rewards add column revoke_reason text;
