-- Recordings of runs (docs/decisions/recordings.md): files that a game sends after the score, where the board wants them. Null: none.
-- Members: src/boards/recordings/settings.ts.
alter table boards add column recordings jsonb constraint boards_recordings check (jsonb_typeof(recordings) = 'object');
alter table board_templates add column recordings jsonb constraint board_templates_recordings check (jsonb_typeof(recordings) = 'object');

-- The recording of an event: announced with the score, then stored. Only wanted ones have a row.
create table recordings (
  board_id      uuid not null,
  event_seq     bigint not null,
  account_id    uuid not null,
  -- As the game announced it: nothing else is taken.
  sha256        bytea not null constraint recordings_sha256 check (length(sha256) = 32),
  -- Until when the file is taken.
  wanted_until  timestamptz(3) not null,
  -- True: taken even if the account's storage is full.
  demanded      boolean not null,
  -- Null: not stored yet.
  bytes         integer,
  stored_at     timestamptz(3),
  content       bytea,
  -- Of a file in the bucket (RECORDINGS_STORE), in place of its content.
  object        text,
  -- Null: the board keeps it.
  leaving_at    timestamptz(3),
  primary key (board_id, event_seq),
  constraint recordings_stored check (case when bytes is null then stored_at is null and content is null and object is null
    else stored_at is not null and (content is null) <> (object is null) and (content is null or bytes = length(content)) end)
);
-- Compressed already, or not worth it.
alter table recordings alter column content set storage external;

-- What the recordings of an account take.
create table recording_usage (
  account_id uuid primary key,
  files      bigint not null,
  bytes      bigint not null
);

-- Objects in the bucket that go: of deleted recordings, and of uploads that were never finished. A row is written before its object.
create table recording_objects_due (
  object     text not null primary key,
  account_id uuid not null,
  due_at     timestamptz(3) not null
);
create index recording_objects_due_at on recording_objects_due (due_at);
