// Checks of access that single places make, and the rows of the matrix that notice a missing one.

/** A check: its source text, the text without it, and the rows of the matrix that it refuses. */
export interface Cut {
  file: string;
  from: string;
  to: string;
  rows: string;
}

function cut(file: string, from: string, to: string, rows: string): Cut {
  return { file: `src/${file}`, from, to, rows };
}

const KEYS = 'accounts/keys/authenticate.ts';
const SESSIONS = 'players/sessions/authenticate.ts';
const READ = 'GET /v1/client/nonce';
const ME = 'GET /v1/me';
const SUBMIT = 'POST /v1/client/scores, with all';
export const EVENTS = 'POST /v1/score-events';
const REFRESH = 'Mutation.refreshDeviceSession';
const PUBLIC = 'boards/public/read.ts';

export const CUTS: Cut[] = [
  // Keys.
  cut(KEYS, '!row || !matchesHash(this.keySecret, key, row.hash)', '!row', ME),
  cut(KEYS, "row.status !== 'active' || expired", 'expired', ME),
  cut(KEYS, '|| expired ||', '||', ME),
  cut(KEYS, " || row.user_status === 'invited'", '', ME),
  cut(KEYS, "if (row.user_status === 'suspended')", 'if (false)', ME),
  cut(KEYS, "if (row.account_status === 'suspended')", 'if (false)', ME),
  cut(KEYS, 'where prefix = p.prefix and deleted_at is null', 'where prefix = p.prefix', ME),
  cut(KEYS, 'where id = k.user_id and deleted_at is null', 'where id = k.user_id', ME),
  cut(KEYS, 'where id = k.account_id and deleted_at is null', 'where id = k.account_id', ME),
  // Tokens, and the records that they depend on.
  cut('players/sessions/tokens.ts', 'payload.typ === type ?', 'true ?', READ),
  cut('players/sessions/tokens.ts', ', clockTimestamp }', ', clockTimestamp: 1 }', READ),
  cut(SESSIONS, "state?.status !== 'active' ||", '!state ||', READ),
  cut(SESSIONS, '|| state.version !== version) throw', ') throw', READ),
  cut(SESSIONS, "if (state.account_status !== 'active')", 'if (false)', READ),
  cut(SESSIONS, "if (state.device_status !== 'active')", 'if (false)', READ),
  ...[
    [
      'cross join lateral (select * from device_sessions where id = u.id and deleted_at is null',
      'cross join lateral (select * from device_sessions where id = u.id',
    ],
    [
      'cross join lateral (select status from devices where id = s.device_id and deleted_at is null',
      'cross join lateral (select status from devices where id = s.device_id',
    ],
    [
      'cross join lateral (select from identities where id = s.identity_id and deleted_at is null',
      'cross join lateral (select from identities where id = s.identity_id',
    ],
    [
      'cross join lateral (select from games where id = s.game_id and deleted_at is null',
      'cross join lateral (select from games where id = s.game_id',
    ],
    [
      'cross join lateral (select status from accounts where id = s.account_id and deleted_at is null',
      'cross join lateral (select status from accounts where id = s.account_id',
    ],
  ].map(([from, to]) => cut(SESSIONS, from!, to!, READ)),
  // A submission reads its session and its board by itself, under their locks.
  cut('submissions/decide/refuse.ts', "facts.session_status !== 'active' ||", '', SUBMIT),
  cut('submissions/decide/refuse.ts', 'facts.session_deleted ||', '', SUBMIT),
  cut('submissions/decide/refuse.ts', 'facts.session_version !== version ||', '', SUBMIT),
  cut('submissions/decide/refuse.ts', 'facts.device_deleted !== false ||', '', SUBMIT),
  cut('submissions/decide/refuse.ts', '||\n    facts.identity_deleted !== false', '', SUBMIT),
  cut('submissions/decide/refuse.ts', "if (facts.device_status !== 'active')", 'if (false)', SUBMIT),
  cut('submissions/decide/refuse.ts', 'if (board.game_id !== origin.gameId.slice(4))', 'if (false)', SUBMIT),
  cut('submissions/decide/refuse.ts', "if (board.account_status !== 'active')", 'if (false)', SUBMIT),
  cut(
    'submissions/decide/refuse.ts',
    'if (!origin.superAdmin && board.account_id !== origin.accountId.slice(4))',
    'if (false)',
    EVENTS,
  ),
  // Refresh tokens, and starts of sessions.
  cut('players/sessions/refresh.ts', "session?.status !== 'active'", '!session', `${REFRESH}, revoked_token`),
  cut(
    'players/sessions/refresh.ts',
    'claims.version !== session.version',
    'false',
    `${REFRESH}, exchanged_token`,
  ),
  cut('players/sessions/refresh.ts', "if (session.account_status !== 'active')", 'if (false)', REFRESH),
  cut('players/sessions/refresh.ts', "if (session.device_status !== 'active')", 'if (false)', REFRESH),
  ...[
    's.id = ? and s',
    'd.id = s.device_id and d',
    'i.id = s.identity_id and i',
    'g.id = s.game_id and g',
  ].map((on) =>
    cut('players/sessions/refresh.ts', `${on}.deleted_at is null`, on.replace(/ and .$/, ''), REFRESH),
  ),
  cut('players/sessions/refresh.ts', ' and a.deleted_at is null', '', REFRESH),
  cut('players/sessions/start.ts', ' and g.deleted_at is null', '', 'Mutation.startDeviceSession'),
  cut('players/sessions/start.ts', ' and a.deleted_at is null', '', 'Mutation.startDeviceSession'),
  cut(
    'players/sessions/start.ts',
    "if (found.account_status !== 'active')",
    'if (false)',
    'Mutation.startDeviceSession',
  ),
  cut(
    'players/sessions/start.ts',
    "found.device_status !== null && found.device_status !== 'active'",
    'false',
    'Mutation.startDeviceSession',
  ),
  // Published boards and games.
  cut(PUBLIC, '(boards.is_published and ', '(', 'Query.publicBoard'),
  cut(PUBLIC, "inActiveAccount('boards')} and", 'true} and', 'Query.publicBoard'),
  cut(PUBLIC, ".whereRaw(inActiveAccount('games'))", '', 'Query.publicGame'),
  cut('scores/feeds/resolver.ts', 'if (credentialError)', 'if (false)', 'Subscription.boardChanged'),
  cut(
    'scores/feeds/resolver.ts',
    'identity?.gameId !== board.gameId',
    '!identity',
    'Subscription.rankChanged, of a player',
  ),
  // The origin of scores is not even read for callers who may not see it.
  cut(
    'scores/visibility.ts',
    "if (administersPopulation(asking, board, isTest)) return 'all';",
    "return 'all';",
    'Query.board$',
  ),
  cut(
    'scores/feeds/window-source.ts',
    "rights === 'admin' ? 'all' : 'withoutOrigin'",
    "'all'",
    'Subscription.boardChanged',
  ),
  cut('scores/read/list.ts', "detail === 'all' ? page :", 'true ? page :', 'Query.board$'),
  // The filters of a list of scores beside its board.
  cut(
    'scores/schema/score-resolver.ts',
    "caller.kind === 'admin' && caller.superAdmin && args.accountId == null",
    'false',
    'GET /v1/scores, without an account',
  ),
  cut(
    'scores/schema/score-resolver.ts',
    'args.gameId != null && args.gameId !== board.gameId',
    'false',
    'GET /v1/scores, of a game',
  ),
  cut(
    'fairplay/flags/feed.ts',
    '($4::uuid is null or account_id = $4) and',
    '($4::uuid is null or true) and',
    'Subscription.scoreFlagged, where',
  ),
  // Deleted records and the records below them.
  // Records that others refer to, and what only administrators read.
  cut('graphql/node.ts', ' || !hasRole(source.allowReference ?? source.allow, context)', '', 'Query.score$'),
  cut('graphql/access.ts', 'hasRole(grants, context) ? resolve', 'grants ? resolve', 'Query.board$'),
  cut('accounts/read.ts', 'LIVE_ACCOUNT})', "'true'})", 'Query.game$'),
  cut(
    'accounts/read.ts',
    ".whereRaw('exists (select from users u where u.id = api_keys.user_id and u.deleted_at is null)')",
    '',
    // One key is read with its user.
    'Query.apiKeys$',
  ),
  cut(
    'accounts/read.ts',
    "Account.query(db).whereNull('accounts.deleted_at')",
    'Account.query(db)',
    'Query.account$',
  ),
  cut('accounts/read.ts', ".whereNull('users.deleted_at')", '', 'Query.user$'),
  cut('accounts/read.ts', ".whereNull('api_keys.deleted_at')", '', 'Query.apiKey$'),
  cut('games/read.ts', 'g.deleted_at is null and', '', 'Query.board, of'),
  cut('games/read.ts', 'LIVE_ACCOUNT})', "'true'})", 'Query.board$'),
  cut('games/read.ts', ".whereNull('games.deleted_at')", '', 'Query.game$'),
  cut('boards/board/read.ts', ".whereNull('boards.deleted_at')", '', 'Query.board$'),
  cut('players/read.ts', ".whereNull('devices.deleted_at')", '', 'Query.device$'),
  cut('players/read.ts', ".whereNull('device_sessions.deleted_at')", '', 'Query.deviceSession$'),
  cut('players/read.ts', ".whereNull('identities.deleted_at')", '', 'Query.identity$'),
  cut('fairplay/flags/read.ts', ".whereNull('f.deleted_at')", '', 'Query.scoreFlag$'),
  cut('boards/templates/read.ts', ".whereNull('board_templates.deleted_at')", '', 'Query.boardTemplate$'),
  cut('scores/read/events.ts', ".whereNull('d.deleted_at')", '', 'Query.scoreEvent$'),
  ...['boards d where d.id = s.board_id', 'identities i where i.id = s.identity_id'].map((below) =>
    cut(
      'scores/read/states.ts',
      `${below} and ${below.split(' ')[1]}.deleted_at is null`,
      below,
      'Query.boardState(, of.*)?$',
    ),
  ),
];
