-- Windows of templates in their time zone. Null: last saved before; those stay in UTC until the template is saved again.
alter table board_templates add column windows_from timestamptz(3);
