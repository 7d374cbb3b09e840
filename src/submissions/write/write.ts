import type pg from 'pg';
import type { Clock } from '../../base/clock.js';
import { uuidOf } from '../../base/ids.js';
import { RANKING_ONLY } from '../../db/changes.js';
import { type BoardPart, type Decided, effectiveOf, type Result, storedOf } from '../decide/batch.js';
import { clockFindingOf } from '../decide/clock.js';
import type { CheckResult, FairPlay, Objected } from '../decide/fair-play.js';
import { outcomeOf, Rejection, stored } from '../decide/outcome.js';
import { viewChange } from '../decide/parts.js';
import { demandsRecording, recordingUntil, wantsRecording } from '../decide/recording.js';
import type { RankingKey } from '../facts/rankings.js';
import { ANNOUNCE_RECORDINGS, ANSWER, HOLD, LEFT_OUT, rowsOf, WRITE } from '../facts/statements.js';
import type { Outcome } from '../facts/submission.js';
import { forgottenAt } from '../read/facts.js';
import { BatchRanks, type KeyRow } from './ranks.js';
import { BoardRows } from './rows.js';
import { addStandings } from './standings.js';
import type { Transaction } from './transaction.js';

/** Tools for the parts of a batch. */
export interface Work {
  client: pg.PoolClient;
  clock: Clock;
  fairPlay: FairPlay;
  transaction: Transaction;
}

/** A batch whose statements are sent; the COMMIT of a transaction is not sent yet. */
interface Sent {
  /** Resolves when the results of all parts are set. */
  results: Promise<void>;
}

/**
 * Writes the decisions on one board or several. A batch of one statement is not awaited here.
 * @param parts each with at least one submission that takes effect
 * @throws a database error of class 40 if a board or its players have changed, or a nonce or key has been used in
 * the meantime
 */
export async function write(work: Work, parts: readonly BoardPart[]): Promise<Sent> {
  const { client, transaction } = work;
  const more = [...parts.flatMap((part) => furtherWrites(work, part)), ...answerWrites(work, parts)];
  if (more.length === 0) return { results: writeRows(client, parts) };
  const writeAll = async () => {
    await writeRows(client, parts);
    for (const next of more) await next();
  };
  // BEGIN is sent together with the first statement.
  const [beginning, writing] = await Promise.allSettled([transaction.begin(), writeAll()]);
  for (const one of [beginning, writing]) if (one.status === 'rejected') throw one.reason;
  return { results: Promise.resolve() };
}

/** A statement that follows {@link writeRows}, whose results it may need. */
type FurtherWrite = () => Promise<unknown>;

/** What is written of a board beyond its rows, in order. */
function furtherWrites({ client, fairPlay }: Work, part: BoardPart): FurtherWrite[] {
  const { board, boardId, at } = part;
  const writes: FurtherWrite[] = [];
  const held = heldOf(part);
  if (held.length > 0) writes.push(() => client.query({ ...HOLD, values: holdValues(part, held) }));
  // After the holds, which it stores with the flags.
  const objected = objectedOf(part);
  if (objected.length > 0) writes.push(() => fairPlay.record(client, board, boardId, at, objected));
  if (hasRecordings(part)) writes.push(() => announceRecordings(client, part));
  const left = leftOutOf(part);
  if (left.length > 0) writes.push(() => client.query({ ...LEFT_OUT, values: leftOutValues(boardId, left) }));
  return writes;
}

/** Stores the results of submissions with a key. */
function answerWrites({ client, clock }: Work, parts: readonly BoardPart[]): FurtherWrite[] {
  if (!parts.some(isKeyed)) return [];
  const latest = new Date(Math.max(...parts.map(({ at }) => at.getTime())));
  return [
    () => {
      const answers = JSON.stringify(parts.flatMap(answersOf));
      return client.query({ ...ANSWER, values: [answers, latest, forgottenAt(clock())] });
    },
  ];
}

async function announceRecordings(client: pg.PoolClient, part: BoardPart): Promise<void> {
  const recorded = recordedOf(part);
  if (recorded.length > 0)
    await client.query({ ...ANNOUNCE_RECORDINGS, values: recordedValues(part, recorded) });
}

/** Writes boards, players, events, states, entries, keys of rankings and runs with one call, and sets the results. */
async function writeRows(client: pg.PoolClient, parts: readonly BoardPart[]): Promise<void> {
  const rows = parts.map((part) => new BoardRows(part));
  const keys: KeyRow[] = [];
  const ranks = parts.map((part) => new BatchRanks(part, keys));
  const nonces = rows.flatMap((one) => one.nonces);
  const shownNames = rows.flatMap((one) => one.shownNames);
  const { rows: answered } = await client.query<{ aheads: (number | null)[] }>({
    ...WRITE,
    values: [
      rowsOf(
        'board_write',
        rows.map((one) => one.board),
      ),
      rowsOf(
        'player_write',
        rows.flatMap((one) => [...one.players.values()]),
      ),
      rowsOf(
        'nonce_write',
        nonces.sort((a, b) => (a.nonce < b.nonce ? -1 : 1)),
      ),
      rowsOf(
        'played_event_write',
        rows.flatMap((one) => one.events),
      ),
      rowsOf(
        'state_write',
        rows.flatMap((one) => one.states),
      ),
      rowsOf(
        'state_write',
        rows.flatMap((one) => one.newStates),
      ),
      rowsOf(
        'entry_write',
        rows.flatMap((one) => one.entries),
      ),
      rowsOf(
        'entry_write',
        rows.flatMap((one) => one.newEntries),
      ),
      rowsOf('key_write', keys),
      rowsOf(
        'name_write',
        rows.flatMap((one) => [...one.names.values()]),
      ),
      rowsOf(
        'begun_ranking',
        rows.flatMap((one) => one.rankings),
      ),
      shownNames.some((name) => name !== null) ? shownNames : null,
      rowsOf(
        'split_run_write',
        rows.flatMap((one) => one.runs),
      ),
    ],
  });
  parts.forEach((part, i) => {
    setResults(part, ranks[i]!, answered[0]!.aheads);
    addStandings(part, ranks[i]!, answered[0]!.aheads);
  });
}

