import type { BoardFacts, Decision, EntryAfter, Facts } from '../decide.js';

/** The facts as they will be when the decision is committed, for the player's next submission to this board. */
export function factsAfter<F extends Facts>(board: BoardFacts, facts: F, decision: Decision): F {
  const { stateId, bestValue, recent, entry, rename, playerName } = decision;
  const known: F = {
    ...facts,
    display_name: rename ? playerName : facts.display_name,
    state_id: stateId,
    best_value: bestValue,
    recent,
    accepted_count: (facts.accepted_count ?? 0) + 1,
    accepted_in_hour: undefined,
  };
  // Where every run is an entry, the player has no entry of its own.
  return board.board_type === 'run_runs' ? known : { ...known, ...entryFacts(entry) };
}

function entryFacts(entry: EntryAfter) {
  return {
    entry_event_seq: entry.eventSeq,
    entry_value: entry.value,
    entry_rank_key: entry.rankKey,
    entry_seq: entry.seq,
    entry_ranked: true,
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
