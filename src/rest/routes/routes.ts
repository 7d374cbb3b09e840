import { BATCH_BODY_BYTES } from '../../graphql/engine/cost.js';
import {
  act,
  batch,
  create,
  get,
  patch,
  type Route,
  type RouteGroup,
  STANDINGS_PARAMETER,
  type Variant,
  watch,
} from './route.js';

/** Registration is served next to /v1 and below it. */
function registering(name: string, ...others: string[]): string[] {
  return [name, ...others].flatMap((word) => [`/register/${word}`, `/v1/register/${word}`]).slice(1);
}

const WATCHED_VIEW: Variant = { parameter: 'view', operation: 'WatchView', body: 'watchBoard' };
/** Extra members must lose no score; a time that has no effect would. */
const SCORE_EVENTS = {
  extraMembers: 'ignored',
  refused: {
    occurred_at:
      'is not allowed on single scores, which count from when they arrive. Use an import for past scores.',
  },
} satisfies Partial<Route>;
const VIEWED = { also: ['INVALID_VIEW'] } satisfies Partial<Route>;

/** Of what makes a session another player's. */
const BECOMING_FAULTS = [
  'PLAYER_CONFLICT',
  'PROOF_REQUIRED',
  'INVALID_TRANSITION',
  'CONFLICT',
] satisfies Route['also'];
const PROOF_FAULTS = ['PROOF_REFUSED', 'PROVIDER_UNAVAILABLE', ...BECOMING_FAULTS] satisfies Route['also'];

/** Chunks of imports: 2 MiB of text, which JSON makes larger. */
const CHUNK_BODY_BYTES = 4 * 1_024 * 1_024;

