import { useState } from 'react';
import type { VerdictMode, VerdictSettingsInput } from '../../generated/graphql.js';

/** The verdicts of a board, as the form holds them. */
export interface VerdictDraft {
  takes: boolean;
  mode: VerdictMode;
  verifyTop: string;
  hours: string;
  confirmed: boolean;
}

/** What a board or template has; null: no run is verified. */
type StoredVerdicts = { mode: VerdictMode; verifyTop: number; hours: number; confirmed: boolean } | null;

const NEW = { mode: 'LOG', verifyTop: 10, hours: 24, confirmed: false } as const;

function draftOf(stored: StoredVerdicts | undefined): VerdictDraft {
  const { mode, verifyTop, hours, confirmed } = stored ?? NEW;
  return { takes: stored != null, mode, verifyTop: String(verifyTop), hours: String(hours), confirmed };
}

function inputOf({ takes, mode, verifyTop, hours, confirmed }: VerdictDraft): VerdictSettingsInput | null {
  return takes ? { mode, verifyTop: Number(verifyTop), hours: Number(hours), confirmed } : null;
}

export function useVerdicts(stored: StoredVerdicts | undefined) {
  return useState(() => draftOf(stored));
}

/** The part of the input that differs from what is stored. */
export function verdictChanges(
  draft: VerdictDraft,
  stored: StoredVerdicts | undefined,
): { verdicts?: VerdictSettingsInput | null } {
  const verdicts = inputOf(draft);
  return JSON.stringify(verdicts) === JSON.stringify(inputOf(draftOf(stored))) ? {} : { verdicts };
}

/** Without recordings there is nothing to verify. */
export function withRecordings(draft: VerdictDraft, recorded: boolean): VerdictDraft {
  return { ...draft, takes: draft.takes && recorded };
}
