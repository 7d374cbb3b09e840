-- Boards that count only runs of players with a proof, and prizes for them alone (docs/decisions/player-proofs.md). The first that asks for one keeps
-- processes that do not know this migration from starting (`open_since`).
alter table boards add column proof text collate "C" not null default 'off' constraint boards_proof check (proof in ('off', 'required'));
alter table board_templates
  add column proof text collate "C" not null default 'off' constraint board_templates_proof check (proof in ('off', 'required'));
