import { Field, ID, InputType, Int } from 'type-graphql';
import { isId } from '../../base/ids.js';
import { Deletion } from '../../graphql/changed-record.js';
import { IsIdOf, IsName, IsWithin, NotNull, Rule } from '../../graphql/rules.js';
import { EVENT_NAMES } from '../events/event-types.js';
import { WebhookFormat, WebhookOvertaking, WebhookPopulation } from './endpoint.js';

const MOST_FILTERED = 100;

function AreEvents(): PropertyDecorator {
  const known: readonly string[] = EVENT_NAMES;
  return Rule(
    'events',
    `must be 1 to ${known.length} of ${known.join(', ')}, each once`,
    (value) =>
      Array.isArray(value) &&
      value.length > 0 &&
      new Set(value).size === value.length &&
      value.every((name) => known.includes(name as string)),
    { minItems: 1, maxItems: known.length },
  );
}

function AreIdsOf(kind: 'game' | 'board'): PropertyDecorator {
  return Rule(
    'ids',
    `must be at most ${MOST_FILTERED} different ids of ${kind}s`,
    (value) =>
      Array.isArray(value) &&
      value.length <= MOST_FILTERED &&
      new Set(value).size === value.length &&
      value.every((id) => isId(kind, id)),
    { maxItems: MOST_FILTERED },
  );
}

function IsEndpointUrl(): PropertyDecorator {
  return Rule(
    'url',
    'must be an https URL of at most 2,000 characters, without user and password',
    (value) => {
      if (typeof value !== 'string' || value.length > 2_000 || !URL.canParse(value)) return false;
      const { protocol, username, password } = new URL(value);
      return /^https?:$/.test(protocol) && username === '' && password === '';
    },
    { format: 'uri', maxLength: 2_000 },
  );
}

const URL_TEXT = 'Where requests are sent to, `https://…`.';
const EVENTS_TEXT = 'Types of the events it is told of, like `board.closed`.';
const GAMES_TEXT = 'Only events of these games. Empty: of all.';
const BOARDS_TEXT = 'Only events of these boards. Empty: of all.';
const ORDERED_TEXT = 'True: events of one board arrive in order. Not for chat formats.';
const CLOSING_TEXT = 'How long before its end `board.closing` reports a board, 1 to 43,200 minutes.';
const LEADER_TEXT = 'Shortest time between two `board.leader_changed` of a board, 10 to 86,400 seconds.';
const OVERTAKEN_TEXT = '`player.overtaken` reports players among this many first ranks, 1 to 100.';
const OVERTAKEN_BY_TEXT = 'Who passes the players that `player.overtaken` reports.';

@InputType({ description: 'A new webhook endpoint.' })
export class CreateWebhookEndpointInput {
  @IsIdOf('account')
  @Field(() => ID, { description: 'The account that it will belong to.' })
  accountId!: string;

  @IsName(1, 100)
  @Field(() => String, { description: 'Its name, 1 to 100 characters.' })
  name!: string;

  @IsEndpointUrl()
  @Field(() => String, { description: URL_TEXT })
  url!: string;

  @AreEvents()
  @Field(() => [String], { description: EVENTS_TEXT })
  events!: string[];

  @AreIdsOf('game')
  @Field(() => [ID], { defaultValue: [], description: GAMES_TEXT })
  gameIds?: string[] | null;

  @AreIdsOf('board')
  @Field(() => [ID], { defaultValue: [], description: BOARDS_TEXT })
  boardIds?: string[] | null;

  @Field(() => WebhookPopulation, {
    defaultValue: 'production',
    description: 'Whose scores it hears of. Default: `PRODUCTION`.',
  })
  population?: WebhookPopulation | null;

  @Field(() => WebhookFormat, { defaultValue: 'json', description: 'What it gets. Default: `JSON`.' })
  format?: WebhookFormat | null;

  @Field(() => Boolean, { defaultValue: false, description: ORDERED_TEXT })
  ordered?: boolean | null;

  @IsWithin(1, 43_200)
  @Field(() => Int, { defaultValue: 60, description: `${CLOSING_TEXT} Default: 60.` })
  closingMinutes?: number | null;

  @IsWithin(10, 86_400)
  @Field(() => Int, { defaultValue: 60, description: `${LEADER_TEXT} Default: 60.` })
  leaderSeconds?: number | null;

  @IsWithin(1, 100)
  @Field(() => Int, { defaultValue: 10, description: `${OVERTAKEN_TEXT} Default: 10.` })
  overtakenTop?: number | null;

  @Field(() => WebhookOvertaking, {
    defaultValue: 'anyone',
    description: `${OVERTAKEN_BY_TEXT} Default: \`ANYONE\`.`,
  })
  overtakenBy?: WebhookOvertaking | null;
}

@InputType({ description: 'Changes to a webhook endpoint. Absent fields stay unchanged.' })
export class UpdateWebhookEndpointInput {
  @NotNull()
  @IsName(1, 100)
  @Field(() => String, { nullable: true, description: 'Its name, 1 to 100 characters.' })
  name?: string;

  @NotNull()
  @IsEndpointUrl()
  @Field(() => String, { nullable: true, description: URL_TEXT })
  url?: string;

  @NotNull()
  @AreEvents()
  @Field(() => [String], { nullable: true, description: EVENTS_TEXT })
  events?: string[];

  @NotNull()
  @AreIdsOf('game')
  @Field(() => [ID], { nullable: true, description: GAMES_TEXT })
  gameIds?: string[];

  @NotNull()
  @AreIdsOf('board')
  @Field(() => [ID], { nullable: true, description: BOARDS_TEXT })
  boardIds?: string[];

  @NotNull()
  @Field(() => WebhookPopulation, { nullable: true, description: 'Whose scores it hears of.' })
  population?: WebhookPopulation;

  @NotNull()
  @Field(() => WebhookFormat, { nullable: true, description: 'What it gets.' })
  format?: WebhookFormat;

  @NotNull()
  @Field(() => Boolean, { nullable: true, description: ORDERED_TEXT })
  ordered?: boolean;

  @NotNull()
  @IsWithin(1, 43_200)
  @Field(() => Int, { nullable: true, description: CLOSING_TEXT })
  closingMinutes?: number;

  @NotNull()
  @IsWithin(10, 86_400)
  @Field(() => Int, { nullable: true, description: LEADER_TEXT })
  leaderSeconds?: number;

  @NotNull()
  @IsWithin(1, 100)
  @Field(() => Int, { nullable: true, description: OVERTAKEN_TEXT })
  overtakenTop?: number;

  @NotNull()
  @Field(() => WebhookOvertaking, { nullable: true, description: OVERTAKEN_BY_TEXT })
  overtakenBy?: WebhookOvertaking;

  @NotNull()
  @Field(() => Boolean, {
    nullable: true,
    description:
      'True keeps deliveries until it is resumed. False resumes it, also where the service disabled it.',
  })
  paused?: boolean;

  @Deletion()
  deleted?: boolean;
}

@InputType({ description: 'The endpoint whose secret to rotate.' })
export class RotateWebhookSecretInput {
  @IsWithin(0, 168)
  @Field(() => Int, {
    defaultValue: 24,
    description: 'For this many hours, requests are signed with both secrets, 0 to 168. Default: 24.',
  })
  overlapHours?: number | null;
}
