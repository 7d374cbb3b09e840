-- Rehearsals are counted by account and board, deleted ones until their rows are gone (src/closings/rehearsal).
create index boards_rehearsals_counted on boards (account_id, rehearsal_of_id) where rehearsal_of_id is not null;
drop index boards_rehearsals;
