import { GraphQLError, GraphQLScalarType, Kind } from 'graphql';
import { ArgsType, Field, Float, ID, InputType } from 'type-graphql';
import { hasControl, lengthOf, NO_CONTROL } from '../../base/text.js';
import { TagFilter } from '../../boards/views/tag-filter.js';
import { areTags, isTagValue, MOST_TAGS } from '../../boards/views/tag-value.js';
import { SortedBy, SortedPageArgs } from '../../graphql/connection.js';
import { enumOf } from '../../graphql/enums.js';
import { Nested } from '../../graphql/input-checks.js';
import {
  IsCountry,
  IsIdempotencyKey,
  IsIdOf,
  IsName,
  IsTimeZone,
  MaxLength,
  Rule,
} from '../../graphql/rules.js';
import { JsonObject } from '../../graphql/scalars.js';
import { Only, RestName } from '../../graphql/views.js';
import { ArePlayers, MOST_FRIENDS } from '../../players/friends/friend-list.js';
import { IsPlayer } from '../../players/inputs.js';
import { AreTagList, TagInput } from '../../players/tags/tag.js';
import type { TestFilter } from '../read/list-request.js';
import { SORTABLE } from '../sortable.js';
import { IsPeriodKey, IsViewName } from '../standings/view-args.js';

function read(value: unknown): TestFilter {
  if (value === true || value === 'true' || value === '1') return true;
  if (value === false || value === 'false' || value === '0') return false;
  if (value === 'all' || value === 'ALL') return 'all';
  throw new GraphQLError('must be true, false or "all"');
}

const TestFilterScalar = new GraphQLScalarType<TestFilter, TestFilter>({
  name: 'TestFilter',
  description: 'A population of scores: `true` test, `false` production, `"all"` both.',
  serialize: read,
  parseValue: read,
  parseLiteral: (node) =>
    read(
      node.kind === Kind.BOOLEAN || node.kind === Kind.STRING || node.kind === Kind.ENUM
        ? node.value
        : undefined,
    ),
});

/** Compact JSON of a submission's metadata. */
const LARGEST_METADATA_BYTES = 1_024;

function IsMetadata(): PropertyDecorator {
  return Rule(
    'size',
    `must not be larger than ${LARGEST_METADATA_BYTES} bytes as compact JSON`,
    (value) => Buffer.byteLength(JSON.stringify(value)) <= LARGEST_METADATA_BYTES,
  );
}

function IsDisplay(): PropertyDecorator {
  return Rule(
    'length',
    'must not be longer than 64 characters, without control characters',
    (value) => typeof value === 'string' && !hasControl(value) && lengthOf(value) <= 64,
    { maxLength: 64, pattern: `^${NO_CONTROL}*$` },
  );
}

function IsMillis(rule: string): PropertyDecorator {
  return Rule(
    rule,
    'must be a whole number of milliseconds, 0 or more',
    (value) => Number.isSafeInteger(value) && (value as number) >= 0,
    { minimum: 0, maximum: Number.MAX_SAFE_INTEGER },
  );
}

/** Those of a run. */
const MOST_SPLITS = 64;
/** Milliseconds, some 24 days. */
const LATEST_SPLIT = 2 ** 31 - 1;

function areSplits(value: unknown): boolean {
  if (!Array.isArray(value) || value.length === 0 || value.length > MOST_SPLITS) return false;
  const times: unknown[] = value;
  const isTime = (at: unknown) =>
    Number.isInteger(at) && (at as number) >= 0 && (at as number) <= LATEST_SPLIT;
  return times.every((at, n) => isTime(at) && (n === 0 || (at as number) >= (times[n - 1] as number)));
}

function AreSplits(): PropertyDecorator {
  return Rule(
    'splits',
    `must be 1 to ${MOST_SPLITS} whole numbers of milliseconds up to ${LATEST_SPLIT}, in ascending order`,
    areSplits,
    { minItems: 1, maxItems: MOST_SPLITS },
  );
}

function IsHash(): PropertyDecorator {
  return Rule(
    'hash',
    'must be 64 hexadecimal digits',
    (value) => typeof value === 'string' && /^[0-9a-fA-F]{64}$/.test(value),
    { pattern: '^[0-9a-fA-F]{64}$' },
  );
}

const SUBMISSION_TAGS = ' with values of 1 to 64 characters without comma and colon';
const TAGS_DOC =
  "Tags that the board's `dimensions` declare, each named once. Views by tags rank the score in their groups.";

