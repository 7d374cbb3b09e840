-- What people see of the work that goes on beside requests: one row a job. What is due is not told here but by the
-- records themselves; the queue that wakes the workers has a schema of its own.
create table jobs (
  name              text collate "C" primary key,
  last_started_at   timestamptz(3),
  last_finished_at  timestamptz(3),
  -- Records that the last finished run dealt with.
  last_done         bigint,
  -- Of the newest run; null: it went well.
  last_error        text,
  last_failed_at    timestamptz(3),
  runs              bigint not null,
  failures          bigint not null
);

-- For the removal of sessions long after they ended.
create index device_sessions_expiry on device_sessions (refresh_expires_at);
