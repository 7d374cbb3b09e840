import type pg from 'pg';
import type { Clock } from '../../base/clock.js';
import { idOf } from '../../base/ids.js';
import type { Database } from '../../db/pool.js';
import { rankKeyOf } from '../../rankings/kept-entry.js';
import type { BoardFacts, Disposition, Facts } from '../../submissions/decide/decide.js';
import type { FairPlay, Objected } from '../../submissions/decide/fair-play.js';
import { RecentSubmissions } from '../../submissions/facts/recent-submissions.js';
import type { Submission } from '../../submissions/facts/submission.js';
import { withClient } from '../../submissions/write/transaction.js';

/** Players in one step. */
const PLAYERS_AT_ONCE = 100;

interface Subject {
  board_id: string;
  first_seq: number;
  last_seq: number;
  after_player: string | null;
}

interface EventRow {
  seq: number;
  id: string;
  identity_id: string;
  is_test: boolean;
  amount: number;
  player_name: string;
  at: Date;
  timed: boolean;
  effect: 'include' | 'review' | 'hold' | 'exclude';
  trust_tier: Facts['trust_tier'];
}

const SUBJECT = `
  select board_id, first_seq, last_seq, after_player from score_imports where id = $1 and status = 'checking' for update skip locked`;
const PLAYERS = `select next_identities($1, coalesce($2, '00000000-0000-0000-0000-000000000000'::uuid), $3) as ids`;
const BOARD = `
  select r.*, d.account_id, d.game_id, g.anti_cheat_enabled, g.anti_cheat_settings
  from board_rankings r join boards d on d.id = r.board_id join games g on g.id = d.game_id where r.board_id = $1`;
const EVENTS = `
  select e.seq, e.id, e.identity_id, e.is_test, e.amount, e.player_name, judged_at(e) as at,
    e.source <> 'import' or e.occurred_at is not null as timed, event_effect($1, e.id, e.disposition) as effect, i.trust_tier
  from score_events e join identities i on i.id = e.identity_id
  where e.board_id = $1 and e.is_test in (false, true) and e.identity_id = any($2::uuid[]) and e.seq <= $3
  order by e.identity_id, e.is_test, judged_at(e), e.seq`;
const DISPOSE = `
  update score_events e set disposition = u.disposition
  from json_to_recordset($2::json) u(seq bigint, disposition text) where e.board_id = $1 and e.seq = u.seq`;
const UNCOUNT = `
  update states s set accepted_count = s.accepted_count - u.n
  from (select e.is_test, e.identity_id, count(*) as n from score_events e
    where e.board_id = $1 and e.seq = any($2::bigint[]) group by e.is_test, e.identity_id) u
  where s.board_id = $1 and s.is_test = u.is_test and s.identity_id = u.identity_id`;
const CHECKED = `
  update score_imports set after_player = $2, flags = flags + $3, updated_at = $4, status = case when $2::uuid is null
    then 'ranking' else status end
  where id = $1`;

/** A player's history in one population while the import's events are processed in order of time. */
class Course {
  #recent = RecentSubmissions.NONE;
  #accepted = 0;
  #best: number | null = null;
  #sum = 0;

  constructor(private readonly board: BoardFacts) {}

  /** The facts that the checks of a submission at this moment would read. */
  facts({ timed, trust_tier }: EventRow): Facts {
    return {
      trust_tier,
      // Events without a time have no distance from each other.
      recent: timed ? this.#recent : RecentSubmissions.NONE,
      accepted_count: this.#accepted,
      best_value: this.#best,
      entry_ranked: this.#accepted > 0,
      entry_value: this.board.board_type === 'counter' ? this.#sum : this.#best,
    } as Facts;
  }

