import { uuid7, uuidOf } from '../../src/base/ids.js';
import type { Database } from '../../src/db/pool.js';
import { byHand } from './follow-guard.js';

/** Creates players of a game in one statement. @returns their bare ids */
export async function makeCrowd(
  { knex }: Database,
  accountId: string,
  gameId: string,
  size: number,
): Promise<string[]> {
  const ids = Array.from({ length: size }, () => uuid7());
  await knex.raw(
    `insert into identities (id, account_id, game_id, kind, external_key, display_name, created_at, updated_at)
     select u.id, ?, ?, 'custom', u.id::text, 'Player ' || u.n, now(), now() from unnest(?::uuid[]) with ordinality u(id, n)`,
    [uuidOf(accountId), uuidOf(gameId), ids],
  );
  return ids;
}

/**
 * Submissions by all of them to an empty board, `rounds` each, as batches would write them: events and states
 * directly, everything else derived.
 */
export async function crowdPlays(
  db: Database,
  boardId: string,
  players: string[],
  rounds: number,
): Promise<void> {
  const board = uuidOf(boardId);
  const events = players.length * rounds;
  await db.knex.transaction(async (trx) => {
    await trx('board_rankings').where('board_id', board).forUpdate().first();
    await trx.raw(
      `insert into score_events (board_id, seq, id, account_id, game_id, identity_id, is_test, amount, player_name,
        disposition, source, created_at)
       select b.id, (r.n - 1) * :size + u.n, gen_random_uuid(), b.account_id, b.game_id, u.id, false,
         abs(hashtext(u.id::text || b.id || r.n)) % 50,
         'Player ' || u.n, 'accepted', 'admin', now()
       from boards b cross join generate_series(1, :rounds) r(n) cross join unnest(:players::uuid[]) with ordinality u(id, n)
       where b.id = :board`,
      { size: players.length, rounds, players, board },
    );
    await trx.raw(
      `insert into states (board_id, is_test, identity_id, id, account_id, game_id, submission_count, accepted_count, last_event_id,
         last_submission_at, last_value, created_at, updated_at)
       select e.board_id, false, e.identity_id, (array_agg(e.id order by e.seq))[1], e.account_id, e.game_id, count(*), count(*),
         (array_agg(e.id order by e.seq desc))[1], max(e.created_at), 0, min(e.created_at), max(e.created_at)
       from score_events e where e.board_id = ? group by e.board_id, e.identity_id, e.account_id, e.game_id`,
      [board],
    );
    await trx('board_rankings')
      .where('board_id', board)
      .update({ seq: events, version: 1, derived_version: 1, last_event_at: trx.raw('now()') });
  });
  // Needed after every bulk load: without statistics, all indexes that begin with the board look alike to the
  // planner.
  await db.knex.raw('analyze score_events, states, entries');
  // Like a build: writes what `rederive` would write one by one.
  await byHand(db.knex, async (trx) => {
    await trx.raw(ENTRIES, [players, board]);
    await trx.raw(STATES, [players, board]);
    await trx.raw('select build_rank_tree(?, 1, false)', [board]);
  });
  await db.knex.raw('analyze entries, states');
}

const ENTRIES = `
  insert into entries (board_id, generation, is_test, slot, id, identity_id, event_seq, value, rank_key, seq, ranked, status,
    player_name, value_display, metadata, created_at, updated_at)
  select b.id, 1, d.is_test, d.slot, d.id, d.identity_id, d.event_seq, d.value, d.rank_key, d.seq, d.ranked, d.status,
    d.player_name, d.value_display, d.metadata, d.created_at, d.updated_at from boards b cross
      join lateral derive_events(b.id, '{0}', ?::uuid[], b.board_type, b.sort_direction, b.keep_strategy, 'earliest', 0, false) d
  where b.id = ?`;

const STATES = `
  update states s set accepted_count = d.accepted_count, best_value = d.best_value,
    selected_event_id = d.selected_event_id, value = d.value
  from boards b cross join lateral state_values(b.id, ?::uuid[], b.board_type, b.sort_direction) d
  where b.id = ? and s.board_id = b.id and s.is_test = d.is_test and s.identity_id = d.identity_id`;
