import { prefixes } from '../../base/ids.js';
import { idPrefix, type JsonSchema, withKind } from './json-schema.js';

/** What a browser returns for a passkey, shortened. */
function passkeyResponse(type: string, members: Record<string, string>): string {
  const client = { type, challenge: '3q2-7wAAAZRbPF4AejucHS9Oag', origin: 'https://scores.example.com' };
  const clientDataJSON = Buffer.from(JSON.stringify(client)).toString('base64url');
  return JSON.stringify({ id: 'AZRbPF4Aejuc', type: 'public-key', response: { clientDataJSON, ...members } });
}

/**
 * Examples that show a member's purpose, by its name or by record and name. Ids, times, numbers, booleans and enums
 * need none; the contract's linter reports every text without one.
 */
const WORDS: Record<string, unknown> = {
  'AddPasskeyInput.response': passkeyResponse('webauthn.create', { attestationObject: 'o2NmbXRkbm9uZQ' }),
  'SignInWithPasskeyInput.response': passkeyResponse('webauthn.get', {
    authenticatorData: 'SZYN5YgOjGh0NBcP',
    signature: 'MEUCIQDx',
    userHandle: 'AZRbPF4Aejs',
  }),
  'Account.name': 'Blue Studio',
  'Account.slug': 'blue-studio',
  'ApiKey.name': 'Build server',
  'ApiKey.prefix': 'svc_8Jq2vXw0aZ',
  'ApiKey.last_used_from': '192.0.2.7',
  'Board.name': 'High score',
  'Board.slug': 'high-score',
  'Board.board_type': 'run_identity',
  'Board.sort_direction': 'desc',
  'Board.keep_strategy': 'best',
  'Board.description': 'The best run of each player.',
  'IdentityProvider.name': 'Studio login',
  'IdentityProvider.issuer': 'https://login.example.com',
  'IdentityProvider.client_id': 'leaderboards',
  client_secret: 'mEwPqN5SgpVL0mHc3oRj',
  'IdentityProvider.scopes': 'openid email profile offline_access',
  'IdentityProvider.groups_claim': 'groups',
  'IdentityProvider.domains': ['example.com'],
  'IdentityProvider.group_roles': [{ group: 'moderators', role: 'moderator' }],
  group: 'moderators',
  key_days: 90,
  'PlayerProvider.slug': 'apple',
  'PlayerProvider.issuer': 'https://appleid.apple.com',
  'PlayerProvider.keys_url': 'https://appleid.apple.com/auth/keys',
  'PlayerProvider.public_key': null,
  'PlayerProvider.audiences': ['com.example.skyrace'],
  'PlayerProvider.client_id': null,
  'PlayerProvider.secret': null,
  'PlayerProvider.redirect_url': null,
  'PlayerProvider.steam_identity': null,
  'PlayerProvider.last_refusal': null,
  'ClientSession.merge_refused': null,
  'PlayerProof.provider': 'apple',
  'PlayerProof.subject': '…4f1a',
  'RemovePlayerProofPayload.provider': 'apple',
  'RemovePlayerProofPayload.subject': '…4f1a',
  'ProofInput.provider': 'apple',
  'ProofInput.token': 'eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiIwMDE4In0.c2lnbmF0dXJl',
  'CreateLinkCodePayload.code': 'K7M2QXH4',
  'RedeemLinkCodePayload.code': 'K7M2-QXH4',
  'RedeemLinkCodeInput.code': 'K7M2-QXH4',
  'AddPlayerProofPayload.provider': 'apple',
  'TestPlayerProviderPayload.token': 'eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiIwMDE4In0.c2lnbmF0dXJl',
  'TestPlayerProviderPayload.subject': '0018',
  watch_url: 'https://sky-race.example.com/watch?run={recording}',
  'AddPlayerProofPayload.token': 'eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiIwMDE4In0.c2lnbmF0dXJl',
  'WebhookEndpoint.name': 'Backend',
  'WebhookEndpoint.url': 'https://api.example.com/hooks/leaderboard',
  'WebhookEndpoint.events': ['board.closed', 'board.leader_changed'],
  'WebhookEndpoint.game_ids': [],
  'WebhookEndpoint.board_ids': [],
  'WebhookEndpoint.secret': 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw2Tm5b0Cyq9E=',
  'WebhookEndpoint.status_reason': null,
  leader_seconds: 60,
  'WebhookDelivery.type': 'board.closed',
  'WebhookDelivery.response_head': null,
  'Game.name': 'Sky Race',
  'Game.slug': 'sky-race',
  'Game.description': 'Races above the clouds.',
  'Game.default_board_id': null,
  anti_cheat_settings: { rate_limit: { b: 120 }, duplicate_seconds: { a: 'off', b: 60 } },
  'Device.linked_identity_id': null,
  'Board.created_from_template_id': null,
  'Board.rehearsal_of_id': null,
  'Board.template_name': null,
  'BoardTemplate.name': 'Weekly',
  'BoardTemplate.slug': 'weekly',
  'BoardTemplate.board_type': 'run_identity',
  'BoardTemplate.sort_direction': 'desc',
  'BoardTemplate.keep_strategy': 'best',
  'ConfigurationChange.id': 'brd_0198c5b2-9f6a-7b7e-8a51-3f6f0c9f2f11',
  'ConfigurationRecord.id': 'brd_0198c5b2-9f6a-7b7e-8a51-3f6f0c9f2f11',
  file: { games: [{ name: 'Sky Race', boards: [{ name: 'High score', keep_strategy: 'best' }] }] },
  digest: 'wFw7QhYq0mW1cR0Vb5m0uJ0c8mQ9nXo3l2q7kq8yJ5A',
  title: 'Golden trophy',
  verifier: 'arcade',
  verifier_version: '7',
  'GiveVerdictPayload.reason': 'It gives 940.',
  'VerificationPass.failure': null,
  'Reward.line': 'gold',
  'PrizeDifference.line': 'gold',
  'ClientReward.line': 'gold',
  picture_url: 'https://sky-race.example.com/trophy.png',
  'ItemResult.status': 201,
  'Overtaken.by': [
    {
      rank: 1,
      display_rank: 1,
      value: 1_250,
      value_display: null,
      player_name: 'Bea',
      identity_id: 'ide_01945b3c-5e00-7a3b-9c1d-2f4e6a8b0c44',
    },
  ],
  'SubmitScoresPayload.items': [
    {
      board_id: 'brd_01945b3c-5e00-7a3b-9c1d-2f4e6a8b0cad',
      player_name: 'Ann',
      value: 1200,
      nonce: '3q2-7wAAAZRbPF4AejucHS9Oag',
      idempotency_key: 'run-1',
    },
  ],
  'CreateScoreEventsPayload.items': [
    {
      board_id: 'brd_01945b3c-5e00-7a3b-9c1d-2f4e6a8b0cad',
      identity_id: 'ide_01945b3c-5e00-7a3b-9c1d-2f4e6a8b0c43',
      value: 1200,
      idempotency_key: 'run-1',
    },
  ],
  recording_hash: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  hash: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  'JamCode.active': true,
  'JamCode.code': 'JAM2030',
  'JamCode.description': 'Everybody at the autumn jam.',
  'JamCode.features': { boards: 10 },
  'Score.status': 'active',
  'Score.tags': { class: 'mage' },
  'ScoreEvent.tags': { class: 'mage' },
  'PlayerTags.tags': { guild: 'Ravens' },
  'SetPlayerTagsInput.tags': { guild: 'Ravens' },
  'SubmitScoreInput.tags': { class: 'mage' },
  'CreateScoreEventInput.tags': { class: 'mage' },
  'BoardGroup.key': 'NL',
  'Season.name': 'spring',
  'SeasonInput.name': 'spring',
  'ViewInterval.every': 14,
  'ViewIntervalInput.every': 14,
  'Dimension.name': 'class',
  'Dimension.values': ['mage', 'rogue'],
  'DimensionInput.name': 'class',
  'DimensionInput.values': ['mage', 'rogue'],
  'BoardView.name': 'weekly',
  'BoardView.seasons': null,
  'BoardView.every': null,
  'TemplateView.name': 'daily',
  'BoardViewInput.name': 'weekly',
  'Closing.period': '2026-W48',
  'ClosingPreview.period': '2026-W48',
  'PreviewedLine.line': 'gold',
  'PreviewedWebhook.type': 'ranking.closed',
  'Closing.group': 'NL',
  'Closing.view': 'weekly',
  'BoardPeriod.key': '2026-W48',
  'BoardPeriod.total': 812,
  'Score.standings': 'weekly,country',
  time_zone: 'Europe/Berlin',
  window_time_zone: 'Europe/Berlin',
  day_start: '04:00',
  by: ['country'],
  from: '2026-01-05',
  of: '2026-W48',
  view: 'weekly',
  views: [],
  dimensions: [],
  total: 812,
  percentile: 100,
  'BoardReview.failure': null,
  'PodiumPlace.rank': 1,
  'AuditEntry.agent': 'run-board-templates',
  'AuditEntry.before': { status: 'pending' },
  'AuditEntry.after': { status: 'confirmed_cheat' },
  'ScoreFlag.explanation':
    'Two submissions 0.4 seconds apart: 1,150, then 1,200. At least 2 seconds are expected.',
  'Alert.explanation': 'The median score went from 975 to 10.2 within an hour, with 35 more entries.',
  'FlagDetail.label': 'Time between',
  'FlagDetail.text': '0.4 seconds',
  'UsualValues.from': 950,
  'UsualValues.to': 1250,
  'ScoreFlag.metadata': { seconds: 0.4, limit: 2 },
  'ReviewScoreFlag.status': 'dismissed',
  'UpdateIdentityReview.undone': true,
  'UpdatePlayerMerge.undone': true,
  account_name: 'Blue Studio',
  account_slug: 'blue-studio',
  access_token: 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJkZXZfMDE5NDViM2MifQ.4cA7Qm0yVnE1',
  around_score_value: 1500,
  city: 'Utrecht',
  cursor: 'eyJwIjpbLTEyMDAsN10sInMiOiJib2FyZCIsImYiOnt9LCJkIjoiZiJ9',
  ids: ['ide_01945b3c-5e00-7a3b-9c1d-2f4e6a8b0c43'],
  player_ids: ['ide_01945b3c-5e00-7a3b-9c1d-2f4e6a8b0c43'],
  'AddScoreImportChunkPayload.reason': 'value must be a finite number',
  browser_token: 'pR4xkq0mVh2tZw8sLc5nYb1dGf7jUe3oQa9iXvKzB6M',
  content: 'external_key,player_name,value\nplayer-4711,Ann,1200\n',
  created_by: null,
  'CompleteRegistrationPayload.api_key': 'svc_8Jq2vXw0aZ5tYh3mB6nRk1cLd9fGp4sEu7iOaWbXvQz',
  client_fingerprint: 'phone-7c1f0e',
  code: 'K7M2QX',
  country: 'NL',
  description: 'Shown to players.',
  display_name: 'Ann',
  email: 'ann@example.com',
  event_payload: { player_name: 'Ann' },
  expires_in: 86_400,
  external_key: 'player-4711',
  friend_ids: ['ide_01945b3c-5e00-7a3b-9c1d-2f4e6a8b0c43'],
  game_slug: 'sky-race',
  icon: 'fa-crown',
  idempotency_key: 'run-1',
  game_version: '1.4.2',
  ip_address: '192.0.2.7',
  jam_code: 'JAM2030',
  key: 'svc_8Jq2vXw0aZ5tYh3mB6nRk1cLd9fGp4sEu7iOaWbXvQz',
  metadata: { level: 3 },
  message: 'A code is on its way.',
  last_error: null,
  name: 'High score',
  name_template: 'Week {week} of {year}',
  nonce: '3q2-7wAAAZRbPF4AejucHS9Oag',
  nonce_value: '3q2-7wAAAZRbPF4AejucHS9Oag',
  page_url: 'https://sky-race.example.com',
  accent_colour: '#2a56c6',
  overlay_origins: ['https://sky-race.example.com'],
  logo_url:
    'https://scores.example.com/pictures/9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08.png',
  cover_url:
    'https://scores.example.com/pictures/60303ae22b998861bce3b28f33eec1be758a213c86c93c076dbe9f558c11c752.jpg',
  platform: 'ios',
  platform_app_id: 'com.example.skyrace',
  player_name: 'Ann',
  rank: 1,
  reviewer_decision: 'Seen with a speed hack on stream',
  reason: 'Seen with a speed hack on stream',
  request_token: 'pR4xkq0mVh2tZw8sLc5nYb1dGf7jUe3oQa9iXvKzB6M',
  requested_by: null,
  undone_by: null,
  claimed_by: null,
  acknowledged_by: null,
  revoked_by: null,
  reward_id: null,
  revoke_reason: null,
  refresh_token: 'eyJhbGciOiJIUzI1NiJ9.eyJ0eXAiOiJyZWZyZXNoIn0.9Xc2bT5kWq8L',
  repeat_interval: '1 week',
  series: 'season',
  short_code: 'K7M2QX',
  slug: 'high-score',
  sort: 'created_at:desc,id:asc',
  tags: ['arcade'],
  template_name: 'Weekly',
  default_view: 'weekly',
  ticket: 'tkt_AZ2jz4gAgACAAAAAAAAAAQGdo8-IAAABnaPPAAAAAABMZ7qVAAAAAAAxLjQuMt6tvu_erb7v3q2-796tvu8',
  timezone: 'Europe/Amsterdam',
  trust_tier: 'b',
  unit: 'points',
  url: 'https://play.example.com/games/sky-race',
  url_short: 'https://play.example.com/b/K7M2QX',
  user_agent: 'SkyRace/2.1',
  verification_token: 'Zk3v0mQh1tYw7rXb5nLc9sDf2gPj4kEu6iOaWbXvQz8',
  value: 1200,
  value_display: '1,200 points',
};

