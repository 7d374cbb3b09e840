import { readFileSync } from 'node:fs';
import path from 'node:path';
import { getNamedType, isLeafType, isObjectType, Kind, parse, printSchema } from 'graphql';
import { contractSchema } from '../../src/contract.js';
import { exportRoutes } from '../../src/rest/exports/routes.js';
import { restApi } from '../../src/rest/middleware.js';
import { routes } from '../../src/rest/routes/routes.js';

/**
 * The resources served: method and path, who may call it, the status of success. Reviews of runs and
 * the audit trail are beside it (docs/decisions/flags-and-reviews.md).
 */
const DECIDED = `
  POST  /v1/accounts superadmin 201
  GET   /v1/accounts admin 200
  GET   /v1/accounts/{account_id} admin 200
  PATCH /v1/accounts/{account_id} admin 200
  POST  /v1/users admin 201
  GET   /v1/users admin 200
  GET   /v1/users/{user_id} admin 200
  PATCH /v1/users/{user_id} admin 200
  POST  /v1/api-keys admin 201
  GET   /v1/api-keys admin 200
  GET   /v1/api-keys/{key_id} admin 200
  PATCH /v1/api-keys/{key_id} admin 200
  POST  /v1/games admin 201
  GET   /v1/games admin 200
  GET   /v1/games/{game_id} admin 200
  PATCH /v1/games/{game_id} admin 200
  POST  /v1/boards admin 201
  GET   /v1/boards admin 200
  GET   /v1/boards/{board_id} admin 200
  PATCH /v1/boards/{board_id} admin 200
  GET   /v1/accounts/{account_id}/history admin 200
  GET   /v1/games/{game_id}/history admin 200
  GET   /v1/boards/{board_id}/history admin 200
  GET   /v1/boards/{board_id}/views admin 200
  GET   /v1/boards/{board_id}/views/{view}/periods admin 200
  GET   /v1/boards/{board_id}/views/{view}/groups admin 200
  GET   /v1/boards/{board_id}/standing admin 200
  GET   /v1/boards/{board_id}/standings admin 200
  GET   /v1/client/boards/{board_id}/views client 200
  GET   /v1/client/boards/{board_id}/views/{view}/periods client 200
  GET   /v1/client/boards/{board_id}/views/{view}/groups client 200
  GET   /v1/client/boards/{board_id}/standing client 200
  GET   /v1/client/boards/{board_id}/standings client 200
  GET   /v1/boards/{board_id}/live anyone 200
  GET   /v1/client/boards/{board_id}/live client 200
  GET   /v1/client/boards/{board_id}/rank/live client 200
  GET   /v1/client/boards/{board_id}/overtaken/live client 200
  POST  /v1/board-templates admin 201
  GET   /v1/board-templates admin 200
  GET   /v1/board-templates/{template_id} admin 200
  PATCH /v1/board-templates/{template_id} admin 200
  GET   /v1/client/boards client 200
  GET   /v1/client/boards/{board_id} client 200
  POST  /v1/client/sessions anyone 201
  POST  /v1/client/sessions/refresh anyone 200
  GET   /v1/client/nonce client 200
  POST  /v1/client/tickets client 200
  POST  /v1/client/scores client 201
  POST  /v1/client/scores/batch client 200
  GET   /v1/client/scores client 200
  GET   /v1/client/scores/{score_id} client 200
  GET   /v1/scores admin 200
  GET   /v1/scores/{score_id} admin 200
  POST  /v1/score-events admin 201
  POST  /v1/score-events/batch admin 200
  GET   /v1/score-events admin 200
  GET   /v1/score-events/{event_id} admin 200
  POST  /v1/score-flags admin 201
  GET   /v1/score-flags admin 200
  GET   /v1/score-flags/{flag_id} admin 200
  PATCH /v1/score-flags/{flag_id} admin 200
  GET   /v1/board-states admin 200
  GET   /v1/board-states/{state_id} admin 200
  GET   /v1/score-submission-metadata admin 200
  GET   /v1/score-submission-metadata/{meta_id} admin 200
  GET   /v1/devices admin 200
  GET   /v1/devices/{device_id} admin 200
  PATCH /v1/devices/{device_id} admin 200
  GET   /v1/alerts admin 200
  GET   /v1/alerts/{alert_id} admin 200
  PATCH /v1/alerts/{alert_id} admin 200
  GET   /v1/device-sessions admin 200
  GET   /v1/device-sessions/{session_id} admin 200
  PATCH /v1/device-sessions/{session_id} admin 200
  POST  /v1/identities admin 201
  GET   /v1/identities admin 200
  GET   /v1/identities/{identity_id} admin 200
  PATCH /v1/identities/{identity_id} admin 200
  POST  /v1/identity-reviews admin 200
  GET   /v1/identity-reviews admin 200
  GET   /v1/identity-reviews/{review_id} admin 200
  PATCH /v1/identity-reviews/{review_id} admin 200
  POST  /v1/player-merges admin 200
  GET   /v1/player-merges admin 200
  GET   /v1/player-merges/{merge_id} admin 200
  PATCH /v1/player-merges/{merge_id} admin 200
  POST  /v1/score-events/{event_id}/verdicts admin 201
  POST  /v1/boards/{board_id}/undo-verdicts admin 200
  POST  /v1/boards/{board_id}/reverify admin 201
  GET   /v1/boards/{board_id}/verification-passes admin 200
  POST  /v1/verification-passes/{pass_id}/apply admin 200
  POST  /v1/verification-passes/{pass_id}/undo admin 200
  GET   /v1/audit-entries admin 200
  GET   /v1/audit-entries/{audit_entry_id} admin 200
  POST  /v1/jam-codes superadmin 201
  GET   /v1/jam-codes superadmin 200
  GET   /v1/jam-codes/{jam_code_id} superadmin 200
  PATCH /v1/jam-codes/{jam_code_id} superadmin 200
  POST  /register/initiate anyone 201
  POST  /register/verify anyone 200
  POST  /register/resend anyone 200
  POST  /register/sign-in/code anyone 200
  POST  /register/sign-in anyone 201
  POST  /register/complete anyone 201
  POST  /register/invite admin 201
`;