function AreSubmissionTags(): PropertyDecorator {
  return Rule('tags', `must be at most ${MOST_TAGS} tags${SUBMISSION_TAGS}`, (value) => areTags(value));
}

@InputType({
  description: 'A score submitted by a game client. Account, game and player come from the session.',
})
export class SubmitScoreInput {
  @IsIdOf('board')
  @Field(() => ID, { description: 'The board.' })
  boardId!: string;

  @IsName(1, 64)
  @Field(() => String, {
    description:
      "The player's name, 1 to 64 characters. In production, it becomes the player's current name, unless that is locked.",
  })
  playerName!: string;

  @Field(() => Float, { description: 'The value of the run; on counter boards, the amount to add.' })
  value!: number;

  @IsDisplay()
  @Field(() => String, { nullable: true, description: 'Formatted value, as sent by the game.' })
  valueDisplay?: string | null;

  @IsMetadata()
  @Field(() => JsonObject, { nullable: true, description: 'Metadata to store with it, at most 1,024 bytes.' })
  metadata?: Record<string, unknown> | null;

  @Only('graphql')
  @AreTagList(isTagValue, SUBMISSION_TAGS)
  @Field(() => [TagInput], { defaultValue: [], description: TAGS_DOC })
  tags?: TagInput[];

  @Only('rest')
  @RestName('tags')
  @AreSubmissionTags()
  @Field(() => JsonObject, {
    nullable: true,
    description:
      'Tags that the board\'s `dimensions` declare, e.g. `{class: "mage"}`: views by tags rank it in their groups.',
  })
  tagValues?: Record<string, string> | null;

  @IsMillis('session_ms')
  @Field(() => Float, {
    nullable: true,
    description:
      'When the run was played, for clients that keep runs and send them later: whole milliseconds since ' +
      'the start of the session, by a clock that never goes back, from one run to the next. Fair-play ' +
      "checks judge the run by this time if it's possible: after the player's newest run and the start of " +
      'the board, and not in the future. Otherwise, and without it, they use the time of arrival.',
  })
  sessionMs?: number | null;

  @IsMillis('run_ms')
  @Field(() => Float, {
    nullable: true,
    description:
      "Length of the run in whole milliseconds, by the game's clock. Only with a ticket; on boards of times, the value is the length.",
  })
  runMs?: number | null;

  @IsMillis('idle_ms')
  @Field(() => Float, {
    nullable: true,
    description:
      "Whole milliseconds since the ticket in which nothing was played, by the device's clock: loading, " +
      'pauses, waiting for a connection. Only with a ticket. A retry sends a new figure: it is no part of ' +
      'what an idempotency key stands for.',
  })
  idleMs?: number | null;

  @AreSplits()
  @Field(() => [Float], {
    nullable: true,
    description:
      `Times at which the run passed its first, second, … point: up to ${MOST_SPLITS}, in whole milliseconds from its start by the ` +
      "game's clock, ascending. Only with a ticket.",
  })
  splits?: number[] | null;

  @IsHash()
  @Field(() => String, {
    nullable: true,
    description:
      "SHA-256 of the run's recording, 64 hexadecimal digits, on boards that take recordings. The response says whether the " +
      'file is wanted, and then nothing else is taken for this run.',
  })
  recordingHash?: string | null;

  @MaxLength(512)
  @Field(() => String, {
    nullable: true,
    description:
      'The nonce of this write, or the ticket of its run. Required; for a single score, it can be sent as a header instead.',
  })
  nonce?: string | null;

  @IsIdempotencyKey()
  @Field(() => String, {
    nullable: true,
    description:
      'Makes retries safe: for seven days, the same key from the same player returns the first result ' +
      'again. For a single score, it can be sent as a header instead.',
  })
  idempotencyKey?: string | null;
}

@InputType({ description: 'A score that a game server submits for a player.' })
export class CreateScoreEventInput {
  @IsIdOf('board')
  @Field(() => ID, { description: 'The board.' })
  boardId!: string;

  @IsIdOf('identity')
  @Field(() => ID, { description: "The player who achieved it, of the board's game." })
  identityId!: string;

  @Field(() => Float, { description: 'The value of the run; on counter boards, the amount to add.' })
  value!: number;

  @Field(() => Boolean, { defaultValue: false, description: 'True for a test score. Default: false.' })
  isTest?: boolean | null;

  @IsName(1, 64)
  @Field(() => String, {
    nullable: true,
    description:
      "The player's name, 1 to 64 characters. In production, it becomes the player's current name, unless " +
      'that is locked. Default: the current name.',
  })
  playerName?: string | null;