const EXAMPLE_UUID = '01945b3c-5e00-7a3b-9c1d-2f4e6a8b0c';
const EXAMPLE_TIME = '2026-03-01T18:00:00.000Z';
const LATER = '2026-03-08T18:00:00.000Z';

/** Returns an example id: the same for each mention of a record, different for each kind. */
function exampleId(prefix: string): string {
  const last = [...prefix].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 256, 7);
  return `${prefix}_${EXAMPLE_UUID}${last.toString(16).padStart(2, '0')}`;
}

/**
 * Returns the documented example of a member; undefined: none.
 * @param record the GraphQL type that the member belongs to, e.g. `Board`
 * @param name in REST's spelling
 */
export function exampleOf(record: string, name: string, schema: JsonSchema): unknown {
  const own = `${record}.${name}`;
  // Text in addresses, an object in answers.
  if (name === 'where') return schema.type === 'string' ? 'country:NL' : { country: 'NL' };
  if (own in WORDS) return WORDS[own];
  const prefix = name === 'subject_id' ? prefixes.scoreFlag : idPrefix(record, name);
  if (prefix && !name.endsWith('s')) return exampleId(prefix);
  const [type] = [schema.type].flat();
  if (schema.format === 'date-time') return /^(ends|expires|.+_expires)_/.test(name) ? LATER : EXAMPLE_TIME;
  if (Array.isArray(schema.enum)) return schema.default ?? (schema.enum as unknown[])[0];
  if (name in WORDS) return WORDS[name];
  if (type === 'boolean') return schema.default ?? /^(is_active|is_published|anti_cheat_enabled)$/.test(name);
  if (type === 'integer' || type === 'number') return schema.default ?? 1;
  return undefined;
}