function setResults(part: BoardPart, ranks: BatchRanks, aheads: readonly (number | null)[]): void {
  const { board, decided, rejected, results } = part;
  const change = part.views ? viewChange(part) : RANKING_ONLY;
  const { recordings, tickets } = board;
  decided.forEach(({ index, item, decision, checkResult }) => {
    const after = ranks.after(decision.moves[0], aheads)!;
    const outcome = outcomeOf(board, item, decision, after, after.previousRank);
    outcome.change = change;
    if (tickets) outcome.clockFault = clockFindingOf(board, item)?.fault;
    if (recordings && item.recordingHash && wantsRecording(recordings, recordedRun(outcome, checkResult)))
      outcome.recordingUntil = recordingUntil(part.at).toISOString();
    results[index] = outcome;
  });
  for (const { index } of rejected) results[index] = new Rejection();
}

function heldOf({ decided }: BoardPart): { seq: number; rank: number }[] {
  return decided.flatMap(({ decision: { seq, held } }) => (held ? { seq, rank: held.rank } : []));
}

/** Stored events that have findings. */
function objectedOf(part: BoardPart): Objected[] {
  const flagged = part.decided.filter(({ checkResult }) => checkResult.disposition === 'flagged');
  const firstRejected = part.board.seq + part.decided.length + 1;
  return [
    ...flagged.map(({ item, decision, checkResult }) => ({ item, seq: decision.seq, checkResult })),
    ...storedOf(part).map(({ item, checkResult }, i) => ({ item, seq: firstRejected + i, checkResult })),
  ];
}

/** A player's run without a ranking, because the view has no room for its group. */
type LeftOut = RankingKey & { identityId: string };

function leftOutOf({ decided, views }: BoardPart): LeftOut[] {
  return decided.flatMap(({ item: { identityId }, decision }) =>
    decision.moves.flatMap((move) => {
      if (!views?.isLeftOut(move)) return [];
      const { view, period, group } = move.placement!;
      return [{ view, period, group, identityId: uuidOf(identityId) }];
    }),
  );
}

function leftOutValues(boardId: string, left: readonly LeftOut[]): unknown[] {
  return [
    boardId,
    left.map(({ view }) => view),
    left.map(({ period }) => period),
    left.map(({ group }) => group),
    left.map(({ identityId }) => identityId),
  ];
}

function hasRecordings({ board, decided }: BoardPart): boolean {
  return board.recordings !== null && decided.some(({ item }) => item.recordingHash);
}

function recordedRun({ kept, held, score }: Outcome, { disposition, demandsRecording: demand }: CheckResult) {
  const is = {
    isHeld: held !== undefined,
    isFlagged: disposition === 'flagged',
    isDemanded: demand === true,
  };
  return { kept, rank: score.rank, ...is };
}

/** Runs whose recording is wanted, by their results. */
function recordedOf(part: BoardPart): Decided[] {
  return part.decided.filter(({ index }) => (part.results[index] as Partial<Outcome>).recordingUntil);
}

function recordedValues({ board, boardId, at, results }: BoardPart, recorded: readonly Decided[]): unknown[] {
  return [
    ...[boardId, board.account_id, recordingUntil(at)],
    recorded.map(({ decision }) => decision.seq),
    recorded.map(({ item }) => Buffer.from(item.recordingHash!, 'hex')),
    recorded.map(({ index, checkResult }) =>
      demandsRecording(board.recordings!, recordedRun(results[index] as Outcome, checkResult)),
    ),
  ];
}

function holdValues(
  { boardId, board, at }: BoardPart,
  held: readonly { seq: number; rank: number }[],
): unknown[] {
  return [boardId, held.map(({ seq }) => seq), held.map(({ rank }) => rank), at, board.hold_hours];
}

function isKeyed(part: BoardPart): boolean {
  return effectiveOf(part).some(({ item }) => item.idempotency);
}

/** Rows of `store_answers`. */
function answersOf(part: BoardPart): object[] {
  return effectiveOf(part).flatMap(({ index, item: { idempotency } }) => {
    if (!idempotency) return [];
    const { scope, key, bodyHash } = idempotency;
    const answer = stored(part.results[index] as Result);
    return [{ scope: uuidOf(scope), key, body_hash: `\\x${bodyHash.toString('hex')}`, answer }];
  });
}
