import { LOGIN_SECRET } from '../own-tokens.js';
import { PNG } from '../pictures.js';
import { newEndpoint } from './mutation-rows.js';
import { ofChief, type Row, type RowRequest, rest, restUpdate, restUpdateOfChief } from './rows.js';

const ofAccount = ({ of }: RowRequest) => ({ account_id: of.account_id });
const inGame = ({ of }: RowRequest) => ({ game_id: of.game_id });
const ofBoard = ({ of }: RowRequest) => ({ board_id: of.board_id, account_id: of.account_id });
const onBoard = ({ of }: RowRequest) => ({ board_id: of.board_id });
const bySlug = ({ of }: RowRequest) => ({ slug: of.account_slug });
const byGameSlug = ({ of }: RowRequest) => ({ slug: of.game_slug });
const byBoardSlug = ({ of }: RowRequest) => ({ game_slug: of.game_slug, slug: of.board_slug });
const by =
  (parameter: string, name = parameter) =>
  ({ of }: RowRequest) => ({ [parameter]: of[name] });
const keyOf = ({ of, n }: RowRequest) => ({
  account_id: of.account_id,
  user_id: of.user_id,
  name: `made ${n}`,
});
const FILTERS = {
  board: onBoard,
  device: by('device_id'),
  event: by('score_event_id', 'event_id'),
  game: inGame,
  player: by('identity_id'),
};
const SUSPEND = { status: 'suspended' };
const ACCOUNT: [string, string] = ['ADMIN_ACCOUNT', 'ADMIN_ACCOUNT_DELETE'];

/** A request about a record, and the same that names the record's account. */
function alsoInAccount(door: string, policy = 'ADMIN_RECORD'): Row[] {
  const named = policy === 'ADMIN_DELETE' ? 'ADMIN_DELETE_NAMED' : 'ADMIN_CREATE_BELOW';
  return [rest(door, policy), rest(door, named, { query: ofAccount, label: 'in an account' })];
}

/** A list of an account, and the same of each of these records. */
function listed(door: string, ...of: (keyof typeof FILTERS)[]): Row[] {
  const filtered = of.map((what) =>
    rest(door, 'ADMIN_RECORD', { query: FILTERS[what], label: `of a ${what}` }),
  );
  return [rest(door, 'ADMIN_LIST', { query: ofAccount }), ...filtered];
}

/**
 * Every path of the OpenAPI document: a missing one fails the matrix. One line per route, or several for different
 * forms of request.
 */
