-- Lines of an import that a later line of the same record has replaced, and bad lines that were left out as requested: with `rows`
-- and `skipped` they are the lines that were sent.
alter table score_imports add column replaced bigint not null default 0, add column refused bigint not null default 0;
