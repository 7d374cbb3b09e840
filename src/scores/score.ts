import type { EntryStatus } from './decide.js';

/** The ranked view of submissions on a board. Ids prefixed. */
export class Score {
  id!: string;
  accountId!: string;
  gameId!: string;
  boardId!: string;
  identityId!: string;
  deviceId!: string | null;
  scoreEventId!: string | null;
  playerName!: string;
  value!: number;
  valueDisplay!: string | null;
  city!: string | null;
  country!: string | null;
  timezone!: string | null;
  metadata!: Record<string, unknown> | null;
  rank!: number;
  status!: EntryStatus;
  isTest!: boolean;
  isPlaceholder!: boolean;
  createdAt!: Date;
  updatedAt!: Date;
}
