/** The way from a row to its account. */
type Way =
  | 'self'
  | 'account'
  | 'board'
  | 'game'
  | 'identity'
  | 'review'
  | 'import'
  | 'scope'
  | 'user'
  | 'endpoint'
  | 'nonce';

export interface MovedTable {
  way: Way;
  /** Rows that a job deletes when they are old: their deletion is refused in no state, and they are not compared. */
  expires?: true;
}

/** Tables whose rows move with their account, those that others are found by first. A test fails for a table in neither list. */
export const MOVED_TABLES: Readonly<Record<string, MovedTable>> = {
  accounts: { way: 'self' },
  users: { way: 'account' },
  api_keys: { way: 'account' },
  passkeys: { way: 'account' },
  identity_providers: { way: 'account' },
  provider_links: { way: 'account' },
  provider_sessions: { way: 'account', expires: true },
  used_challenges: { way: 'account', expires: true },
  games: { way: 'account' },
  game_pictures: { way: 'game' },
  game_standings: { way: 'game' },
  board_templates: { way: 'account' },
  boards: { way: 'account' },
  board_views: { way: 'board' },
  view_periods: { way: 'board' },
  board_rankings: { way: 'board' },
  rankings: { way: 'board' },
  left_out_runs: { way: 'board' },
  closing_rules: { way: 'board' },
  closings: { way: 'board' },
  closing_places: { way: 'board' },
  closing_undecided: { way: 'board' },
  leagues: { way: 'board' },
  league_periods: { way: 'board' },
  league_cohorts: { way: 'board' },
  league_seats: { way: 'board' },
  league_outcomes: { way: 'board' },
  prize_tables: { way: 'board' },
  rewards: { way: 'board' },
  ratio_configs: { way: 'board' },
  generations_due: { way: 'board' },
  names_due: { way: 'board' },
  history: { way: 'game' },
  counted_boards: { way: 'board' },
  counted_games: { way: 'game' },
  active_players: { way: 'game' },
  identities: { way: 'account' },
  first_submissions: { way: 'identity' },
  player_words: { way: 'game' },
  player_words_due: { way: 'game' },
  player_merges: { way: 'account' },
  identities_due: { way: 'identity' },
  friend_lists: { way: 'identity' },
  player_tags: { way: 'identity' },
  player_tags_due: { way: 'identity' },
  renames_due: { way: 'identity' },
  devices: { way: 'account' },
  player_providers: { way: 'account' },
  player_proofs: { way: 'account' },
  proven_devices: { way: 'account' },
  link_codes: { way: 'account', expires: true },
  device_sessions: { way: 'account', expires: true },
  // By their boards, which their primary keys begin with, though they have the account.
  score_events: { way: 'board' },
  rulings: { way: 'board' },
  entries: { way: 'board' },
  states: { way: 'board' },
  merged_states: { way: 'board' },
  rank_runs: { way: 'board' },
  rank_tops: { way: 'board' },
  score_flags: { way: 'board' },
  flag_reviews: { way: 'board' },
  held_runs: { way: 'board' },
  runs: { way: 'board' },
  attempts: { way: 'board' },
  recordings: { way: 'board' },
  verdicts: { way: 'board' },
  verification_passes: { way: 'account' },
  recording_usage: { way: 'account' },
  recording_objects_due: { way: 'account', expires: true },
  alerts: { way: 'account', expires: true },
  board_medians: { way: 'board', expires: true },
  comments: { way: 'account' },
  identity_reviews: { way: 'account' },
  identity_review_boards: { way: 'review' },
  identity_review_bans: { way: 'review' },
  identity_erasures: { way: 'account' },
  score_imports: { way: 'account' },
  import_chunks: { way: 'import' },
  import_rows: { way: 'import' },
  audit_entries: { way: 'account', expires: true },
  webhook_endpoints: { way: 'account' },
  webhook_events: { way: 'account', expires: true },
  webhook_deliveries: { way: 'account', expires: true },
  webhook_boards: { way: 'endpoint' },
  webhook_leaders: { way: 'endpoint' },
  idempotency_keys: { way: 'scope', expires: true },
  nonce_uses: { way: 'nonce', expires: true },
  verification_codes: { way: 'user', expires: true },
};

/** Tables of a cell that stay, each with the reason. Those of the job runner are not named: what waits there is called from its cell. */
export const LEFT_TABLES: Readonly<Record<string, string>> = {
  account_changes: 'of the move itself',
  account_moves: 'of the move itself',
  jam_codes: 'belong to no account',
  jam_code_redemptions: "a code's uses are counted where the code is",
  jobs: 'the schedule of the cell',
  mails: 'written already, and sent by the cell that wrote them',
  name_claims: 'claims are settled on the cell where they were made',
  migration_checksums: 'of the schema',
  migrations: 'of the schema',
  migrations_lock: 'of the schema',
  webhook_state: 'how far the flags of the cell are reported',
};

const inAccount = (table: string) => `select x.id from ${table} x where x.account_id = $1`;

/** Conditions on rows, `t`, of the account `$1`. Arrays: so that tables of all accounts are searched by their keys. */
export const OF_ACCOUNT: Readonly<Record<Way, string>> = {
  self: 't.id = $1',
  account: 't.account_id = $1',
  board: `t.board_id = any(array(${inAccount('boards')}))`,
  game: `t.game_id = any(array(${inAccount('games')}))`,
  identity: `t.identity_id in (${inAccount('identities')})`,
  review: `t.review_id = any(array(${inAccount('identity_reviews')}))`,
  import: `t.import_id = any(array(${inAccount('score_imports')}))`,
  scope: `t.scope in (select $1 union all ${inAccount('identities')})`,
  endpoint: `t.endpoint_id = any(array(${inAccount('webhook_endpoints')}))`,
  user: `t.user_id = any(array(${inAccount('users')}))`,
  nonce: '(t.account_id = $1 or t.account_id is null)',
};

/** The account of a row, `r`, in a trigger. */
export const ACCOUNT_OF: Readonly<Record<Way, string>> = {
  self: 'r.id',
  account: 'r.account_id',
  board: '(select x.account_id from boards x where x.id = r.board_id)',
  game: '(select x.account_id from games x where x.id = r.game_id)',
  identity: '(select x.account_id from identities x where x.id = r.identity_id)',
  review: '(select x.account_id from identity_reviews x where x.id = r.review_id)',
  import: '(select x.account_id from score_imports x where x.id = r.import_id)',
  scope: '(select coalesce((select x.account_id from identities x where x.id = r.scope), r.scope))',
  endpoint: '(select x.account_id from webhook_endpoints x where x.id = r.endpoint_id)',
  user: '(select x.account_id from users x where x.id = r.user_id)',
  // One that belongs to no known account goes with the account that moves now.
  nonce: `coalesce(r.account_id, (select x.account_id from account_moves x where x.state = 'capturing' limit 1))`,
};