const rowsOf = (text: string) =>
  text
    .trim()
    .split('\n')
    .map((line) => line.trim().replace(/\s+/g, ' '));

/** Beside what is decided: docs/decisions/terminal.md, erasure.md and import.md. */
const MORE = `
  GET   /v1/accounts/{account_id}/configuration admin 200
  POST  /v1/configuration/plan admin 200
  POST  /v1/configuration/apply admin 200
  GET   /v1/me admin 200
  POST  /v1/identity-providers superadmin 201
  GET   /v1/identity-providers admin 200
  GET   /v1/identity-providers/{provider_id} admin 200
  PATCH /v1/identity-providers/{provider_id} admin 200
  POST  /v1/webhook-endpoints admin 201
  GET   /v1/webhook-endpoints admin 200
  GET   /v1/webhook-endpoints/{endpoint_id} admin 200
  PATCH /v1/webhook-endpoints/{endpoint_id} admin 200
  POST  /v1/webhook-endpoints/{endpoint_id}/rotate-secret admin 200
  POST  /v1/devices/{device_id}/reset admin 200
  POST  /v1/webhook-endpoints/{endpoint_id}/test admin 200
  POST  /v1/webhook-endpoints/{endpoint_id}/redeliver admin 200
  GET   /v1/webhook-endpoints/{endpoint_id}/deliveries admin 200
  GET   /v1/webhook-deliveries/{delivery_id} admin 200
  GET   /v1/identities/{identity_id}/erasure admin 200
  POST  /v1/identities/{identity_id}/sessions admin 201
  POST  /v1/player-providers admin 201
  GET   /v1/player-providers admin 200
  GET   /v1/player-providers/{player_provider_id} admin 200
  PATCH /v1/player-providers/{player_provider_id} admin 200
  POST  /v1/player-providers/{player_provider_id}/test admin 200
  POST  /v1/client/proofs client 200
  POST  /v1/client/link-codes client 200
  POST  /v1/client/link-codes/redeem client 200
  POST  /v1/client/devices/{device_id}/unlink client 200
  POST  /v1/devices/{device_id}/unlink admin 200
  GET   /v1/client/me client 200
  GET   /v1/client/me/live client 200
  POST  /v1/identities/{identity_id}/proofs/remove admin 200
  POST  /v1/identities/{identity_id}/sessions/end admin 200
  POST  /v1/identities/{identity_id}/erase admin 200
  GET   /v1/identities/{identity_id}/friends admin 200
  PATCH /v1/identities/{identity_id}/friends admin 200
  POST  /v1/identities/{identity_id}/friends admin 200
  POST  /v1/identities/{identity_id}/friends/remove admin 200
  GET   /v1/client/friends client 200
  GET   /v1/client/boards/{board_id}/ghosts client 200
  GET   /v1/client/boards/{board_id}/held-runs client 200
  GET   /v1/client/boards/{board_id}/attempts client 200
  GET   /v1/client/boards/{board_id}/best-splits client 200
  GET   /v1/identities/{identity_id}/tags admin 200
  PATCH /v1/identities/{identity_id}/tags admin 200
  GET   /v1/client/tags client 200
  PATCH /v1/client/tags client 200
  POST  /v1/client/scores/among client 200
  POST  /v1/scores/among admin 200
  POST  /v1/boards/{board_id}/imports admin 201
  GET   /v1/boards/{board_id}/imports admin 200
  POST  /v1/boards/{board_id}/close admin 200
  POST  /v1/boards/{board_id}/rehearse admin 200
  GET   /v1/boards/{board_id}/closings admin 200
  GET   /v1/boards/{board_id}/closing-preview admin 200
  GET   /v1/closings/{closing_id} admin 200
  POST  /v1/closings/{closing_id}/release-prizes admin 200
  POST  /v1/closings/{closing_id}/reissue-prizes admin 200
  POST  /v1/games/{game_id}/release-prizes admin 200
  GET   /v1/rewards admin 200
  GET   /v1/rewards/{reward_id} admin 200
  POST  /v1/rewards/acknowledge admin 200
  POST  /v1/rewards/{reward_id}/revoke admin 200
  GET   /v1/client/rewards client 200
  GET   /v1/client/rewards/live client 200
  POST  /v1/client/rewards/{reward_id}/claim client 200
  GET   /v1/imports/{import_id} admin 200
  POST  /v1/imports/{import_id}/chunks admin 200
  POST  /v1/imports/{import_id}/finish admin 200
  POST  /v1/imports/{import_id}/cancel admin 200
`;

