import pg from 'pg';
import { uuidOf } from '../../src/base/ids.js';
import { beginErasure } from '../../src/privacy/erase.js';
import { ErasedScores } from '../../src/privacy/erasure.js';
import type { TestApp } from './app.js';
import { review } from './flags.js';
import { type Data, send } from './http.js';
import { ImportClient } from './imports.js';
import { makeBoard, type Player, type Studio, startSession } from './make.js';
import { PNG } from './pictures.js';
import { post, submit } from './play.js';
import { makeSubject } from './roles/studio.js';
import type { Studio as Subject } from './roles/studio-shape.js';
import { declareView } from './views.js';
import { until } from './wait.js';

/** Rows of the import that is half done: a step writes a thousand. */
export const IMPORTED = 1_500;
const FROM_LONDON = { 'x-forwarded-for': '81.2.69.142' };
/** Class of the advisory locks of builds (migrations/functions/3_derivation.sql). */
const BUILDS = 7_100_002;

/** An account that uses everything, beside what the role matrix has of it. */
export interface WholeAccount {
  subject: Subject;
  studio: Studio;
  /** Bare uuid. */
  account: string;
  player: Player;
  /** With live views by week, country, tag of a run, tag of a player, and with dense ranks. */
  viewed: Data;
  /** Their builds are half done after {@link leaveHalfDone}. */
  rebuilt: Data;
  shown: Data;
  imported: Data;
  ratio: Data;
  /** The answer to a submission with a key. */
  keyed: Data;
  invited: string;
  /** Path of the game's logo. */
  logo: string;
}

/** @param app callers of the account go through it; its database is that of the account's cell */
export async function makeWholeAccount(app: TestApp): Promise<WholeAccount> {
  const subject = await makeSubject(app, 'aurora');
  const { live, owner } = subject;
  // Its state would not agree with a rule of the service.
  await app.database.knex('identities').whereNull('deleted_with').update({ deleted_at: null });
  const gameId = live.game_id!;
  const studio = { accountId: live.account_id!, userId: live.user_id!, keyId: live.key_id!, admin: owner };
  const board = (input: Data = {}) => makeBoard(studio, gameId, { isPublished: true, ...input });
  const viewed = await board({
    keepStrategy: 'BEST',
    dimensions: [{ name: 'class' }, { name: 'guild', source: 'PLAYER' }],
    views: [
      { name: 'week', period: 'WEEK' },
      { name: 'country', by: ['country'] },
      { name: 'class', by: ['class'] },
      { name: 'guild', by: ['guild'] },
      { name: 'even', period: 'DAY', tiePolicy: 'DENSE' },
    ],
  });
  const [all, won, lost] = [
    await board({ keepStrategy: 'ALL' }),
    await board({ boardType: 'COUNTER' }),
    await board({ boardType: 'COUNTER' }),
  ];
  const ratio = await board({
    boardType: 'RATIO',
    ratioConfig: { numeratorBoardId: won.id, denominatorBoardId: lost.id },
  });
  const [rebuilt, shown, imported] = [await board({ keepStrategy: 'BEST' }), await board(), await board()];

  const guilds = ['Ravens', 'Foxes', 'Ravens', 'Foxes'];
  const players: Player[] = [];
  for (const [n, guild] of guilds.entries()) {
    const { session, client } = await startSession(app, gameId);
    const player = { session, client: client.with(FROM_LONDON) };
    players.push(player);
    await owner.data(
      'mutation ($input: SetPlayerTagsInput!) { setPlayerTags(input: $input) { identityId } }',
      { input: { identityId: session.identityId, tags: { guild } } },
    );
    for (const { id } of [viewed, all, won, lost, rebuilt, shown]) {
      const tags = id === viewed.id ? { tags: { class: n % 2 ? 'mage' : 'rogue' } } : {};
      for (const value of [3 + n, 5, 1])
        await submit(player, id, value, { playerName: `Player ${n}`, ...tags });
    }
  }
  const ids = players.map(({ session }) => session.identityId);
  await owner.data('mutation ($input: SetFriendsInput!) { setFriends(input: $input) { identityId } }', {
    input: { identityId: ids[0], ids: ids.slice(1) },
  });
  const headers = { ...owner.headers, 'content-type': 'image/png' };
  await send(`${app.url}/v1/games/${gameId}/logo`, { method: 'PUT', headers, body: new Uint8Array(PNG) });
  const { game } = await owner.data('query ($id: ID!) { game(id: $id) { logoUrl } }', { id: gameId });
  // Readers of reviews wait for the first one.
  await review(owner, live.flag_id!, { status: 'DISMISSED' });
  const invited = 'ben@example.com';
  await owner.post('/register/invite', { email: invited });
  const player = players[0]!;
  const keyed = await post(player, { board_id: all.id, value: 9 }, { 'idempotency-key': 'once' });
  expect(keyed.status).toBe(201);
  await until(
    async () =>
      (await owner.get(`/v1/scores?board_id=${ratio.id}&account_id=${studio.accountId}`)).body.data
        ?.length === guilds.length,
  );
  return {
    subject,
    studio,
    account: uuidOf(studio.accountId),
    player,
    viewed,
    rebuilt,
    shown,
    imported,
    ratio,
    keyed: keyed.body,
    invited,
    logo: new URL(game.logoUrl).pathname,
  };
}

