-- Copies of boards on which the end of a ranking is rehearsed (docs/decisions/rehearsal.md). Without a foreign key: boards of an account
-- move in any order.
alter table boards add column rehearsal_of_id uuid;
alter table boards add constraint boards_rehearsal check (rehearsal_of_id is null or not is_published);
create index boards_rehearsals on boards (created_at) where rehearsal_of_id is not null and deleted_at is null;
