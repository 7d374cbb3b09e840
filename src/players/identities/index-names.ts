import type { Knex } from 'knex';
import { idOf } from '../../base/ids.js';
import { servedHere } from '../../db/moved.js';
import { runStatement } from '../../db/pool.js';
import type { Job, JobCall } from '../../jobs/job.js';

/** Players of one step: a rename of one of them waits for it, some tenths of a second. */
const PLAYERS_AT_ONCE = 2_000;
const STEPS_OF_A_LINE = 100;

const gameDue = (db: Knex) => `
  select game_id, players from player_words_due where true ${servedHere(db, 'game', 'game_id')} order by game_id limit 1`;
const STEP = 'select index_players(?, ?) as players';

interface DueGame {
  game_id: string;
  /** Indexed so far. */
  players: number;
}

/** Indexes the names that players had before searches looked for every part of them (migrations/102_names.sql), game by game. */
export const indexNamesJob: Job = {
  name: 'index-player-names',
  description:
    'After an upgrade: indexes the parts of players’ names. Until it has finished a game, searches find ' +
    'the beginnings of its names, or of their words.',
  everyMinutes: 5,
  run: async (call) => {
    let done = 0;
    while (!call.signal.aborted) {
      const { rows } = await runStatement<DueGame>(call.db, gameDue(call.db));
      if (!rows[0]) break;
      const players = await indexGame(call, rows[0]);
      // Another process has this game's next step.
      if (players === 0 && (await isDue(call.db, rows[0]))) break;
      done += players;
    }
    return { done };
  },
};

async function indexGame({ db, log, signal }: JobCall, due: DueGame): Promise<number> {
  const gameId = idOf('game', due.game_id);
  let done = 0;
  for (let steps = 1; !signal.aborted; steps += 1) {
    const { rows } = await runStatement<{ players: number }>(db, STEP, [due.game_id, PLAYERS_AT_ONCE]);
    const { players } = rows[0]!;
    if (players === 0) break;
    done += players;
    if (steps % STEPS_OF_A_LINE === 0)
      log.info({ gameId, players: due.players + done }, 'indexing the names of players');
  }
  return done;
}

async function isDue(db: Knex, { game_id }: DueGame): Promise<boolean> {
  const { rows } = await runStatement(db, 'select from player_words_due where game_id = ?', [game_id]);
  return rows.length > 0;
}
