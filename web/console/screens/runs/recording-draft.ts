import { useState } from 'react';
import type { RecordingReaders, RecordingSettingsInput } from '../../generated/graphql.js';

/** The recordings of a board, as the form holds them. */
export interface RecordingDraft {
  takes: boolean;
  keepTop: string;
  keepBest: boolean;
  demandTop: string;
  demandFlagged: boolean;
  /** In KiB. */
  size: string;
  readers: RecordingReaders;
  watchUrl: string;
}

/** What a board or template has; null: it takes none. */
type StoredRecordings = {
  keepTop: number;
  keepBest: boolean;
  demandTop: number;
  demandFlagged: boolean;
  maxBytes: number;
  readers: RecordingReaders;
  watchUrl?: string | null;
} | null;

const KIBIBYTE = 1_024;
const NEW = {
  ...{ keepTop: 100, keepBest: false, demandTop: 0, demandFlagged: false, maxBytes: 64 * KIBIBYTE },
  readers: 'PLAYERS',
  watchUrl: null,
} as const;

function draftOf(stored: StoredRecordings | undefined): RecordingDraft {
  const { keepTop, keepBest, demandTop, demandFlagged, maxBytes, readers, watchUrl } = stored ?? NEW;
  return {
    ...{ takes: stored != null, keepTop: String(keepTop), keepBest, demandTop: String(demandTop) },
    ...{ demandFlagged, size: String(maxBytes / KIBIBYTE), readers, watchUrl: watchUrl ?? '' },
  };
}

function inputOf(draft: RecordingDraft): RecordingSettingsInput | null {
  const { takes, keepTop, keepBest, demandTop, demandFlagged, size, readers, watchUrl } = draft;
  if (!takes) return null;
  return {
    ...{ keepTop: Number(keepTop), keepBest, demandTop: Number(demandTop), demandFlagged, readers },
    maxBytes: Math.round(Number(size) * KIBIBYTE),
    watchUrl: watchUrl.trim() || null,
  };
}

export function useRecordings(stored: StoredRecordings | undefined) {
  return useState(() => draftOf(stored));
}

/** The part of the input that differs from what is stored. */
export function recordingChanges(
  draft: RecordingDraft,
  stored: StoredRecordings | undefined,
): { recordings?: RecordingSettingsInput | null } {
  const recordings = inputOf(draft);
  return JSON.stringify(recordings) === JSON.stringify(inputOf(draftOf(stored))) ? {} : { recordings };
}