  @IsDisplay()
  @Field(() => String, { nullable: true, description: 'Formatted value, as sent by the game.' })
  valueDisplay?: string | null;

  @IsMetadata()
  @Field(() => JsonObject, { nullable: true, description: 'Metadata to store with it, at most 1,024 bytes.' })
  metadata?: Record<string, unknown> | null;

  @Only('graphql')
  @AreTagList(isTagValue, SUBMISSION_TAGS)
  @Field(() => [TagInput], { defaultValue: [], description: TAGS_DOC })
  tags?: TagInput[];

  @Only('rest')
  @RestName('tags')
  @AreSubmissionTags()
  @Field(() => JsonObject, {
    nullable: true,
    description:
      'Tags that the board\'s `dimensions` declare, e.g. `{class: "mage"}`: views by tags rank it in their groups.',
  })
  tagValues?: Record<string, string> | null;

  @IsName(1, 100)
  @Field(() => String, { nullable: true, description: 'City of the submission.' })
  city?: string | null;

  @IsCountry()
  @Field(() => String, { nullable: true, description: 'Two-letter ISO country code of the submission.' })
  country?: string | null;

  @IsTimeZone()
  @RestName('timezone')
  @Field(() => String, { nullable: true, description: 'IANA time zone of the submission.' })
  timeZone?: string | null;

  @IsIdempotencyKey()
  @Field(() => String, {
    nullable: true,
    description:
      'Makes retries safe: for seven days, the same key from the same account returns the first result ' +
      'again. For a single score, it can be sent as a header instead.',
  })
  idempotencyKey?: string | null;
}

/** Most items of a batch. */
const MOST_ITEMS = 100;

function AreItems(): PropertyDecorator {
  return Rule(
    'items',
    `must be 1 to ${MOST_ITEMS} items`,
    (value) => Array.isArray(value) && value.length >= 1 && value.length <= MOST_ITEMS,
    { minItems: 1, maxItems: MOST_ITEMS },
  );
}

@InputType({ description: 'Scores that a game client submits in one request.' })
export class SubmitScoresInput {
  @AreItems()
  @Field(() => [SubmitScoreInput], {
    nullable: 'items',
    description:
      'The scores, 1 to 100, each with its own `nonce` and, preferably, an `idempotencyKey`. Invalid ones are refused in the results.',
  })
  items!: (SubmitScoreInput | null)[];
}

@InputType({ description: 'Scores that a game server submits in one request.' })
export class CreateScoreEventsInput {
  @AreItems()
  @Field(() => [CreateScoreEventInput], {
    nullable: 'items',
    description:
      'The scores, 1 to 100, preferably each with an `idempotencyKey`. Invalid ones are refused in the results.',
  })
  items!: (CreateScoreEventInput | null)[];
}

/** How many players a caller may name, by its credential. */
export const MOST_AMONG = { admin: MOST_FRIENDS, client: 500, anonymous: 50 } as const;

const PlayerList = enumOf('PlayerList', 'A stored list of players.', {
  friends: 'The friends that the game server stored, and the player itself.',
});
type PlayerList = (typeof PlayerList)[keyof typeof PlayerList];

@InputType({
  description: 'Players that a ranking is limited to: those named, or a stored list. Empty: all players.',
})
export class AmongListInput {
  @ArePlayers(1, MOST_AMONG.admin)
  @Field(() => [ID], {
    nullable: true,
    description:
      `Ids of players, up to ${MOST_AMONG.admin.toLocaleString('en')} with an API key, ` +
      `${MOST_AMONG.client} for game clients, ${MOST_AMONG.anonymous} for all others. Those without a score on the board are left out.`,
  })
  playerIds?: string[] | null;

  @Field(() => PlayerList, {
    nullable: true,
    description: 'A stored list: `FRIENDS`. It includes the player whose list it is.',
  })
  list?: PlayerList | null;

  @IsIdOf('identity')
  @Field(() => ID, {
    nullable: true,
    description: 'The player whose list it is: for administrators; a game client has its own only.',
  })
  of?: string | null;
}

const POPULATION = {
  nullable: true,
  description: 'Population: `false` (default) production, `true` test, `"all"` both.',
};

const ONE_POPULATION = {
  nullable: true,
  description: 'True: only test data. False: only production. Absent: both.',
};

