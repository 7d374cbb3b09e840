import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { bootstrap } from '../../src/accounts/keys/bootstrap.js';
import { hasSuperadminKey } from '../../src/accounts/keys/superadmin-key.js';
import { SetupError } from '../../src/base/errors.js';
import { uuidOf } from '../../src/base/ids.js';
import { makeLog } from '../../src/base/log.js';
import { banner } from '../../src/process/banner.js';
import { openSuperadmin } from '../../src/process/superadmin.js';
import { SETTINGS, startApp, type TestApp } from '../support/app.js';
import type { Caller, Data } from '../support/http.js';
import { holding, waiting } from '../support/locks.js';
import { change, changeFault, makeKey, makeStudio, makeUser } from '../support/make.js';

let app: TestApp;
beforeEach(async () => {
  app = await startApp();
});
afterEach(() => app.close());

const ME = '{ me { superAdmin accountId user { id } apiKey { id } } }';
const meOf = (caller: Caller): Promise<Data> => caller.data(ME).then(({ me }) => me);
const patch = (path: string, body: object) => app.superadmin.patch(path, body);
const usable = () => hasSuperadminKey(app.database.knex);

/** The superadmin part of a start, with these settings. */
async function start(superadminApiKey?: string, onTerminal = false) {
  const own = { ...SETTINGS, dataDir: app.dataDir, superadminEmail: 'root@example.com', superadminApiKey };
  const superadmin = await openSuperadmin(app.database, own, makeLog('silent'));
  const facts = { host: '127.0.0.1', port: 1, workers: 1, data: '', headerPrefix: 'service', onTerminal };
  return { superadmin, banner: banner({ ...facts, superadmin }) };
}

test('no change ends the last key of the last superadmin', async () => {
  const root = app.superadmin;
  const { accountId, user, apiKey } = await meOf(root);
  const refused = async (kind: string, id: string, input: Data) =>
    expect([kind, input, await changeFault(root, kind, id, input)]).toEqual([
      kind,
      input,
      'INVALID_TRANSITION',
    ]);
  const spare = await makeKey(root, accountId, user.id, { expiresAt: '2999-01-01T00:00:00Z' });
  for (const input of [{ status: 'REVOKED' }, { deleted: true }]) await refused('ApiKey', apiKey.id, input);
  const away = [{ status: 'SUSPENDED' }, { deleted: true }];
  for (const input of [...away, { superAdmin: false }]) await refused('User', user.id, input);
  for (const input of away) await refused('Account', accountId, input);
  const paths = { 'api-keys': apiKey.id, users: user.id, accounts: accountId };
  for (const [name, id] of Object.entries(paths)) {
    const { status, body } = await patch(`/v1/${name}/${id}`, { deleted: true });
    expect([name, status, body.code]).toEqual([name, 400, 'INVALID_TRANSITION']);
  }
  expect(await usable()).toBe(true);
  // Nothing was half written, and what takes nothing away is done.
  await change(root, 'User', user.id, { displayName: 'Root' });
  await change(root, 'ApiKey', spare.id, { status: 'REVOKED' });

  // With another one, of another account, each of them may go.
  const { accountId: other } = await makeStudio(app);
  const chief = await makeUser(root, other);
  await change(root, 'User', chief.id, { superAdmin: true });
  await refused('ApiKey', apiKey.id, { status: 'REVOKED' });
  const key = await makeKey(root, other, chief.id);
  await change(root, 'Account', accountId, { status: 'SUSPENDED' });
  const second = app.anyone.with({ 'service-api-key': key.key });
  expect(await changeFault(second, 'Account', other, { status: 'SUSPENDED' })).toBe('INVALID_TRANSITION');
  await change(second, 'Account', accountId, { status: 'ACTIVE' });
  await change(second, 'ApiKey', key.id, { status: 'REVOKED' });
  expect(await changeFault(root, 'ApiKey', apiKey.id, { status: 'REVOKED' })).toBe('INVALID_TRANSITION');
});

test('one of several simultaneous changes that would end all keys is refused', async () => {
  const root = app.superadmin;
  const { accountId, user, apiKey } = await meOf(root);
  const spare = await makeKey(root, accountId, user.id, { expiresAt: '2999-01-01T00:00:00Z' });
  const caller = app.anyone.with({ 'service-api-key': spare.key });
  const ids = [
    apiKey.id,
    ...(await Promise.all([1, 2, 3].map(() => makeKey(root, accountId, user.id)))).map(({ id }) => id),
  ];
  // All are under way before the first of them can write.
  const lasting = 'select from api_keys where user_id = $1 and expires_at is null for update';
  const release = await holding(app, lasting, uuidOf(user.id));
  let answered = false;
  const all = Promise.all(ids.map((id) => caller.patch(`/v1/api-keys/${id}`, { status: 'revoked' })));
  void all.finally(() => {
    answered = true;
  });
  await waiting(app, ids.length, () => answered);
  await release();
  expect((await all).map(({ status }) => status).toSorted()).toEqual([200, 200, 200, 400]);
  expect(await usable()).toBe(true);
});

