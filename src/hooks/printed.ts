// Printed by "npm run contract". Ids are prefixed; absent or null members of New… take their defaults.

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
  publicFields?: ('date' | 'gap' | 'country' | 'platform' | 'metadata' | 'history' | 'splits')[] | null;
  defaultView?: string | null;
  friendsFrom?: 'client' | 'server' | null;
  boardType?: 'run_identity' | 'run_runs' | 'counter' | 'ratio' | null;
  sortDirection?: 'asc' | 'desc' | null;
  keepStrategy?: 'all' | 'best' | 'first' | 'last' | null;
  tiePolicy?: 'earliest' | 'latest' | 'competition' | 'dense' | null;
  ratioConfig?: NewRatioConfig | null;
  holdTop?: number | null;
  holdHours?: number | null;
  proof?: 'off' | 'required' | null;
  tickets?: NewTicketSettings | null;
  recordings?: NewRecordingSettings | null;
  verdicts?: NewVerdictSettings | null;
  startsAt?: Date | null;
  endsAt?: Date | null;
  tags?: string[] | null;
  timeZone?: string | null;
  weekStart?: 'monday' | 'tuesday' | 'wednesday' | 'thursday' | 'friday' | 'saturday' | 'sunday' | null;
  dayStart?: string | null;
  dimensions?: NewDimension[] | null;
  views?: NewView[] | null;
  closingRules?: NewClosingRule[] | null;
  templateName?: string | null;
  createdFromTemplateId?: string | null;
}

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
  publicFields?: ('date' | 'gap' | 'country' | 'platform' | 'metadata' | 'history' | 'splits')[] | null;
  friendsFrom?: 'client' | 'server' | null;
  icon?: string | null;
  unit?: string | null;
  format?: NewValueFormat | null;
  defaultView?: string | null;
  boardType?: 'run_identity' | 'run_runs' | 'counter' | 'ratio' | null;
  sortDirection?: 'asc' | 'desc' | null;
  keepStrategy?: 'all' | 'best' | 'first' | 'last' | null;
  tiePolicy?: 'earliest' | 'latest' | 'competition' | 'dense' | null;
  holdTop?: number | null;
  holdHours?: number | null;
  proof?: 'off' | 'required' | null;
  tickets?: NewTicketSettings | null;
  recordings?: NewRecordingSettings | null;
  verdicts?: NewVerdictSettings | null;
  startsAt?: Date | null;
  endsAt?: Date | null;
  tags?: string[] | null;
  timeZone?: string | null;
  weekStart?: 'monday' | 'tuesday' | 'wednesday' | 'thursday' | 'friday' | 'saturday' | 'sunday' | null;
  dayStart?: string | null;
  dimensions?: NewDimension[] | null;
  views?: NewView[] | null;
  closingRules?: NewClosingRule[] | null;
  config?: Record<string, unknown> | null;
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
  publicFields: ('date' | 'gap' | 'country' | 'platform' | 'metadata' | 'history' | 'splits')[];
  defaultView: string | null;
  friendsFrom: 'client' | 'server';
  boardType: 'run_identity' | 'run_runs' | 'counter' | 'ratio';
  sortDirection: 'asc' | 'desc';
  keepStrategy: 'all' | 'best' | 'first' | 'last';
  tiePolicy: 'earliest' | 'latest' | 'competition' | 'dense';
  holdTop: number;
  holdHours: number | null;
  proof: 'off' | 'required';
  tickets: TicketSettings | null;
  recordings: RecordingSettings | null;
  verdicts: VerdictSettings | null;
  startsAt: Date | null;
  endsAt: Date | null;
  tags: string[];
  timeZone: string;
  weekStart: 'monday' | 'tuesday' | 'wednesday' | 'thursday' | 'friday' | 'saturday' | 'sunday';
  dayStart: string;
  dimensions: Dimension[];
  closingRules: ClosingRule[];
  templateName: string | null;
  createdFromTemplateId: string | null;
  createdAt: Date;
  updatedAt: Date;
}

