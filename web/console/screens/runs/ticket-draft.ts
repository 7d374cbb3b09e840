import { useState } from 'react';
import type { TicketMode, TicketSeed, TicketSettingsInput } from '../../generated/graphql.js';

/** The tickets of a board, as the form holds them. */
export interface TicketDraft {
  mode: TicketMode | 'NONE';
  seed: TicketSeed;
  /** Empty: the board as a whole. */
  view: string;
  /** Empty: not limited. */
  attempts: string;
  hours: string;
  advance: string;
  content: string;
  isClocked: boolean;
  minSeconds: string;
  /** Empty: not checked. */
  maxPerSecond: string;
  slackSeconds: string;
  pauses: boolean;
}

/** What a board or template has; null: no tickets. */
export type StoredTickets = {
  mode: TicketMode;
  seed: TicketSeed;
  view?: string | null;
  attempts?: number | null;
  clock?: {
    minSeconds: number;
    maxPerSecond?: number | null;
    slackSeconds: number;
    pauses: boolean;
  } | null;
  advance: number;
  hours: number;
  content: string;
} | null;

const NEW = { mode: 'NONE', seed: 'NONE', advance: 0, hours: 24, content: '' } as const;
const NEW_CLOCK = { minSeconds: 0, slackSeconds: 5, pauses: false };

function draftOf(stored: StoredTickets | undefined): TicketDraft {
  const { mode, seed, view, attempts, clock, advance, hours, content } = {
    ...{ view: '', attempts: null, clock: NEW_CLOCK },
    ...(stored ?? NEW),
  };
  const { minSeconds, maxPerSecond, slackSeconds, pauses } = { maxPerSecond: null, ...(clock ?? NEW_CLOCK) };
  return {
    ...{ mode, seed, view: view ?? '', attempts: String(attempts ?? ''), content },
    ...{ hours: String(hours), advance: String(advance), isClocked: clock !== null },
    ...{ minSeconds: String(minSeconds), maxPerSecond: String(maxPerSecond ?? '') },
    ...{ slackSeconds: String(slackSeconds), pauses },
  };
}

function inputOf(draft: TicketDraft): TicketSettingsInput | null {
  const { mode, seed, view, attempts, hours, advance, content, isClocked } = draft;
  if (mode === 'NONE') return null;
  const { minSeconds, maxPerSecond, slackSeconds, pauses } = draft;
  const clock = {
    ...{ minSeconds: Number(minSeconds), slackSeconds: Number(slackSeconds), pauses },
    maxPerSecond: maxPerSecond.trim() === '' ? null : Number(maxPerSecond),
  };
  return {
    ...{ mode, seed, view: view || null, content: content.trim() },
    ...{ hours: Number(hours), advance: Number(advance), clock: isClocked ? clock : null },
    attempts: mode === 'ASKED' || attempts.trim() === '' ? null : Number(attempts),
  };
}

export function useTickets(stored: StoredTickets | undefined) {
  return useState(() => draftOf(stored));
}

/** The part of the input that differs from what is stored. */
export function ticketChanges(
  draft: TicketDraft,
  stored: StoredTickets | undefined,
): { tickets?: TicketSettingsInput | null } {
  const tickets = inputOf(draft);
  return JSON.stringify(tickets) === JSON.stringify(inputOf(draftOf(stored))) ? {} : { tickets };
}