test('the table of routes is that of the specification', () => {
  const rows = routes.map(({ method, path, who, status }) => `${method} ${path} ${who} ${status}`);
  expect(rows.toSorted()).toEqual([...rowsOf(DECIDED), ...rowsOf(MORE)].toSorted());
});

/** Parameters beside cursor, limit and sort. */
const FILTERS = `
  /v1/accounts account_id slug
  /v1/users account_id deleted
  /v1/api-keys account_id status deleted
  /v1/games account_id slug deleted
  /v1/boards/{board_id}/imports
  /v1/boards/{board_id}/closings status
  /v1/rewards game_id closing_id identity_id status is_test
  /v1/client/rewards status
  /v1/boards account_id game_id game_slug code slug is_active is_published starts_before starts_after ends_before ends_after deleted
  /v1/client/boards game_id game_slug code slug is_active is_published starts_before starts_after ends_before ends_after
  /v1/board-templates account_id game_id is_active deleted
  /v1/player-providers account_id game_id deleted
  /v1/client/scores board_id identity_id is_test among around_score_id around_score_value
  /v1/scores board_id account_id game_id identity_id is_test among friends_of around_score_id around_score_value
  /v1/score-events account_id board_id identity_id is_test has_recording verdict pass_id
  /v1/score-flags account_id board_id game_id identity_id score_event_id status flag_type confidence is_held
  /v1/identity-reviews account_id game_id identity_id device_id status
  /v1/player-merges account_id game_id identity_id status
  /v1/audit-entries account_id game_id user_id subject_id action created_after created_before
  /v1/board-states board_id account_id identity_id
  /v1/score-submission-metadata account_id board_id game_id identity_id device_id
  /v1/devices account_id game_id status deleted
  /v1/alerts account_id game_id board_id kind status
  /v1/device-sessions account_id game_id device_id status deleted
  /v1/identities account_id game_id kind external_key deleted
  /v1/identities/{identity_id}/friends
  /v1/client/friends
  /v1/jam-codes
  /v1/identity-providers account_id deleted
  /v1/webhook-endpoints account_id deleted
  /v1/webhook-endpoints/{endpoint_id}/deliveries status
`;

