-- Dense ranks (1, 2, 2, 3): a second ranking with one entry a value, in `entries` and the counted tree under a number that follows from
-- the ranking's own (functions/9_dense_ranks.sql).
alter table board_rankings
  drop constraint board_rankings_tie_policy,
  add constraint board_rankings_tie_policy check (tie_policy in ('earliest', 'latest', 'competition', 'dense')),
  -- Some view of the board may have dense ranks: writes look its rankings up.
  add column dense_views boolean not null default false;

-- The view of a ranking, by the number of its entries.
create index rankings_generation on rankings (board_id, generation);
create index rankings_next_generation on rankings (board_id, next_generation) where next_generation is not null;
