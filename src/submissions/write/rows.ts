import { uuidOf } from '../../base/ids.js';
import type { EntryAfter } from '../../rankings/kept-entry.js';
import {
  type BoardPart,
  claimable,
  type Decided,
  effectiveOf,
  headAfter,
  isStored,
  type Rejected,
  type SubmissionFacts,
} from '../decide/batch.js';
import { clockFindingOf, ticketOf } from '../decide/clock.js';
import { tagsOf } from '../decide/moves.js';
import type { RowOf } from '../facts/statements.js';
import type { Submission } from '../facts/submission.js';
import { rankingRows } from './move-rows.js';

type Effective = Decided | Rejected;

/**
 * The rows that a batch writes to one board, as `write_submissions` takes them (migrations/functions/2_submissions.sql): members
 * have the names of columns, and an absent member is null.
 */
export class BoardRows {
  readonly board: RowOf<'board_write'>;
  /** Players whose facts were cached, for comparison. */
  readonly players = new Map<string, RowOf<'player_write'>>();
  readonly nonces: NonceRow[] = [];
  readonly events: RowOf<'played_event_write'>[] = [];
  /** Of each event. */
  readonly shownNames: (string | null)[] = [];
  readonly states: WrittenState[] = [];
  readonly newStates: WrittenState[] = [];
  readonly entries: RowOf<'entry_write'>[] = [];
  readonly newEntries: RowOf<'entry_write'>[] = [];
  readonly rankings: RowOf<'begun_ranking'>[] = [];
  readonly names = new Map<string, RowOf<'name_write'>>();
  /** Of events that were submitted with a ticket. */
  readonly runs: RowOf<'split_run_write'>[] = [];

  constructor(private readonly part: BoardPart) {
    this.board = boardRow(part);
    const effective = effectiveOf(part);
    for (const { item, cached } of effective) {
      if (cached)
        this.players.set(`${item.identityId} ${sessionUuidOf(item)}`, playerRow(part, item, cached));
      const nonce = claimable(item);
      if (nonce) this.nonces.push({ nonce: nonce.uuid, expires_at: nonce.expiresAt });
    }
    for (const { item, facts, decision } of part.decided) {
      const { seq, playerName, changed, oldKey, rename, disposition, playedAt } = decision;
      this.events.push({
        ...eventRow(part, item, seq, playerName, disposition, facts),
        played_at: playedAt,
        replaced_key: changed ? oldKey?.rankKey : undefined,
        replaced_seq: changed ? (oldKey?.seq ?? 0) : undefined,
      });
      this.shownNames.push(decision.shownName);
      if (part.board.tickets) this.#addRun(item, seq);
      if (rename)
        this.names.set(item.identityId, { id: uuidOf(item.identityId), name: playerName, at: part.at });
    }
    part.rejected
      .filter((one) => isStored(one, part.at))
      .forEach(({ item, facts, playerName, shownName }, i) => {
        const seq = part.board.seq + part.decided.length + 1 + i;
        this.events.push(eventRow(part, item, seq, playerName, 'rejected', facts));
        this.shownNames.push(shownName);
        if (part.board.tickets) this.#addRun(item, seq);
      });
    this.#addStates(effective);
    this.#addEntries();
    if (part.views) this.rankings.push(...rankingRows(part, part.views));
  }

  #addRun(item: Submission, seq: number): void {
    const ticket = ticketOf(item);
    if (!ticket) return;
    const { uuid, issuedAt, elapsedMs, idleMs, runMs, splits, advance, attempt, seedValue, gameVersion } =
      ticket;
    this.runs.push({
      ...{ board_id: this.part.boardId, event_seq: seq, ticket: uuid, started_at: new Date(issuedAt) },
      ...{ elapsed_ms: elapsedMs, idle_ms: idleMs, run_ms: runMs, advance, attempt, seed: seedValue },
      ...{ game_version: gameVersion, splits: splits && `{${splits}}` },
      fault: clockFindingOf(this.part.board, item)?.fault,
    });
  }

  /** One row per player and population, with the effect of all its submissions. */
  #addStates(effective: readonly Effective[]): void {
    const known = new Map<string, WrittenState>();
    for (const one of effective) {
      const key = `${one.item.isTest} ${one.item.identityId}`;
      const row = known.get(key) ?? stateRow(this.part, one);
      if (!known.has(key)) {
        known.set(key, row);
        (one.facts.state_id === null ? this.newStates : this.states).push(row);
      }
      countSubmission(row, this.part, one);
    }
  }

  /** One row per ranking and entry, as left by the last submission it shows. */
  #addEntries(): void {
    const known = new Map<string, RowOf<'entry_write'>>();
    for (const { item, decision } of this.part.decided) {
      for (const { ranking, entry, stored } of decision.moves) {
        if (!ranking || !entry) continue;
        const key = `${ranking.generation} ${item.isTest} ${entry.slot}`;
        const row = entryRow(this.part, item, ranking.generation, entry);
        const before = known.get(key);
        if (before) {
          Object.assign(before, row);
          continue;
        }
        known.set(key, row);
        (stored ? this.entries : this.newEntries).push(row);
      }
    }
  }
}