test('every list takes its filters, and cursor, limit and sort', async () => {
  // Periods and groups of a view have one order; a list among players has its inputs in the body.
  const lists = restApi((await contractSchema()).whole).routes.filter(
    ({ paged, route }) => paged && !route.path.includes('{view}') && !route.path.endsWith('/among'),
  );
  const rows = lists.map(({ route, inputs }) => {
    const names = inputs.filter(({ where }) => where === 'query').map(({ name }) => name);
    expect(names.slice(-3)).toEqual(['sort', 'cursor', 'limit']);
    return [route.path, ...names.slice(0, -3)].join(' ');
  });
  expect(rows.toSorted()).toEqual(rowsOf(FILTERS).toSorted());
});

/** Fields of records that GraphQL alone shows; those of an event are in its payload. */
const NOT_IN_REST = `
  Account usersWithoutPasskey
  AuditEntry userName
  Board phase secondsToEnd secondsToStart seriesNumber
  BoardTemplate boardsMade retryAt windowStartsAt
  Device identityId
  DeviceSession identityId
  Game prizesHeldAt
  Identity trustTierReason
  IdentityReview requestedByName
  Me apiKeyId deviceId gameId identityId mergedPlayerIds needsPasskey userId
  PlayerMerge sourceName
  Score percentile
  ScoreFlag reviewerName
  ScoreEvent metadata value valueDisplay
  User hasPasskey lastSignInAt
  WebhookDelivery request
`;

test('every plain field of a record is shown by REST, or left out by name', async () => {
  const text = readFileSync(path.resolve(__dirname, '../../schema/rest.graphql'), 'utf8');
  const { schema } = await contractSchema();
  const rows = parse(text).definitions.flatMap((definition) => {
    if (definition.kind !== Kind.FRAGMENT_DEFINITION) return [];
    const name = definition.typeCondition.name.value;
    const type = schema.getType(name);
    const shownAs = name === 'SubmissionRecord' ? 'SubmissionMetadata' : name;
    if (definition.name.value !== shownAs || !isObjectType(type)) return [];
    const shown = new Set(
      definition.selectionSet.selections.map((part) => 'name' in part && part.name.value),
    );
    const plain = Object.values(type.getFields()).filter((field) => isLeafType(getNamedType(field.type)));
    const missing = plain.filter((field) => !shown.has(field.name)).map((field) => field.name);
    return missing.length > 0 ? [[name, ...missing.toSorted()].join(' ')] : [];
  });
  expect(rows.toSorted()).toEqual(rowsOf(NOT_IN_REST).toSorted());
});

test('the SDL names every stream that REST alone has', async () => {
  const { schema } = await contractSchema();
  const text = printSchema(schema);
  const missing = exportRoutes.filter(({ path: route }) => !text.includes(`\`GET ${route}`));
  expect(missing.map(({ kind }) => kind)).toEqual([]);
});
