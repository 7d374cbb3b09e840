-- A mover that lost its locks may still reach the directory: only the newest attempt turns the account over.
alter table moves add column attempt integer not null default 1;