/** Background work of an account that its cell has begun. */
export interface HalfDone {
  importId: string;
  /** Of the player whose erasure is due. */
  erased: string;
  /** Lets the cell go on. */
  release(): Promise<void>;
}

/**
 * An import of which two thirds are written, a board and a view that are half built, an erasure that is due. All of it
 * waits until it is released, on this cell.
 */
export async function leaveHalfDone(cell: TestApp, whole: WholeAccount): Promise<HalfDone> {
  const { rebuilt, shown, imported, studio, subject } = whole;
  const now = new Date(cell.clock.now());
  const holder = new pg.Client({ connectionString: cell.database.connectionString });
  await holder.connect();
  for (const { id } of [rebuilt, shown]) {
    await holder.query('select pg_advisory_lock($1, hashtext($2))', [BUILDS, uuidOf(id)]);
  }
  const board = uuidOf(rebuilt.id);
  await holder.query(`update boards set keep_strategy = 'last' where id = $1`, [board]);
  await holder.query('select follow_rules($1, $2, 0)', [board, now]);
  await holder.query('select build_step($1, $2, 1, true)', [board, now]);
  const view = await declareView(
    cell.database.knex,
    shown.id,
    { name: 'later', period: 'week', by: [] },
    now,
  );
  for (let step = 0; step < 2; step += 1) {
    await holder.query('select build_view_step($1, $2, $3, 1, true)', [uuidOf(shown.id), view, now]);
  }

  const { session } = await startSession(cell, subject.live.game_id!);
  await cell.database.knex.transaction((trx) =>
    beginErasure(
      trx,
      { caller: { kind: 'anonymous' }, clock: cell.clock.now },
      session.identityId,
      ErasedScores.REMOVE,
    ),
  );

  const imports = new ImportClient(() => studio.admin);
  const importId = await imports.begin(imported.id);
  const lines = Array.from({ length: IMPORTED }, (_, n) => `old ${n},${n},Old ${n}`);
  const { body } = await imports.send(importId, 0, ['external_key,value,player_name', ...lines].join('\n'));
  expect(body.bad).toEqual([]);
  // Steps beyond the first fail on this cell.
  await holder.query(`
    create function hold_import() returns trigger language plpgsql as $$ begin raise 'held'; end $$;
    create trigger hold_import before update on score_imports for each row when (new.written > 1000)
    execute function hold_import()`);
  expect((await studio.admin.post(`/v1/imports/${importId}/finish`, {})).status).toBe(200);
  await until(async () => (await imports.read(importId)).written === 1_000);
  const release = async () => {
    await holder.query('drop function hold_import cascade');
    await holder.end();
  };
  return { importId, erased: session.identityId, release };
}