interface NewValueFormat {
  kind: 'number' | 'time' | 'percent' | 'compact';
  decimals?: number | null;
  timeUnit?: 'seconds' | 'milliseconds' | null;
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

interface NewTicketSettings {
  mode: 'asked' | 'required';
  seed?: 'none' | 'run' | 'period' | null;
  view?: string | null;
  attempts?: number | null;
  clock?: NewClockSettings | null;
  advance?: number | null;
  hours?: number | null;
  content?: string | null;
}

interface NewRecordingSettings {
  keepTop?: number | null;
  keepBest?: boolean | null;
  demandTop?: number | null;
  demandFlagged?: boolean | null;
  maxBytes?: number | null;
  readers?: 'staff' | 'players' | 'public' | null;
  watchUrl?: string | null;
}

interface NewVerdictSettings {
  mode: 'log' | 'hold' | 'decide';
  verifyTop?: number | null;
  hours?: number | null;
  confirmed?: boolean | null;
}

export interface NewDimension {
  name: string;
  source?: 'submission' | 'player' | null;
  setBy?: 'client' | 'server' | null;
  values?: string[] | null;
}

export interface NewView {
  name: string;
  period?: 'day' | 'week' | 'month' | 'quarter' | 'year' | null;
  every?: NewViewInterval | null;
  seasons?: NewSeason[] | null;
  by?: string[] | null;
  tiePolicy?: 'earliest' | 'latest' | 'competition' | 'dense' | null;
  keepPeriods?: number | null;
  keepPodium?: number | null;
  since?: Date | null;
}

interface NewClosingRule {
  view?: string | null;
  settleMinutes?: number | null;
  reviewTop?: number | null;
  reviewHours?: number | null;
  places?: number | null;
  prizes?: NewPrizeTable | null;
}

interface ValueFormat {
  kind: 'number' | 'time' | 'percent' | 'compact';
  decimals: number | null;
  timeUnit: 'seconds' | 'milliseconds' | null;
}

interface TicketSettings {
  mode: 'asked' | 'required';
  seed: 'none' | 'run' | 'period';
  view: string | null;
  attempts: number | null;
  clock: ClockSettings | null;
  advance: number;
  hours: number;
  content: string;
}

interface RecordingSettings {
  keepTop: number;
  keepBest: boolean;
  demandTop: number;
  demandFlagged: boolean;
  maxBytes: number;
  readers: 'staff' | 'players' | 'public';
  watchUrl: string | null;
}

interface VerdictSettings {
  mode: 'log' | 'hold' | 'decide';
  verifyTop: number;
  hours: number;
  confirmed: boolean;
}

export interface Dimension {
  name: string;
  source: 'submission' | 'player';
  setBy: 'client' | 'server';
  values: string[] | null;
}

interface ClosingRule {
  view: string | null;
  settleMinutes: number;
  reviewTop: number | null;
  reviewHours: number;
  places: number;
  prizes: PrizeTable | null;
}

interface NewClockSettings {
  minSeconds?: number | null;
  maxPerSecond?: number | null;
  slackSeconds?: number | null;
  pauses?: boolean | null;
}

interface NewViewInterval {
  every: number;
  unit?: 'day' | null;
  from: string;
}

interface NewSeason {
  name: string;
  startsAt: Date;
  endsAt: Date;
}

interface NewPrizeTable {
  minimumEntries?: number | null;
  ties?: 'rank' | 'all' | 'share' | null;
  tieLimit?: number | null;
  expiresDays?: number | null;
  lines: NewPrizeLine[];
}

interface ClockSettings {
  minSeconds: number;
  maxPerSecond: number | null;
  slackSeconds: number;
  pauses: boolean;
}

interface PrizeTable {
  minimumEntries: number;
  ties: 'rank' | 'all' | 'share';
  tieLimit: number;
  expiresDays: number | null;
  lines: PrizeLine[];
}

interface NewPrizeLine {
  name: string;
  firstRank?: number | null;
  lastRank?: number | null;
  percent?: number | null;
  reached?: number | null;
  minimumRuns?: number | null;
  minimumAgeHours?: number | null;
  provenOnly?: boolean | null;
  title: string;
  pictureUrl?: string | null;
  grant?: Record<string, unknown> | null;
}

interface PrizeLine {
  firstRank: number | null;
  lastRank: number | null;
  percent: number | null;
  reached: number | null;
  minimumRuns: number | null;
  minimumAgeHours: number | null;
  provenOnly: boolean | null;
  title: string;
  pictureUrl: string | null;
  name: string;
  grant: Record<string, unknown>;
}