/** Every route. */
export const routeGroups: RouteGroup[] = [
  {
    name: 'Accounts',
    routes: [
      create('superadmin', '/v1/accounts', 'CreateAccount', 'createAccount.account'),
      get('admin', '/v1/accounts', 'ListAccounts', 'accounts'),
      get('admin', '/v1/accounts/{account_id}', 'GetAccount', 'account'),
      patch('admin', '/v1/accounts/{account_id}', 'UpdateAccount', 'updateAccount.account'),
      get('admin', '/v1/accounts/{account_id}/history', 'GetAccountHistory', 'account.history'),
    ],
  },
  {
    name: 'Users',
    routes: [
      create('admin', '/v1/users', 'CreateUser', 'createUser.user'),
      get('admin', '/v1/users', 'ListUsers', 'users'),
      get('admin', '/v1/users/{user_id}', 'GetUser', 'user'),
      patch('admin', '/v1/users/{user_id}', 'UpdateUser', 'updateUser.user'),
    ],
  },
  {
    name: 'API keys',
    routes: [
      create('admin', '/v1/api-keys', 'CreateApiKey', 'createApiKey.apiKey'),
      get('admin', '/v1/api-keys', 'ListApiKeys', 'apiKeys'),
      get('admin', '/v1/api-keys/{key_id}', 'GetApiKey', 'apiKey'),
      patch('admin', '/v1/api-keys/{key_id}', 'UpdateApiKey', 'updateApiKey.apiKey'),
    ],
  },
  {
    name: 'Single sign-on',
    routes: [
      create(
        'superadmin',
        '/v1/identity-providers',
        'CreateIdentityProvider',
        'createIdentityProvider.identityProvider',
      ),
      get('admin', '/v1/identity-providers', 'ListIdentityProviders', 'identityProviders'),
      get('admin', '/v1/identity-providers/{provider_id}', 'GetIdentityProvider', 'identityProvider'),
      patch(
        'admin',
        '/v1/identity-providers/{provider_id}',
        'UpdateIdentityProvider',
        'updateIdentityProvider.identityProvider',
      ),
    ],
  },
  {
    name: 'Webhooks',
    routes: [
      create(
        'admin',
        '/v1/webhook-endpoints',
        'CreateWebhookEndpoint',
        'createWebhookEndpoint.webhookEndpoint',
      ),
      get('admin', '/v1/webhook-endpoints', 'ListWebhookEndpoints', 'webhookEndpoints'),
      get('admin', '/v1/webhook-endpoints/{endpoint_id}', 'GetWebhookEndpoint', 'webhookEndpoint'),
      patch(
        'admin',
        '/v1/webhook-endpoints/{endpoint_id}',
        'UpdateWebhookEndpoint',
        'updateWebhookEndpoint.webhookEndpoint',
      ),
      act(
        'admin',
        '/v1/webhook-endpoints/{endpoint_id}/rotate-secret',
        'RotateWebhookSecret',
        'rotateWebhookSecret.webhookEndpoint',
      ),
      act(
        'admin',
        '/v1/webhook-endpoints/{endpoint_id}/test',
        'SendWebhookTest',
        'sendWebhookTest.webhookDelivery',
      ),
      act('admin', '/v1/webhook-endpoints/{endpoint_id}/redeliver', 'RedeliverWebhooks', 'redeliverWebhooks'),
      get(
        'admin',
        '/v1/webhook-endpoints/{endpoint_id}/deliveries',
        'ListWebhookDeliveries',
        'webhookDeliveries',
      ),
      get('admin', '/v1/webhook-deliveries/{delivery_id}', 'GetWebhookDelivery', 'webhookDelivery'),
    ],
  },
  { name: 'Caller', routes: [get('admin', '/v1/me', 'GetMe', 'me')] },
  {
    name: 'Games',
    routes: [
      create('admin', '/v1/games', 'CreateGame', 'createGame.game'),
      get('admin', '/v1/games', 'ListGames', 'games'),
      get('admin', '/v1/games/{game_id}', 'GetGame', 'game'),
      patch('admin', '/v1/games/{game_id}', 'UpdateGame', 'updateGame.game'),
      get('admin', '/v1/games/{game_id}/history', 'GetGameHistory', 'game.history'),
    ],
  },
  {
    name: 'Boards',
    routes: [
      create('admin', '/v1/boards', 'CreateBoard', 'createBoard.board', { also: ['WRONG_BOARD_TYPE'] }),
      get('admin', '/v1/boards', 'ListBoards', 'boards'),
      get('admin', '/v1/boards/{board_id}', 'GetBoard', 'board'),
      patch('admin', '/v1/boards/{board_id}', 'UpdateBoard', 'updateBoard.board', {
        also: ['WRONG_BOARD_TYPE'],
      }),
      get('admin', '/v1/boards/{board_id}/history', 'GetBoardHistory', 'board.history'),
      act('admin', '/v1/boards/{board_id}/close', 'CloseBoard', 'closeBoard.board'),
      act('admin', '/v1/boards/{board_id}/rehearse', 'RehearseBoard', 'rehearseBoard', {
        also: ['INVALID_TRANSITION', 'CONFLICT'],
      }),
      get('admin', '/v1/boards/{board_id}/closings', 'ListClosings', 'closings'),
      get('admin', '/v1/boards/{board_id}/closing-preview', 'PreviewClosing', 'previewClosing'),
      get('admin', '/v1/closings/{closing_id}', 'GetClosing', 'closing'),
      act('admin', '/v1/closings/{closing_id}/release-prizes', 'ReleasePrizes', 'releasePrizes.closing', {
        also: ['INVALID_TRANSITION'],
      }),
      act('admin', '/v1/closings/{closing_id}/reissue-prizes', 'ReissuePrizes', 'reissuePrizes', {
        also: ['INVALID_TRANSITION'],
      }),
      act('admin', '/v1/games/{game_id}/release-prizes', 'ReleaseHeldPrizes', 'releaseHeldPrizes.game'),
      get('admin', '/v1/rewards', 'ListRewards', 'rewards'),
      get('admin', '/v1/rewards/{reward_id}', 'GetReward', 'reward'),
      act('admin', '/v1/rewards/acknowledge', 'AcknowledgeRewards', 'acknowledgeRewards', {
        also: ['REWARD_GONE', 'INVALID_TRANSITION'],
      }),
      act('admin', '/v1/rewards/{reward_id}/revoke', 'RevokeReward', 'revokeReward.reward', {
        also: ['INVALID_TRANSITION'],
      }),
      get('client', '/v1/client/rewards', 'ListClientRewards', 'rewards'),
      act('client', '/v1/client/rewards/{reward_id}/claim', 'ClaimReward', 'claimReward.reward', {
        headers: ['nonce'],
        also: ['REWARD_GONE', 'INVALID_TRANSITION'],
      }),
      watch('client', '/v1/client/rewards/live', 'WatchRewards', 'rewardGranted', { live: 'reward' }),
      get('client', '/v1/client/boards', 'ListClientBoards', 'boards'),
      get('client', '/v1/client/boards/{board_id}', 'GetBoard', 'board'),
      get('admin', '/v1/boards/{board_id}/views', 'GetBoardViews', 'board'),
      get('client', '/v1/client/boards/{board_id}/views', 'GetBoardViews', 'board'),
      get('admin', '/v1/boards/{board_id}/views/{view}/periods', 'ListBoardPeriods', 'board.periods', VIEWED),
      get(
        'client',
        '/v1/client/boards/{board_id}/views/{view}/periods',
        'ListBoardPeriods',
        'board.periods',
        VIEWED,
      ),
      get('admin', '/v1/boards/{board_id}/views/{view}/groups', 'ListBoardGroups', 'board.groups', VIEWED),
      get(
        'client',
        '/v1/client/boards/{board_id}/views/{view}/groups',
        'ListBoardGroups',
        'board.groups',
        VIEWED,
      ),
      get('admin', '/v1/boards/{board_id}/standing', 'GetStanding', 'board.standing', VIEWED),
      get('client', '/v1/client/boards/{board_id}/standing', 'GetStanding', 'board.standing', VIEWED),
      get('admin', '/v1/boards/{board_id}/standings', 'GetStandings', 'board'),
      get('client', '/v1/client/boards/{board_id}/standings', 'GetStandings', 'board'),
      get('client', '/v1/client/boards/{board_id}/ghosts', 'ListGhosts', 'board.ranking', VIEWED),
      get('client', '/v1/client/boards/{board_id}/held-runs', 'GetHeldRuns', 'board'),
      get('client', '/v1/client/boards/{board_id}/attempts', 'GetAttempts', 'board'),
      get('client', '/v1/client/boards/{board_id}/best-splits', 'GetBestSplits', 'board'),
      watch('anyone', '/v1/boards/{board_id}/live', 'WatchBoard', 'watchBoard', {
        optional: true,
        also: ['INVALID_API_KEY', 'FORBIDDEN', 'RATE_LIMITED', 'INVALID_VIEW'],
        variant: WATCHED_VIEW,
      }),
      watch('client', '/v1/client/boards/{board_id}/live', 'WatchBoard', 'watchBoard', {
        also: ['RATE_LIMITED', 'INVALID_VIEW'],
        variant: WATCHED_VIEW,
      }),
      watch('client', '/v1/client/boards/{board_id}/rank/live', 'WatchRank', 'rankChanged', { live: 'rank' }),
      watch('client', '/v1/client/boards/{board_id}/overtaken/live', 'WatchOvertaken', 'overtaken', {
        live: 'overtaken',
      }),
    ],
  },
  {
    name: 'Board templates',
    routes: [
      create('admin', '/v1/board-templates', 'CreateBoardTemplate', 'createBoardTemplate.boardTemplate'),
      get('admin', '/v1/board-templates', 'ListBoardTemplates', 'boardTemplates'),
      get('admin', '/v1/board-templates/{template_id}', 'GetBoardTemplate', 'boardTemplate'),
      patch(
        'admin',
        '/v1/board-templates/{template_id}',
        'UpdateBoardTemplate',
        'updateBoardTemplate.boardTemplate',
      ),
    ],
  },
  {
    name: 'Player providers',
    routes: [
      create('admin', '/v1/player-providers', 'CreatePlayerProvider', 'createPlayerProvider.playerProvider'),
      get('admin', '/v1/player-providers', 'ListPlayerProviders', 'playerProviders'),
      get('admin', '/v1/player-providers/{player_provider_id}', 'GetPlayerProvider', 'playerProvider'),
      patch(
        'admin',
        '/v1/player-providers/{player_provider_id}',
        'UpdatePlayerProvider',
        'updatePlayerProvider.playerProvider',
      ),
      act(
        'admin',
        '/v1/player-providers/{player_provider_id}/test',
        'TestPlayerProvider',
        'testPlayerProvider',
      ),
    ],
  },
  {
    name: 'Game clients',
    routes: [
      create('anyone', '/v1/client/sessions', 'StartSession', 'startDeviceSession.session', {
        also: ['DEVICE_BLOCKED', ...PROOF_FAULTS],
      }),
      act('client', '/v1/client/proofs', 'AddProof', 'addPlayerProof', {
        headers: ['nonce'],
        also: ['RATE_LIMITED', ...PROOF_FAULTS],
      }),
      act('client', '/v1/client/link-codes', 'CreateLinkCode', 'createLinkCode', {
        headers: ['nonce'],
        also: ['RATE_LIMITED', 'INVALID_TRANSITION'],
      }),
      act('client', '/v1/client/link-codes/redeem', 'RedeemLinkCode', 'redeemLinkCode', {
        headers: ['nonce'],
        also: ['RATE_LIMITED', 'INVALID_CODE', ...BECOMING_FAULTS],
      }),
      act('client', '/v1/client/devices/{device_id}/unlink', 'UnlinkOwnDevice', 'unlinkDevice', {
        headers: ['nonce'],
      }),
      get('client', '/v1/client/me', 'GetClientMe', 'me'),
      watch('client', '/v1/client/me/live', 'WatchPlayer', 'playerChanged', { live: 'player' }),
      act('anyone', '/v1/client/sessions/refresh', 'RefreshSession', 'refreshDeviceSession', {
        also: ['INVALID_REFRESH_TOKEN', 'DEVICE_BLOCKED'],
      }),
      get('client', '/v1/client/nonce', 'GetNonce', 'nonce'),
      act('client', '/v1/client/tickets', 'IssueTickets', 'issueTickets', { headers: ['idempotency-key'] }),
    ],
  },
  {
    name: 'Scores',
    routes: [
      create('client', '/v1/client/scores', 'SubmitScore', 'submitScore.score', {
        headers: ['nonce', 'idempotency-key'],
        beside: ['held', 'recording'],
        variant: {
          parameter: 'standings',
          about: STANDINGS_PARAMETER,
          operation: 'SubmitScoreWithStandings',
          body: 'submitScore.score',
          query: ['standings'],
          beside: ['held', 'recording', 'standings'],
        },
      }),
      batch('client', '/v1/client/scores', 'SubmitScores', 'submitScores'),
      get('client', '/v1/client/scores', 'ListClientScores', 'scores', {
        variant: { parameter: 'view', operation: 'ListClientStandings', body: 'scores' },
        also: ['INVALID_VIEW'],
      }),
      act('client', '/v1/client/scores/among', 'ListClientScoresAmong', 'scores', {
        variant: {
          parameter: 'view',
          operation: 'ListClientStandingsAmong',
          body: 'scores',
          query: ['view', 'of', 'where'],
        },
        also: ['INVALID_VIEW'],
      }),
      get('client', '/v1/client/scores/{score_id}', 'GetClientScore', 'score'),
      get('admin', '/v1/scores', 'ListScores', 'scores', {
        variant: { parameter: 'view', operation: 'ListStandings', body: 'scores' },
        also: ['INVALID_VIEW'],
      }),
      act('admin', '/v1/scores/among', 'ListScoresAmong', 'scores', {
        variant: {
          parameter: 'view',
          operation: 'ListStandingsAmong',
          body: 'scores',
          query: ['view', 'of', 'where'],
        },
        also: ['INVALID_VIEW'],
      }),
      get('admin', '/v1/scores/{score_id}', 'GetScore', 'score'),
    ],
  },
  {
    name: 'Score events',
    routes: [
      create('admin', '/v1/score-events', 'CreateScoreEvent', 'createScoreEvent.scoreEvent', {
        ...SCORE_EVENTS,
        headers: ['idempotency-key'],
        beside: ['held'],
        variant: {
          parameter: 'standings',
          about: STANDINGS_PARAMETER,
          operation: 'CreateScoreEventWithStandings',
          body: 'createScoreEvent.scoreEvent',
          query: ['standings'],
          beside: ['held', 'standings'],
        },
      }),
      batch('admin', '/v1/score-events', 'CreateScoreEvents', 'createScoreEvents', SCORE_EVENTS),
      get('admin', '/v1/score-events', 'ListScoreEvents', 'scoreEvents'),
      get('admin', '/v1/score-events/{event_id}', 'GetScoreEvent', 'scoreEvent'),
      create('admin', '/v1/score-events/{event_id}/verdicts', 'GiveVerdict', 'giveVerdict.verdict', {
        also: ['INVALID_TRANSITION'],
      }),
      act('admin', '/v1/boards/{board_id}/undo-verdicts', 'UndoVerdicts', 'undoVerdicts'),
      create('admin', '/v1/boards/{board_id}/reverify', 'ReverifyRuns', 'reverifyRuns.verificationPass', {
        also: ['INVALID_TRANSITION', 'CONFLICT'],
      }),
      get('admin', '/v1/boards/{board_id}/verification-passes', 'ListVerificationPasses', 'board'),
      act('admin', '/v1/verification-passes/{pass_id}/apply', 'ApplyPass', 'applyPass', {
        also: ['INVALID_TRANSITION'],
      }),
      act('admin', '/v1/verification-passes/{pass_id}/undo', 'UndoPass', 'undoPass.verificationPass', {
        also: ['INVALID_TRANSITION'],
      }),
    ],
  },
  {
    name: 'Imports',
    routes: [
      create('admin', '/v1/boards/{board_id}/imports', 'CreateScoreImport', 'createScoreImport.scoreImport', {
        also: ['WRONG_BOARD_TYPE'],
      }),
      get('admin', '/v1/boards/{board_id}/imports', 'ListScoreImports', 'scoreImports'),
      get('admin', '/v1/imports/{import_id}', 'GetScoreImport', 'scoreImport'),
      act('admin', '/v1/imports/{import_id}/chunks', 'AddScoreImportChunk', 'addScoreImportChunk', {
        maxBodyBytes: CHUNK_BODY_BYTES,
      }),
      act('admin', '/v1/imports/{import_id}/finish', 'FinishScoreImport', 'finishScoreImport.scoreImport'),
      act('admin', '/v1/imports/{import_id}/cancel', 'CancelScoreImport', 'cancelScoreImport.scoreImport'),
    ],
  },
  {
    name: 'Board states',
    routes: [
      get('admin', '/v1/board-states', 'ListBoardStates', 'boardStates'),
      get('admin', '/v1/board-states/{state_id}', 'GetBoardState', 'boardState'),
    ],
  },
  {
    name: 'Score flags',
    routes: [
      create('admin', '/v1/score-flags', 'CreateScoreFlag', 'createScoreFlag.scoreFlag'),
      get('admin', '/v1/score-flags', 'ListScoreFlags', 'scoreFlags'),
      get('admin', '/v1/score-flags/{flag_id}', 'GetScoreFlag', 'scoreFlag'),
      patch('admin', '/v1/score-flags/{flag_id}', 'ReviewScoreFlag', 'reviewScoreFlag.scoreFlag'),
    ],
  },
  {
    name: 'Score submission metadata',
    routes: [
      get('admin', '/v1/score-submission-metadata', 'ListSubmissionMetadata', 'submissionRecords'),
      get('admin', '/v1/score-submission-metadata/{meta_id}', 'GetSubmissionMetadata', 'submissionRecord'),
    ],
  },
  {
    name: 'Alerts',
    routes: [
      get('admin', '/v1/alerts', 'ListAlerts', 'alerts'),
      get('admin', '/v1/alerts/{alert_id}', 'GetAlert', 'alert'),
      patch('admin', '/v1/alerts/{alert_id}', 'UpdateAlert', 'updateAlert.alert'),
    ],
  },
  {
    name: 'Devices',
    routes: [
      get('admin', '/v1/devices', 'ListDevices', 'devices'),
      get('admin', '/v1/devices/{device_id}', 'GetDevice', 'device'),
      patch('admin', '/v1/devices/{device_id}', 'UpdateDevice', 'updateDevice.device'),
      act('admin', '/v1/devices/{device_id}/reset', 'ResetDevice', 'resetDevice.device'),
      act('admin', '/v1/devices/{device_id}/unlink', 'UnlinkDevice', 'unlinkDevice'),
    ],
  },
  {
    name: 'Device sessions',
    routes: [
      get('admin', '/v1/device-sessions', 'ListDeviceSessions', 'deviceSessions'),
      get('admin', '/v1/device-sessions/{session_id}', 'GetDeviceSession', 'deviceSession'),
      patch(
        'admin',
        '/v1/device-sessions/{session_id}',
        'UpdateDeviceSession',
        'updateDeviceSession.deviceSession',
      ),
    ],
  },
  {
    name: 'Identities',
    routes: [
      create('admin', '/v1/identities', 'CreateIdentity', 'createIdentity.identity'),
      get('admin', '/v1/identities', 'ListIdentities', 'identities'),
      get('admin', '/v1/identities/{identity_id}', 'GetIdentity', 'identity'),
      patch('admin', '/v1/identities/{identity_id}', 'UpdateIdentity', 'updateIdentity.identity'),
      get('admin', '/v1/identities/{identity_id}/erasure', 'GetIdentityErasure', 'identityErasure'),
      create(
        'admin',
        '/v1/identities/{identity_id}/sessions',
        'StartPlayerSession',
        'startPlayerSession.session',
        { also: ['DEVICE_BLOCKED', 'ACCOUNT_SUSPENDED', 'RATE_LIMITED'] },
      ),
      act('admin', '/v1/identities/{identity_id}/sessions/end', 'EndPlayerSessions', 'endPlayerSessions'),
      act('admin', '/v1/identities/{identity_id}/proofs/remove', 'RemoveProof', 'removePlayerProof'),
      act('admin', '/v1/identities/{identity_id}/erase', 'EraseIdentity', 'eraseIdentity.erasure'),
    ],
  },
  {
    name: 'Friends',
    routes: [
      get('admin', '/v1/identities/{identity_id}/friends', 'ListFriends', 'friends'),
      act('admin', '/v1/identities/{identity_id}/friends', 'AddFriends', 'addFriends.list'),
      patch('admin', '/v1/identities/{identity_id}/friends', 'SetFriends', 'setFriends.list'),
      act('admin', '/v1/identities/{identity_id}/friends/remove', 'RemoveFriends', 'removeFriends.list'),
      get('client', '/v1/client/friends', 'ListClientFriends', 'friends'),
    ],
  },
  {
    name: 'Tags of players',
    routes: [
      get('admin', '/v1/identities/{identity_id}/tags', 'GetPlayerTags', 'playerTags'),
      patch('admin', '/v1/identities/{identity_id}/tags', 'SetPlayerTags', 'setIdentityTags.playerTags'),
      get('client', '/v1/client/tags', 'GetClientTags', 'playerTags'),
      patch('client', '/v1/client/tags', 'SetClientTags', 'setIdentityTags.playerTags', {
        headers: ['nonce'],
      }),
    ],
  },
  {
    name: 'Identity reviews',
    routes: [
      act('admin', '/v1/identity-reviews', 'ReviewIdentity', 'reviewIdentity'),
      get('admin', '/v1/identity-reviews', 'ListIdentityReviews', 'identityReviews'),
      get('admin', '/v1/identity-reviews/{review_id}', 'GetIdentityReview', 'identityReview'),
      patch(
        'admin',
        '/v1/identity-reviews/{review_id}',
        'UpdateIdentityReview',
        'updateIdentityReview.identityReview',
      ),
    ],
  },
  {
    name: 'Merges of players',
    routes: [
      act('admin', '/v1/player-merges', 'MergePlayers', 'mergePlayers'),
      get('admin', '/v1/player-merges', 'ListPlayerMerges', 'playerMerges'),
      get('admin', '/v1/player-merges/{merge_id}', 'GetPlayerMerge', 'playerMerge'),
      patch('admin', '/v1/player-merges/{merge_id}', 'UpdatePlayerMerge', 'updatePlayerMerge.playerMerge'),
    ],
  },
  {
    name: 'Configuration',
    routes: [
      get('admin', '/v1/accounts/{account_id}/configuration', 'GetConfiguration', 'configuration'),
      act('admin', '/v1/configuration/plan', 'PlanConfiguration', 'planConfiguration', {
        ...{ extraMembers: 'refused', maxBodyBytes: BATCH_BODY_BYTES },
      }),
      act('admin', '/v1/configuration/apply', 'ApplyConfiguration', 'applyConfiguration', {
        maxBodyBytes: BATCH_BODY_BYTES,
        also: ['CONFLICT', 'INVALID_TRANSITION', 'INVALID_SLUG', 'INVALID_VIEW', 'WRONG_BOARD_TYPE'],
      }),
    ],
  },
  {
    name: 'Audit entries',
    routes: [
      get('admin', '/v1/audit-entries', 'ListAuditEntries', 'auditEntries'),
      get('admin', '/v1/audit-entries/{audit_entry_id}', 'GetAuditEntry', 'auditEntry'),
    ],
  },
  {
    name: 'Registration',
    routes: [
      create('anyone', '/register/initiate', 'RegisterInitiate', 'initiateRegistration', {
        aliases: registering('initiate'),
        also: ['FORBIDDEN'],
      }),
      act('anyone', '/register/verify', 'RegisterVerify', 'verifyRegistration', {
        aliases: registering('verify'),
        also: ['FORBIDDEN'],
      }),
      act('anyone', '/register/resend', 'RegisterResend', 'resendRegistrationCode', {
        aliases: registering('resend', 'resend-code'),
        also: ['FORBIDDEN'],
      }),
      create('anyone', '/register/complete', 'RegisterComplete', 'completeRegistration', {
        aliases: registering('complete'),
        also: ['INVALID_TOKEN', 'ACCOUNT_SUSPENDED', 'FORBIDDEN'],
      }),
      act('anyone', '/register/sign-in/code', 'ConsoleCode', 'sendSignInCode', {
        aliases: registering('sign-in/code'),
      }),
      create('anyone', '/register/sign-in', 'ConsoleSignIn', 'signIn', {
        aliases: registering('sign-in'),
      }),
      create('admin', '/register/invite', 'InviteUser', 'inviteUser.user', {
        aliases: registering('invite'),
      }),
    ],
  },
  {
    name: 'Jam codes',
    routes: [
      create('superadmin', '/v1/jam-codes', 'CreateJamCode', 'createJamCode.jamCode'),
      get('superadmin', '/v1/jam-codes', 'ListJamCodes', 'jamCodes'),
      get('superadmin', '/v1/jam-codes/{jam_code_id}', 'GetJamCode', 'jamCode'),
      patch('superadmin', '/v1/jam-codes/{jam_code_id}', 'UpdateJamCode', 'updateJamCode.jamCode'),
    ],
  },
];

export const routes: Route[] = routeGroups.flatMap((group) => group.routes);

/** Paths of administrators' GET requests that name no record: lists, which may span several databases, and little else. */
export function listPaths(): Set<string> {
  const lists = routes.filter(
    ({ method, path, who, live }) => method === 'GET' && who !== 'client' && !live && !path.includes('{'),
  );
  return new Set(lists.map(({ path }) => path));
}
