import { type Connected, inSession } from './bulk-session.js';
import { type EventLog, type Newest, newestEvents, type Run, readLog } from './event-log.js';
import { groupBy } from './group.js';
import type { HttpData } from './http-data.js';
import { type KeptAnswer, keepAnswers, type WatchedWrites } from './keep-answers.js';
import type { Checked } from './rank-check.js';
import { Replay } from './replay.js';
import { type RankedScore, type ReadScores, submittedValues } from './requests.js';

/** A response and the board states it may show: state k is the one after the first k batches. */
interface Claim {
  scores: RankedScore[];
  /** The run it responds to; absent: a read. */
  run?: Run;
  first: number;
  last: number;
}

/** A run and when it was submitted, if a response says so. */
interface AnsweredRun extends Run {
  sent?: number;
  answered?: number;
}

/**
 * Sends a case that writes while pages are read, and compares every rank and value in the responses with those from
 * replaying the board's events batch by batch. A response to a submission must show the state left by its batch. A
 * page as a whole must show one state: at least as new as any shown in a response before the page was requested,
 * and without anything submitted after it arrived.
 */
export async function checkWhileWriting(
  data: HttpData,
  wanted: WatchedWrites,
  scores: ReadScores,
): Promise<Checked> {
  const newest = await inSession(data.made, newestEvents);
  return compareWithEvents(data.made, newest, await keepAnswers(wanted), scores);
}

/** @param newest events before the responses */
export async function compareWithEvents(
  made: Connected,
  newest: Newest,
  answers: readonly KeptAnswer[],
  scores: ReadScores,
): Promise<Checked> {
  const read = answers.flatMap((answer) => partsOf({ ...answer, scores: scores(answer.body) }));
  const seen = read.flatMap((answer) => answer.scores.map(({ id }) => id));
  const log = await inSession(made, (client) => readLog(client, newest, seen));
  const checked: Checked = { ranks: seen.length, wrong: 0 };
  const boards = boardsOf(log);
  const asked = groupBy(read, ({ scores: [score] }) => score && boards.get(score.id));
  // Empty pages, and scores on no board, for instance the response to a submission that was not stored.
  for (const { scores: unknown } of asked.get(undefined) ?? []) checked.wrong += Math.max(1, unknown.length);
  asked.delete(undefined);
  const runs = groupBy(log.runs, ({ board }) => board);
  const before = groupBy(log.before, ({ board }) => board);
  for (const [board, own] of asked) {
    checked.wrong += countWrong(before.get(board!) ?? [], runs.get(board!) ?? [], own);
  }
  return checked;
}

function boardsOf({ before, runs }: EventLog): Map<string, string> {
  return new Map([...before, ...runs].map(({ id, board }) => [id, board]));
}

/** `amount`: of the run it responds to; absent: a read. */
type ReadAnswer = KeptAnswer & { scores: RankedScore[]; amount?: number };

/** Splits a response to many submissions into one for each. */
function partsOf(answer: ReadAnswer): ReadAnswer[] {
  const amounts = submittedValues(answer.request);
  if (amounts.length === 0) return [answer];
  return amounts.map((amount, k) => ({ ...answer, amount, scores: answer.scores.slice(k, k + 1) }));
}

/** For one board's responses, in the order in which they were requested. */
function countWrong(before: EventLog['before'], runs: AnsweredRun[], answers: readonly ReadAnswer[]): number {
  const batches = [...groupBy(runs, ({ batch }) => batch).values()];
  const stateOf = new Map(batches.flatMap((batch, k) => batch.map((run) => [run, k + 1] as const)));
  const waiting = groupBy(runs, ({ id, amount }) => `${id} ${amount}`);
  const claims: Claim[] = [];
  const reads: ReadAnswer[] = [];
  let wrong = 0;
  for (const answer of answers) {
    const { amount } = answer;
    if (amount === undefined) {
      reads.push(answer);
      continue;
    }
    const run = waiting.get(`${answer.scores[0]!.id} ${amount}`)?.shift();
    if (!run) {
      wrong += 1;
      continue;
    }
    Object.assign(run, { sent: answer.sent, answered: answer.answered });
    claims.push({ scores: answer.scores, run, first: stateOf.get(run)!, last: stateOf.get(run)! });
  }
  const window = windowOf(batches);
  for (const read of reads) claims.push({ scores: read.scores, ...window(read) });
  return wrong + replay(new Replay(before, runs), batches, claims);
}

/** The states that a read can show. */
function windowOf(batches: readonly AnsweredRun[][]) {
  // State k existed once a later one was known; it didn't exist before all of its runs were sent.
  const known = [
    0,
    ...batches.map((batch) => Math.min(...batch.map(({ answered }) => answered ?? Infinity))),
  ];
  for (let k = known.length - 2; k >= 0; k -= 1) known[k] = Math.min(known[k]!, known[k + 1]!);
  const sent = [0, ...batches.map((batch) => Math.max(...batch.map((run) => run.sent ?? 0)))];
  for (let k = 1; k < sent.length; k += 1) sent[k] = Math.max(sent[k]!, sent[k - 1]!);
  return (read: KeptAnswer) => ({
    first: known.findLastIndex((moment) => moment <= read.sent),
    last: sent.findLastIndex((moment) => moment < read.answered),
  });
}

/**
 * How many ranks are wrong: for a response that shows none of its possible states, those that differ from the
 * nearest.
 */
function replay(board: Replay, batches: readonly Run[][], claims: readonly Claim[]): number {
  const starting = groupBy(claims, ({ first }) => first);
  let open: (Claim & { wrong: number })[] = [];
  let wrong = 0;
  for (let state = 0; state <= batches.length; state += 1) {
    for (const run of batches[state - 1] ?? []) board.apply(run);
    open.push(...(starting.get(state) ?? []).map((claim) => ({ ...claim, wrong: Infinity })));
    for (const claim of open) claim.wrong = Math.min(claim.wrong, countDifferent(board, claim));
    for (const claim of open) if (claim.last <= state) wrong += claim.wrong;
    open = open.filter((claim) => claim.wrong > 0 && claim.last > state);
  }
  return wrong;
}

/** Ranks in a response increase by one. */
function countDifferent(board: Replay, { scores, run }: Claim): number {
  const first = scores[0]?.rank ?? 0;
  return scores.filter(({ id, rank, value }, k) => {
    const entry = run ? board.left(run) : board.entry(id);
    return entry?.rank !== rank || entry.value !== value || rank !== first + k;
  }).length;
}
