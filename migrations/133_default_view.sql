-- The ranking that a board's public page shows first: a view, by its name; null: the board's own.
alter table boards add column default_view text;
alter table board_templates add column default_view text;
