import { uuidOf } from '../../base/ids.js';
import type { Measure } from '../../base/value-format.js';
import type { TiePolicy } from '../../boards/board/tie-policy.js';
import type { RecordingSettings } from '../../boards/recordings/settings.js';
import type { TicketSettings } from '../../boards/tickets/settings.js';
import type { VerdictSettings } from '../../boards/verdicts/settings.js';
import type { TrustTier } from '../../games/trust-tier.js';
import {
  type EntryAfter,
  type EntryStatus,
  type KeepRules,
  keptEntry,
  rankKeyOf,
} from '../../rankings/kept-entry.js';
import { placedSeq } from '../../rankings/order.js';
import type { BegunRanking, BoardViews, ViewEntries } from '../facts/rankings.js';
import type { RecentSubmissions } from '../facts/recent-submissions.js';
import type { HeldRun, Submission } from '../facts/submission.js';
import type { RankingMove } from './move.js';
import { type BatchViews, viewsAfter } from './moves.js';
import { playedAt } from './played-at.js';

/**
 * Progress of a board. Batches are decided based on it; if the write finds a different one, the batch is decided
 * again.
 */
export interface BoardHead {
  seq: number;
  version: number;
  /** The first event of the newest batch, a bare uuid; null: there was none. */
  newest_batch: string | null;
  last_event_at: Date | null;
  /** The lowest number of a ranking of the board's views; 0: none has started. */
  newest_ranking: number;
  /** Rankings started by the newest batches: a batch that reads before their commit does not find them. */
  begun?: readonly BegunRanking[] | undefined;
}

export function headOf({
  seq,
  version,
  newest_batch,
  last_event_at,
  newest_ranking,
  begun,
}: BoardHead): BoardHead {
  return { seq, version, newest_batch, last_event_at, newest_ranking, begun };
}

/** Facts the batch read about its board. Uuids are bare. */
export interface BoardFacts extends BoardHead, KeepRules {
  tie_policy: TiePolicy;
  generation: number;
  account_id: string;
  game_id: string;
  is_active: boolean;
  starts_at: Date | null;
  ends_at: Date | null;
  /** Neither the board nor its game or account is deleted. */
  live: boolean;
  account_status: string;
  /** How its values are shown; null: as numbers. */
  measure: Measure | null;
  /** Settings of the board's game; null settings: the game has none of its own. */
  anti_cheat_enabled: boolean;
  anti_cheat_settings: object | null;
  /** Number of changes to the validity of players and devices of its game: deletions, blocks and restorations. */
  rights_changes: number;
  /** Flagged runs that would be among this many first are held; 0: none are. */
  hold_top: number;
  /** How long; null: until they are reviewed. */
  hold_hours: number | null;
  proof: 'off' | 'required';
  /** Null: it has no tickets. */
  tickets: TicketSettings | null;
  /** Null: it takes no recordings. */
  recordings: RecordingSettings | null;
  /** Null: no run waits for a verdict. */
  verdicts: VerdictSettings | null;
  /** Null: the board never had a view. */
  views: BoardViews | null;
}

/**
 * Facts that the batch read about one submission's identity, device, session and history. Bare uuids; null:
 * missing.
 */