  /** A held run is part of the player's pace alone. */
  take({ at, amount, timed, effect }: EventRow): void {
    const key = (value: number) => rankKeyOf(value, this.board.sort_direction);
    if (timed) this.#recent = this.#recent.with(at.getTime(), amount);
    if (effect === 'hold') return;
    this.#accepted += 1;
    this.#sum += amount;
    if (this.#best === null || key(amount) < key(this.#best)) this.#best = amount;
  }
}

/** The imported events that the checks flag or reject. */
function objections(
  board: BoardFacts,
  boardId: string,
  rows: readonly EventRow[],
  fairPlay: FairPlay,
  firstSeq: number,
) {
  const found: (Objected & { disposition: Disposition })[] = [];
  const courses = new Map<string, Course>();
  for (const row of rows) {
    const player = `${row.identity_id} ${row.is_test}`;
    const course = courses.get(player) ?? new Course(board);
    courses.set(player, course);
    if (row.seq < firstSeq) {
      if (row.effect !== 'exclude') course.take(row);
      continue;
    }
    const item: Submission = {
      boardId,
      eventId: idOf('scoreEvent', row.id),
      identityId: idOf('identity', row.identity_id),
      isTest: row.is_test,
      amount: row.amount,
      playerName: row.player_name,
      origin: { kind: 'admin' },
    } as Submission;
    const checkResult = fairPlay.check(board, course.facts(row), item, row.at.getTime());
    const { disposition } = checkResult;
    if (disposition !== 'accepted') found.push({ item, seq: row.seq, checkResult, disposition });
    if (disposition !== 'rejected') course.take(row);
  }
  return found;
}

async function checkPlayers(
  client: pg.PoolClient,
  importId: string,
  fairPlay: FairPlay,
  now: Date,
): Promise<boolean> {
  const { rows: subjects } = await client.query<Subject>(SUBJECT, [importId]);
  if (!subjects[0]) return false;
  const { board_id: board, first_seq: firstSeq, last_seq: lastSeq, after_player: after } = subjects[0];
  const boardId = idOf('board', board);
  const { rows: next } = await client.query<{ ids: string[] }>(PLAYERS, [board, after, PLAYERS_AT_ONCE]);
  const { ids } = next[0]!;
  const { rows: boards } = await client.query<BoardFacts>(BOARD, [board]);
  const { rows: events } = await client.query<EventRow>(EVENTS, [board, ids, lastSeq]);
  const found = objections(boards[0]!, boardId, events, fairPlay, firstSeq);
  if (found.length > 0) {
    const disposed = found.map(({ seq, disposition }) => ({ seq, disposition }));
    const rejected = disposed.flatMap(({ seq, disposition }) => (disposition === 'rejected' ? [seq] : []));
    // Submissions write to the players' states, too.
    await client.query('select from board_rankings where board_id = $1 for update', [board]);
    await client.query(DISPOSE, [board, JSON.stringify(disposed)]);
    if (rejected.length > 0) await client.query(UNCOUNT, [board, rejected]);
    await fairPlay.record(client, boards[0]!, board, now, found);
  }
  const flags = found.reduce((sum, { checkResult }) => sum + checkResult.findings.length, 0);
  await client.query(CHECKED, [importId, ids.at(-1) ?? null, flags, now]);
  return ids.length > 0;
}

/**
 * Runs the fair-play checks on the events of an import, a few players per transaction: each event against the
 * player's earlier ones. They don't count yet, so rejected events are never shown. Checks of the time between two
 * submissions skip events without `occurred_at`.
 * @param boardId prefixed
 * @returns false if all are checked, or another process is working on them
 */
export async function checkStep(
  db: Database,
  fairPlay: FairPlay,
  clock: Clock,
  importId: string,
  boardId: string,
): Promise<boolean> {
  const ended = await fairPlay.prepare(boardId, [false, true]);
  try {
    return await withClient(db.pool, async (client) => {
      await client.query('begin');
      try {
        const goesOn = await checkPlayers(client, importId, fairPlay, new Date(clock()));
        await client.query('commit');
        return goesOn;
      } catch (error) {
        await client.query('rollback');
        throw error;
      }
    });
  } finally {
    ended();
  }
}
