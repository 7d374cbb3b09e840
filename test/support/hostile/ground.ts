import type { TestApp } from '../app.js';
import { flag, reviewRuns } from '../flags.js';
import { type Caller, type Data, send } from '../http.js';
import { verifiedToken } from '../mail.js';
import { makeBoard, makeGame, makeKey, makeStudio, makeUser, startSession } from '../make.js';
import { submit, takeNonce } from '../play.js';

/** The material for hostile requests: callers, existing records, cursors of real lists. */
export interface Ground {
  document: Data;
  /** Headers by security scheme of the OpenAPI document; for superadmins; for no caller; without effect. */
  callers: { apiKey: Caller; accessToken: Caller; root: Caller; none: Caller };
  bad: Record<string, string>[];
  /** By REST's names: records that requests rely on, and others they may damage. */
  ids: Record<string, string>;
  invalid: Record<string, string>;
  /** Mostly valid values, by name of the member or parameter. */
  texts: Record<string, string>;
  everyId: string[];
  cursors: string[];
  /** Fresh ones, because a test's clock is stopped. */
  nonces: string[];
}

const LISTS = [
  'accounts',
  'users',
  'api-keys',
  'games',
  'boards',
  'score-events',
  'devices',
  'device-sessions',
  'identities',
  'score-flags',
  'identity-reviews',
  'audit-entries',
];
const SORTS = ['', '&sort=id:desc', '&sort=name:asc', '&sort=updated_at:asc,created_at:desc'];

export async function makeGround(app: TestApp): Promise<Ground> {
  const studio = await makeStudio(app);
  const game = await makeGame(studio);
  const board = await makeBoard(studio, game.id, { slug: 'a-board' });
  const counter = await makeBoard(studio, game.id, { boardType: 'COUNTER' });
  const player = await startSession(app, game.id);
  const other = await startSession(app, game.id);
  const { scoreEvent: event, score } = await submit(player, board.id, 5);
  for (const value of [6, 7, 8]) await submit(other, board.id, value);
  await submit(other, counter.id, 1);
  const read = async (path: string) => (await studio.admin.get(path)).body;
  const [session] = (await read(`/v1/device-sessions?device_id=${player.session.deviceId}`)).data;

  const [raised, doomed] = [await flag(studio.admin, event.id), await flag(studio.admin, event.id)];
  const clear = async (identityId: string): Promise<string> =>
    (await reviewRuns(studio.admin, { identityId, decision: 'DISMISSED' })).review.id;
  const cleared = await clear(player.session.identityId);
  const [noted] = (await read('/v1/audit-entries?limit=1')).data;

  const helper = await makeUser(app.superadmin, studio.accountId);
  const game2 = await makeGame(studio);
  const victim = await startSession(app, game2.id);
  const [session2] = (await read(`/v1/device-sessions?device_id=${victim.session.deviceId}`)).data;
  const { body: jam } = await app.superadmin.post('/v1/jam-codes', { code: 'GROUND', description: 'A jam' });
  const ids = {
    account_id: studio.accountId,
    user_id: studio.userId,
    key_id: studio.keyId,
    game_id: game.id,
    board_id: board.id,
    score_id: score.id,
    event_id: event.id,
    state_id: `bst_${event.id.slice(4)}`,
    meta_id: `sub_${event.id.slice(4)}`,
    device_id: player.session.deviceId,
    session_id: session.id,
    identity_id: player.session.identityId,
    flag_id: raised.id,
    review_id: cleared,
    audit_entry_id: noted.id,
    jam_code_id: jam.id,
  };
  const stranger = await makeStudio(app);
  const theirs = await makeGame(stranger);
  const foreign = [theirs.id, (await makeBoard(stranger, theirs.id)).id, stranger.userId, stranger.keyId];
  const invalid = {
    ...ids,
    account_id: stranger.accountId,
    user_id: helper.id,
    key_id: (await makeKey(app.superadmin, studio.accountId, helper.id)).id,
    game_id: game2.id,
    board_id: (await makeBoard(studio, game2.id)).id,
    device_id: victim.session.deviceId,
    session_id: session2.id,
    identity_id: victim.session.identityId,
    flag_id: doomed.id,
    review_id: await clear(victim.session.identityId),
  };
  const nonces = await Promise.all(Array.from({ length: 200 }, () => takeNonce(player.client)));
  const texts = {
    account_slug: 'a-slug',
    game_slug: game.slug,
    slug: 'a-board',
    code: board.shortCode,
    short_code: 'ABC123',
    refresh_token: victim.session.refreshToken,
    nonce: nonces[0]!,
    timezone: 'Europe/Berlin',
    country: 'de',
    verification_token: await verifiedToken(app, 'ground@example.com'),
    jam_code: 'GROUND',
    page_url: 'https://example.com/',
    around_score_id: score.id,
    identity_id: player.session.identityId,
  };
  const pages: Data[] = await Promise.all([
    ...LISTS.flatMap((list) => SORTS.map((sort) => read(`/v1/${list}?limit=1${sort}`))),
    ...SORTS.map((sort) => read(`/v1/scores?limit=2&board_id=${board.id}${sort.replace('name', 'value')}`)),
  ]);
  const cursors = pages.flatMap(({ pagination }) => pagination?.next_cursor ?? []);
  const tampered = player.client.headers.authorization!.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A'));
  return {
    document: (await send(`${app.url}/openapi.json`)).body,
    callers: { apiKey: studio.admin, accessToken: player.client, root: app.superadmin, none: app.anyone },
    bad: [
      { 'service-api-key': '' },
      { 'service-api-key': 'x'.repeat(5_000) },
      { 'service-api-key': 'svc_\u00e9' },
      { authorization: 'Basic YTpi' },
      { authorization: 'Bearer ' },
      { authorization: `Bearer ${'a.'.repeat(2_000)}` },
      { authorization: tampered },
      { authorization: `Bearer ${player.session.refreshToken}` },
      { ...studio.admin.headers, authorization: 'nonsense' },
    ],
    ids,
    invalid,
    texts,
    everyId: [...new Set([...Object.values(ids), ...Object.values(invalid), ...foreign])],
    cursors,
    nonces,
  };
}