/** Arguments of REST's lists of one board's scores. */
@ArgsType()
export class ScoresArgs extends SortedPageArgs {
  @SortedBy(SORTABLE)
  @Field(() => String, {
    nullable: true,
    description:
      'Sort order as `field:direction` pairs of id, value, player_name, created_at and updated_at. Default: ' +
      "the board's ranking, rank 1 first, which is the same as `value:<the board's direction>`; the other " +
      'direction is its exact reverse. Other orders read the whole board and are available to ' +
      'administrators and game clients, once per operation and one at a time per account (further ones wait ' +
      "up to five seconds). Visitors can only use the board's ranking or its reverse.",
  })
  override sort?: string | null;

  @Field(() => TestFilterScalar, POPULATION)
  isTest?: TestFilter | null;

  @IsPlayer()
  @Field(() => ID, {
    nullable: true,
    description: 'Only scores of this identity; `me` for the identity of a client’s own session.',
  })
  identityId?: string | null;

  @Nested()
  @Field(() => AmongListInput, {
    nullable: true,
    description:
      "Only scores of these players, in the board's order. `amongRank` is the rank among them, `rank` the " +
      'one on the board. On boards that rank every run, the best of each player. `aroundScoreId` and ' +
      '`aroundValue` then refer to the ranking among them.',
  })
  among?: AmongListInput | null;

  @IsIdOf('score')
  @Field(() => ID, {
    nullable: true,
    description:
      'Returns the scores around this one, in ranking order. `sort` is ignored. Use the cursors without this argument to continue.',
  })
  aroundScoreId?: string | null;

  @Field(() => Float, {
    nullable: true,
    description:
      'Returns the scores around the rank this value would get, with a placeholder entry for it, in ranking order.',
  })
  aroundValue?: number | null;

  @IsViewName()
  @Field(() => String, {
    nullable: true,
    description: "A view of the board: its ranking in place of the board's own. Its rows are `standings`.",
  })
  view?: string | null;

  @IsPeriodKey()
  @Field(() => String, {
    nullable: true,
    description: 'With `view`: its period, by key, e.g. `2026-W48`, or `current` (default) or `previous`.',
  })
  period?: string | null;

  @Field(() => TagFilter, {
    nullable: true,
    description: 'With a view by tags: the value of each tag.',
  })
  where?: Record<string, string> | null;

  @IsIdOf('board')
  @Field(() => ID, { description: 'The board.' })
  boardId!: string;

  @IsIdOf('account')
  @Field(() => ID, { nullable: true, description: 'The account of the board. Required for superadmins.' })
  accountId?: string | null;

  @IsIdOf('game')
  @Field(() => ID, { nullable: true, description: 'The game of the board.' })
  gameId?: string | null;
}

@InputType({ description: 'Which scores to list.' })
export class ScoreFilter {
  @IsPlayer()
  @Field(() => ID, {
    nullable: true,
    description: "Only scores of this player; `me`: the player of the client's own session.",
  })
  identityId?: string | null;

  @Field(() => Boolean, ONE_POPULATION)
  isTest?: boolean | null;
}

const VerdictFilter = enumOf('VerdictFilter', 'Events by the verdicts of verifiers.', {
  none: 'Their recording is stored, and no verifier has given a verdict.',
  verified: 'A verifier says that the recording gives the value.',
  rejected: 'A verifier says that it gives another one.',
  unknown: 'A verifier could not tell.',
});
type VerdictFilter = (typeof VerdictFilter)[keyof typeof VerdictFilter];

@InputType({ description: 'Which score events to list.' })
export class ScoreEventFilter {
  @IsIdOf('board')
  @Field(() => ID, { nullable: true, description: 'Only events of this board.' })
  boardId?: string | null;

  @IsIdOf('identity')
  @Field(() => ID, { nullable: true, description: 'Only events of this player.' })
  identityId?: string | null;

  @Only('graphql')
  @Field(() => Boolean, ONE_POPULATION)
  isTest?: boolean | null;

  @Only('rest')
  @Field(() => TestFilterScalar, {
    nullable: true,
    description: 'Population: `true` test, `false` production, `"all"` (default) both.',
  })
  population?: TestFilter | null;

  @Field(() => Boolean, {
    nullable: true,
    description: 'True: only events whose recording is stored. Needs `boardId`; false is not possible.',
  })
  hasRecording?: boolean | null;

  @Field(() => VerdictFilter, {
    nullable: true,
    description:
      'Only events with this verdict of any verifier, or with a stored recording and none. Needs `boardId`.',
  })
  verdict?: VerdictFilter | null;

  @IsIdOf('verificationPass')
  @Field(() => ID, {
    nullable: true,
    description: 'With `verdict`: of this pass. Absent: given when the recording was stored.',
  })
  passId?: string | null;
}
