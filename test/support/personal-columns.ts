/** A column that may hold something about a person. */
interface PersonalColumn {
  /** `player`: an erasure removes it. `user`: about a person of a studio or of the operator. */
  of: 'player' | 'user';
  /** How long it lives. */
  kept: string;
}

interface TableColumns {
  personal: Record<string, PersonalColumn>;
  /** Names, separated by blanks, of columns that hold nothing about a person but ids, numbers, times and words of the service. */
  other: string;
}

const player = (kept: string): PersonalColumn => ({ of: 'player', kept });
const user = (kept: string): PersonalColumn => ({ of: 'user', kept });

const UNTIL_ERASED = 'until the player is erased';
const WITH_BOARD = 'until the player is erased; a deleted player or board can be restored';
const SESSION =
  'SESSION_ADDRESS_DAYS, or with the session (SESSION_RETENTION_DAYS), or until the player is erased';
const AUDIT = 'AUDIT_RETENTION_DAYS; a player’s texts until the player is erased';
const KEY_ADDRESS = 'SESSION_ADDRESS_DAYS after its last use';
const AUDIT_ADDRESS = 'SESSION_ADDRESS_DAYS, or with the entry (AUDIT_RETENTION_DAYS)';
const SIGN_IN_ADDRESS = 'SESSION_ADDRESS_DAYS';
const PROVIDER_SESSION = 'until the sign-in ends, at most 12 hours, and an hour more';
const MAIL = 'MAIL_RETENTION_DAYS';
const MAIL_CONTENT = 'until it is sent, refused or expired; encrypted';
const CODE = 'two days';
const IMPORT = 'until the import ends (at most seven days after its last chunk) or the player is erased';
const ACCOUNT_LIFE = 'with the record; a deleted one can be restored';
/** Removing it is for good, but its row stays. */
const SIGN_IN_WAY = 'with its user; a removed one is not restored';
const CLOSING = 'until the player is erased, who keeps the place without a name';
const REVIEW = 'until the player is erased';
const COMMENT = 'until its author deletes it or the player is erased';
const CALL =
  'until the call is done (failed: FAILED_JOB_RETENTION_DAYS) or a player it names by id is erased';
const FRIENDS = 'until the game server removes it or either player is erased';
const TAGS = 'until it is changed or removed, or the player is erased';
const LAST_ERROR = 'until the job’s next run, or until the player of the failed run is erased';
const HOOK = 'with the endpoint; a deleted one can be restored';
const HOOK_LOG = 'WEBHOOK_LOG_DAYS; a player’s texts until the player is erased';
const ATTEMPTS = 'with the periods of the view (`keepPeriods`), or until the player is erased';
const RECORDING = 'seven days after the board stops keeping it, or until the player is erased';
const RENAME = 'until boards show the name (usually seconds) or the player is erased';

