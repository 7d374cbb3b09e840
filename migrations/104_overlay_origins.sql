-- Pages that may frame a game's stream overlays: origins, as its studio names them.
alter table games add column overlay_origins text[] not null default '{}'
  constraint games_overlay_origins check (cardinality(overlay_origins) <= 10);