export interface Facts {
  identity_game_id: string | null;
  identity_deleted: boolean | null;
  display_name: string | null;
  /** True: submissions do not change the name. */
  name_locked: boolean | null;
  trust_tier: TrustTier | null;
  /** True: it has proven who it is. */
  identity_proven: boolean | null;
  device_status: string | null;
  device_deleted: boolean | null;
  device_platform: string | null;
  /** Values of the board's tags of players, null: the player has none; null: the board has no such tags. */
  player_tags: Readonly<Record<string, string | null>> | null;
  session_status: string | null;
  session_version: number | null;
  session_deleted: boolean | null;
  /** Epoch milliseconds. */
  session_started: number | null;
  state_id: string | null;
  best_value: number | null;
  recent: RecentSubmissions;
  /** Submissions that count, without limit of time. */
  accepted_count: number | null;
  /** Epoch milliseconds of the newest rejection that stored its event. */
  rejected_at: number | null;
  /** Accepted submissions in the last hour, up to the requested number; absent: `recent` has them all. */
  accepted_in_hour?: number;
  entry_event_seq: number | null;
  entry_value: number | null;
  entry_rank_key: number | null;
  entry_seq: number | null;
  entry_ranked: boolean | null;
  entry_status: EntryStatus | null;
  entry_player_name: string | null;
  entry_value_display: string | null;
  /** Epoch milliseconds. */
  entry_created_at: number | null;
  entry_updated_at: number | null;
  /** The event the entry shows: read only if the entry stays as it is. */
  entry_event_id: string | null;
  entry_device_id: string | null;
  entry_metadata: Record<string, unknown> | null;
  entry_city: string | null;
  entry_country: string | null;
  entry_timezone: string | null;
  /** The player's entries in rankings of views, as far as known. */
  views?: ViewEntries | undefined;
}

/** The result of the checks. */
export type Disposition = 'accepted' | 'flagged' | 'rejected';
/** As events have it. */
export type EventDisposition = Disposition | 'held';

/** The complete effect of a submission. */
export interface Decision {
  seq: number;
  stateId: string;
  /** Null: no submission of the player counts. */
  bestValue: number | null;
  recent: RecentSubmissions;
  /** The time by which it is judged, where that isn't the batch's. */
  playedAt: Date | undefined;
  /** The identity's state value from this event on; null: unchanged. */
  stateValue: number | null;
  /** The name at that time, which stays in the event. */
  playerName: string;
  /** The name rankings show for this submission instead; null: `playerName`. */
  shownName: string | null;
  /** True if it becomes the player's name. */
  rename: boolean;
  disposition: EventDisposition;
  /** The run that is held; undefined: it counts. */
  held?: HeldRun;
  /** The entry that the submission alone would make, with one entry per player. */
  alone: EntryAfter;
  /** The player's entry afterwards; of a player without one, the hidden one that shows held runs. */
  entry: EntryAfter;
  /** True if the ranked entry is written (it shows this submission). */
  changed: boolean;
  /** True if no earlier submission of the player to this board is as good; false on counters, which have no runs. */
  personalBest: boolean;
  /** The ranked entry's key before this submission; it leaves the order if the entry is changed. */
  oldKey: { rankKey: number; seq: number } | null;
  /** Its effect on the board's own ranking, then on those of views. */
  moves: readonly [own: RankingMove, ...RankingMove[]];
}

/**
 * The effect of a submission that counts: a pure function from history to the rows to write. It must equal the result of
 * `rederive` on the same events (migrations/functions/8_rederive.sql).
 * @throws DomainError BAD_REQUEST when a counter's sum cannot hold the delta
 */
