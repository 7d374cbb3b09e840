-- contracts: 060_equal_ratios.sql
-- Equal ratios stand in the order of their sources' events (functions/8_rederive.sql), no longer in that in which the board read them. Every
-- ratio board is built again, in the background; until it is served, the order is as it was.
set local leaderboard.mover = 'on';

insert into generations_due (board_id, generation, due_at)
  select r.board_id, r.next_generation, now() from rankings r join ratio_configs c on c.board_id = r.board_id where r.next_generation is not null
  on conflict do nothing;
update rankings r set next_generation = null from ratio_configs c where c.board_id = r.board_id and r.next_generation is not null;
-- States first, which may be behind; then the build that the board's record asks for.
update board_rankings r set build = jsonb_build_object('phase', 'states', 'generation', r.generation, 'after', '00000000-0000-0000-0000-000000000000')
  from ratio_configs c where c.board_id = r.board_id;

drop table ratio_places, ratio_places_former;
drop function if exists place_ratios(uuid, integer[], jsonb, uuid[], boolean, bigint, bigint), ratio_reached(uuid, integer[], jsonb, uuid[]),
  only_imported(jsonb), ratio_at(float8, float8), derive_ratios(uuid, integer[], jsonb, uuid[], bigint, bigint);
