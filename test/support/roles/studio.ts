import type { Knex } from 'knex';
import { uuid7, uuidOf } from '../../../src/base/ids.js';
import type { TestApp } from '../app.js';
import { flag, makeAlert, makePlayer, play, reviewRuns } from '../flags.js';
import type { Data } from '../http.js';
import { change, makeBoard, makeKey, makeUser, type Player, startSession } from '../make.js';
import { makeLogin } from '../own-tokens.js';
import { submit } from '../play.js';
import { makeGames } from './studio-games.js';
import type { Studio, TextClass } from './studio-shape.js';

const EVENTS = '{ scoreEvents(first: 100) { nodes { id boardId identityId } } }';
const IMPORT = 'mutation ($id: ID!) { createScoreImport(input: { boardId: $id }) { scoreImport { id } } }';
const TRAIL = '{ auditEntries(first: 1) { nodes { id } } }';
const SESSIONS = '{ deviceSessions(first: 100) { nodes { id device { id } } } }';

/** A closing of a board with one reward, whose uuid is the closing's. Bare uuids. @returns the closing's id */
export async function makeClosing(
  knex: Knex,
  boardId: string,
  identityId: string,
  period: string,
  status: string,
) {
  const id = uuid7();
  const acknowledged = status === 'acknowledged';
  await knex.raw(
    `with closing as (
       insert into closings (board_id, id, account_id, game_id, view_name, period_key, group_key, is_test, reason, status,
         ended_at, settles_at,
         review_until, places, created_at, updated_at)
       select id, :id, account_id, game_id, '', :period, '', false, 'closed', 'settling', now(), now(), now(), 1, now(), now()
         from boards where id = :boardId returning *)
     insert into rewards (board_id, id, account_id, game_id, closing_id, line, identity_id, is_test, rank, status, status_order,
       acknowledged_at, created_at, updated_at)
     select board_id, id, account_id, game_id, id, 'gold', :identityId, false, 1, :status, :order, :at, now(), now() from closing`,
    {
      id,
      boardId,
      identityId,
      period,
      status,
      order: acknowledged ? 2 : 0,
      at: acknowledged ? new Date() : null,
    },
  );
  return `cls_${id}`;
}

