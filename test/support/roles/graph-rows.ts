import { inputId, onBoard } from './graph-arguments.js';
import { MUTATION_ROWS } from './mutation-rows.js';
import { QUERY_ROWS } from './query-rows.js';
import { field, nodeRows, ofChief, type Row } from './rows.js';

/** `Query.node`, `Query.nodes` and `Mutation.restore`, for each kind of record. */
const NODE_ROWS: Row[] = [
  field('Query.node', 'BOTH_MALFORMED', () => ({ id: 'none' }), { type: 'Account', label: 'no id' }),
  field('Query.nodes', 'BOTH_MALFORMED', () => ({ ids: ['none'] }), { type: 'Account', label: 'no id' }),
  ...nodeRows('Account', 'account_id', 'NODE_ACCOUNT', 'ADMIN_ACCOUNT_DELETE'),
  ...nodeRows('User', 'user_id', 'NODE', 'ADMIN_DELETE'),
  ...nodeRows('ApiKey', 'key_id', 'NODE', 'ADMIN_DELETE'),
  ofChief(field('Mutation.restore', 'CHIEF_RECORD', inputId('user_id'), { type: 'User', label: 'User' })),
  ofChief(field('Mutation.restore', 'CHIEF_KEPT', inputId('key_id'), { type: 'ApiKey', label: 'ApiKey' })),
  ...nodeRows('IdentityProvider', 'provider_id', 'NODE', 'SUPERADMIN_RESTORE'),
  ...nodeRows('WebhookEndpoint', 'endpoint_id', 'NODE', 'ADMIN_DELETE'),
  ...nodeRows('WebhookDelivery', 'delivery_id', 'NODE'),
  ...nodeRows('Game', 'game_id', 'NODE', 'ADMIN_DELETE'),
  ...nodeRows('Board', 'board_id', 'NODE_SHOWN', 'BOTH_RESTORE'),
  ...nodeRows('RatioConfig', 'ratio_config_id', 'NODE_BOTH'),
  ...nodeRows('BoardTemplate', 'template_id', 'NODE', 'ADMIN_DELETE'),
  ...nodeRows('PlayerProvider', 'player_provider_id', 'NODE', 'ADMIN_DELETE'),
  ...nodeRows('Device', 'device_id', 'NODE', 'ADMIN_DELETE'),
  ...nodeRows('DeviceSession', 'session_id', 'NODE', 'ADMIN_DELETE'),
  ...nodeRows('Identity', 'identity_id', 'NODE', 'ADMIN_DELETE'),
  ...nodeRows('BoardState', 'state_id', 'NODE'),
  ...nodeRows('SubmissionRecord', 'meta_id', 'NODE'),
  ...nodeRows('ScoreFlag', 'flag_id', 'NODE', 'ADMIN_DELETE'),
  ...nodeRows('IdentityReview', 'review_id', 'NODE'),
  ...nodeRows('PlayerMerge', 'merge_id', 'NODE'),
  ...nodeRows('Comment', 'comment_id', 'NODE'),
  ...nodeRows('Alert', 'alert_id', 'NODE'),
  ...nodeRows('Closing', 'closing_id', 'NODE'),
  ...nodeRows('Reward', 'reward_id', 'NODE'),
  ...nodeRows('ScoreImport', 'import_id', 'NODE'),
  ...nodeRows('AuditEntry', 'audit_entry_id', 'NODE_ACCOUNT'),
  ...nodeRows('Score', 'score_id', 'NODE_BOTH'),
  ...nodeRows('ScoreEvent', 'event_id', 'NODE'),
  ...nodeRows('JamCode', 'jam_code_id', 'SUPERADMIN_RECORD'),
  ...nodeRows('JamCodeRedemption', 'redemption_id', 'SUPERADMIN_RECORD'),
];

/** The fields of Subscription. */
const SUBSCRIPTION_ROWS: Row[] = [
  field('Subscription.boardChanged', 'WATCH', onBoard),
  field('Subscription.boardChanged', 'WATCH_TESTS', ({ of }) => ({ boardId: of.board_id, isTest: true }), {
    label: 'of tests',
  }),
  field('Subscription.scoreFlagReviewed', 'ADMIN_RECORD', ({ of }) => ({
    gameId: of.game_id,
    after: Buffer.from('0:00000000-0000-0000-0000-000000000000').toString('base64url'),
  })),
  field('Subscription.alertRaised', 'ADMIN_RECORD', ({ of }) => ({
    gameId: of.game_id,
    after: Buffer.from('0:00000000-0000-0000-0000-000000000000').toString('base64url'),
  })),
  field('Subscription.scoreFlagged', 'ADMIN_POSITION', ({ of }) => ({ after: of.early_flag_id })),
  field('Subscription.scoreFlagged', 'ADMIN_POSITION', ({ of }) => ({ after: of.flag_id }), {
    label: 'where those of others come next',
  }),
  field('Subscription.rankChanged', 'WATCH', ({ of }) => ({
    boardId: of.board_id,
    identityIds: [of.identity_id],
  })),
  field(
    'Subscription.rankChanged',
    'WATCH_TESTS',
    ({ of }) => ({ boardId: of.board_id, identityIds: [of.test_identity_id], isTest: true }),
    { label: 'in tests' },
  ),
  field('Subscription.overtaken', 'CLIENT_RECORD', onBoard),
  field('Subscription.rewardGranted', 'CLIENT_CALL', () => ({})),
  field('Subscription.playerChanged', 'CLIENT_CALL', () => ({})),
  field('Subscription.boardChanged', 'WATCH_UNPUBLISHED', ({ of }) => ({ boardId: of.hidden_id }), {
    label: 'hidden',
  }),
];

/** Every field of Query, Mutation and Subscription: a missing one fails the matrix. */
export const GRAPH_ROWS: Row[] = [...QUERY_ROWS, ...NODE_ROWS, ...MUTATION_ROWS, ...SUBSCRIPTION_ROWS];
