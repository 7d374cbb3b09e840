-- How a board shows its values; null: as numbers, as before. Texts are made when they are read.
alter table boards add column format jsonb constraint boards_format_known check (format ->> 'kind' in ('number', 'time', 'percent', 'compact'));
alter table board_templates add column format jsonb constraint board_templates_format_known check (format ->> 'kind' in ('number', 'time', 'percent', 'compact'));
