import { id } from './graph-arguments.js';
import { field, nodeRows, ofChief, type Row } from './rows.js';

/** `Query.node`, `Query.nodes` and `Mutation.restore`, for each kind of record. */
export const NODE_ROWS: Row[] = [
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
];
