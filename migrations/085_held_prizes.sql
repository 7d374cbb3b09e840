-- Prizes after a restore: what is held until the studio releases it.
-- When a backup was restored: rankings that had begun by then are held when they close.
alter table games add column prizes_held_at timestamptz(3);
-- When the prizes of a closing were held.
alter table closings add column held_at timestamptz(3);
create index closings_held on closings (game_id) where prizes_status = 'held';

-- Rewards that were granted after the close, by the ranking as decisions had changed it: not by the fixed places.
alter table rewards add column reissued_at timestamptz(3);