/** Returns the schema with its example and the kind of its ids; a member of a composite type unchanged. */
export function withExample(record: string, name: string, schema: JsonSchema): JsonSchema {
  const value = exampleOf(record, name, schema);
  const known = withKind(record, name, schema);
  return value === undefined ? known : { ...known, examples: [value] };
}

/** Optional members that examples of request bodies include, by operation. */
const NOTABLE: Record<string, string[]> = {
  CreateScoreFlag: ['confidence'],
  ReviewScoreFlag: ['status', 'reviewer_decision'],
  ReviewIdentity: ['identity_id', 'reason'],
  CreateGame: ['slug', 'tags'],
  CreateBoardTemplate: ['name_template', 'keep_strategy'],
  CreatePlayerProvider: ['issuer', 'audiences'],
  CreateBoard: ['keep_strategy', 'sort_direction', 'unit'],
  RegisterComplete: ['account_name'],
  StartSession: ['platform'],
  // In GraphQL: REST has it in the path.
  SetPlayerTags: ['identity_id'],
  SubmitScore: ['metadata'],
  RedeliverWebhooks: ['failed_since'],
  UpdateAccount: ['city', 'timezone'],
  UpdateUser: ['display_name'],
  UpdateGame: ['description'],
  UpdateBoard: ['name', 'ends_at'],
};

/** Returns an example body, from the examples of the operation's members; a change includes at least one. */
export function exampleBody(
  operation: string,
  members: { name: string; required: boolean; example: unknown }[],
): Record<string, unknown> {
  const notable = NOTABLE[operation] ?? [];
  const known = members.filter(({ example }) => example !== undefined && example !== null);
  let shown = known.filter(({ name, required }) => required || notable.includes(name));
  if (shown.length === 0) shown = known.slice(0, 1);
  return Object.fromEntries(shown.map(({ name, example }) => [name, example]));
}