/** @param word appears in all texts of the studio, so that they can be found in responses */
export async function makeSubject(app: TestApp, word: string): Promise<Studio> {
  const say = (kind: TextClass, what: string) => `${word}-${kind} ${what}`;
  const { createAccount } = await app.superadmin.data(
    'mutation ($name: String!) { createAccount(input: { name: $name }) { account { id slug } } }',
    { name: say('private', 'account') },
  );
  const accountId = createAccount.account.id as string;
  const user = (kind: TextClass, n: number) =>
    makeUser(app.superadmin, accountId, {
      email: `${word}-${kind}.${n}@example.com`,
      displayName: say(kind, 'user'),
    });
  const [chief, helper, left] = [await user('private', 1), await user('private', 2), await user('gone', 3)];
  const key = (kind: TextClass, userId: string) =>
    makeKey(app.superadmin, accountId, userId, { name: say(kind, 'key') });
  const [mine, spare, lost] = [
    await key('private', chief.id),
    await key('private', helper.id),
    await key('gone', helper.id),
  ];
  const owner = app.anyone.with({ 'service-api-key': mine.key });
  const studio = { accountId, userId: chief.id, keyId: mine.id, admin: owner };
  const made = await makeGames(studio, say);
  const { game, other, ended, board, hidden, dropped, template, unmade } = made;
  const { numerator, denominator, divided, undone } = made;
  const below = {
    key: await key('gone', left.id),
    board: await makeBoard(studio, ended.id, { name: say('gone', 'board of a game') }),
  };

  const endpoint = async (kind: TextClass) =>
    (
      await owner.data(
        'mutation ($input: CreateWebhookEndpointInput!) { createWebhookEndpoint(input: $input) { webhookEndpoint { id } } }',
        {
          input: {
            ...{ accountId, name: say(kind, 'endpoint'), url: 'https://hooks.example.com' },
            events: ['board.closed'],
          },
        },
      )
    ).createWebhookEndpoint.webhookEndpoint.id as string;
  const [listening, deaf] = [await endpoint('private'), await endpoint('gone')];
  const test = async (id: string) =>
    (await owner.post(`/v1/webhook-endpoints/${id}/test`, {})).body.id as string;
  const [heard, unheard] = [await test(listening), await test(deaf)];
  await change(owner, 'WebhookEndpoint', deaf, { deleted: true });

  const allowed = async () =>
    (await app.superadmin.post('/v1/identity-providers', { account_id: accountId, kind: 'own' })).body
      .id as string;
  const formerProvider = await allowed();
  await change(app.superadmin, 'IdentityProvider', formerProvider, { deleted: true });
  const provider = await allowed();

  const [login, formerLogin] = [
    await makeLogin(studio, game.id, say('private', 'login').replaceAll(' ', '-')),
    await makeLogin(studio, game.id, say('gone', 'login').replaceAll(' ', '-')),
  ];
  await change(owner, 'PlayerProvider', formerLogin, { deleted: true });

  const { createJamCode } = await app.superadmin.data(
    'mutation ($input: CreateJamCodeInput!) { createJamCode(input: $input) { jamCode { id } } }',
    { input: { code: `${word}JAM`, description: 'For the matrix.' } },
  );
  const jamCodeId = createJamCode.jamCode.id as string;
  const redemption = uuid7();
  await app.database.knex('jam_code_redemptions').insert({
    id: redemption,
    jam_code_id: uuidOf(jamCodeId),
    account_id: uuidOf(accountId),
    meta: {},
    redeemed_at: new Date(app.clock.now()),
  });

  const device = (kind: TextClass, gameId = game.id as string) =>
    startSession(app, gameId, { clientFingerprint: say(kind, 'device'), platform: say(kind, '') });
  const player = await device('own');
  const [rival, broken, sibling] = [
    await device('private'),
    await device('gone'),
    await device('sibling', other.id),
  ];
  // Has no scores, so whatever happens to this player doesn't affect boards that others read.
  const quiet = await startSession(app, game.id, { clientFingerprint: say('private', 'quiet device') });
  const imported = async (id: string) =>
    (await owner.data(IMPORT, { id })).createScoreImport.scoreImport.id as string;
  const [doneImport, lostImport] = [await imported(board.id), await imported(dropped.id)];
  // Ended, so that no background work changes it.
  await app.database.knex('score_imports').update({ status: 'finished', has_rows: false });
  // The same for a device, whose deletion includes its player.
  const lone = await startSession(app, game.id, { clientFingerprint: say('private', 'lone device') });
  // The same device again: its second session is the one that will be deleted.
  await device('private');
  const name = { playerName: say('public', 'name') };
  const tagged = { ...name, tags: { class: 'mage' } };
  await submit(player, board.id, 5, tagged);
  await submit(rival, board.id, 7, tagged);
  await submit(rival, hidden.id, 7, { playerName: say('inside', 'name') });
  await submit(rival, dropped.id, 7, { playerName: say('public', 'name') });
  // A score of the test population, whose player has no other.
  const tester = await makePlayer(owner, game.id, say('private', 'tester'));
  await play(owner, board.id, tester, 7, { isTest: true, playerName: say('inside', 'tester') });
  // A deleted player whose state remains.
  const former = await makePlayer(owner, game.id, say('private', 'former'));
  const last = await play(owner, hidden.id, former, 7, { isTest: true, playerName: say('inside', 'former') });
  const { knex } = app.database;
  await knex('identities')
    .where('id', uuidOf(former))
    .update({ deleted_at: new Date(app.clock.now()) });
  // Deleted together with its player, and would be restored with it.
  const gone = await startSession(app, game.id, { clientFingerprint: say('private', 'gone device') });
  await change(owner, 'Device', gone.session.deviceId, { deleted: true });

  const own = [player, rival].map(({ session }) => uuidOf(session.identityId));
  const place = { city: say('private', 'city'), country: 'AT', timezone: 'Europe/Vienna' };
  await knex('score_events').whereIn('identity_id', own).update(place);
  const trust = { trust_tier: 'b', trust_tier_reason: say('private', 'tier') };
  await knex('identities').whereIn('id', own).update(trust);

  const { nodes: events } = (await owner.data(EVENTS)).scoreEvents;
  const eventOn = (on: Data, by: Player): string =>
    events.find(({ boardId, identityId }: Data) => boardId === on.id && identityId === by.session.identityId)
      .id;
  const onRival = eventOn(board, rival);
  const [early, raised, dismissed] = [
    await flag(owner, onRival, { metadata: { seen: say('private', 'flag') } }),
    await flag(owner, onRival, { metadata: { seen: say('private', 'flag') } }),
    await flag(owner, onRival, { metadata: { seen: say('gone', 'flag') } }),
  ];
  const clear = async (identityId: string, kind: TextClass) =>
    (await reviewRuns(owner, { identityId, decision: 'DISMISSED', reason: say(kind, 'reason') })).review.id;
  // By a colleague of the caller: only its author deletes it.
  const comment = async (kind: TextClass, identityId: string) => {
    const [id, at] = [uuid7(), new Date(app.clock.now())];
    const place = {
      account_id: uuidOf(accountId),
      game_id: uuidOf(game.id),
      identity_id: uuidOf(identityId),
    };
    const said = { author_id: uuidOf(helper.id), text: say(kind, 'comment'), created_at: at };
    await knex('comments').insert({ id, ...place, ...said });
    return `cmt_${id}`;
  };
  const commented = await comment('private', quiet.session.identityId);
  const passOf = async (gameId: string, boardId: string) => {
    const [{ id }] = await app.database
      .knex('verification_passes')
      .insert({
        ...{ id: uuid7(), account_id: uuidOf(accountId), game_id: uuidOf(gameId), board_id: uuidOf(boardId) },
        ...{ status: 'cancelled', total: 0, sent: 0, sent_upto: 0, upto: 0, requested_by: uuidOf(helper.id) },
        ...{ created_at: new Date(), updated_at: new Date() },
      })
      .returning('id');
    return `vps_${id}`;
  };
  const [passed, lostPass] = [await passOf(game.id, board.id), await passOf(ended.id, dropped.id)];
  const [alerted, lostAlert] = [
    await makeAlert(app, accountId, board),
    await makeAlert(app, accountId, dropped),
  ];
  const closing = ({ id: on }: Data, period: string) =>
    makeClosing(knex, uuidOf(on), uuidOf(quiet.session.identityId), period, 'acknowledged');
  const [fixed, lostClosing] = [await closing(board, 'live'), await closing(dropped, 'gone')];
  const mergedIn = async (of: string, kind: TextClass) => {
    const sourceId = await makePlayer(owner, of, say(kind, 'source'));
    const targetId = await makePlayer(owner, of, say(kind, 'target'));
    const { mergePlayers } = await owner.data(
      'mutation ($input: MergePlayersInput!) { mergePlayers(input: $input) { playerMerge { id } } }',
      { input: { sourceId, targetId, reason: say(kind, 'merge') } },
    );
    return mergePlayers.playerMerge.id as string;
  };
  const [merged, lostMerge] = [await mergedIn(game.id, 'private'), await mergedIn(ended.id, 'gone')];
  const cleared = await clear(quiet.session.identityId, 'private');
  const lostReview = await clear(await makePlayer(owner, ended.id, say('gone', 'player')), 'gone');
  // The audit trail keeps entries about a deleted game: that is not tested here.
  await app.database.knex('audit_entries').where('game_id', ended.id.slice(4)).delete();
  const { nodes: trail } = (await owner.data(TRAIL)).auditEntries;
  const { nodes: sessions } = (await owner.data(SESSIONS)).deviceSessions;
  const sessionsOf = (of: Player): string[] =>
    sessions
      .filter((session: Data) => session.device.id === of.session.deviceId)
      .map(({ id }: Data) => id)
      .toSorted();
  const as = (prefix: string, id: string) => `${prefix}_${id.slice(4)}`;

  const live = {
    account_id: accountId,
    account_slug: createAccount.account.slug,
    user_id: helper.id,
    key_id: spare.id,
    game_id: game.id,
    game_slug: game.slug,
    board_id: board.id,
    board_slug: board.slug,
    code: board.shortCode,
    hidden_code: hidden.shortCode,
    hidden_id: hidden.id,
    hidden_slug: hidden.slug,
    view: 'weekly_class',
    ranked_id: rival.session.identityId,
    template_id: template.id,
    jam_code_id: jamCodeId,
    redemption_id: `red_${redemption}`,
    ratio_config_id: divided.config,
    // An entry, a state and a metadata row have the uuid of the identity's first event.
    score_id: as('scr', eventOn(board, rival)),
    state_id: as('bst', eventOn(board, rival)),
    meta_id: as('sub', eventOn(board, rival)),
    event_id: onRival,
    early_flag_id: early.id,
    flag_id: raised.id,
    review_id: cleared,
    merge_id: merged,
    pass_id: passed,
    comment_id: commented,
    alert_id: alerted,
    closing_id: fixed,
    reward_id: as('rwd', fixed),
    import_id: doneImport,
    endpoint_id: listening,
    provider_id: provider,
    player_provider_id: login,
    delivery_id: heard,
    audit_entry_id: trail[0].id,
    device_id: lone.session.deviceId,
    session_id: sessionsOf(rival)[0]!,
    identity_id: quiet.session.identityId,
    friend_id: rival.session.identityId,
    sibling_identity_id: sibling.session.identityId,
    test_identity_id: tester,
    gone_device_id: gone.session.deviceId,
    refresh_token: player.session.refreshToken,
  };
  const deleted = {
    account_id: accountId,
    account_slug: 'unknown-slug',
    user_id: left.id,
    key_id: lost.id,
    game_id: ended.id,
    game_slug: ended.slug,
    board_id: dropped.id,
    board_slug: dropped.slug,
    code: dropped.shortCode,
    hidden_code: dropped.shortCode,
    hidden_id: dropped.id,
    hidden_slug: dropped.slug,
    view: 'weekly_class',
    ranked_id: rival.session.identityId,
    // Not deleted themselves, but the user or game they belong to was.
    key_below_id: below.key.id,
    board_below_id: below.board.id,
    state_below_id: as('bst', last),
    template_id: unmade.id,
    ratio_config_id: undone.config,
    score_id: as('scr', eventOn(dropped, rival)),
    state_id: as('bst', eventOn(dropped, rival)),
    meta_id: as('sub', eventOn(dropped, rival)),
    event_id: eventOn(dropped, rival),
    early_flag_id: dismissed.id,
    flag_id: dismissed.id,
    review_id: lostReview,
    merge_id: lostMerge,
    pass_id: lostPass,
    comment_id: await comment('gone', former),
    alert_id: lostAlert,
    closing_id: lostClosing,
    reward_id: as('rwd', lostClosing),
    import_id: lostImport,
    endpoint_id: deaf,
    provider_id: formerProvider,
    player_provider_id: formerLogin,
    delivery_id: unheard,
    device_id: broken.session.deviceId,
    session_id: sessionsOf(rival)[1]!,
    identity_id: broken.session.identityId,
    test_identity_id: broken.session.identityId,
    refresh_token: broken.session.refreshToken,
  };
  const ids: Studio['ids'] = {
    account: [accountId],
    public: [
      game.id,
      board.id,
      live.score_id,
      as('scr', eventOn(board, player)),
      rival.session.identityId,
      player.session.identityId,
      quiet.session.identityId,
      tester,
    ],
    inside: [
      hidden.id,
      as('scr', eventOn(hidden, rival)),
      numerator.id,
      denominator.id,
      divided.board,
      divided.config,
      // Boards name the template that made them.
      template.id,
    ],
    private: [
      ...[
        chief.id,
        helper.id,
        mine.id,
        spare.id,
        mine.prefix,
        spare.prefix,
        rival.session.deviceId,
        lone.session.deviceId,
        lone.session.identityId,
        live.session_id,
      ],
      ...[
        early.id,
        raised.id,
        cleared,
        commented,
        alerted,
        trail[0].id,
        fixed,
        doneImport,
        listening,
        heard,
        login,
      ],
      ...[live.event_id, eventOn(hidden, rival), eventOn(board, player), live.state_id, live.meta_id],
    ],
    own: [player.session.deviceId, ...sessionsOf(player)],
    sibling: [other.id, sibling.session.deviceId, sibling.session.identityId, ...sessionsOf(sibling)],
    // The audit trail keeps entries about deleted records.
    gone: Object.entries(deleted).flatMap(([at, id]) =>
      /^(account|refresh|view|ranked|.*flag|review|.*slug|.*code)/.test(at) ? [] : [id],
    ),
  };
  return { word, live, deleted, ids, owner, player, sibling };
}
