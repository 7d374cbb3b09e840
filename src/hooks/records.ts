/** Arguments of hooks: checked requests and written records. Ids are prefixed. */

import type { NewBoardTemplate } from './printed.js';

export type * from './printed.js';

type Environment = 'production' | 'staging' | 'development';

/** As requested: absent or null members take their defaults. Ids are prefixed. */
export interface NewGame {
  accountId: string;
  name: string;
  slug?: string | null;
  description?: string | null;
  pageUrl?: string | null;
  accentColour?: string | null;
  environment?: Environment | null;
  overlayOrigins?: string[] | null;
  playersMerge?: boolean | null;
  platformAppId?: string | null;
  defaultBoardId?: string | null;
  antiCheatEnabled?: boolean | null;
  antiCheatSettings?: Record<string, unknown> | null;
  tags?: string[] | null;
}

export interface Game {
  id: string;
  accountId: string;
  name: string;
  slug: string;
  description: string | null;
  pageUrl: string | null;
  accentColour: string | null;
  environment: Environment;
  overlayOrigins: string[];
  playersMerge: boolean;
  platformAppId: string | null;
  defaultBoardId: string | null;
  antiCheatEnabled: boolean;
  antiCheatSettings: Record<string, unknown> | null;
  tags: string[];
  createdAt: Date;
  updatedAt: Date;
}

/** The change: absent fields stay as they are. `deleted`: true deletes, false restores. */
export interface BoardTemplateChange extends Partial<Omit<NewBoardTemplate, 'accountId' | 'gameId'>> {
  id: string;
  /** Id of the template's account. */
  accountId: string;
  deleted?: boolean;
}

/** A game client's submission; account, game and player are those of its session. */
export interface NewScore {
  accountId: string;
  gameId: string;
  boardId: string;
  identityId: string;
  deviceId: string;
  playerName: string;
  /** The submitted value; on counter boards the amount to add. */
  value: number;
  valueDisplay: string | null;
  metadata: Record<string, unknown> | null;
  /** Declared tags, e.g. `{class: 'mage'}`. */
  tags: Readonly<Record<string, string>> | null;
  isTest: boolean;
  /** Of a run with a ticket; null: it has none. */
  run: RunRecord | null;
}

/** What is known of a run that began with a ticket. */
export interface RunRecord {
  startedAt: Date;
  /** From then to its submission. */
  elapsedMs: number;
  /** In which nothing was played, as the game says. */
  idleMs: number;
  /** Its length, as the game says. */
  runMs: number | null;
  /** Milliseconds from its start, ascending, as the game says; null: it sent none. */
  splits: readonly number[] | null;
  /** True: its ticket was fetched ahead. */
  advance: boolean;
  /** Null: attempts are not limited. */
  attempt: number | null;
  seed: number | null;
  gameVersion: string | null;
}

/** The player's score after the submission. */
export interface Score extends Omit<NewScore, 'deviceId' | 'tags' | 'run'> {
  id: string;
  /** The event that was stored. */
  eventId: string;
  /** True if the score now shows this submission. */
  kept: boolean;
  /** The run, if it is held until its flags are reviewed: nobody else sees it. Absent: it is not. */
  held?: { value: number; rank: number };
  rank: number;
  createdAt: Date;
  updatedAt: Date;
}

/** A completed registration or accepted invitation. */
export interface Registration {
  type: 'registration' | 'invite';
  email: string;
  displayName: string;
  accountId: string;
  accountName: string;
  accountSlug: string;
  userId: string;
}

/** A request to REST, to /graphql, or one operation over a WebSocket. */
export interface RateLimited {
  /** `WS` for an operation over a WebSocket. */
  method: string;
  /** The route pattern: `/v1/boards/{board_id}`, `/graphql`. */
  route: string;
}