interface NonceRow {
  nonce: string;
  expires_at: Date;
}

function boardRow(part: BoardPart): RowOf<'board_write'> {
  const { board, boardId, at } = part;
  const { seq, version, newest_batch } = headAfter(part);
  return {
    board_id: boardId,
    game_id: board.game_id,
    found_seq: board.seq,
    found_version: board.version,
    found_batch: board.newest_batch,
    standings: board.rights_changes,
    seq,
    version,
    newest_batch,
    at,
  };
}

function playerRow({ boardId }: BoardPart, item: Submission, cached: SubmissionFacts): RowOf<'player_write'> {
  return {
    board_id: boardId,
    session_id: sessionUuidOf(item),
    version: cached.session_version,
    identity_id: uuidOf(item.identityId),
    name: cached.display_name,
    tier: cached.trust_tier,
  };
}

/** Bare uuid; null: the submission is an administrator's. */
function sessionUuidOf({ origin }: Submission): string | null {
  return origin.kind === 'client' ? uuidOf(origin.sessionId) : null;
}

function deviceOf({ origin }: Submission): string | undefined {
  return origin.kind === 'client' ? uuidOf(origin.deviceId) : undefined;
}

function eventRow(
  { board, boardId, at }: BoardPart,
  item: Submission,
  seq: number,
  playerName: string,
  disposition: string,
  facts: SubmissionFacts,
): RowOf<'played_event_write'> {
  return {
    board_id: boardId,
    seq,
    id: uuidOf(item.eventId),
    account_id: board.account_id,
    game_id: board.game_id,
    identity_id: uuidOf(item.identityId),
    device_id: deviceOf(item),
    is_test: item.isTest,
    amount: item.amount,
    player_name: playerName,
    value_display: item.valueDisplay,
    metadata: item.metadata,
    disposition,
    source: item.origin.kind,
    city: item.place.city,
    country: item.place.country,
    timezone: item.place.timezone,
    created_at: at,
    tags: tagsOf(board.views, item, facts),
  };
}

interface WrittenState {
  board_id: string;
  is_test: boolean;
  identity_id: string;
  /** The rest of the keys is for a new state. */
  id: string;
  account_id: string;
  game_id: string;
  at: Date;
  submissions: number;
  accepted: number;
  device_id?: string | undefined;
  /** The newest stored event. */
  last_event_id?: string;
  last_value?: number;
  best_value?: number | undefined;
  rejected_at?: Date;
  selected_event_id?: string;
  value?: number;
}

function stateRow({ board, boardId, at }: BoardPart, { item, facts }: Effective): WrittenState {
  return {
    board_id: boardId,
    is_test: item.isTest,
    identity_id: uuidOf(item.identityId),
    id: facts.state_id ?? uuidOf(item.eventId),
    account_id: board.account_id,
    game_id: board.game_id,
    at,
    submissions: 0,
    accepted: 0,
  };
}

function countSubmission(row: WrittenState, { at }: BoardPart, one: Effective): void {
  const { item } = one;
  const eventId = uuidOf(item.eventId);
  row.submissions += 1;
  row.device_id = deviceOf(item) ?? row.device_id;
  row.last_value = item.amount;
  if ('decision' in one) {
    const { bestValue, stateValue, held } = one.decision;
    if (!held) row.accepted += 1;
    row.last_event_id = eventId;
    row.best_value = bestValue ?? undefined;
    if (stateValue === null) return;
    row.selected_event_id = eventId;
    row.value = stateValue;
  } else if (isStored(one, at)) {
    row.last_event_id = eventId;
    row.rejected_at = at;
  }
}

function entryRow(
  { boardId }: BoardPart,
  item: Submission,
  generation: number,
  entry: EntryAfter,
): RowOf<'entry_write'> {
  return {
    board_id: boardId,
    generation,
    is_test: item.isTest,
    slot: entry.slot,
    id: entry.id,
    identity_id: uuidOf(item.identityId),
    event_seq: entry.eventSeq,
    value: entry.value,
    rank_key: entry.rankKey,
    seq: entry.seq,
    status: entry.status,
    player_name: entry.playerName,
    value_display: entry.valueDisplay,
    metadata: entry.metadata,
    created_at: entry.createdAt,
    updated_at: entry.updatedAt,
  };
}
