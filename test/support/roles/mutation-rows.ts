import { LOGIN_SECRET } from '../own-tokens.js';
import { inputId } from './graph-arguments.js';
import { field, fieldUpdate, fieldUpdateOfChief, ofChief, type Row, type RowRequest } from './rows.js';

const newKey = ({ of, n }: RowRequest) => ({
  input: { accountId: of.account_id, userId: of.user_id, name: `made ${n}` },
});
const refreshed = (token: string, policy: string) =>
  field('Mutation.refreshDeviceSession', policy, ({ of }) => ({ input: { refreshToken: of[token] } }), {
    label: token,
  });
/** Also in REST. */
export const newEndpoint = (n: number) => ({
  ...{ name: `made ${n}`, url: 'https://hooks.example.com', events: ['board.closed'] },
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
  field('Mutation.createIdentityProvider', 'SUPERADMIN_TAKEN', ({ of }) => ({
    input: { accountId: of.account_id, kind: 'OWN' },
  })),
  ...fieldUpdate('Mutation.updateIdentityProvider', 'provider_id', { name: 'Changed' }, [
    'ADMIN_RECORD',
    'SUPERADMIN_DELETE',
  ]),
  ...['startProviderSignIn', 'redeemProviderCode', 'signInWithProvider'].map((name) =>
    field(`Mutation.${name}`, 'ANYONE_WRONG_RESPONSE', () => ({
      input: { browserToken: '', ...(name === 'redeemProviderCode' && { response: '' }) },
    })),
  ),
  field('Mutation.applyConfiguration', 'ADMIN_OTHER_STATE', ({ of }) => ({
    input: { accountId: of.account_id, file: { games: [] }, digest: 'none' },
  })),
  field('Mutation.createWebhookEndpoint', 'ADMIN_CREATE', ({ of, n }) => ({
    input: { accountId: of.account_id, ...newEndpoint(n) },
  })),
  ...fieldUpdate('Mutation.updateWebhookEndpoint', 'endpoint_id', { name: 'Changed' }),
  ...['rotateWebhookSecret', 'sendWebhookTest'].map((name) =>
    field(`Mutation.${name}`, 'ADMIN_RECORD', inputId('endpoint_id')),
  ),
  field('Mutation.redeliverWebhooks', 'ADMIN_RECORD', ({ of }) => ({
    input: { id: of.endpoint_id, failedSince: '2020-01-01T00:00:00Z' },
  })),
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
  field('Mutation.createPlayerProvider', 'ADMIN_CREATE_BELOW', ({ of, n }) => ({
    input: {
      ...{ accountId: of.account_id, gameId: of.game_id, kind: 'SIGNED', slug: `made-${n}` },
      ...{ audiences: ['login'], secret: LOGIN_SECRET },
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
  field('Mutation.createScoreImport', 'ADMIN_RECORD', ({ of }) => ({ input: { boardId: of.board_id } })),
  field('Mutation.addScoreImportChunk', 'ADMIN_RECORD', ({ of }) => ({
    input: { id: of.import_id, number: 0, format: 'CSV', content: 'external_key\na', dryRun: true },
  })),
  field('Mutation.closeBoard', 'ADMIN_RECORD', inputId('board_id')),
  field('Mutation.rehearseBoard', 'ADMIN_ENDED', inputId('board_id')),
  field('Mutation.releasePrizes', 'ADMIN_ENDED', inputId('closing_id')),
  field('Mutation.reissuePrizes', 'ADMIN_ENDED', inputId('closing_id')),
  field('Mutation.releaseHeldPrizes', 'ADMIN_RECORD', inputId('game_id')),
  field('Mutation.claimReward', 'CLIENT_OTHERS', inputId('reward_id'), { nonce: true }),
  field('Mutation.revokeReward', 'ADMIN_ENDED', ({ of }) => ({
    input: { id: of.reward_id, reason: 'Cheat' },
  })),
  field('Mutation.acknowledgeRewards', 'ADMIN_RECORD', ({ of }) => ({ input: { ids: [of.reward_id] } })),
  field('Mutation.finishScoreImport', 'ADMIN_RECORD', inputId('import_id')),
  field('Mutation.cancelScoreImport', 'ADMIN_ENDED', inputId('import_id')),
  field(
    'Mutation.createScoreEvents',
    'ADMIN_RECORD',
    ({ of }) => ({ input: { items: [{ boardId: of.board_id, identityId: of.identity_id, value: 1 }] } }),
    { batch: true },
  ),
  field('Mutation.giveVerdict', 'ADMIN_ENDED', ({ of }) => ({
    input: { scoreEventId: of.event_id, verdict: 'VERIFIED', verifier: 'made' },
  })),
  field('Mutation.undoVerdicts', 'ADMIN_RECORD', ({ of }) => ({
    input: { boardId: of.board_id, verifier: 'made' },
  })),
  field('Mutation.reverifyRuns', 'ADMIN_ENDED', ({ of }) => ({ input: { boardId: of.board_id } })),
  field('Mutation.applyPass', 'ADMIN_ENDED', inputId('pass_id')),
  field('Mutation.undoPass', 'ADMIN_RECORD', inputId('pass_id')),
  field('Mutation.createScoreFlag', 'ADMIN_RECORD', ({ of }) => ({ input: { scoreEventId: of.event_id } })),
  ...fieldUpdate('Mutation.reviewScoreFlag', 'flag_id', { status: 'DISMISSED', reviewerDecision: 'Changed' }),
  field('Mutation.reviewScoreFlags', 'ADMIN_RECORD', ({ of }) => ({
    input: { ids: [of.flag_id], status: 'FALSE_POSITIVE' },
  })),
  field('Mutation.createComment', 'ADMIN_RECORD', ({ of }) => ({
    input: { target: { scoreFlagId: of.flag_id }, text: 'Made' },
  })),
  field('Mutation.deleteComment', 'ADMIN_AUTHOR', inputId('comment_id')),
  field('Mutation.reviewIdentity', 'ADMIN_RECORD', ({ of }) => ({
    input: { target: { identityId: of.identity_id }, decision: 'DISMISSED' },
  })),
  field('Mutation.startPlayerSession', 'ADMIN_STARTS_SESSION', inputId('identity_id')),
  field('Mutation.removePlayerProof', 'ADMIN_RECORD', ({ of }) => ({
    input: { id: of.identity_id, provider: 'none' },
  })),
  field('Mutation.endPlayerSessions', 'ADMIN_RECORD', inputId('identity_id')),
  field('Mutation.eraseIdentity', 'ADMIN_DELETE', ({ of }) => ({ input: { id: of.identity_id } }), {
    erases: true,
  }),
  field('Mutation.mergePlayers', 'ADMIN_RECORD', ({ of }) => ({
    input: { sourceId: of.identity_id, targetId: of.ranked_id, dryRun: true },
  })),
  field('Mutation.undoPlayerMerge', 'ADMIN_RECORD', inputId('merge_id')),
  field('Mutation.undoIdentityReview', 'ADMIN_RECORD', inputId('review_id')),
  ...fieldUpdate('Mutation.updateAccount', 'account_id', { city: 'Changed' }, ACCOUNT),
  ofChief(
    field(
      'Mutation.updateAccount',
      'CHIEF_KEPT',
      ({ of }) => ({ input: { id: of.account_id, status: 'SUSPENDED' } }),
      { label: 'suspend' },
    ),
  ),
  ofChief(
    field('Mutation.deleteAccount', 'CHIEF_KEPT_ACCOUNT', ({ of }) => ({ input: { id: of.account_id } })),
  ),
  ...fieldUpdate('Mutation.updateUser', 'user_id', { displayName: 'Changed' }),
  field(
    'Mutation.updateUser',
    'CHIEF_RECORD',
    ({ of }) => ({ input: { id: of.user_id, superAdmin: true } }),
    { label: 'promote' },
  ),
  ...fieldUpdateOfChief('Mutation.updateUser', 'user_id', { displayName: 'Changed' }, 'CHIEF_RECORD'),
  field('Mutation.addPasskey', 'ADMIN_WRONG_RESPONSE', () => ({ input: { name: 'Made', response: '{}' } })),
  field('Mutation.startProviderLink', 'ADMIN_WRONG_RESPONSE', () => ({ input: { browserToken: '' } })),
  field('Mutation.addProviderLink', 'ADMIN_WRONG_TICKET', () => ({ input: { ticket: '' } })),
  field('Mutation.removeProviderLink', 'ADMIN_NO_SESSION', ({ of }) => ({
    input: { id: String(of.key_id).replace('key_', 'lnk_') },
  })),
  field('Mutation.updatePasskey', 'ADMIN_NO_SESSION', ({ of }) => ({
    input: { id: String(of.key_id).replace('key_', 'psk_'), name: 'Made' },
  })),
  field('Mutation.removePasskey', 'ADMIN_NO_SESSION', ({ of }) => ({
    input: { id: String(of.key_id).replace('key_', 'psk_') },
  })),
  field('Mutation.resetPasskeys', 'ADMIN_RECORD', inputId('user_id')),
  field('Mutation.signInWithPasskey', 'ANYONE_WRONG_RESPONSE', ({ of }) => ({
    input: { accountId: of.account_id, response: '{}' },
  })),
  field('Mutation.endConsoleSession', 'ADMIN_NO_SESSION', inputId('key_id')),
  ...fieldUpdate('Mutation.updateApiKey', 'key_id', { status: 'REVOKED' }),
  ...fieldUpdateOfChief('Mutation.updateApiKey', 'key_id', { status: 'REVOKED' }, 'CHIEF_KEPT'),
  ...fieldUpdate('Mutation.updateGame', 'game_id', { description: 'Changed' }),
  ...fieldUpdate('Mutation.updateBoard', 'board_id', { description: 'Changed' }),
  field('Mutation.createIdentity', 'ADMIN_RECORD', ({ of, n }) => ({
    input: { gameId: of.game_id, kind: 'CUSTOM', externalKey: `made ${n}`, displayName: 'Made' },
  })),
  ...['setFriends', 'addFriends', 'removeFriends'].map((name) =>
    field(`Mutation.${name}`, 'ADMIN_RECORD', ({ of }) => ({
      input: { identityId: of.identity_id, friendIds: [of.friend_id ?? of.identity_id] },
    })),
  ),
  field(
    'Mutation.setIdentityTags',
    'FRIENDS_OF',
    ({ of }) => ({ input: { identityId: of.identity_id, tags: [{ name: 'guild', value: null }] } }),
    { nonce: true },
  ),
  ...fieldUpdate('Mutation.updateIdentity', 'identity_id', { displayName: 'Changed' }),
  ...fieldUpdate('Mutation.updatePlayerProvider', 'player_provider_id', {
    issuer: 'https://login.example.com/Changed',
  }),
  field('Mutation.testPlayerProvider', 'ADMIN_RECORD', ({ of }) => ({
    input: { id: of.player_provider_id, token: 'none' },
  })),
  ...fieldUpdate('Mutation.updateBoardTemplate', 'template_id', { series: 'Changed' }),
  field('Mutation.restore', 'ADMIN_RETURN', inputId('gone_device_id'), {
    type: 'Device',
    label: 'with its player',
  }),
  ...fieldUpdate('Mutation.updateDevice', 'device_id', { status: 'BANNED' }),
  field('Mutation.resetDevice', 'ADMIN_RECORD', inputId('device_id')),
  field('Mutation.updateAlert', 'ADMIN_RECORD', ({ of }) => ({
    input: { id: of.alert_id, status: 'DISMISSED' },
  })),
  ...fieldUpdate('Mutation.updateDeviceSession', 'session_id', { status: 'REVOKED' }),
  field('Mutation.initiateRegistration', 'ANYONE', ({ n }) => ({ input: { email: `made${n}@example.com` } })),
  field('Mutation.resendRegistrationCode', 'ANYONE', ({ n }) => ({
    input: { email: `made${n}@example.com` },
  })),
  field('Mutation.verifyRegistration', 'ANYONE_WRONG_CODE', ({ n }) => ({
    input: { email: `made${n}@example.com`, code: 'AAAAAA' },
  })),
  field('Mutation.completeRegistration', 'ANYONE_WRONG_TOKEN', ({ n }) => ({
    input: { verificationToken: 'none', accountName: `made ${n}` },
  })),
  field('Mutation.sendSignInCode', 'ANYONE', ({ n }) => ({ input: { email: `made${n}@example.com` } })),
  field('Mutation.signIn', 'ANYONE_WRONG_CODE', ({ n }) => ({
    input: { email: `made${n}@example.com`, code: 'AAAAAA' },
  })),
  field('Mutation.inviteUser', 'ADMIN_CREATE', ({ of, n }) => ({
    input: { accountId: of.account_id, email: `made${n}@example.com` },
  })),
  field('Mutation.createJamCode', 'SUPERADMIN_CREATE', ({ n }) => ({
    input: { code: `MADE${n}`, description: 'Made' },
  })),
  field('Mutation.updateJamCode', 'SUPERADMIN_RECORD', ({ of, n }) => ({
    input: { id: of.jam_code_id, description: `Changed ${n}` },
  })),
  field('Mutation.deleteGamePicture', 'ADMIN_RECORD', ({ of }) => ({
    input: { gameId: of.game_id, picture: 'LOGO' },
  })),
  field('Mutation.issueNonces', 'CLIENT_CALL', () => ({ input: {} })),
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
    'Mutation.addPlayerProof',
    'CLIENT_WRONG_PROOF',
    () => ({ input: { provider: 'none', token: 'none' } }),
    { nonce: true },
  ),
  field('Mutation.createLinkCode', 'CLIENT_CALL', () => ({ input: {} }), { nonce: true }),
  field('Mutation.redeemLinkCode', 'CLIENT_WRONG_CODE', () => ({ input: { code: 'ABCDEFGH' } }), {
    nonce: true,
  }),
  field('Mutation.unlinkDevice', 'BOTH_UNLINK', inputId('device_id'), { nonce: true }),
  field('Mutation.issueTickets', 'CLIENT_SUBMIT', ({ of }) => ({ input: { boardId: of.board_id } })),
  field(
    'Mutation.submitScores',
    'CLIENT_SUBMIT',
    ({ of, nonce }) => ({
      input: { items: [{ boardId: of.board_id, playerName: 'Made', value: 1, nonce }] },
    }),
    { nonce: true, batch: true },
  ),
];