export const REST_ROWS: Row[] = [
  rest('POST /v1/accounts', 'SUPERADMIN_CREATE', { body: ({ n }) => ({ name: `made ${n}` }) }),
  rest('GET /v1/accounts', 'ADMIN_LIST', { query: ofAccount }),
  rest('GET /v1/accounts', 'ADMIN_FIND', { query: bySlug, label: 'by slug' }),
  rest('GET /v1/accounts/{account_id}', 'ADMIN_ACCOUNT'),
  rest('GET /v1/accounts/{account_id}/history', 'ADMIN_ACCOUNT'),
  rest('GET /v1/accounts/{account_id}/history', 'ADMIN_CREATE', { query: ofAccount, label: 'in an account' }),
  ...restUpdate('/v1/accounts/{account_id}', { city: 'Changed' }, ACCOUNT),
  rest('GET /v1/accounts/{account_id}/export', 'ADMIN_ACCOUNT'),
  ...alsoInAccount('GET /v1/games/{game_id}/export'),
  ...alsoInAccount('GET /v1/boards/{board_id}/export'),
  rest('POST /v1/boards/{board_id}/imports', 'ADMIN_RECORD', { body: () => ({}) }),
  ...alsoInAccount('GET /v1/boards/{board_id}/imports'),
  rest('POST /v1/boards/{board_id}/close', 'ADMIN_RECORD'),
  ...alsoInAccount('GET /v1/boards/{board_id}/closings'),
  ...alsoInAccount('GET /v1/boards/{board_id}/closing-preview'),
  rest('POST /v1/boards/{board_id}/rehearse', 'ADMIN_ENDED', { body: () => ({}) }),
  rest('GET /v1/closings/{closing_id}', 'ADMIN_RECORD'),
  rest('POST /v1/closings/{closing_id}/release-prizes', 'ADMIN_ENDED'),
  rest('POST /v1/games/{game_id}/release-prizes', 'ADMIN_RECORD'),
  rest('POST /v1/closings/{closing_id}/reissue-prizes', 'ADMIN_ENDED', { body: () => ({}) }),
  rest('GET /v1/rewards', 'ADMIN_RECORD', { query: by('closing_id') }),
  rest('GET /v1/rewards', 'ADMIN_RECORD', { query: inGame, label: 'of a game' }),
  rest('GET /v1/rewards', 'ADMIN_RECORD', { query: by('identity_id'), label: 'of a player' }),
  rest('GET /v1/rewards', 'ADMIN_CREATE_BELOW', {
    query: ({ of }) => ({ account_id: of.account_id, closing_id: of.closing_id }),
    label: 'in an account',
  }),
  rest('GET /v1/rewards/{reward_id}', 'ADMIN_RECORD'),
  rest('POST /v1/rewards/acknowledge', 'ADMIN_RECORD', { body: ({ of }) => ({ ids: [of.reward_id] }) }),
  rest('POST /v1/rewards/{reward_id}/revoke', 'ADMIN_ENDED', { body: () => ({ reason: 'Cheated' }) }),
  rest('GET /v1/client/rewards', 'CLIENT_CALL'),
  rest('GET /v1/client/rewards/live', 'CLIENT_CALL'),
  rest('POST /v1/client/rewards/{reward_id}/claim', 'CLIENT_OTHERS', { nonce: true }),
  rest('GET /v1/imports/{import_id}', 'ADMIN_RECORD'),
  rest('POST /v1/imports/{import_id}/chunks', 'ADMIN_RECORD', {
    body: () => ({ number: 0, format: 'csv', content: 'external_key\na', dry_run: true }),
  }),
  rest('POST /v1/imports/{import_id}/finish', 'ADMIN_RECORD'),
  rest('POST /v1/imports/{import_id}/cancel', 'ADMIN_ENDED'),
  ofChief(rest('PATCH /v1/accounts/{account_id}', 'CHIEF_KEPT', { body: () => SUSPEND, label: 'suspend' })),
  ofChief(
    rest('PATCH /v1/accounts/{account_id}', 'CHIEF_KEPT_ACCOUNT', {
      body: () => ({ deleted: true }),
      label: 'delete',
    }),
  ),
  rest('POST /v1/users', 'ADMIN_CREATE', {
    body: ({ of, n }) => ({ account_id: of.account_id, email: `made${n}@example.com`, display_name: 'Made' }),
  }),
  rest('GET /v1/users', 'ADMIN_LIST', { query: ofAccount }),
  rest('GET /v1/users/{user_id}', 'ADMIN_RECORD'),
  ...restUpdate('/v1/users/{user_id}', { display_name: 'Changed' }),
  rest('PATCH /v1/users/{user_id}', 'CHIEF_RECORD', {
    body: () => ({ super_admin: true }),
    label: 'promote',
  }),
  ...restUpdateOfChief('/v1/users/{user_id}', { display_name: 'Changed' }, 'CHIEF_RECORD'),
  rest('POST /v1/api-keys', 'ADMIN_CREATE_BELOW', {
    body: keyOf,
  }),
  ofChief(rest('POST /v1/api-keys', 'CHIEF_CREATE_BELOW', { body: keyOf })),
  rest('GET /v1/api-keys', 'ADMIN_LIST', { query: ofAccount }),
  rest('GET /v1/api-keys/{key_id}', 'ADMIN_RECORD'),
  ...restUpdate('/v1/api-keys/{key_id}', { status: 'revoked' }),
  ...restUpdateOfChief('/v1/api-keys/{key_id}', { status: 'revoked' }, 'CHIEF_KEPT'),
  rest('POST /v1/identity-providers', 'SUPERADMIN_TAKEN', {
    body: ({ of }) => ({ account_id: of.account_id, kind: 'own' }),
  }),
  rest('GET /v1/identity-providers', 'ADMIN_LIST', { query: ofAccount }),
  rest('GET /v1/identity-providers/{provider_id}', 'ADMIN_RECORD'),
  rest('PATCH /v1/identity-providers/{provider_id}', 'ADMIN_RECORD', {
    body: ({ n }) => ({ name: `Changed ${n}` }),
  }),
  rest('PATCH /v1/identity-providers/{provider_id}', 'ADMIN_ALLOWED', {
    body: () => ({ deleted: true }),
    label: 'delete',
  }),
  rest('GET /v1/accounts/{account_id}/configuration', 'ADMIN_ACCOUNT'),
  rest('GET /v1/accounts/{account_id}/configuration', 'ADMIN_CREATE', {
    query: ofAccount,
    label: 'in an account',
  }),
  rest('POST /v1/configuration/plan', 'ADMIN_CREATE', {
    body: ({ of }) => ({ account_id: of.account_id, file: { games: [] } }),
  }),
  rest('POST /v1/configuration/apply', 'ADMIN_OTHER_STATE', {
    body: ({ of }) => ({ account_id: of.account_id, file: { games: [] }, digest: 'none' }),
  }),
  rest('POST /v1/webhook-endpoints', 'ADMIN_CREATE', {
    body: ({ of, n }) => ({ account_id: of.account_id, ...newEndpoint(n) }),
  }),
  rest('GET /v1/webhook-endpoints', 'ADMIN_LIST', { query: ofAccount }),
  rest('GET /v1/webhook-endpoints/{endpoint_id}', 'ADMIN_RECORD'),
  ...restUpdate('/v1/webhook-endpoints/{endpoint_id}', { name: 'Changed' }),
  ...['rotate-secret', 'test'].map((act) =>
    rest(`POST /v1/webhook-endpoints/{endpoint_id}/${act}`, 'ADMIN_RECORD', { body: () => ({}) }),
  ),
  rest('POST /v1/webhook-endpoints/{endpoint_id}/redeliver', 'ADMIN_RECORD', {
    body: () => ({ failed_since: '2020-01-01T00:00:00Z' }),
  }),
  ...alsoInAccount('GET /v1/webhook-endpoints/{endpoint_id}/deliveries'),
  rest('GET /v1/webhook-deliveries/{delivery_id}', 'ADMIN_RECORD'),
  rest('GET /v1/me', 'ADMIN_ALL'),
  rest('POST /v1/games', 'ADMIN_CREATE', {
    body: ({ of, n }) => ({ account_id: of.account_id, name: `made ${n}` }),
  }),
  rest('GET /v1/games', 'ADMIN_LIST', { query: ofAccount }),
  rest('GET /v1/games', 'ADMIN_FIND', { query: byGameSlug, label: 'by slug' }),
  rest('GET /v1/games/{game_id}', 'ADMIN_RECORD'),
  ...alsoInAccount('GET /v1/games/{game_id}/history'),
  ...restUpdate('/v1/games/{game_id}', { description: 'Changed' }),
  ...['logo', 'cover'].flatMap((kind) => [
    rest(`PUT /v1/games/{game_id}/${kind}`, 'ADMIN_RECORD', { file: PNG }),
    rest(`DELETE /v1/games/{game_id}/${kind}`, 'ADMIN_RECORD'),
  ]),
  rest('PUT /v1/games/{game_id}/logo', 'ADMIN_CREATE_BELOW', {
    file: PNG,
    query: ofAccount,
    label: 'in an account',
  }),
  rest('POST /v1/boards', 'ADMIN_CREATE_BELOW', {
    body: ({ of, n }) => ({ account_id: of.account_id, game_id: of.game_id, name: `made ${n}` }),
  }),
  ...listed('GET /v1/boards', 'game'),
  rest('GET /v1/boards', 'ADMIN_FIND', { query: byBoardSlug, label: 'by slug' }),
  rest('GET /v1/boards/{board_id}', 'ADMIN_RECORD'),
  ...alsoInAccount('GET /v1/boards/{board_id}/history'),
  ...restUpdate('/v1/boards/{board_id}', { description: 'Changed' }),
  rest('POST /v1/board-templates', 'ADMIN_CREATE_BELOW', {
    body: ({ of, n }) => ({
      account_id: of.account_id,
      game_id: of.game_id,
      name: `made ${n}`,
      repeat_interval: '1 week',
      next_run_at: '2099-01-01T00:00:00Z',
    }),
  }),
  ...listed('GET /v1/board-templates', 'game'),
  rest('GET /v1/board-templates/{template_id}', 'ADMIN_RECORD'),
  ...restUpdate('/v1/board-templates/{template_id}', { series: 'Changed' }),
  rest('POST /v1/player-providers', 'ADMIN_CREATE_BELOW', {
    body: ({ of, n }) => ({
      ...{ account_id: of.account_id, game_id: of.game_id, kind: 'signed', slug: `made-${n}` },
      ...{ audiences: ['login'], secret: LOGIN_SECRET },
    }),
  }),
  ...listed('GET /v1/player-providers', 'game'),
  rest('GET /v1/player-providers/{player_provider_id}', 'ADMIN_RECORD'),
  rest('POST /v1/player-providers/{player_provider_id}/test', 'ADMIN_RECORD', {
    body: () => ({ token: 'none' }),
  }),
  ...restUpdate('/v1/player-providers/{player_provider_id}', { issuer: 'https://login.example.com/Changed' }),
  rest('GET /v1/client/me', 'CLIENT_CALL'),
  rest('GET /v1/client/me/live', 'CLIENT_CALL'),
  rest('POST /v1/client/proofs', 'CLIENT_WRONG_PROOF', {
    body: () => ({ provider: 'none', token: 'none' }),
    nonce: true,
  }),
  rest('POST /v1/client/link-codes', 'CLIENT_CALL', { body: () => ({}), nonce: true }),
  rest('POST /v1/client/link-codes/redeem', 'CLIENT_WRONG_CODE', {
    body: () => ({ code: 'ABCDEFGH' }),
    nonce: true,
  }),
  rest('POST /v1/client/devices/{device_id}/unlink', 'CLIENT_OWN_DEVICE', { body: () => ({}), nonce: true }),
  rest('GET /v1/client/boards', 'CLIENT_CALL'),
  rest('GET /v1/client/boards', 'CLIENT_FILTER', { query: inGame, label: 'of a game' }),
  rest('GET /v1/client/boards', 'CLIENT_FIND_SHOWN', { query: byBoardSlug, label: 'by slug' }),
  rest('GET /v1/client/boards/{board_id}', 'CLIENT_SHOWN'),
  ...['views', 'views/{view}/periods', 'views/{view}/groups'].flatMap((path) =>
    alsoInAccount(`GET /v1/boards/{board_id}/${path}`),
  ),
  rest('GET /v1/client/boards/{board_id}/views', 'CLIENT_SHOWN'),
  rest('GET /v1/client/boards/{board_id}/held-runs', 'CLIENT_SHOWN'),
  rest('GET /v1/client/boards/{board_id}/ghosts', 'CLIENT_OWN_GAME', { query: () => ({ pick: 'first' }) }),
  rest('GET /v1/client/boards/{board_id}/ghosts', 'CLIENT_OWN_GAME', {
    query: ({ of }) => ({ pick: 'player', identity_id: of.identity_id }),
    label: 'of a player',
  }),
  rest('GET /v1/client/boards/{board_id}/attempts', 'CLIENT_SHOWN'),
  rest('GET /v1/client/boards/{board_id}/best-splits', 'CLIENT_SHOWN', {
    query: () => ({ identity_id: 'me' }),
  }),
  rest('GET /v1/client/boards/{board_id}/views/{view}/periods', 'CLIENT_RECORD'),
  rest('GET /v1/client/boards/{board_id}/views/{view}/groups', 'CLIENT_RECORD'),
  ...['standing', 'standings'].flatMap((path) => [
    rest(`GET /v1/boards/{board_id}/${path}`, 'ADMIN_RECORD', { query: by('identity_id', 'ranked_id') }),
    rest(`GET /v1/boards/{board_id}/${path}`, 'ADMIN_CREATE_BELOW', {
      query: ({ of }) => ({ account_id: of.account_id, identity_id: of.ranked_id }),
      label: 'in an account',
    }),
    rest(`GET /v1/client/boards/{board_id}/${path}`, 'CLIENT_RECORD', {
      query: by('identity_id', 'ranked_id'),
    }),
    rest(`GET /v1/client/boards/{board_id}/${path}`, 'CLIENT_RECORD', {
      query: () => ({ identity_id: 'me' }),
      label: 'of the caller',
    }),
  ]),
  rest('GET /v1/boards/{board_id}/live', 'WATCH'),
  rest('GET /v1/client/boards/{board_id}/live', 'CLIENT_WATCH'),
  rest('GET /v1/client/boards/{board_id}/rank/live', 'CLIENT_WATCH'),
  rest('GET /v1/client/boards/{board_id}/overtaken/live', 'CLIENT_RECORD'),
  rest('POST /v1/client/sessions', 'ANYONE_START', {
    body: ({ of, n }) => ({ game_id: of.game_id, client_fingerprint: `made ${n}` }),
  }),
  rest('POST /v1/client/sessions/refresh', 'ANYONE_REFRESH', {
    body: ({ of }) => ({ refresh_token: of.refresh_token }),
    refresh: true,
  }),
  rest('GET /v1/client/nonce', 'CLIENT_CALL'),
  rest('PUT /v1/client/score-events/{event_id}/recording', 'CLIENT_OTHERS', { file: PNG, nonce: true }),
  rest('GET /v1/score-events/{event_id}/recording', 'ANYONE_UNSIGNED'),
  rest('POST /v1/client/tickets', 'CLIENT_SUBMIT', { body: ({ of }) => ({ board_id: of.board_id }) }),
  ...[{}, { whole: true, label: 'with all that it needs' }].flatMap((more) => [
    rest('POST /v1/client/scores', 'CLIENT_SUBMIT', {
      body: ({ of }) => ({ board_id: of.board_id, player_name: 'Made', value: 1 }),
      ...{ nonce: true, ...more },
    }),
    rest('POST /v1/client/scores/batch', 'CLIENT_SUBMIT', {
      body: ({ of, nonce }) => ({ items: [{ board_id: of.board_id, player_name: 'Made', value: 1, nonce }] }),
      ...{ nonce: true, ...more },
    }),
  ]),
  rest('GET /v1/client/scores', 'CLIENT_RECORD', { query: onBoard }),
  rest('GET /v1/client/scores', 'CLIENT_RECORD', {
    query: ({ of }) => ({ board_id: of.board_id, among: 'friends' }),
    label: 'among friends',
  }),
  rest('POST /v1/client/scores/among', 'CLIENT_RECORD', {
    body: ({ of }) => ({ board_id: of.board_id, player_ids: [of.identity_id] }),
  }),
  rest('GET /v1/client/friends', 'CLIENT_CALL'),
  rest('GET /v1/client/tags', 'CLIENT_CALL'),
  rest('PATCH /v1/client/tags', 'CLIENT_CALL', { body: () => ({ tags: { guild: null } }), nonce: true }),
  rest('GET /v1/client/scores/{score_id}', 'CLIENT_RECORD'),
  rest('GET /v1/scores', 'ADMIN_BOARD', { query: ofBoard }),
  rest('GET /v1/scores', 'ADMIN_REGULAR', { query: onBoard, label: 'without an account' }),
  rest('GET /v1/scores', 'ADMIN_BOARD', {
    query: ({ of }) => ({ ...ofBoard({ of } as RowRequest), among: 'friends', friends_of: of.identity_id }),
    label: 'among friends',
  }),
  rest('POST /v1/scores/among', 'ADMIN_BOARD', {
    body: ({ of }) => ({ ...ofBoard({ of } as RowRequest), player_ids: [of.identity_id] }),
  }),
  rest('GET /v1/scores/{score_id}', 'ADMIN_RECORD'),
  rest('POST /v1/score-events', 'ADMIN_RECORD', {
    body: ({ of }) => ({ board_id: of.board_id, identity_id: of.identity_id, value: 1 }),
  }),
  rest('POST /v1/score-events/batch', 'ADMIN_RECORD', {
    body: ({ of }) => ({ items: [{ board_id: of.board_id, identity_id: of.identity_id, value: 1 }] }),
  }),
  ...listed('GET /v1/score-events', 'board', 'player'),
  rest('GET /v1/score-events', 'ADMIN_RECORD', {
    query: ({ of }) => ({ board_id: of.board_id, verdict: 'verified', pass_id: of.pass_id }),
    label: 'of a pass',
  }),
  rest('GET /v1/score-events/{event_id}', 'ADMIN_RECORD'),
  rest('POST /v1/score-events/{event_id}/verdicts', 'ADMIN_ENDED', {
    body: () => ({ verdict: 'verified', verifier: 'made' }),
  }),
  rest('POST /v1/boards/{board_id}/undo-verdicts', 'ADMIN_RECORD', { body: () => ({ verifier: 'made' }) }),
  rest('POST /v1/boards/{board_id}/reverify', 'ADMIN_ENDED', { body: () => ({}) }),
  ...alsoInAccount('GET /v1/boards/{board_id}/verification-passes'),
  rest('POST /v1/verification-passes/{pass_id}/apply', 'ADMIN_ENDED', { body: () => ({}) }),
  rest('POST /v1/verification-passes/{pass_id}/undo', 'ADMIN_RECORD'),
  rest('POST /v1/score-flags', 'ADMIN_RECORD', { body: ({ of }) => ({ score_event_id: of.event_id }) }),
  ...listed('GET /v1/score-flags', 'board', 'game', 'player', 'event'),
  rest('GET /v1/score-flags/{flag_id}', 'ADMIN_RECORD'),
  ...restUpdate('/v1/score-flags/{flag_id}', { status: 'dismissed', reviewer_decision: 'Changed' }),
  rest('POST /v1/identity-reviews', 'ADMIN_RECORD', {
    body: ({ of }) => ({ identity_id: of.identity_id, decision: 'dismissed' }),
  }),
  rest('POST /v1/identity-reviews', 'ADMIN_RECORD', {
    body: ({ of }) => ({ device_id: of.device_id, decision: 'dismissed', dry_run: true }),
    label: 'of a device, dry',
  }),
  ...listed('GET /v1/identity-reviews', 'game', 'device', 'player'),
  rest('GET /v1/identity-reviews/{review_id}', 'ADMIN_RECORD'),
  rest('PATCH /v1/identity-reviews/{review_id}', 'ADMIN_RECORD', { body: () => ({ undone: true }) }),
  rest('POST /v1/player-merges', 'ADMIN_RECORD', {
    body: ({ of }) => ({ source_id: of.identity_id, target_id: of.ranked_id, dry_run: true }),
  }),
  ...listed('GET /v1/player-merges', 'game', 'player'),
  rest('GET /v1/player-merges/{merge_id}', 'ADMIN_RECORD'),
  rest('PATCH /v1/player-merges/{merge_id}', 'ADMIN_RECORD', { body: () => ({ undone: true }) }),
  ...['GET /v1/audit-entries', 'GET /v1/audit-entries/export'].flatMap((door) => [
    rest(door, 'ADMIN_LIST', { query: ofAccount }),
    rest(door, 'ADMIN_FILTER', { query: inGame, label: 'of a game' }),
    rest(door, 'ADMIN_FILTER', { query: by('user_id'), label: 'of a user' }),
    rest(door, 'ADMIN_FILTER', { query: by('subject_id', 'identity_id'), label: 'of a record' }),
  ]),
  rest('GET /v1/audit-entries/{audit_entry_id}', 'ADMIN_ACCOUNT'),
  ...listed('GET /v1/alerts', 'game', 'board'),
  rest('GET /v1/alerts/{alert_id}', 'ADMIN_RECORD'),
  rest('PATCH /v1/alerts/{alert_id}', 'ADMIN_RECORD', { body: () => ({ status: 'dismissed' }) }),
  ...listed('GET /v1/devices', 'game'),
  rest('GET /v1/devices/{device_id}', 'ADMIN_RECORD'),
  ...restUpdate('/v1/devices/{device_id}', { status: 'banned' }),
  rest('POST /v1/devices/{device_id}/reset', 'ADMIN_RECORD', { body: () => ({}) }),
  rest('POST /v1/devices/{device_id}/unlink', 'ADMIN_RECORD', { body: () => ({}) }),
  ...listed('GET /v1/device-sessions', 'device', 'game'),
  rest('GET /v1/device-sessions/{session_id}', 'ADMIN_RECORD'),
  ...restUpdate('/v1/device-sessions/{session_id}', { status: 'revoked' }),
  ...listed('GET /v1/identities', 'game'),
  rest('GET /v1/identities/{identity_id}', 'ADMIN_RECORD'),
  rest('POST /v1/identities', 'ADMIN_RECORD', {
    body: ({ of, n }) => ({
      game_id: of.game_id,
      kind: 'custom',
      external_key: `made ${n}`,
      display_name: 'Made',
    }),
  }),
  ...restUpdate('/v1/identities/{identity_id}', { display_name: 'Changed' }),
  ...alsoInAccount('GET /v1/identities/{identity_id}/friends'),
  rest('PATCH /v1/identities/{identity_id}/friends', 'ADMIN_RECORD', { body: () => ({ ids: [] }) }),
  ...['friends', 'friends/remove'].map((path) =>
    rest(`POST /v1/identities/{identity_id}/${path}`, 'ADMIN_RECORD', {
      body: ({ of }) => ({ ids: [of.friend_id ?? of.identity_id] }),
    }),
  ),
  ...alsoInAccount('GET /v1/identities/{identity_id}/tags'),
  rest('PATCH /v1/identities/{identity_id}/tags', 'ADMIN_RECORD', {
    body: () => ({ tags: { guild: null } }),
  }),
  ...alsoInAccount('GET /v1/identities/{identity_id}/export', 'ADMIN_DELETE'),
  ...alsoInAccount('GET /v1/identities/{identity_id}/erasure', 'ADMIN_DELETE'),
  rest('POST /v1/identities/{identity_id}/sessions', 'ADMIN_STARTS_SESSION', { body: () => ({}) }),
  rest('POST /v1/identities/{identity_id}/sessions/end', 'ADMIN_RECORD'),
  rest('POST /v1/identities/{identity_id}/proofs/remove', 'ADMIN_RECORD', {
    body: () => ({ provider: 'none' }),
  }),
  rest('POST /v1/identities/{identity_id}/erase', 'ADMIN_DELETE', {
    body: () => ({ scores: 'remove' }),
    erases: true,
  }),
  rest('GET /v1/board-states', 'ADMIN_RECORD', { query: onBoard }),
  rest('GET /v1/board-states/{state_id}', 'ADMIN_RECORD'),
  ...listed('GET /v1/score-submission-metadata', 'board', 'game', 'player', 'device'),
  rest('GET /v1/score-submission-metadata/{meta_id}', 'ADMIN_RECORD'),
  ...['initiate', 'resend', 'sign-in/code'].map((path) =>
    rest(`POST /register/${path}`, 'ANYONE', { body: ({ n }) => ({ email: `made${n}@example.com` }) }),
  ),
  ...['verify', 'sign-in'].map((path) =>
    rest(`POST /register/${path}`, 'ANYONE_WRONG_CODE', {
      body: ({ n }) => ({ email: `made${n}@example.com`, code: 'AAAAAA' }),
    }),
  ),
  rest('POST /register/complete', 'ANYONE_WRONG_TOKEN', {
    body: ({ n }) => ({ verification_token: 'none', account_name: `made ${n}` }),
  }),
  rest('POST /register/invite', 'ADMIN_CREATE', {
    body: ({ of, n }) => ({ account_id: of.account_id, email: `made${n}@example.com` }),
  }),
  rest('POST /register/invite', 'ADMIN_ALL', {
    body: ({ n }) => ({ email: `made${n}@example.com` }),
    label: 'into the own account',
  }),
  rest('POST /v1/jam-codes', 'SUPERADMIN_CREATE', {
    body: ({ n }) => ({ code: `MADE${n}`, description: 'Made' }),
  }),
  rest('GET /v1/jam-codes', 'SUPERADMIN_CREATE'),
  rest('GET /v1/jam-codes/{jam_code_id}', 'SUPERADMIN_RECORD'),
  rest('PATCH /v1/jam-codes/{jam_code_id}', 'SUPERADMIN_RECORD', {
    body: ({ n }) => ({ description: `Changed ${n}` }),
  }),
  rest('GET /v1', 'ANYONE'),
  rest('GET /v1/health', 'ANYONE'),
  rest('GET /health/live', 'ANYONE'),
  rest('GET /health/ready', 'ANYONE'),
  rest('GET /openapi.json', 'ANYONE'),
  rest('GET /schema.graphql', 'ANYONE'),
  rest('GET /metrics', 'ANYONE'),
];
