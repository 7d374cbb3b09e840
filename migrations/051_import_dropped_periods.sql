-- Events of an import that were written and lie in a period that a view of the board has dropped.
alter table score_imports add column in_dropped_periods bigint not null default 0;
