// The checks of access that places make by themselves, and rows of the matrix that notice when one is missing.

/** A check: what stands in the source, what stands there without it, and rows of the matrix that are refused by it. */
export interface Cut {
  file: string;
  from: string;
  to: string;
  rows: string;
}

function cut(file: string, from: string, to: string, rows: string): Cut {
  return { file: `src/${file}`, from, to, rows };
}

const KEYS = 'accounts/authenticate.ts';
const SESSIONS = 'players/authenticate.ts';
const READ = 'GET /v1/client/nonce';
const ME = 'GET /v1/me';
const SUBMIT = 'POST /v1/client/scores, with all';
export const EVENTS = 'POST /v1/score-events';
const REFRESH = 'Mutation.refreshDeviceSession';
const PUBLIC = 'games/boards/public-read.ts';

export const CUTS: Cut[] = [
  // Keys.
  cut(KEYS, '!row || !matchesHash(this.keySecret, key, row.hash)', '!row', ME),
  cut(KEYS, "row.status !== 'active' || expired", 'expired', ME),
  cut(KEYS, '|| expired ||', '||', ME),
  cut(KEYS, " || row.user_status === 'invited'", '', ME),
  cut(KEYS, "if (row.user_status === 'suspended')", 'if (false)', ME),
  cut(KEYS, "if (row.account_status === 'suspended')", 'if (false)', ME),
  cut(KEYS, 'k.deleted_at is null and', '', ME),
  cut(KEYS, 'and u.deleted_at is null', '', ME),
  cut(KEYS, ' and a.deleted_at is null`', '`', ME),
  // Tokens, and what they stand on.
  cut('players/tokens.ts', 'payload.typ === type ?', 'true ?', READ),
  cut('players/tokens.ts', ', clockTimestamp }', ', clockTimestamp: 1 }', READ),
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
  // A submission looks at its session and its board itself, under their locks.
  cut('scores/refuse.ts', "facts.session_status !== 'active' ||", '', SUBMIT),
  cut('scores/refuse.ts', 'facts.session_deleted ||', '', SUBMIT),
  cut('scores/refuse.ts', 'facts.session_version !== version ||', '', SUBMIT),
  cut('scores/refuse.ts', 'facts.device_deleted !== false ||', '', SUBMIT),
  cut('scores/refuse.ts', '||\n    facts.identity_deleted !== false', '', SUBMIT),
  cut('scores/refuse.ts', "if (facts.device_status !== 'active')", 'if (false)', SUBMIT),
  cut('scores/refuse.ts', 'if (board.game_id !== origin.gameId.slice(4))', 'if (false)', SUBMIT),
  cut('scores/refuse.ts', "if (board.account_status !== 'active')", 'if (false)', SUBMIT),
  cut(
    'scores/refuse.ts',
    'if (!origin.superAdmin && board.account_id !== origin.accountId.slice(4))',
    'if (false)',
    EVENTS,
  ),
  // Refresh tokens, and starts of sessions.
  cut('players/refresh-session.ts', "session?.status !== 'active'", '!session', `${REFRESH}, revoked_token`),
  cut(
    'players/refresh-session.ts',
    'claims.version !== session.version',
    'false',
    `${REFRESH}, exchanged_token`,
  ),
  cut('players/refresh-session.ts', "if (session.account_status !== 'active')", 'if (false)', REFRESH),
  cut('players/refresh-session.ts', "if (session.device_status !== 'active')", 'if (false)', REFRESH),
  ...[
    's.id = ? and s',
    'd.id = s.device_id and d',
    'i.id = s.identity_id and i',
    'g.id = s.game_id and g',
  ].map((on) =>
    cut('players/refresh-session.ts', `${on}.deleted_at is null`, on.replace(/ and .$/, ''), REFRESH),
  ),
  cut('players/refresh-session.ts', ' and a.deleted_at is null', '', REFRESH),
  cut('players/start-session.ts', ' and g.deleted_at is null', '', 'Mutation.startDeviceSession'),
  cut('players/start-session.ts', ' and a.deleted_at is null`', '`', 'Mutation.startDeviceSession'),
  cut(
    'players/start-session.ts',
    "if (row.status !== 'active')",
    'if (false)',
    'Mutation.startDeviceSession',
  ),
  cut(
    'players/start-session.ts',
    "if (device.status !== 'active')",
    'if (false)',
    'Mutation.startDeviceSession',
  ),
  // What is published.
  cut(PUBLIC, '(boards.is_published and ', '(', 'Query.publicBoard'),
  cut(PUBLIC, "inActiveAccount('boards')} and", 'true} and', 'Query.publicBoard'),
  cut(PUBLIC, ".whereRaw(inActiveAccount('games'))", '', 'Query.publicGame'),
  cut('scores/live/resolver.ts', "context.caller.kind !== 'anonymous'", 'true', 'Subscription.boardChanged'),
  cut('scores/live/resolver.ts', 'if (context.credentialError)', 'if (false)', 'Subscription.boardChanged'),
  cut(
    'scores/live/resolver.ts',
    "context.caller.kind === 'anonymous' ? null : loadBoard(context, change.id)",
    'context.loaders.of(boardById).load(change.id)',
    'Subscription.boardChanged',
  ),
  cut(
    'scores/live/resolver.ts',
    "if (context.caller.kind === 'anonymous') return null;",
    '',
    'Subscription.rankChanged',
  ),
  cut(
    'scores/live/resolver.ts',
    'identity?.gameId !== board.gameId',
    '!identity',
    'Subscription.rankChanged, of a player',
  ),
  // Where scores came from, where nobody sees it nothing of it is read.
  cut(
    'scores/score-resolver.ts',
    "administers(context, board.accountId) ? 'all' : 'withoutOrigin'",
    "'all' as const",
    'Query.scores$',
  ),
  cut(
    'scores/live/resolver.ts',
    "rights === 'admin' ? 'all' : 'withoutOrigin'",
    "'all'",
    'Subscription.boardChanged',
  ),
  cut('scores/list.ts', "detail === 'all' ? page :", 'true ? page :', 'Query.board$'),
  // What a list of scores names beside its board.
  cut(
    'scores/score-resolver.ts',
    "caller.kind === 'admin' && caller.superAdmin && args.accountId == null",
    'false',
    'Query.scores, without an account',
  ),
  cut(
    'scores/score-resolver.ts',
    'args.gameId != null && args.gameId !== board.gameId',
    'false',
    'Query.scores, of a game',
  ),
  cut(
    'fairplay/flag-feed.ts',
    '($4::uuid is null or account_id = $4) and',
    '($4::uuid is null or true) and',
    'Subscription.scoreFlagged, where',
  ),
  // What is deleted, and what lies below it.
  cut('accounts/read.ts', ' and a.deleted_at is null)`', ')`', 'Query.game$'),
  cut(
    'accounts/read.ts',
    ".whereRaw('exists (select from users u where u.id = api_keys.user_id and u.deleted_at is null)')",
    '',
    'Query.apiKey, of',
  ),
  cut(
    'accounts/read.ts',
    "db('accounts').whereNull('accounts.deleted_at')",
    "db('accounts')",
    'Query.account$',
  ),
  cut('accounts/read.ts', ".whereNull('users.deleted_at')", '', 'Query.user$'),
  cut('accounts/read.ts', ".whereNull('api_keys.deleted_at')", '', 'Query.apiKey$'),
  cut('games/read.ts', 'g.deleted_at is null and', '', 'Query.board, of'),
  cut('games/read.ts', ' and a.deleted_at is null)`', ')`', 'Query.board$'),
  cut('games/read.ts', ".whereNull('games.deleted_at')", '', 'Query.game$'),
  cut('games/boards/read.ts', ".whereNull('boards.deleted_at')", '', 'Query.board$'),
  cut('players/read.ts', ".whereNull('devices.deleted_at')", '', 'Query.device$'),
  cut('players/read.ts', ".whereNull('device_sessions.deleted_at')", '', 'Query.deviceSession$'),
  cut('players/read.ts', ".whereNull('identities.deleted_at')", '', 'Query.identity$'),
  cut('fairplay/read.ts', ".whereNull('f.deleted_at')", '', 'Query.scoreFlag$'),
  cut(
    'games/boards/template-read.ts',
    ".whereNull('board_templates.deleted_at')",
    '',
    'Query.boardTemplate$',
  ),
  cut('scores/events-read.ts', ".whereNull('d.deleted_at')", '', 'Query.scoreEvent$'),
  ...['boards d where d.id = s.board_id', 'identities i where i.id = s.identity_id'].map((below) =>
    cut(
      'scores/states-read.ts',
      `${below} and ${below.split(' ')[1]}.deleted_at is null`,
      below,
      'Query.boardState(, of.*)?$',
    ),
  ),
];
