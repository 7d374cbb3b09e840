import type { RecordingSettings } from '../../boards/recordings/settings.js';

const DAY_MS = 24 * 3_600_000;

/** A run as its recording is wanted. */
interface RecordedRun {
  /** True if the entry shows it. */
  kept: boolean;
  /** Of the entry after it. */
  rank: number;
  isHeld: boolean;
  isFlagged: boolean;
}

/** True if the board demands the recording of the run, even if the account's storage is full. */
export function demandsRecording(
  { demandTop, demandFlagged }: RecordingSettings,
  { kept, rank, isHeld, isFlagged }: RecordedRun,
): boolean {
  return (kept && rank <= demandTop) || (demandFlagged && (isFlagged || isHeld));
}

/** True if the board takes a recording of the run. */
export function wantsRecording(settings: RecordingSettings, run: RecordedRun): boolean {
  const { keepTop, keepBest } = settings;
  return (run.kept && (keepBest || run.rank <= keepTop)) || run.isHeld || demandsRecording(settings, run);
}

/** Until when the recording of a run that was submitted at this time is taken. */
export function recordingUntil(at: Date): Date {
  return new Date(at.getTime() + DAY_MS);
}
