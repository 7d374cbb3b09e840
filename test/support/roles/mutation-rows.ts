import { id, onBoard } from './graph-arguments.js';
import { field, fieldUpdate, fieldUpdateOfChief, ofChief, type Row, type RowRequest } from './rows.js';

const newKey = ({ of, n }: RowRequest) => ({
  input: { accountId: of.account_id, userId: of.user_id, name: `made ${n}` },
});
const refreshed = (token: string, policy: string) =>
  field('Mutation.refreshDeviceSession', policy, ({ of }) => ({ input: { refreshToken: of[token] } }), {
    label: token,
  });
const ACCOUNT: [string, string] = ['ADMIN_ACCOUNT', 'ADMIN_ACCOUNT_DELETE'];

/** The fields of Mutation, except `restore`. */
export const MUTATION_ROWS: Row[] = [
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
    input: { target: { identityId: of.identity_id }, decision: 'DISMISSED' },
  })),
  field('Mutation.eraseIdentity', 'ADMIN_DELETE', ({ of }) => ({ input: { id: of.identity_id } }), {
    erases: true,
  }),
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
  field('Mutation.setFriends', 'ADMIN_RECORD', ({ of }) => ({
    input: { identityId: of.identity_id, ids: [of.friend_id ?? of.identity_id] },
  })),
  field('Mutation.addFriends', 'ADMIN_RECORD', ({ of }) => ({
    input: { identityId: of.identity_id, ids: [of.friend_id ?? of.identity_id] },
  })),
  field('Mutation.removeFriends', 'ADMIN_RECORD', ({ of }) => ({
    input: { identityId: of.identity_id, ids: [of.friend_id ?? of.identity_id] },
  })),
  field(
    'Mutation.setPlayerTags',
    'FRIENDS_OF',
    ({ of }) => ({ input: { identityId: of.identity_id, tags: { guild: null } } }),
    { nonce: true },
  ),
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
  // Ends its session, because the token may be stolen.
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
];
