import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';
import type { Fault } from './proxy.js';

type Fields = Record<string, unknown>;

/** Requests that the proxy has seen, and milliseconds between all of them, or the last two. */
export interface Requests {
  on: string;
  exactly?: number;
  at_least?: number;
  at_most?: number;
  apart_ms?: number;
  last_apart_ms?: number;
}

/** A board that closes with a reward of its first rank for each of these lines, whose id is then `$<line>`. */
export interface Award {
  award: string[];
  on?: string;
  expires_days?: number;
}

/** One step: the member names it. README.md, "Scenarios", has the meaning of each. */
export type Step = { expect?: unknown; until?: unknown } & (
  | { open: Fields }
  | { call: Fields & { do: string }; names?: Record<string, string> }
  | { start: Fields & { do: string; as: string } }
  | { answer: string }
  | { cancel: string }
  | { fault: Fault }
  | { clear_faults: true }
  | { network: 'cut' | 'back' | 'reset' }
  | { advance: number }
  | { limit: { items: number; retry_after: number } | 'off' }
  | { admin: { patch: string; body: Fields } }
  | Award
  | { revoke: string }
  | { crowd: number }
  | { befriend: string[] }
  | { sign_in: string; client?: string }
  | { end_sessions: string }
  | { prove: string; client?: string; on_conflict?: string; board_ids?: string[]; as?: string }
  | { link: string; to: string; on_conflict?: string; board_ids?: string[] }
  | { merge: string; into: string }
  | { undo_merge: string }
  | { same_player: string[] }
  | { run_tags: unknown[] }
  | { kill: true }
  | { lists: 'unreadable' | 'readable' }
  | { runs: Fields[]; on?: string }
  | { recordings: (string | null)[]; on?: string }
  | { counted: unknown; on?: string }
  | { flags: string[]; on?: string }
  | { refusals: { on: string; call: Fields & { do: string }; codes: Record<string, number> } }
  | { players: number }
  | { wait: Fields & { event: string } }
  | { never: Fields & { event: string } }
  | { happened: Fields & { event: string }; times: number }
  | { requests: Requests }
  | { versions_rise: string }
);

export interface Scenario {
  /** File name without its ending. */
  name: string;
  title: string;
  /** Members of the board in addition to the defaults. */
  board?: Fields;
  /** Further boards, by the name that the steps have for them. */
  boards?: Record<string, Fields>;
  /** Members of the game in addition to the defaults. */
  game?: Fields;
  steps: Step[];
}

const FOLDER = path.join(__dirname, 'scenarios');

/** The scenarios of the folder, by name. */
export function scenarios(): Scenario[] {
  return readdirSync(FOLDER)
    .filter((file) => file.endsWith('.yaml'))
    .sort()
    .map((file) => ({
      name: file.replace('.yaml', ''),
      ...parse(readFileSync(path.join(FOLDER, file), 'utf8')),
    }));
}
