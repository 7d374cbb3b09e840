/** Arguments of hooks: checked requests and written records. Ids are prefixed. */

type BoardType = 'run_identity' | 'run_runs' | 'counter' | 'ratio';
type SortDirection = 'asc' | 'desc';
type PublicField = 'date' | 'gap' | 'country' | 'platform' | 'metadata' | 'history';
type TiePolicy = 'earliest' | 'latest' | 'competition' | 'dense';
type FriendsFrom = 'client' | 'server';
type Environment = 'production' | 'staging' | 'development';
type KeepStrategy = 'all' | 'best' | 'first' | 'last';

/** As requested: absent or null members take their defaults. Ids are prefixed. */
export interface NewGame {
  accountId: string;
  name: string;
  slug?: string | null;
  description?: string | null;
  pageUrl?: string | null;
  accentColour?: string | null;
  environment?: Environment | null;
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
  platformAppId: string | null;
  defaultBoardId: string | null;
  antiCheatEnabled: boolean;
  antiCheatSettings: Record<string, unknown> | null;
  tags: string[];
  createdAt: Date;
  updatedAt: Date;
}

export interface NewRatioConfig {
  numeratorBoardId: string;
  denominatorBoardId: string;
  zeroDenominatorPolicy?: 'null' | 'zero' | 'infinity' | null;
  minNumerator?: number | null;
  minDenominator?: number | null;
  scale?: number | null;
  display?: 'raw' | 'percent' | null;
  decimals?: number | null;
}

type Weekday = 'monday' | 'tuesday' | 'wednesday' | 'thursday' | 'friday' | 'saturday' | 'sunday';

/** A tag that submissions of a board may have. */
export interface NewDimension {
  name: string;
  source?: 'submission' | 'player' | null;
  setBy?: 'client' | 'server' | null;
  values?: string[] | null;
}

export interface Dimension {
  name: string;
  source: 'submission' | 'player';
  setBy: 'client' | 'server';
  values: string[] | null;
}

/** How values are shown; default decimals: the kind's own. */
interface NewValueFormat {
  kind: 'number' | 'time' | 'percent' | 'compact';
  decimals?: number | null;
  timeUnit?: 'seconds' | 'milliseconds' | null;
}

type ValueFormat = Required<NewValueFormat>;

/** A further ranking of a board's submissions. */
export interface NewView {
  name: string;
  period?: 'day' | 'week' | 'month' | 'quarter' | 'year' | null;
  every?: { every: number; unit?: 'day' | null; from: string } | null;
  seasons?: { name: string; startsAt: Date; endsAt: Date }[] | null;
  by?: string[] | null;
  tiePolicy?: TiePolicy | null;
  holdTop?: number | null;
  holdHours?: number | null;
  keepPeriods?: number | null;
  keepPodium?: number | null;
  since?: Date | null;
}

/** As requested. */
export interface NewBoard {
  accountId: string;
  gameId: string;
  name: string;
  slug?: string | null;
  shortCode?: string | null;
  description?: string | null;
  icon?: string | null;
  unit?: string | null;
  format?: NewValueFormat | null;
  isActive?: boolean | null;
  isPublished?: boolean | null;
  publicFields?: PublicField[] | null;
  friendsFrom?: FriendsFrom | null;
  boardType?: BoardType | null;
  sortDirection?: SortDirection | null;
  keepStrategy?: KeepStrategy | null;
  tiePolicy?: TiePolicy | null;
  holdTop?: number | null;
  holdHours?: number | null;
  ratioConfig?: NewRatioConfig | null;
  startsAt?: Date | null;
  endsAt?: Date | null;
  tags?: string[] | null;
  timeZone?: string | null;
  weekStart?: Weekday | null;
  /** `hh:mm` */
  dayStart?: string | null;
  dimensions?: NewDimension[] | null;
  closingRules?: NewClosingRule[] | null;
  views?: NewView[] | null;
  templateName?: string | null;
  createdFromTemplateId?: string | null;
}

export interface Board {
  id: string;
  accountId: string;
  gameId: string;
  name: string;
  slug: string;
  shortCode: string;
  description: string | null;
  icon: string | null;
  unit: string | null;
  format: ValueFormat | null;
  isActive: boolean;
  isPublished: boolean;
  publicFields: PublicField[];
  friendsFrom: FriendsFrom;
  boardType: BoardType;
  sortDirection: SortDirection;
  keepStrategy: KeepStrategy;
  tiePolicy: TiePolicy;
  holdTop: number;
  holdHours: number | null;
  startsAt: Date | null;
  endsAt: Date | null;
  tags: string[];
  timeZone: string;
  weekStart: Weekday;
  dayStart: string;
  dimensions: Dimension[];
  closingRules: ClosingRule[];
  templateName: string | null;
  createdFromTemplateId: string | null;
  createdAt: Date;
  updatedAt: Date;
}

interface ClosingRule {
  /** Null: the board's own ranking. */
  view: string | null;
  settleMinutes: number;
  reviewTop: number | null;
  reviewHours: number;
  places: number;
  prizes: PrizeTable | null;
}

interface PrizeTable {
  minimumEntries: number;
  ties: 'rank' | 'all' | 'share';
  tieLimit: number;
  expiresDays: number | null;
  lines: PrizeLine[];
}

/** Of the first rank, percent and value reached at most one; none: everyone with an entry. */
interface PrizeLine {
  name: string;
  firstRank: number | null;
  lastRank: number | null;
  percent: number | null;
  reached: number | null;
  title: string;
  pictureUrl: string | null;
  grant: Record<string, unknown>;
}

/** As requested. */
interface NewClosingRule extends Partial<Omit<ClosingRule, 'prizes'>> {
  prizes?: (Partial<Omit<PrizeTable, 'lines'>> & { lines: NewPrizeLine[] }) | null;
}

interface NewPrizeLine extends Partial<Omit<PrizeLine, 'grant'>> {
  name: string;
  title: string;
  grant?: Record<string, unknown> | null;
}

/** As requested. */
export interface NewBoardTemplate {
  accountId: string;
  gameId: string;
  name: string;
  slug?: string | null;
  nameTemplate?: string | null;
  series?: string | null;
  repeatInterval: string;
  nextRunAt: Date;
  isActive?: boolean | null;
  isPublished?: boolean | null;
  publicFields?: PublicField[] | null;
  friendsFrom?: FriendsFrom | null;
  icon?: string | null;
  unit?: string | null;
  format?: NewValueFormat | null;
  boardType?: BoardType | null;
  sortDirection?: SortDirection | null;
  keepStrategy?: KeepStrategy | null;
  tiePolicy?: TiePolicy | null;
  holdTop?: number | null;
  holdHours?: number | null;
  startsAt?: Date | null;
  endsAt?: Date | null;
  tags?: string[] | null;
  timeZone?: string | null;
  weekStart?: Weekday | null;
  /** `hh:mm` */
  dayStart?: string | null;
  dimensions?: NewDimension[] | null;
  closingRules?: NewClosingRule[] | null;
  views?: NewView[] | null;
  config?: Record<string, unknown> | null;
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
}

/** The player's score after the submission. */
export interface Score extends Omit<NewScore, 'deviceId' | 'tags'> {
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
