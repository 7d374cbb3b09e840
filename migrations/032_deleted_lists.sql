-- Lists of deleted records, for restoring them.
create index games_account_deleted on games (account_id, created_at desc, id) where deleted_at is not null;
create index boards_account_deleted on boards (account_id, created_at desc, id) where deleted_at is not null;
create index board_templates_account_deleted on board_templates (account_id, created_at desc, id) where deleted_at is not null;
create index identities_account_deleted on identities (account_id, created_at desc, id) where deleted_at is not null;
create index devices_account_deleted on devices (account_id, created_at desc, id) where deleted_at is not null;
create index device_sessions_account_deleted on device_sessions (account_id, created_at desc, id) where deleted_at is not null;
