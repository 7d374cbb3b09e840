-- Who made a change, with which key and from where, besides the user that entries had: see src/db/audit.ts. Older entries have nulls.
alter table audit_entries
  add column author     text collate "C" constraint audit_entries_author check (author in ('user', 'superadmin', 'operator', 'job')),
  -- Without a reference: an entry outlives its key.
  add column api_key_id uuid,
  -- The job, or the operator's command.
  add column agent      text collate "C",
  -- Of the person's request, for SESSION_ADDRESS_DAYS.
  add column ip_address text;
create index audit_entries_address on audit_entries (created_at) where ip_address is not null;
