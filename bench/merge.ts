import 'reflect-metadata';
import { setTimeout as delay } from 'node:timers/promises';
import { uuidOf } from '../src/base/ids.js';
import type { Database } from '../src/db/pool.js';
import { beginMerge, beginUndo } from '../src/players/merges/begin.js';
import { MergeWorker } from '../src/rankings/upkeep/merges.js';
import { verifyBoard } from '../src/rankings/upkeep/verify.js';
import { numberOf } from './support/arguments.js';
import { buildBoards } from './support/bulk-board.js';
import { log } from './support/log.js';
import { type Pace, paceUntil } from './support/pace.js';
import { runBench } from './support/run.js';
import { median, quantile } from './support/statistics.js';
import { Submitters } from './support/submitters.js';
import { count, millis, say, sayTable, times } from './support/table.js';

const CALM_SECONDS = 5;
const VERIFIED = 3;

/** Further runs of a player on every board, each worse than its first. */
const PLAY = `
  with board as (
    update board_rankings r set seq = r.seq + $2::int, version = r.version + 1, derived_version = r.version + 1, last_event_at = now()
    where exists (select from boards b where b.id = r.board_id) returning r.board_id, r.seq - $2::int as seq)
  insert into score_events (board_id, seq, id, account_id, game_id, identity_id, is_test, amount, player_name,
    disposition, source, created_at)
  select b.board_id, b.seq + n, gen_random_uuid(), d.account_id, d.game_id, $1, false, -n, 'P', 'accepted', 'admin', now()
  from board b join boards d on d.id = b.board_id cross join generate_series(1, $2::int) n`;
const COUNT = `
  update states set submission_count = submission_count + $2::int, accepted_count = accepted_count + $2::int, last_submission_at = now()
  where identity_id = $1`;

runBench({
  title:
    'A player with many runs on many boards is merged into another one, and back, while players submit to these boards.',
  duration: 'about 1 minute',
  options: {
    boards: { fallback: '50', doc: 'boards that both have played' },
    events: { fallback: '10k', all: '100k', doc: 'runs of the source in all' },
    entries: { fallback: '20k', all: '200k', doc: 'entries of each board' },
    submitters: { fallback: '16', doc: 'submissions under way' },
  },
  async run(scratch, args) {
    const boards = numberOf(args.boards);
    const events = numberOf(args.events);
    const made = await scratch.create();
    const built = await buildBoards(made, { boards, entries: numberOf(args.entries), players: 5_000 });
    const database = made.open();
    const [source, target] = [built[0]!.players[0]!, built[0]!.players[1]!];
    const each = Math.max(1, Math.round(events / boards) - 1);
    await database.pool.query(PLAY, [uuidOf(source.identityId), each]);
    await database.pool.query(COUNT, [uuidOf(source.identityId), each]);
    const others = built.map((board) => ({ ...board, players: board.players.slice(2) }));
    const play = new Submitters(database, others, numberOf(args.submitters));
    await play.warm();
    await play.touch();
    const calm = await paceUntil(play, delay(CALM_SECONDS * 1_000));
    const locks = new Locks();
    const worker = new MergeWorker(timing(database, locks), Date.now, log, () => undefined);
    const by = () => ({ by: null, reason: null, now: new Date() });
    const id = await database.knex.transaction((trx) =>
      beginMerge(trx, source.identityId, target.identityId, by()),
    );
    const merging = await paceUntil(play, worker.follow(id));
    const merged = locks.taken();
    await database.knex.transaction((trx) => beginUndo(trx, id, by()));
    const undoing = await paceUntil(play, worker.follow(id));
    const undone = locks.taken();
    await play.close();
    // Nobody else wants the boards: what is left is the time of the lock, without the waiting for it.
    const again = await database.knex.transaction((trx) =>
      beginMerge(trx, source.identityId, target.identityId, by()),
    );
    await worker.follow(again);
    const alone = locks.taken();
    await worker.close();
    const faults = (
      await Promise.all(built.slice(0, VERIFIED).map((board) => verifyBoard(database, board.id)))
    ).flat();
    say(
      `${count(events)} runs on ${count(boards)} boards: merged in ${merging.seconds.toFixed(1)} s, back in ` +
        `${undoing.seconds.toFixed(1)} s; longest transaction of a board ${millis(merged)} and ${millis(undone)}, ` +
        `${millis(alone)} with nobody else there; ` +
        `${faults.length} faults.`,
    );
    const row = (name: string, { perSecond, longestGapMs }: Pace) => [
      ...[name, count(median(perSecond)), times(median(perSecond) / median(calm.perSecond))],
      ...[count(quantile(perSecond, 0.05)), millis(longestGapMs)],
    ];
    sayTable(
      ['submissions/s', 'median', 'ratio', 'worst 5 %', 'longest gap'],
      [row('before', calm), row('while merging', merging), row('while undoing', undoing)],
    );
    await made.drop();
  },
});

/** How long the board transactions of a merge take, which hold the board's lock nearly all of that time. */
class Locks {
  #longest = 0;

  note(millis: number): void {
    this.#longest = Math.max(this.#longest, millis);
  }

  /** The longest since the last call, in milliseconds. */
  taken(): number {
    const longest = this.#longest;
    this.#longest = 0;
    return longest;
  }
}

/** The database with its steps of merges timed. */
function timing(database: Database, locks: Locks): Database {
  const pool = new Proxy(database.pool, {
    get(target, name, receiver) {
      if (name !== 'connect') return Reflect.get(target, name, receiver);
      return async () => {
        const client = await target.connect();
        const started = performance.now();
        const release = client.release.bind(client);
        client.release = (broken) => {
          locks.note(performance.now() - started);
          client.release = release;
          release(broken);
        };
        return client;
      };
    },
  });
  return { ...database, pool };
}
