-- Facts of a score that public pages show beside name and value.
alter table boards add column public_fields text[] not null default '{}'
  constraint boards_public_fields check (public_fields <@ array['date', 'gap', 'country', 'platform']);
alter table board_templates add column public_fields text[] not null default '{}'
  constraint board_templates_public_fields check (public_fields <@ array['date', 'gap', 'country', 'platform']);
