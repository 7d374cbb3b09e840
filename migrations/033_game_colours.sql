-- Colour of a game's public pages.
alter table games add column accent_colour text constraint games_accent_colour_form check (accent_colour ~ '^#[0-9a-f]{6}$');
