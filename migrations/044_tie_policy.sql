-- Ties. The policy by which the served ranking is ordered and shows equal values; the record of the board has the wanted one. With
-- `latest` the newer of equals stands first: `entries.seq` is then 2^53 - 1 - the number of the event (placed_seq in 1_tree.sql).
alter table board_rankings
  add column tie_policy text not null default 'earliest' constraint board_rankings_tie_policy
    check (tie_policy in ('earliest', 'latest', 'competition'));
