import { readFileSync } from 'node:fs';
import path from 'node:path';
import { respellAddresses } from '../../src/accounts/users/respell-addresses.js';
import { idOf, uuid7 } from '../../src/base/ids.js';
import { cloneDatabase, MIGRATIONS } from '../support/database.js';
import { DataDir, runProgram, settingsOn } from '../support/process.js';

const FILE = path.join(MIGRATIONS, '022_proven_addresses.sql');
const BEGIN = Date.parse('2026-01-01T00:00:00Z');

test('addresses of earlier versions are proven by registrations and normalised; of equal ones one user keeps it', async () => {
  const [clone, dir] = [await cloneDatabase(), new DataDir()];
  const { knex } = clone.open();
  try {
    await knex.raw('alter table users drop column email_verified_at');
    let serial = 0;
    const account = uuid7();
    const times = (at: Date) => ({ created_at: at, updated_at: at });
    await knex('accounts').insert({
      id: account,
      name: 'Before',
      slug: 'before',
      status: 'active',
      ...times(new Date(BEGIN)),
    });
    const make = async (email: string, keyName?: string, more: object = {}) => {
      serial += 1;
      const [id, at] = [uuid7(), new Date(BEGIN + serial * 1_000)];
      const rights = { status: 'active', super_admin: false, is_owner: false };
      const own = {
        id,
        account_id: account,
        email,
        display_name: 'Before',
        ...rights,
        ...times(at),
        ...more,
      };
      await knex('users').insert(own);
      if (keyName === undefined) return id;
      await knex('api_keys').insert({
        id: uuid7(),
        account_id: account,
        user_id: id,
        name: keyName,
        prefix: `svc_${String(serial).padStart(10, '0')}`,
        hash: Buffer.alloc(32, serial),
        status: 'active',
        ...times(at),
      });
      return id;
    };
    const ids = {
      older: await make('ann@example.com.', 'By hand'),
      proven: await make('ａnn@example.com', 'Registration'),
      late: await make('Ann<ann@example.com>', 'Registration'),
      root: await make('root@example.com'),
      registered: await make('"root"@example.com', 'Registration'),
      chief: await make('ro\u200bot@example.com', 'Superadmin', { super_admin: true }),
      first: await make('max@bücher.example'),
      second: await make('max@xn--bcher-kva.example'),
      deleted: await make('max@BÜCHER.example', undefined, { deleted_at: new Date(BEGIN) }),
      odd: await make('odd..chief@example.com', undefined, { super_admin: true }),
      broken: await make('a..b@example.com'),
      plain: await make('plain@example.com'),
    };
    await knex.raw(readFileSync(FILE, 'utf8'));
    const runs = await Promise.all(
      [1, 2].map(() => runProgram('src/operator/migrate.ts', settingsOn(clone, dir))),
    );
    expect(runs.map(({ code }) => code)).toEqual([0, 0]);
    const said = runs.filter(({ stdout }) => stdout.includes('one standard form'));
    expect(said.map(({ stdout }) => /\d+ were rewritten, and \d+ were removed/.exec(stdout)?.[0])).toEqual([
      '4 were rewritten, and 6 were removed',
    ]);
    expect(await respellAddresses(knex, new Date())).toBeUndefined();
    const rows = await knex('users').select('id', 'email', 'email_verified_at');
    const found = Object.entries(ids).map(([name, id]) => {
      const row = rows.find((one) => one.id === id);
      const lost = row.email === `${idOf('user', id)}@unproven.invalid`;
      return [name, lost ? null : row.email, row.email_verified_at !== null];
    });
    expect(found).toEqual([
      ['older', null, false],
      ['proven', 'ann@example.com', true],
      ['late', null, false],
      ['root', null, false],
      ['registered', null, false],
      ['chief', 'root@example.com', false],
      ['first', 'max@xn--bcher-kva.example', false],
      ['second', null, false],
      ['deleted', 'max@xn--bcher-kva.example', false],
      ['odd', 'odd..chief@example.com', false],
      ['broken', null, false],
      ['plain', 'plain@example.com', false],
    ]);
    const entries = await knex('audit_entries').select('action', 'subject_id', 'before');
    expect(entries).toHaveLength(6);
    expect(entries).toContainEqual({
      action: 'address_given_up',
      subject_id: idOf('user', ids.late),
      before: { email: 'Ann<ann@example.com>' },
    });
  } finally {
    await clone.drop();
    await dir.remove();
  }
});
