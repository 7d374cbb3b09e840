-- A device that was linked to a merged player and is not any more has played for it until then, which an undo of the merge gives back
-- (docs/decisions/merges.md). Whatever ends a link notes it, so processes of any release do.
alter table devices add column unlinked_from uuid, add column unlinked_at timestamptz(3);
create index devices_unlinked on devices (unlinked_from) where unlinked_from is not null;

create function note_unlinked() returns trigger language plpgsql as $$
begin
  new.unlinked_from := old.linked_identity_id;
  new.unlinked_at := new.updated_at;
  return new;
end $$;
create trigger devices_unlinked before update of linked_identity_id on devices for each row
  when (old.linked_identity_id is not null and new.linked_identity_id is distinct from old.linked_identity_id) execute function note_unlinked();
