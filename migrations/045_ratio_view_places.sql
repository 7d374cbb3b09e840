-- Places that flagged players had in the rankings of a ratio board's views (docs/decisions/views.md); 0: in the board's own. Numbers of
-- rankings stay, generations do not.
alter table ratio_places_former add column ranking_no integer not null default 0;
alter table ratio_places_former drop constraint ratio_places_former_pkey;
alter table ratio_places_former add primary key (board_id, ranking_no, is_test, identity_id, ratio, numerator_seq, denominator_seq);
