-- Claims of names that are unique across the cells of a directory (docs/decisions/cells.md). The primary key decides
-- between a writer, whose row is in the transaction of its record, and the sweeper. Unused without a directory.
create table name_claims (
  claim_id  uuid primary key,
  outcome   text not null constraint name_claims_outcome check (outcome in ('done', 'abandoned')),
  noted_at  timestamptz not null default now()
);
create index name_claims_noted on name_claims (noted_at);
