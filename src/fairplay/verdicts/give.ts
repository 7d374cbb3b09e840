import type { Knex } from 'knex';
import { DomainError } from '../../base/errors.js';
import { idOf, NIL_UUID, uuid7, uuidOf } from '../../base/ids.js';
import { runStatement } from '../../db/pool.js';
import { adminOf } from '../../graphql/access.js';
import type { Context } from '../../graphql/context.js';
import type { Ratios } from '../../rankings/upkeep/ratios.js';
import type { ScoreEvent } from '../../scores/event.js';
import { loadEvent } from '../../scores/read/events.js';
import { type Verdict, type VerdictRow, verdictOf } from '../../scores/verdicts/verdict.js';
import { FLAGS, flagsOf } from '../flags/feed.js';
import type { FlagStatus } from '../flags/flag.js';
import { isOutOfRange, noteReview, OUT_OF_RANGE_SENTENCE, reportReview, rereadFlags } from '../flags/save.js';
import type { VerdictCounts } from './counts.js';
import type { GiveVerdictInput } from './inputs.js';

const EVENT = 'select v.board_id, v.seq, v.account_id from score_events v where v.id = ?';
const PASS = `select p.id from verification_passes p where p.id = ? and p.board_id = ? and p.status in ('sending', 'open')`;
const GIVE = `
  select g.is_new, g.flag_id, g.former
  from give_verdict(?, ?, row(?, ?, ?, ?, ?, ?, ?, ?, ?, 'log', ?, ?, null)::verdicts) g`;
const STORED = `
  select e.id as event_id, x.*, k.stored_at from verdicts x join score_events e on e.board_id = x.board_id and e.seq = x.event_seq
  join recordings k on k.board_id = x.board_id and k.event_seq = x.event_seq
  where x.board_id = ? and x.event_seq = ? and x.pass_id = ? and x.verifier = ?`;

interface Given {
  is_new: boolean;
  /** The flag whose decision it changed. */
  flag_id: string | null;
  /** The flag's status before. */
  former: string | null;
}

/**
 * Stores a verifier's verdict on a run; flag, board and tier follow in the same transaction. A repeated one is the first.
 * @throws DomainError NOT_FOUND; FORBIDDEN; INVALID_TRANSITION: its recording is not stored, or the pass takes no more verdicts;
 * CONFLICT: it has verdicts of 20 other verifiers; BAD_REQUEST: a counter's sum would leave the range of numbers
 */
export async function giveVerdict(
  context: Context,
  ratios: Ratios,
  counts: VerdictCounts,
  input: GiveVerdictInput,
): Promise<Verdict> {
  const event = await loadEvent(context, input.scoreEventId);
  const now = new Date(context.clock());
  const done = await context.db
    .transaction((trx) => write(trx, context, event, input, now))
    .catch((error) => {
      throw isOutOfRange(error) ? new DomainError('BAD_REQUEST', OUT_OF_RANGE_SENTENCE) : error;
    });
  const { given, stored } = done;
  if (given.is_new) {
    const lag = input.passId ? null : now.getTime() - stored.stored_at.getTime();
    counts.count(stored.verdict, lag);
    await changed(context, ratios, event);
  }
  return verdictOf(stored);
}

type Stored = VerdictRow & { stored_at: Date };

async function write(
  trx: Knex.Transaction,
  context: Context,
  event: ScoreEvent,
  { verdict, reason, verifier: name, verifierVersion, passId }: GiveVerdictInput,
  now: Date,
): Promise<{ given: Given; stored: Stored }> {
  const { rows } = await runStatement<{ board_id: string; seq: number; account_id: string }>(trx, EVENT, [
    uuidOf(event.id),
  ]);
  const { board_id: board, seq, account_id: account } = rows[0]!;
  const verifier = name.trim();
  const pass = passId ? await openPass(trx, passId, board) : NIL_UUID;
  const { userId } = adminOf(context);
  const { rows: found } = await runStatement<Given>(trx, GIVE, [
    ...[board, seq, board, seq, pass, verifier, uuid7(now.getTime()), account],
    ...[verdict, reason ?? null, verifierVersion?.trim() ?? null, uuidOf(userId), now],
  ]);
  const [given] = found;
  if (!given) throw new DomainError('INVALID_TRANSITION', 'The recording of this run is not stored.');
  if (given.flag_id) await noteChange(trx, context, given, now);
  const { rows: kept } = await runStatement<Stored>(trx, STORED, [board, seq, pass, verifier]);
  return { given, stored: kept[0]! };
}

async function openPass(trx: Knex.Transaction, id: string, board: string): Promise<string> {
  const { rows } = await runStatement<{ id: string }>(trx, PASS, [uuidOf(id), board]);
  if (rows[0]) return rows[0].id;
  throw new DomainError(
    'INVALID_TRANSITION',
    'This pass takes no verdicts on this run: it is of another board, or has ended.',
  );
}

/** Confirmations, and what ends them, are reviews of the key; a cleared flag is the service's, as that of a recording. */
async function noteChange(
  trx: Knex.Transaction,
  context: Context,
  { flag_id, former }: Given,
  now: Date,
): Promise<void> {
  const [flag] = await rereadFlags(trx, [idOf('scoreFlag', flag_id!)]);
  if (flag!.status === former || ![flag!.status, former].includes('confirmed_cheat')) return;
  const before = { ...flag!, status: former as FlagStatus };
  await noteReview(trx, context, before, flag!);
  await reportReview(trx, context, before, flag!, now);
}

/** Notifies readers of the run's board, player and flags. */
async function changed(
  context: Context,
  ratios: Ratios,
  { boardId, identityId, accountId }: ScoreEvent,
): Promise<void> {
  for (const topic of [boardId, identityId, FLAGS, flagsOf(accountId)]) context.changed(topic);
  await ratios.followPlayers(boardId, [identityId]);
}
