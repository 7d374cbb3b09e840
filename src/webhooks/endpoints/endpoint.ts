import { enumOf } from '../../graphql/enums.js';
import { kind } from '../../graphql/records/kinds.js';
import {
  asked,
  type Created,
  changeInput,
  computed,
  createdAt,
  fixed,
  idField,
  later,
  made,
  newInput,
  preset,
  RecordType,
  required,
  rowOf,
  type Updated,
  updatedAt,
} from '../../graphql/records/record.js';
import { Only } from '../../graphql/views.js';
import { endpointUrl, eventNames, filterOf } from './kinds.js';

const WebhookFormat = enumOf('WebhookFormat', 'What an endpoint gets.', {
  json: 'The whole event, signed by Standard Webhooks.',
  discord: 'A message for a webhook of a Discord channel.',
  slack: 'A message for an incoming webhook of Slack.',
});

const WebhookPopulation = enumOf('WebhookPopulation', 'Whose scores an endpoint hears of.', {
  production: 'Players.',
  test: 'Test sessions.',
  all: 'Both; events say which.',
});

const WebhookOvertaking = enumOf(
  'WebhookOvertaking',
  'Who passes a player that `player.overtaken` reports.',
  {
    anyone: 'Anyone; players among the first `overtakenTop` ranks are reported.',
    friends:
      'A player on the overtaken one’s friend list, at any rank. At most 100 players of a board are reported at once.',
  },
);

const WebhookEndpointStatus = enumOf('WebhookEndpointStatus', 'Whether deliveries are sent to an endpoint.', {
  active: 'They are sent.',
  paused: 'They are kept and sent when the endpoint is resumed.',
  disabled: 'It failed for days, or answered 410. Events are logged as failed and can be sent again.',
});

export const endpointFields = {
  id: idField('webhookEndpoint'),
  accountId: fixed(required(kind.idOf('account'), 'The account it belongs to.')),
  name: required(kind.label(100), 'Its name.'),
  url: required(endpointUrl, 'The address that requests are sent to.'),
  events: required(eventNames, 'Types of the events it is told of, like `board.closed`.'),
  gameIds: preset(filterOf('game'), [], 'Only events of these games. Empty: of all.'),
  boardIds: preset(filterOf('board'), [], 'Only events of these boards. Empty: of all.'),
  population: preset(kind.oneOf(WebhookPopulation), 'production', 'Whose scores it hears of.'),
  format: preset(kind.oneOf(WebhookFormat), 'json', 'What it gets.'),
  ordered: preset(
    kind.flag,
    false,
    'True: events of one board arrive in order, with a `number`; a failed one holds up the rest. Not for chat formats.',
  ),
  closingMinutes: preset(
    kind.whole(1, 43_200),
    60,
    'How long before its end `board.closing` reports a board, in minutes.',
  ),
  leaderSeconds: preset(
    kind.whole(10, 86_400),
    60,
    'Shortest time between two `board.leader_changed` of a board, in seconds.',
  ),
  overtakenTop: preset(
    kind.whole(1, 100),
    10,
    '`player.overtaken` reports players among this many first ranks.',
  ),
  overtakenBy: preset(
    kind.oneOf(WebhookOvertaking),
    'anyone',
    'Who passes the players that `player.overtaken` reports.',
  ),
  status: made(kind.oneOf(WebhookEndpointStatus), 'Whether deliveries are sent to it.'),
  statusReason: made(kind.orNull(kind.text), 'Why the service has paused or disabled it. Null otherwise.'),
  paused: later(
    asked(
      kind.flag,
      'True keeps deliveries until it is resumed. False resumes it, also where the service disabled it.',
    ),
  ),
  previousSecretUntil: made(
    kind.orNull(kind.moment),
    'Until then, requests are signed with the previous secret, too. Null: there is none.',
  ),
  secret: computed(
    kind.orNull(kind.text),
    'The secret that signs its requests. Returned only when it is created or rotated.',
  ),
  failingSince: made(
    kind.orNull(kind.moment),
    'Since when every request to it has failed. Null: the latest one succeeded.',
  ),
  createdAt,
  updatedAt,
};

@RecordType(endpointFields, 'A webhook endpoint: an address that is told of events in an account.')
export class WebhookEndpoint extends rowOf(endpointFields) {
  static override tableName = 'webhook_endpoints';
  // The address may hold a token: the audit log gets its host and a fingerprint.
  static override unaudited = [
    'url',
    'sealedSecret',
    'previousSecret',
    'previousSecretUntil',
    'epoch',
    'watchingSince',
    'failures',
    'failingSince',
    'openUntil',
  ];

  /** Encrypted (Seal). */
  sealedSecret!: Buffer;
  previousSecret!: Buffer | null;

  @Only('rest')
  secret?: string;

  /** Another one after a restore. A bare uuid. */
  epoch!: string;
  /** Boards that are older begin with the leader they have. */
  watchingSince!: Date;
  /** Attempts in a row that failed. */
  failures!: number;
  /** Its last answer was slow, or didn't come: it's sent to from a lane of its own. */
  isSlow!: boolean;
  /** Nothing is sent before. */
  openUntil!: Date | null;
}

export const CreateWebhookEndpointInput = newInput(
  'CreateWebhookEndpointInput',
  'A new webhook endpoint.',
  endpointFields,
);
export type CreateWebhookEndpointInput = Created<typeof endpointFields>;

export const UpdateWebhookEndpointInput = changeInput(
  'UpdateWebhookEndpointInput',
  'Changes to a webhook endpoint. Absent fields stay unchanged.',
  endpointFields,
);
export type UpdateWebhookEndpointInput = Updated<typeof endpointFields> & { deleted?: boolean };