/** Every column of every table. A test fails for one that is missing, and for a page that does not name a personal one. */
export const COLUMNS: Record<string, TableColumns> = {
  'graphile_worker._private_job_queues': {
    personal: {},
    other: 'id queue_name locked_at locked_by is_available',
  },
  'graphile_worker._private_jobs': {
    personal: { payload: player(CALL), last_error: player(CALL) },
    other:
      'id job_queue_id task_id priority run_at attempts max_attempts created_at updated_at key locked_at locked_by revision flags is_available',
  },
  'graphile_worker._private_known_crontabs': { personal: {}, other: 'identifier known_since last_execution' },
  'graphile_worker._private_tasks': { personal: {}, other: 'id identifier' },
  'graphile_worker.migrations': { personal: {}, other: 'id ts breaking' },
  // Which hours somebody submitted in, as the events say, too; forgotten after two months.
  active_players: { personal: {}, other: 'game_id board_id is_test month identity_id hours' },
  alerts: {
    personal: {},
    other: 'id account_id game_id board_id kind status metadata added_in created_at updated_at',
  },
  board_medians: {
    personal: {},
    other: 'board_id generation read_at entries median scale logarithmic',
  },
  closing_places: {
    personal: { player_name: player(CLOSING), value_display: player(CLOSING) },
    other: 'board_id closing_id rank display_rank identity_id value prize_rank tie_rank tied lines shares',
  },
  closing_rules: {
    personal: {},
    other: 'board_id view_name settle_seconds review_top review_seconds places since',
  },
  closing_undecided: { personal: {}, other: 'board_id closing_id event_seq is_held' },
  closings: {
    personal: {},
    other:
      'board_id id account_id game_id view_name period_key group_key is_test reason status ended_at settles_at review_until review_top places frozen_at seq version generation entry_count open_flags held_runs created_at updated_at prize_number prizes_status player_count granted_through granted_count released_at held_at line_players',
  },
  counted_boards: { personal: {}, other: 'board_id game_id seq filling' },
  counted_games: { personal: {}, other: 'game_id since' },
  first_submissions: { personal: {}, other: 'identity_id is_test at' },
  history: {
    personal: {},
    other: 'game_id board_id is_test span at submissions flags new_players active_players',
  },
  // Who was with whom in a cohort, by ids; of an erased player they stay without a name, as places of closings do.
  leagues: {
    personal: {},
    other: 'board_id view_no tiers settle_seconds late_share idle_periods equal_values',
  },
  league_periods: {
    personal: {},
    other:
      'board_id view_no period_number tiers settle_seconds late_share idle_periods equal_values ended_at closed_at',
  },
  league_cohorts: {
    personal: {},
    other: 'board_id view_no period_number is_test tier cohort is_late seats is_open closed_at closed_seq',
  },
  league_seats: {
    personal: {},
    other: 'board_id view_no period_number is_test identity_id tier cohort idle seated_at',
  },
  league_outcomes: {
    personal: {},
    other:
      'board_id view_no period_number is_test tier cohort place identity_id value next_tier idle reissued_at',
  },
  account_changes: { personal: {}, other: 'number account_id relation key' },
  account_moves: { personal: {}, other: 'account_id state epoch copied_at created_at' },
  accounts: {
    personal: {
      name: user(ACCOUNT_LIFE),
      city: user(ACCOUNT_LIFE),
      country: user(ACCOUNT_LIFE),
      timezone: user(ACCOUNT_LIFE),
    },
    other: 'id slug status created_at updated_at deleted_at passkeys_demanded_at passkey_hours provider_only',
  },
  api_keys: {
    personal: {
      name: user(ACCOUNT_LIFE),
      last_used_from: user(KEY_ADDRESS),
      signed_in_from: user(SIGN_IN_ADDRESS),
      signed_in_agent: user(SIGN_IN_ADDRESS),
    },
    other:
      'id account_id user_id scopes only_game_id prefix hash status last_used_at expires_at created_at updated_at deleted_at is_console signed_in_with check_due_at',
  },
  audit_entries: {
    personal: {
      before: player(AUDIT),
      after: player(AUDIT),
      reason: player(AUDIT),
      ip_address: user(AUDIT_ADDRESS),
    },
    other: 'id account_id game_id user_id api_key_id author agent action subject_id created_at',
  },
  board_rankings: {
    personal: {},
    other:
      'board_id generation board_type sort_direction keep_strategy seq version derived_version last_event_at newest_batch build numerator_seq denominator_seq ratio newest_generation import_seq imported_seq newest_ranking newest_view tie_policy dense_views player_tags submission_tags',
  },
  board_templates: {
    personal: {},
    other:
      'id account_id game_id name slug name_template series repeat_interval next_run_at is_active is_published icon unit format board_type sort_direction keep_strategy starts_at ends_at tags config boards_made last_error failures retry_at created_at updated_at deleted_at public_fields time_zone week_start day_start dimensions closing_rules tie_policy views friends_from hold_top hold_hours proof tickets windows_from default_view recordings verdicts',
  },
  board_views: {
    personal: {},
    other:
      'board_id view_no name period every_days epoch seasons by_tags time_zone week_start day_start tie_policy keep_periods keep_podium most_groups since status build created_at updated_at',
  },
  boards: {
    personal: {},
    other:
      'id account_id game_id name slug short_code description icon unit format is_active is_published board_type sort_direction keep_strategy starts_at ends_at tags template_name created_from_template_id created_at updated_at deleted_at series_number period_starts_at public_fields time_zone week_start day_start dimensions closing_rules tie_policy friends_from hold_top hold_hours proof tickets rehearsal_of_id default_view recordings verdicts',
  },
  comments: {
    personal: { text: player(COMMENT) },
    other: 'id account_id game_id identity_id score_flag_id author_id created_at',
  },
  device_sessions: {
    personal: { ip_address: player(SESSION), user_agent: player(SESSION) },
    other:
      'id account_id game_id device_id identity_id test_mode version status expires_at refresh_expires_at revoked_at created_at updated_at deleted_at started_by merged_from proven_at',
  },
  devices: {
    personal: {
      client_fingerprint: player(UNTIL_ERASED),
      label: player(UNTIL_ERASED),
      platform: player(UNTIL_ERASED),
      metadata: player(UNTIL_ERASED),
    },
    other:
      'id account_id game_id identity_id status first_seen_at last_seen_at created_at updated_at deleted_at banned_in merged_from removed_from linked_identity_id unlinked_from unlinked_at',
  },
  entries: {
    personal: {
      player_name: player(WITH_BOARD),
      value_display: player(WITH_BOARD),
      metadata: player(WITH_BOARD),
    },
    other:
      'board_id generation is_test slot id identity_id event_seq value rank_key seq ranked status created_at updated_at event_board_id',
  },
  flag_reviews: {
    personal: { note: player(REVIEW) },
    other: 'board_id flag_id number status notes reviewer_id identity_review_id undone created_at pass_id',
  },
  friend_lists: { personal: { friend_id: player(FRIENDS) }, other: 'identity_id created_at' },
  game_standings: { personal: {}, other: 'game_id changes' },
  game_pictures: { personal: {}, other: 'game_id kind type digest size width height bytes created_at' },
  games: {
    personal: {},
    other:
      'id account_id name slug description page_url platform_app_id default_board_id anti_cheat_enabled tags created_at updated_at deleted_at anti_cheat_settings accent_colour environment overlay_origins players_merge logo cover prizes_held_at',
  },
  generations_due: { personal: {}, other: 'board_id generation due_at' },
  idempotency_keys: {
    personal: {
      key: player('seven days, or until the player is erased'),
      body_hash: player('seven days, or until the player is erased'),
      answer: player('seven days, or until the player is erased'),
    },
    other: 'scope created_at',
  },
  identities: {
    personal: {
      external_key: player(UNTIL_ERASED),
      display_name: player(UNTIL_ERASED),
      trust_tier: player(UNTIL_ERASED),
      trust_tier_given: player(UNTIL_ERASED),
      trust_tier_given_at: player(UNTIL_ERASED),
      trust_tier_reason: player(UNTIL_ERASED),
    },
    other:
      'id account_id game_id kind created_at updated_at deleted_at deleted_with erased_at keeps_scores name_locked made_by proven_at merged_into',
  },
  identities_due: {
    personal: {},
    other: 'identity_id effect device_id ticket requested_by leased_until',
  },
  identity_providers: {
    personal: { name: user(ACCOUNT_LIFE), group_roles: user(ACCOUNT_LIFE) },
    other:
      'id account_id kind issuer client_id sealed_secret scopes groups_claim domains default_role only_provider key_days created_at updated_at deleted_at',
  },
  provider_links: {
    personal: { subject: user(SIGN_IN_WAY) },
    other:
      'id account_id user_id provider_id issuer subject_key signed_in_at created_at updated_at deleted_at',
  },
  prize_tables: { personal: {}, other: 'board_id view_name number prizes effective_at created_at' },
  provider_sessions: {
    personal: { sid: user(PROVIDER_SESSION) },
    other: 'key_id account_id link_id sealed_refresh leased_until created_at',
  },
  passkeys: {
    personal: { name: user(SIGN_IN_WAY) },
    other:
      'id account_id user_id credential_id public_key sign_count transports is_synced last_used_at created_at updated_at deleted_at',
  },
  player_providers: {
    personal: {},
    other:
      'id account_id game_id kind slug issuer keys_url public_key audiences client_id redirect_url steam_identity ' +
      'allow_borrowed sealed_secret trust_tier last_refusal last_refused_at created_at updated_at deleted_at',
  },
  player_proofs: {
    personal: { subject: player(UNTIL_ERASED) },
    other: 'provider_id account_id game_id identity_id proven_at last_proven_at is_lent',
  },
  proven_devices: { personal: {}, other: 'identity_id device_id account_id last_seen_at' },
  link_codes: { personal: {}, other: 'code_hash account_id identity_id device_id session_id expires_at' },
  player_tags: { personal: { value: player(TAGS) }, other: 'identity_id name updated_at' },
  player_words: { personal: { words: player(UNTIL_ERASED) }, other: 'game_id identity_id' },
  player_words_due: { personal: {}, other: 'game_id until_at after_id players has_words' },
  player_tags_due: { personal: {}, other: 'identity_id ticket leased_until' },
  identity_erasures: {
    personal: {},
    other:
      'identity_id account_id game_id scores status requested_by boards boards_total board_seq key_after events leased_until created_at finished_at',
  },
  identity_review_bans: { personal: {}, other: 'review_id device_id status_before' },
  attempts: {
    personal: { tickets: player(ATTEMPTS), keys: player(ATTEMPTS) },
    other: 'board_id view_no period_number identity_id is_test requests issued_at',
  },
  runs: {
    personal: { game_version: player(WITH_BOARD) },
    other: 'board_id event_seq ticket started_at elapsed_ms idle_ms run_ms advance attempt seed fault splits',
  },
  recordings: {
    personal: { content: player(RECORDING), sha256: player(RECORDING) },
    other: 'board_id event_seq account_id wanted_until demanded bytes object stored_at leaving_at',
  },
  verdicts: {
    personal: { reason: player(REVIEW) },
    other:
      'board_id event_seq pass_id verifier id account_id verdict version mode given_by created_at undone_at',
  },
  verification_passes: {
    personal: { podium_before: player(REVIEW), podium_after: player(REVIEW) },
    other:
      'id account_id game_id board_id since status total sent sent_upto upto runs moved failure ' +
      'requested_by applied_by undone_by applied_at created_at updated_at',
  },
  recording_usage: { personal: {}, other: 'account_id files bytes' },
  recording_objects_due: { personal: {}, other: 'object account_id due_at' },
  held_runs: { personal: {}, other: 'board_id event_seq rank created_at ends_at ended_at' },
  identity_review_boards: {
    personal: { podium_before: player(REVIEW), podium_after: player(REVIEW) },
    other: 'review_id board_id runs moved undone failure',
  },
  identity_reviews: {
    personal: { reason: player(REVIEW) },
    other:
      'id account_id game_id identity_id device_id since upto decision ban_devices status requested_by undone_by leased_until created_at updated_at',
  },
  import_chunks: { personal: {}, other: 'import_id number hash' },
  import_rows: {
    personal: {
      external_key: player(IMPORT),
      player_name: player(IMPORT),
      shown_name: player(IMPORT),
      present_name: player(IMPORT),
      country: player(IMPORT),
      tags: player(IMPORT),
      player_tags: player(IMPORT),
      value_display: player(IMPORT),
      metadata: player(IMPORT),
      ref: player(IMPORT),
    },
    other: 'import_id at hint chunk line kind amount is_test',
  },
  jam_code_redemptions: { personal: {}, other: 'id jam_code_id account_id meta redeemed_at' },
  jam_codes: {
    personal: {},
    other:
      'id code description active expires_at max_uses current_uses last_redeemed_at features created_at updated_at',
  },
  jobs: {
    personal: { last_error: player(LAST_ERROR) },
    other: 'name last_started_at last_finished_at last_done last_error_of last_failed_at runs failures',
  },
  left_out_runs: { personal: {}, other: 'board_id view_no period_number group_key identity_id' },
  mails: {
    personal: { recipient: user(MAIL), last_error: user(MAIL), content: user(MAIL_CONTENT) },
    other: 'id account_id kind about status attempts turn_at due_at expires_at sent_at created_at updated_at',
  },
  migration_checksums: { personal: {}, other: 'name checksum' },
  migrations: { personal: {}, other: 'id name batch migration_time' },
  name_claims: { personal: {}, other: 'claim_id outcome noted_at' },
  migrations_lock: { personal: {}, other: 'index is_locked' },
  nonce_uses: { personal: {}, other: 'nonce expires_at account_id' },
  rank_runs: {
    personal: {},
    other: 'board_id generation is_test lo_key lo_seq lo_keys lo_seqs sums',
  },
  rank_tops: {
    personal: {},
    other: 'board_id generation is_test lo_key lo_seq ahead lo_keys lo_seqs sums',
  },
  // The names on podiums of periods whose rankings are dropped.
  rankings: {
    personal: { podium: player(WITH_BOARD) },
    other:
      'board_id ranking_no view_no period_number group_key generation next_generation status total_at_drop dropped_at empty_since',
  },
  ratio_configs: {
    personal: {},
    other:
      'id board_id numerator_board_id denominator_board_id zero_denominator_policy min_numerator min_denominator scale display decimals created_at updated_at',
  },
  // The reason is a constant of the service.
  // Without a name: an erased player keeps what was granted.
  rewards: {
    personal: { revoke_reason: player(UNTIL_ERASED) },
    other:
      'board_id id account_id game_id closing_id line identity_id is_test rank shared_by status expires_at claimed_at claimed_by acknowledged_at acknowledged_by revoked_at revoked_by reissued_at created_at updated_at status_order',
  },
  rulings: { personal: {}, other: 'board_id seq event_id identity_id effect ruled_by ruled_at reason' },
  score_events: {
    personal: {
      player_name: player(WITH_BOARD),
      shown_name: player(WITH_BOARD),
      value_display: player(WITH_BOARD),
      metadata: player(WITH_BOARD),
      city: player(WITH_BOARD),
      country: player(WITH_BOARD),
      timezone: player(WITH_BOARD),
      tags: player(WITH_BOARD),
    },
    other:
      'board_id seq id account_id game_id identity_id device_id is_test amount disposition source replaced_key replaced_seq created_at occurred_at played_at played_by',
  },
  score_flags: {
    personal: { metadata: player(REVIEW), reviewer_decision: player(REVIEW) },
    other:
      'held podium board_id event_seq id event_id account_id game_id identity_id device_id is_test flag_type confidence status compared_events reviewed_at reviewer_id added_in created_at updated_at deleted_at added_by_review changed_in people_from',
  },
  score_imports: {
    personal: {},
    other:
      'id account_id game_id board_id status checked rename by_seq created_by chunks rows replaced skipped refused processed written known in_dropped_periods players flags after_at after_hint after_chunk after_line first_seq last_seq after_player has_rows closed_at finished_at created_at updated_at deleted_at',
  },
  states: {
    personal: {},
    other:
      'board_id is_test identity_id id account_id game_id device_id submission_count accepted_count last_event_id last_submission_at last_value best_value recent selected_event_id value numerator denominator created_at updated_at rejected_at',
  },
  merged_states: {
    personal: {},
    other:
      'board_id is_test identity_id holder_id seq score_id submission_count device_id last_event_id ' +
      'last_submission_at last_value rejected_at created_at',
  },
  player_merges: {
    personal: { reason: player(REVIEW) },
    other:
      'id account_id game_id source_id target_id status requested_by undone_by leased_until created_at updated_at undone_at',
  },
  names_due: { personal: {}, other: 'board_id after_slot' },
  renames_due: {
    personal: { steps: player(RENAME) },
    other: 'identity_id ticket followed passed_at due_at',
  },
  view_periods: { personal: {}, other: 'board_id view_no number key starts_at ends_at' },
  used_challenges: { personal: {}, other: 'id account_id expires_at' },
  users: {
    personal: { email: user(ACCOUNT_LIFE), display_name: user(ACCOUNT_LIFE) },
    other:
      'id account_id status role game_ids super_admin is_owner flag_digest digest_due_at digest_seen_at created_at updated_at deleted_at email_verified_at passkeys_due_from keys_stop_at invited_by signed_in_at',
  },
  webhook_boards: { personal: {}, other: 'endpoint_id board_id number closing_for' },
  webhook_deliveries: {
    personal: { response_head: player(HOOK_LOG), last_error: player(HOOK_LOG) },
    other:
      'id account_id endpoint_id event_id type board_id number epoch status attempts due_at first_attempt_at last_attempt_at settled_at response_status response_bytes response_millis created_at',
  },
  webhook_endpoints: {
    personal: { name: user(HOOK), url: user(HOOK) },
    other:
      'id account_id events game_ids board_ids population format ordered closing_minutes leader_seconds overtaken_top overtaken_by status status_reason sealed_secret previous_secret previous_secret_until epoch watching_since failures failing_since open_until is_slow created_at updated_at deleted_at',
  },
  webhook_events: {
    personal: { data: player(HOOK_LOG) },
    other:
      'id account_id type game_id board_id is_test endpoint_id subject occurred_at due_at dispatched_at players created_at',
  },
  webhook_leaders: {
    personal: {},
    other: 'endpoint_id board_id is_test version top reported_at seq numerator_seq denominator_seq',
  },
  webhook_state: { personal: {}, other: 'one flags_in flags_id' },
  verification_codes: {
    personal: { email: user(CODE) },
    other:
      'id type user_id code_hash attempts wrong_from own_attempts network status withheld expires_at used_at token_hash token_expires_at completed_at created_at updated_at',
  },
};
