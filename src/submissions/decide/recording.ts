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
  /** True: its recording was demanded when it was decided, by the rank that it would have. */
  isDemanded: boolean;
}

/** True if the board demands the recording of the run, even if the account's storage is full. */
export function demandsRecording(
  { demandFlagged }: RecordingSettings,
  { isHeld, isFlagged, isDemanded }: RecordedRun,
): boolean {
  return isDemanded || (demandFlagged && (isFlagged || isHeld));
}

/** True if the board takes a recording of the run. */
export function wantsRecording(settings: RecordingSettings, run: RecordedRun): boolean {
  const { keepTop, keepBest } = settings;
  return (run.kept && (keepBest || run.rank <= keepTop)) || run.isHeld || demandsRecording(settings, run);
}

/** Recordings of runs up to this time can't be sent any more. */
export function waitedForUntil(now: Date): Date {
  return new Date(now.getTime() - DAY_MS);
}

/** Until when the recording of a run that was submitted at this time is taken. */
export function recordingUntil(at: Date): Date {
  return new Date(at.getTime() + DAY_MS);
}
