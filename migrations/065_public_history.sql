-- Visitors see a player's runs and other boards where the board says so.
alter table boards drop constraint boards_public_fields,
  add constraint boards_public_fields check (public_fields <@ array['date', 'gap', 'country', 'platform', 'metadata', 'history']);
alter table board_templates drop constraint board_templates_public_fields,
  add constraint board_templates_public_fields check (public_fields <@ array['date', 'gap', 'country', 'platform', 'metadata', 'history']);