export function decide(
  board: BoardFacts,
  facts: Facts,
  item: Submission,
  seq: number,
  at: Date,
  disposition: 'accepted' | 'flagged',
  views?: BatchViews,
): Decision {
  const eventId = uuidOf(item.eventId);
  const played = playedAt(board, facts, item, at.getTime());
  const playerName = item.playerName ?? facts.display_name ?? '';
  const locked = facts.name_locked === true && facts.display_name ? facts.display_name : playerName;
  const stateId = facts.state_id ?? eventId;
  const fresh: EntryAfter = {
    slot: uuidOf(item.identityId),
    id: stateId,
    eventId,
    eventSeq: seq,
    value: item.amount,
    rankKey: rankKeyOf(item.amount, board.sort_direction),
    seq: placedSeq(seq, board.tie_policy),
    status: disposition === 'flagged' ? 'under_review' : 'active',
    playerName: locked,
    valueDisplay: item.valueDisplay,
    createdAt: at,
    updatedAt: at,
    deviceId: item.origin.kind === 'client' ? uuidOf(item.origin.deviceId) : null,
    metadata: item.metadata,
    ...item.place,
  };
  const before = facts.entry_ranked ? knownEntry(facts, item) : undefined;
  const entry =
    board.board_type === 'run_runs'
      ? { ...fresh, slot: eventId, id: eventId }
      : keptEntry(board, before, fresh);
  const changed = entry !== before;
  const improves =
    facts.best_value === null || fresh.rankKey < rankKeyOf(facts.best_value, board.sort_direction);
  const isRun = board.board_type === 'run_runs';
  const shows = isRun ? improves : changed;
  const own: RankingMove = {
    placement: undefined,
    ranking: { no: 0, generation: board.generation },
    ties: board.tie_policy,
    slot: entry.slot,
    before: isRun ? null : (before ?? null),
    stored: !isRun && facts.entry_event_seq !== null,
    entry: changed ? entry : undefined,
  };
  return {
    seq,
    stateId,
    bestValue: improves ? item.amount : facts.best_value!,
    recent: facts.recent.with(played, item.amount),
    playedAt: played === at.getTime() ? undefined : new Date(played),
    stateValue: shows ? entry.value : null,
    playerName,
    shownName: locked === playerName ? null : locked,
    rename:
      !item.isTest &&
      !facts.name_locked &&
      item.playerName !== undefined &&
      item.playerName !== facts.display_name,
    disposition,
    alone: fresh,
    entry,
    changed,
    personalBest: improves && board.board_type !== 'counter',
    oldKey: own.before ?? null,
    moves: [own, ...(views?.decide(board, facts.views, item, facts, fresh) ?? [])],
  };
}

/** The player's entry, as far as it was read. */
export function knownEntry(facts: Facts, item: Submission): EntryAfter {
  return {
    slot: uuidOf(item.identityId),
    id: facts.state_id!,
    eventId: facts.entry_event_id!,
    eventSeq: facts.entry_event_seq!,
    value: facts.entry_value!,
    rankKey: facts.entry_rank_key!,
    seq: facts.entry_seq!,
    status: facts.entry_status!,
    playerName: facts.entry_player_name!,
    valueDisplay: facts.entry_value_display,
    createdAt: new Date(Math.round(facts.entry_created_at!)),
    updatedAt: new Date(Math.round(facts.entry_updated_at!)),
    deviceId: facts.entry_device_id,
    metadata: facts.entry_metadata,
    city: facts.entry_city,
    country: facts.entry_country,
    timezone: facts.entry_timezone,
  };
}

/** The facts as they are after the decision, for the player's next submission to this board. */
export function factsAfter<F extends Facts>(board: BoardFacts, facts: F, decision: Decision): F {
  const { stateId, bestValue, recent, entry, rename, playerName, held } = decision;
  const known: F = {
    ...facts,
    display_name: rename ? playerName : facts.display_name,
    state_id: stateId,
    best_value: bestValue,
    recent,
    accepted_count: (facts.accepted_count ?? 0) + (held ? 0 : 1),
    accepted_in_hour: facts.accepted_in_hour === undefined ? undefined : facts.accepted_in_hour + 1,
    views: board.views ? viewsAfter(facts.views, decision.moves) : undefined,
  };
  // Where every run is an entry, the player doesn't have a single entry.
  return board.board_type === 'run_runs' ? known : { ...known, ...entryFacts(entry) };
}

function entryFacts(entry: EntryAfter) {
  return {
    entry_event_seq: entry.eventSeq,
    entry_value: entry.value,
    entry_rank_key: entry.rankKey,
    entry_seq: entry.seq,
    entry_ranked: entry.status !== 'provisional',
    entry_status: entry.status,
    entry_player_name: entry.playerName,
    entry_value_display: entry.valueDisplay,
    entry_created_at: entry.createdAt.getTime(),
    entry_updated_at: entry.updatedAt.getTime(),
    entry_event_id: entry.eventId,
    entry_device_id: entry.deviceId,
    entry_metadata: entry.metadata,
    entry_city: entry.city,
    entry_country: entry.country,
    entry_timezone: entry.timezone,
  };
}
