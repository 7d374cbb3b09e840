import { readFileSync } from 'node:fs';
import path from 'node:path';
import { startApp, type TestApp } from '../support/app.js';
import { DAY } from '../support/clock.js';
import type { Data } from '../support/http.js';
import { change, makeGame, makeStudio, type Studio, startSession } from '../support/make.js';
import { COLUMNS } from '../support/personal-columns.js';

const PAGE = readFileSync(path.resolve(__dirname, '../../docs/operations/personal-data.md'), 'utf8');

let app: TestApp;
let studio: Studio;
let game: Data;
beforeAll(async () => {
  app = await startApp({ failedJobRetentionDays: undefined });
  studio = await makeStudio(app);
  game = await makeGame(studio);
});
afterAll(() => app.close());

test('every column of every table is listed as personal or not', async () => {
  const { rows } = await app.database.knex.raw<{ rows: { name: string; columns: string[] }[] }>(`
    select case table_schema when 'public' then '' else table_schema || '.' end || table_name as name,
      array_agg(column_name::text order by ordinal_position) as columns
    from information_schema.columns join information_schema.tables using (table_schema, table_name)
    where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema') group by 1`);
  const found = rows.flatMap(({ name, columns }) => columns.map((column) => `${name}.${column}`));
  const listed = Object.entries(COLUMNS).flatMap(([name, { personal, other }]) =>
    [...Object.keys(personal), ...other.split(' ')].map((column) => `${name}.${column}`),
  );
  expect(found.length).toBeGreaterThan(250);
  // A new column goes into test/support/personal-columns.ts; a personal one of a player into erasure and export, too.
  expect(listed.toSorted()).toEqual(found.toSorted());
});

test('the page on personal data names each personal column and how long it lives', () => {
  const rows = PAGE.split('\n').filter((line) => /^\| `[a-z_.]+` \|/.test(line));
  const wanted = Object.entries(COLUMNS).flatMap(([table, { personal }]) => {
    const alike = new Map<string, string[]>();
    for (const [column, { of, kept }] of Object.entries(personal)) {
      const rest = `${of} | ${kept}`;
      alike.set(rest, [...(alike.get(rest) ?? []), `\`${column}\``]);
    }
    return [...alike].map(([rest, columns]) => `| \`${table}\` | ${columns.join(', ')} | ${rest} |`);
  });
  expect(rows).toEqual(wanted);
});

test('addresses, sessions, audit entries and mails are forgotten after the days of their settings', async () => {
  const player = await startSession(app, game.id);
  await change(studio.admin, 'Identity', player.session.identityId, { trustTier: 'A' });
  const { knex } = app.database;
  const [session] = await knex('device_sessions').where('game_id', game.id.slice(4));
  expect(session).toMatchObject({ ip_address: expect.any(String), user_agent: expect.any(String) });
  const run = async (...names: string[]) => {
    for (const name of names) await app.app.jobs.run(name);
  };
  const row = async () => (await knex('device_sessions').where('id', session.id))[0];

  app.clock.advance(90 * DAY - 1);
  await knex('device_sessions')
    .where('id', session.id)
    .update({ refresh_expires_at: new Date(app.clock.now()) });
  await run('forget-sessions', 'forget-audit-entries');
  expect(await row()).toMatchObject({ ip_address: session.ip_address });
  app.clock.advance(2);
  await run('forget-sessions');
  expect(await row()).toMatchObject({ ip_address: null, user_agent: null, status: 'active' });
  app.clock.advance(30 * DAY);
  await run('forget-sessions');
  expect(await row()).toBeUndefined();

  const entries = () => knex('audit_entries').where('subject_id', player.session.identityId);
  await run('forget-audit-entries');
  expect(await entries()).toHaveLength(1);
  app.clock.advance(610 * DAY);
  await run('forget-audit-entries');
  expect(await entries()).toHaveLength(0);
});

test('off keeps records for ever', async () => {
  const { knex } = app.database;
  await knex.raw(
    `select graphile_worker.add_job('expire-boards', '{}', job_key := 'kept', max_attempts := 1)`,
  );
  await knex.raw('update graphile_worker._private_jobs set attempts = 1, updated_at = ? where key = ?', [
    new Date(0),
    'kept',
  ]);
  expect(await app.app.jobs.run('tidy-job-queue')).toBe(0);
  const { rows } = await knex.raw('select from graphile_worker._private_jobs where key = ?', ['kept']);
  expect(rows).toHaveLength(1);
});