test('a start makes a key anew when none is usable, and says when SUPERADMIN_API_KEY was not used', async () => {
  const { knex } = app.database;
  const chosen = 'a-key-of-thirty-two-characters-or-more';
  const short = 'a-key-that-was-chosen-before';
  const idle = await start(chosen);
  expect(idle.banner).toContain('SUPERADMIN_API_KEY was not used');
  expect((await start()).banner).not.toContain('SUPERADMIN_API_KEY');
  // Set in an installation from before, and of no use there.
  await start(short);

  writeFileSync(path.join(app.dataDir, 'superadmin-key'), 'svc_of-a-key-that-was-revoked');
  await knex('api_keys').update({ status: 'revoked' });
  await expect(start(short)).rejects.toThrow(/at least 32 printable characters/);
  const used = await start(chosen);
  expect(used.banner).toMatch(/Superadmin key +the one in SUPERADMIN_API_KEY\n/);
  const me = await meOf(app.anyone.with({ 'service-api-key': chosen }));
  expect(me.superAdmin).toBe(true);
  expect(await knex('users').where('super_admin', true)).toHaveLength(1);
  expect((await start(chosen)).banner).not.toContain('not used');
  expect((await start()).banner).not.toContain(path.join(app.dataDir, 'superadmin-key'));

  // A key that will expire is none to rely on.
  await knex('api_keys').update({ expires_at: new Date('2999-01-01') });
  const { superadmin, banner: shown } = await start();
  const file = path.join(app.dataDir, 'superadmin-key');
  expect([superadmin.file, existsSync(`${file}.draft`)]).toEqual([file, false]);
  expect(superadmin.generated).toMatch(/^svc_/);
  // A journal keeps what is no terminal: the file alone has the key.
  expect(shown).not.toContain(superadmin.generated);
  expect(shown).toContain(file);
  expect(readFileSync(file, 'utf8').trim()).toBe(superadmin.generated);
  expect((await meOf(app.anyone.with({ 'service-api-key': superadmin.generated! }))).superAdmin).toBe(true);

  rmSync(file);
  await knex('api_keys').update({ expires_at: new Date('2999-01-01') });
  const seen = await start(undefined, true);
  expect(seen.banner).toContain(seen.superadmin.generated);
  // Without a file the output is all there is.
  const lost = { ...seen.superadmin, file: undefined };
  const facts = {
    host: '127.0.0.1',
    port: 1,
    workers: 1,
    data: '',
    headerPrefix: 'service',
    superadmin: lost,
  };
  expect(banner({ ...facts, onTerminal: false })).toContain(lost.generated);
});

test('a start without a superadmin restores the former one, and never promotes another user', async () => {
  const { knex } = app.database;
  const boot = (email: string) => bootstrap(knex, SETTINGS, { email }, new Date(app.clock.now()));
  const { accountId } = await makeStudio(app);
  const tenant = await makeUser(app.superadmin, accountId, { email: 'ümit@example.com' });
  expect(await boot(tenant.email)).toBeUndefined();
  const root = () => knex('users').where('email', 'root@example.com');
  await root().update({ status: 'suspended' });
  await knex('accounts').where('name', 'Administration').update({ status: 'suspended' });

  const refusal = boot('ÜMIT@example.com');
  await expect(refusal).rejects.toThrow(SetupError);
  await expect(refusal).rejects.toThrow(/SUPERADMIN_EMAIL belongs to a user who is not one/);
  const kept = await knex('users').where('id', tenant.id.slice(4)).first();
  expect(kept).toMatchObject({ super_admin: false, status: 'active' });

  const key = await boot('Root@Example.com');
  const again = app.anyone.with({ 'service-api-key': key! });
  expect((await again.data('{ me { superAdmin user { email } } }')).me).toEqual({
    superAdmin: true,
    user: { email: 'root@example.com' },
  });
  expect(await root()).toHaveLength(1);

  // Deleted meanwhile, and its name given to another account.
  await knex('accounts').where('name', 'Administration').update({ deleted_at: new Date() });
  const own = { name: 'Administration', slug: 'administration' };
  await knex('accounts').where('id', accountId.slice(4)).update(own);
  await boot('root@example.com');
  const names = await knex('accounts').whereNull('deleted_at').orderBy('slug').select('name', 'slug');
  expect(names).toEqual([own, { name: 'Administration (administration-2)', slug: 'administration-2' }]);
});
