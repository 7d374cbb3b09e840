import type { TestApp } from './app.js';
import { filledUuid } from './full-tables.js';
import { makeKey, makeUser, startSession } from './make.js';

/** For every list, the fields it can be sorted by, in the order of the error message. */
export const SORTABLE: Record<string, string> = {
  '/v1/accounts': 'id name slug created_at updated_at',
  '/v1/users': 'id email display_name created_at updated_at',
  '/v1/api-keys': 'id name created_at updated_at',
  '/v1/identity-providers': 'id created_at updated_at',
  '/v1/webhook-endpoints': 'id created_at updated_at',
  '/v1/webhook-endpoints/{endpoint_id}/deliveries': 'id created_at',
  '/v1/games': 'id name slug created_at updated_at',
  '/v1/boards': 'id name slug short_code created_at updated_at',
  '/v1/client/boards': 'id name slug short_code created_at updated_at',
  '/v1/boards/{board_id}/imports': 'id created_at updated_at',
  '/v1/boards/{board_id}/closings': 'id created_at',
  '/v1/rewards': 'id status created_at',
  '/v1/client/rewards': 'id status created_at',
  '/v1/board-templates': 'id name next_run_at created_at updated_at',
  '/v1/player-providers': 'id slug created_at updated_at',
  '/v1/scores': 'id value player_name created_at updated_at',
  '/v1/client/scores': 'id value player_name created_at updated_at',
  '/v1/score-events': 'id created_at',
  '/v1/board-states': 'id value created_at updated_at',
  '/v1/score-submission-metadata':
    'id submission_count last_submission_at last_score_value created_at updated_at',
  '/v1/score-flags': 'id score_event_id flag_type confidence status created_at updated_at',
  '/v1/identity-reviews': 'id created_at updated_at',
  '/v1/player-merges': 'id created_at updated_at',
  '/v1/audit-entries': 'id created_at',
  '/v1/alerts': 'id created_at',
  '/v1/devices': 'id platform created_at updated_at last_seen_at',
  '/v1/device-sessions': 'id created_at updated_at',
  '/v1/identities': 'id display_name kind created_at updated_at',
  '/v1/jam-codes': 'id code active current_uses created_at updated_at',
};

/** The required arguments of each list, for the filled tables. */
export const REQUIRED: Record<string, string> = {
  '/v1/scores': `account_id=acc_${filledUuid(1)}&board_id=brd_${filledUuid(1)}`,
  '/v1/client/scores': `board_id=brd_${filledUuid(1)}`,
  '/v1/board-states': `board_id=brd_${filledUuid(1)}`,
  '/v1/rewards': `game_id=gam_${filledUuid(1)}`,
};

/** Callers within the large account and the large game of the filled tables. */
export async function makeReaders(app: TestApp) {
  const account = `acc_${filledUuid(1)}`;
  const user = await makeUser(app.superadmin, account);
  const { key } = await makeKey(app.superadmin, account, user.id);
  const { client, session } = await startSession(app, `gam_${filledUuid(1)}`);
  const admin = app.anyone.with({ 'service-api-key': key });
  return { superadmin: app.superadmin, admin, client, player: session.identityId as string };
}

/** The address of a page: a list's path with required and given parameters. */
export function addressOf(path: string, parts: readonly string[]): string {
  const query = [REQUIRED[path], ...parts].filter(Boolean).join('&');
  const place = path
    .replace('{board_id}', `brd_${filledUuid(1)}`)
    .replace('{endpoint_id}', `whk_${filledUuid(1)}`);
  return query ? `${place}?${query}` : place;
}
