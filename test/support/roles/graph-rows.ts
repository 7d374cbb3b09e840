import { type Asked, field, fieldUpdate, fieldUpdateOfChief, nodeRows, ofChief, type Row } from './rows.js';

const id =
  (name: string) =>
  ({ of }: Asked) => ({ id: of[name] });
const ofAccount = ({ of }: Asked) => ({ accountId: of.account_id });
const inGame = ({ of }: Asked) => ({ gameId: of.game_id });
const onBoard = ({ of }: Asked) => ({ boardId: of.board_id });
const byBoardSlug = ({ of }: Asked) => ({ gameSlug: of.game_slug, slug: of.board_slug });
const by =
  (argument: string, name: string) =>
  ({ of }: Asked) => ({ [argument]: of[name] });
const newKey = ({ of, n }: Asked) => ({
  input: { accountId: of.account_id, userId: of.user_id, name: `made ${n}` },
});
const refreshed = (token: string, policy: string) =>
  field('Mutation.refreshDeviceSession', policy, ({ of }) => ({ input: { refreshToken: of[token] } }), {
    label: token,
  });
const ACCOUNT: [string, string] = ['ADMIN_ACCOUNT', 'ADMIN_ACCOUNT_DELETE'];

/** Every field of Query, Mutation and Subscription: a missing one fails the matrix. */
export const GRAPH_ROWS: Row[] = [
  field('Query.me', 'BOTH_CALL'),
  field('Query.account', 'ADMIN_ACCOUNT', id('account_id')),
  field('Query.accounts', 'ADMIN_LIST', ofAccount),
  field('Query.accounts', 'ADMIN_FIND', ({ of }) => ({ slug: of.account_slug }), { label: 'by slug' }),
  field('Query.user', 'ADMIN_RECORD', id('user_id')),
  field('Query.users', 'ADMIN_LIST', ofAccount),
  field('Query.apiKey', 'ADMIN_RECORD', id('key_id')),
  field('Query.apiKey', 'ADMIN_BELOW', id('key_below_id'), { label: 'of a deleted user' }),
  field('Query.apiKeys', 'ADMIN_LIST', ofAccount),
  field('Query.game', 'ADMIN_RECORD', id('game_id')),
  field('Query.game', 'ADMIN_FIND', ({ of }) => ({ slug: of.game_slug }), { label: 'by slug' }),
  field('Query.games', 'ADMIN_LIST', ofAccount),
  field('Query.board', 'BOTH_SHOWN', id('board_id')),
  field('Query.board', 'BOTH_BELOW', id('board_below_id'), { label: 'of a deleted game' }),
  field('Query.board', 'BOTH_FIND_SHOWN', ({ of }) => ({ shortCode: of.code }), { label: 'by code' }),
  field('Query.board', 'BOTH_FIND_SHOWN', byBoardSlug, { label: 'by slug' }),
  field('Query.boards', 'BOTH_LIST', ofAccount),
  field('Query.boards', 'BOTH_GAME_FILTER', inGame, { label: 'of a game' }),
  field('Query.boards', 'BOTH_FIND_SHOWN', byBoardSlug, { label: 'by slug' }),
  field('Query.boardTemplate', 'ADMIN_RECORD', id('template_id')),
  field('Query.boardTemplates', 'ADMIN_LIST', ofAccount),
  field('Query.boardTemplates', 'ADMIN_RECORD', inGame, { label: 'of a game' }),
  field('Query.previewBoardChange', 'ADMIN_RECORD', ({ of }) => ({
    id: of.board_id,
    input: { keepStrategy: 'LAST' },
  })),
  field('Query.jobs', 'SUPERADMIN_CREATE'),
  field('Query.score', 'BOTH_RECORD', id('score_id')),
  field('Query.scores', 'BOTH_BOARD', ({ of }) => ({ boardId: of.board_id, accountId: of.account_id })),
  field('Query.scores', 'BOTH_REGULAR', onBoard, { label: 'without an account' }),
  field('Query.scoreEvent', 'ADMIN_RECORD', id('event_id')),
  field('Query.scoreEvents', 'ADMIN_LIST', ofAccount),
  field('Query.scoreEvents', 'ADMIN_RECORD', onBoard, { label: 'of a board' }),
  field('Query.scoreEvents', 'ADMIN_RECORD', by('identityId', 'identity_id'), { label: 'of a player' }),
  field('Query.scoreFlag', 'ADMIN_RECORD', id('flag_id')),
  field('Query.pendingFlags', 'ADMIN_LIST', ofAccount),
  field('Query.pendingFlags', 'ADMIN_RECORD', inGame, { label: 'of a game' }),
  field('Query.pendingFlags', 'ADMIN_RECORD', onBoard, { label: 'of a board' }),
  field('Query.previewScoreFlagReview', 'ADMIN_RECORD', ({ of }) => ({
    id: of.flag_id,
    status: 'CONFIRMED_CHEAT',
  })),
  field('Query.findIdentities', 'ADMIN_RECORD', ({ of }) => ({
    gameId: of.game_id,
    name: of.game_slug!.slice(0, 2),
    first: 1,
  })),
  field('Query.previewBoardTemplate', 'ADMIN_RECORD', ({ of }) => ({ id: of.template_id, input: {} })),
  field('Query.scoreFlags', 'ADMIN_LIST', ofAccount),
  field('Query.scoreFlags', 'ADMIN_RECORD', onBoard, { label: 'of a board' }),
  field('Query.scoreFlags', 'ADMIN_RECORD', inGame, { label: 'of a game' }),
  field('Query.scoreFlags', 'ADMIN_RECORD', by('identityId', 'identity_id'), { label: 'of a player' }),
  field('Query.scoreFlags', 'ADMIN_RECORD', by('scoreEventId', 'event_id'), { label: 'of an event' }),
  field('Query.identityReview', 'ADMIN_RECORD', id('review_id')),
  field('Query.identityReviews', 'ADMIN_LIST', ofAccount),
  field('Query.identityReviews', 'ADMIN_RECORD', inGame, { label: 'of a game' }),
  field('Query.identityReviews', 'ADMIN_RECORD', by('identityId', 'identity_id'), { label: 'of a player' }),
  field('Query.identityReviews', 'ADMIN_RECORD', by('deviceId', 'device_id'), { label: 'of a device' }),
  field('Query.auditEntry', 'ADMIN_ACCOUNT', id('audit_entry_id')),
  field('Query.auditEntries', 'ADMIN_LIST', ofAccount),
  field('Query.auditEntries', 'ADMIN_FILTER', inGame, { label: 'of a game' }),
  field('Query.auditEntries', 'ADMIN_FILTER', by('userId', 'user_id'), { label: 'of a user' }),
  field('Query.auditEntries', 'ADMIN_FILTER', by('subjectId', 'identity_id'), { label: 'of a record' }),
  field('Query.device', 'ADMIN_RECORD', id('device_id')),
  field('Query.devices', 'ADMIN_LIST', ofAccount),
  field('Query.devices', 'ADMIN_RECORD', inGame, { label: 'of a game' }),
  field('Query.deviceSession', 'ADMIN_RECORD', id('session_id')),
  field('Query.deviceSessions', 'ADMIN_LIST', ofAccount),
  field('Query.deviceSessions', 'ADMIN_RECORD', inGame, { label: 'of a game' }),
  field('Query.deviceSessions', 'ADMIN_RECORD', by('deviceId', 'device_id'), { label: 'of a device' }),
  field('Query.identity', 'ADMIN_RECORD', id('identity_id')),
  field('Query.identities', 'ADMIN_LIST', ofAccount),
  field('Query.identities', 'ADMIN_RECORD', inGame, { label: 'of a game' }),
  field('Query.boardState', 'ADMIN_RECORD', id('state_id')),
  field('Query.boardState', 'ADMIN_BELOW', id('state_below_id'), { label: 'of a deleted player' }),
  field('Query.boardStates', 'ADMIN_RECORD', onBoard),
  field('Query.submissionMetadataRecord', 'ADMIN_RECORD', id('meta_id')),
  field('Query.submissionMetadata', 'ADMIN_LIST', ofAccount),
  field('Query.submissionMetadata', 'ADMIN_RECORD', onBoard, { label: 'of a board' }),
  field('Query.submissionMetadata', 'ADMIN_RECORD', inGame, { label: 'of a game' }),
  field('Query.submissionMetadata', 'ADMIN_RECORD', by('identityId', 'identity_id'), {
    label: 'of a player',
  }),
  field('Query.submissionMetadata', 'ADMIN_RECORD', by('deviceId', 'device_id'), { label: 'of a device' }),
  field('Query.jamCode', 'SUPERADMIN_RECORD', id('jam_code_id')),
  field('Query.jamCodes', 'SUPERADMIN_CREATE'),
  field('Query.nonce', 'CLIENT_CALL'),
  field('Query.publicGame', 'ANYONE_PUBLISHED', ({ of }) => ({ slug: of.game_slug })),
  field('Query.publicBoard', 'ANYONE_PUBLISHED', ({ of }) => ({ shortCode: of.code })),
  field('Query.publicBoard', 'ANYONE_PUBLISHED', byBoardSlug, { label: 'by slug' }),
  field('Query.publicBoard', 'ANYONE_UNPUBLISHED', ({ of }) => ({ shortCode: of.hidden_code }), {
    label: 'hidden',
  }),
  field(
    'Query.publicBoard',
    'ANYONE_UNPUBLISHED',
    ({ of }) => ({ gameSlug: of.game_slug, slug: of.hidden_slug }),
    { label: 'hidden, by slug' },
  ),
  field('Query.node', 'BOTH_MALFORMED', () => ({ id: 'none' }), { type: 'Account', label: 'no id' }),
  field('Query.nodes', 'BOTH_MALFORMED', () => ({ ids: ['none'] }), { type: 'Account', label: 'no id' }),
  ...nodeRows('Account', 'account_id', 'NODE_ACCOUNT', 'ADMIN_ACCOUNT_DELETE'),
  ...nodeRows('User', 'user_id', 'NODE', 'ADMIN_DELETE'),
  ...nodeRows('ApiKey', 'key_id', 'NODE', 'ADMIN_DELETE'),
  ofChief(field('Mutation.restore', 'CHIEF_RECORD', id('user_id'), { type: 'User', label: 'User' })),
  ofChief(field('Mutation.restore', 'CHIEF_KEPT', id('key_id'), { type: 'ApiKey', label: 'ApiKey' })),
  ...nodeRows('Game', 'game_id', 'NODE', 'ADMIN_DELETE'),
  ...nodeRows('Board', 'board_id', 'NODE_SHOWN', 'BOTH_RESTORE'),
  ...nodeRows('RatioConfig', 'ratio_config_id', 'NODE_BOTH'),
  ...nodeRows('BoardTemplate', 'template_id', 'NODE', 'ADMIN_DELETE'),
  ...nodeRows('Device', 'device_id', 'NODE', 'ADMIN_DELETE'),
  ...nodeRows('DeviceSession', 'session_id', 'NODE', 'ADMIN_DELETE'),
  ...nodeRows('Identity', 'identity_id', 'NODE', 'ADMIN_DELETE'),
  ...nodeRows('BoardState', 'state_id', 'NODE'),
  ...nodeRows('SubmissionMetadata', 'meta_id', 'NODE'),
  ...nodeRows('ScoreFlag', 'flag_id', 'NODE', 'ADMIN_DELETE'),
  ...nodeRows('IdentityReview', 'review_id', 'NODE'),
  ...nodeRows('ScoreImport', 'import_id', 'NODE'),
  ...nodeRows('AuditEntry', 'audit_entry_id', 'NODE_ACCOUNT'),
  ...nodeRows('Score', 'score_id', 'NODE_BOTH'),
  ...nodeRows('ScoreEvent', 'event_id', 'NODE'),
  ...nodeRows('JamCode', 'jam_code_id', 'SUPERADMIN_RECORD'),
  ...nodeRows('JamCodeRedemption', 'redemption_id', 'SUPERADMIN_RECORD'),
  field('Mutation.createAccount', 'SUPERADMIN_CREATE', ({ n }) => ({ input: { name: `made ${n}` } })),
  field('Mutation.createUser', 'ADMIN_CREATE', ({ of, n }) => ({
    input: { accountId: of.account_id, email: `made${n}@example.com`, displayName: 'Made' },
  })),
  field('Mutation.createApiKey', 'ADMIN_CREATE_BELOW', newKey),
  ofChief(field('Mutation.createApiKey', 'CHIEF_CREATE_BELOW', newKey)),
  field('Mutation.createGame', 'ADMIN_CREATE', ({ of, n }) => ({
    input: { accountId: of.account_id, name: `made ${n}` },
  })),
  field('Mutation.createBoard', 'ADMIN_CREATE_BELOW', ({ of, n }) => ({
    input: { accountId: of.account_id, gameId: of.game_id, name: `made ${n}` },
  })),
  field('Mutation.createBoardTemplate', 'ADMIN_CREATE_BELOW', ({ of, n }) => ({
    input: {
      accountId: of.account_id,
      gameId: of.game_id,
      name: `made ${n}`,
      repeatInterval: '1 week',
      nextRunAt: '2099-01-01T00:00:00Z',
    },
  })),
  field('Mutation.createScoreEvent', 'ADMIN_RECORD', ({ of }) => ({
    input: { boardId: of.board_id, identityId: of.identity_id, value: 1 },
  })),
  field(
    'Mutation.createScoreEvent',
    'ADMIN_BELOW',
    ({ of, home }) => ({ input: { boardId: of.board_below_id, identityId: home.identity_id, value: 1 } }),
    { label: 'on a board of a deleted game' },
  ),
  field('Query.scoreImport', 'ADMIN_RECORD', id('import_id')),
  field('Query.scoreImports', 'ADMIN_RECORD', onBoard),
  field('Mutation.createScoreImport', 'ADMIN_RECORD', onBoard),
  field('Mutation.addScoreImportChunk', 'ADMIN_RECORD', ({ of }) => ({
    id: of.import_id,
    input: { number: 0, format: 'CSV', content: 'external_key\na', dryRun: true },
  })),
  field('Mutation.finishScoreImport', 'ADMIN_RECORD', id('import_id')),
  field('Mutation.cancelScoreImport', 'ADMIN_ENDED', id('import_id')),
  field(
    'Mutation.createScoreEvents',
    'ADMIN_RECORD',
    ({ of }) => ({ input: { items: [{ boardId: of.board_id, identityId: of.identity_id, value: 1 }] } }),
    { batch: true },
  ),
  field('Mutation.createScoreFlag', 'ADMIN_RECORD', ({ of }) => ({ input: { scoreEventId: of.event_id } })),
  ...fieldUpdate('Mutation.reviewScoreFlag', 'flag_id', { status: 'DISMISSED' }),
  field('Mutation.reviewIdentity', 'ADMIN_RECORD', ({ of }) => ({
    input: { identityId: of.identity_id, decision: 'DISMISSED' },
  })),
  field('Mutation.updateIdentityReview', 'ADMIN_RECORD', ({ of }) => ({
    id: of.review_id,
    input: { undone: true },
  })),
  ...fieldUpdate('Mutation.updateAccount', 'account_id', { city: 'Cloud' }, ACCOUNT),
  ofChief(
    field(
      'Mutation.updateAccount',
      'CHIEF_KEPT',
      ({ of }) => ({ id: of.account_id, input: { status: 'SUSPENDED' } }),
      { label: 'suspend' },
    ),
  ),
  ofChief(
    field(
      'Mutation.updateAccount',
      'CHIEF_KEPT_ACCOUNT',
      ({ of }) => ({ id: of.account_id, input: { deleted: true } }),
      { label: 'delete' },
    ),
  ),
  ...fieldUpdate('Mutation.updateUser', 'user_id', { displayName: 'Changed' }),
  field(
    'Mutation.updateUser',
    'CHIEF_RECORD',
    ({ of }) => ({ id: of.user_id, input: { superAdmin: true } }),
    { label: 'promote' },
  ),
  ...fieldUpdateOfChief('Mutation.updateUser', 'user_id', { displayName: 'Changed' }, 'CHIEF_RECORD'),
  ...fieldUpdate('Mutation.updateApiKey', 'key_id', { status: 'REVOKED' }),
  ...fieldUpdateOfChief('Mutation.updateApiKey', 'key_id', { status: 'REVOKED' }, 'CHIEF_KEPT'),
  ...fieldUpdate('Mutation.updateGame', 'game_id', { description: 'Changed' }),
  ...fieldUpdate('Mutation.updateBoard', 'board_id', { description: 'Changed' }),
  field('Mutation.createIdentity', 'ADMIN_RECORD', ({ of, n }) => ({
    input: { gameId: of.game_id, kind: 'CUSTOM', externalKey: `made ${n}`, displayName: 'Made' },
  })),
  ...fieldUpdate('Mutation.updateIdentity', 'identity_id', { displayName: 'Changed' }),
  ...fieldUpdate('Mutation.updateBoardTemplate', 'template_id', { series: 'Changed' }),
  field(
    'Mutation.updateDevice',
    'ADMIN_RETURN',
    ({ of }) => ({ id: of.gone_device_id, input: { deleted: false } }),
    {
      label: 'restore with its player',
    },
  ),
  ...fieldUpdate('Mutation.updateDevice', 'device_id', { status: 'BANNED' }),
  ...fieldUpdate('Mutation.updateDeviceSession', 'session_id', { status: 'REVOKED' }),
  field('Mutation.registerInitiate', 'ANYONE', ({ n }) => ({ input: { email: `made${n}@example.com` } })),
  field('Mutation.registerResend', 'ANYONE', ({ n }) => ({ input: { email: `made${n}@example.com` } })),
  field('Mutation.registerVerify', 'ANYONE_WRONG_CODE', ({ n }) => ({
    input: { email: `made${n}@example.com`, code: 'AAAAAA' },
  })),
  field('Mutation.registerComplete', 'ANYONE_WRONG_TOKEN', ({ n }) => ({
    input: { verificationToken: 'none', accountName: `made ${n}` },
  })),
  field('Mutation.consoleCode', 'ANYONE', ({ n }) => ({ input: { email: `made${n}@example.com` } })),
  field('Mutation.consoleSignIn', 'ANYONE_WRONG_CODE', ({ n }) => ({
    input: { email: `made${n}@example.com`, code: 'AAAAAA' },
  })),
  field('Mutation.inviteUser', 'ADMIN_CREATE', ({ of, n }) => ({
    input: { accountId: of.account_id, email: `made${n}@example.com` },
  })),
  field('Mutation.createJamCode', 'SUPERADMIN_CREATE', ({ n }) => ({
    input: { code: `MADE${n}`, description: 'Made' },
  })),
  field('Mutation.updateJamCode', 'SUPERADMIN_RECORD', ({ of }) => ({
    id: of.jam_code_id,
    input: { description: 'Changed' },
  })),
  field('Mutation.startDeviceSession', 'ANYONE_START', ({ of, n }) => ({
    input: { gameId: of.game_id, clientFingerprint: `made ${n}` },
  })),
  field(
    'Mutation.refreshDeviceSession',
    'ANYONE_REFRESH',
    ({ of }) => ({ input: { refreshToken: of.refresh_token } }),
    { refresh: true },
  ),
  ...['banned_token', 'suspended_token'].map((token) => refreshed(token, 'ANYONE_BLOCKED')),
  ...[
    'deleted_device_token',
    'revoked_token',
    'deleted_token',
    'orphan_token',
    'ended_token',
    'expired_token',
  ].map((token) => refreshed(token, 'ANYONE_DEAD')),
  // Ends its session: it may be a thief's.
  { ...refreshed('exchanged_token', 'ANYONE_DEAD'), refresh: true },
  field(
    'Mutation.startDeviceSession',
    'ANYONE_BLOCKED',
    ({ of }) => ({ input: { gameId: of.game_id, clientFingerprint: 'aurora-private banned_token' } }),
    { label: 'on a banned device' },
  ),
  field(
    'Mutation.submitScore',
    'CLIENT_SUBMIT',
    ({ of }) => ({ input: { boardId: of.board_id, playerName: 'Made', value: 1 } }),
    { nonce: true },
  ),
  field(
    'Mutation.submitScores',
    'CLIENT_SUBMIT',
    ({ of, nonce }) => ({
      input: { items: [{ boardId: of.board_id, playerName: 'Made', value: 1, nonce }] },
    }),
    { nonce: true, batch: true },
  ),
  field('Subscription.boardChanged', 'WATCH', onBoard),
  field('Subscription.boardChanged', 'WATCH', ({ of }) => ({ boardId: of.board_id, isTest: true }), {
    label: 'of tests',
  }),
  field('Subscription.scoreFlagReviewed', 'ADMIN_RECORD', ({ of }) => ({
    gameId: of.game_id,
    after: Buffer.from('0:00000000-0000-0000-0000-000000000000').toString('base64url'),
  })),
  field('Subscription.scoreFlagged', 'ADMIN_RECORD', ({ of }) => ({ after: of.early_flag_id })),
  field('Subscription.scoreFlagged', 'ADMIN_RECORD', ({ of }) => ({ after: of.flag_id }), {
    label: 'where those of others come next',
  }),
  field('Subscription.rankChanged', 'WATCH', ({ of }) => ({
    boardId: of.board_id,
    identityIds: [of.identity_id],
  })),
  field(
    'Subscription.rankChanged',
    'WATCH',
    ({ of }) => ({ boardId: of.board_id, identityIds: [of.test_identity_id], isTest: true }),
    { label: 'in tests' },
  ),
  field('Subscription.overtaken', 'CLIENT_RECORD', onBoard),
  field('Subscription.boardChanged', 'WATCH_UNPUBLISHED', ({ of }) => ({ boardId: of.hidden_id }), {
    label: 'hidden',
  }),
];
