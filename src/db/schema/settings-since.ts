/** Settings that processes of an older release would ignore, with the migration that its successors know (`open_since`). */
export const SETTINGS_SINCE = {
  /** They would be taken for invalid nonces. */
  tickets: '115_runs.sql',
  /** Runs of anybody would count. */
  proofs: '122_proven_boards.sql',
  /** Runs would be ranked without the recording that the board asks for, and its hash be dropped. */
  recordings: '130_recording_flags.sql',
  /** They would refuse the sessions of a merged player even after a refresh, whose tokens would name the merged one. */
  merges: '124_merges.sql',
  /** Runs would be ranked without the verdict that the board waits for. */
  verdicts: '134_verdicts.sql',
};
