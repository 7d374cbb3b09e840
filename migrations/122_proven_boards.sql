-- Boards that count only runs of players with a proof, and prizes for them alone (docs/decisions/player-proofs.md). The first that asks for one keeps
-- processes that do not know this migration from starting (`open_proofs`).
alter table boards add column proof text collate "C" not null default 'off' constraint boards_proof check (proof in ('off', 'required'));
alter table board_templates
  add column proof text collate "C" not null default 'off' constraint board_templates_proof check (proof in ('off', 'required'));

-- They say more of a line and of a player.
drop function if exists prize_conditions(jsonb);
drop function if exists prize_players(closings, jsonb, integer, float8);
drop function if exists meets(bigint, timestamptz, closings, integer, integer);
