import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

const SRC = path.resolve(__dirname, '../../src');
const CONTROL_PLANE = ['accounts', 'registration', 'games', 'boards', 'players', 'mail', 'jobs', 'hooks'];

/** `db.raw(…)`, `trx.raw<…>(…)`, `trx('boards')`: knex by itself, in any spelling of the connection. */
const KNEX = /\.raw[<(]|\b(?:db|trx|knex|savepoint)\('/;

test('the control plane asks the database through records (Objection) or whole statements', () => {
  const names = CONTROL_PLANE.flatMap((room) =>
    readdirSync(path.join(SRC, room), { recursive: true, encoding: 'utf8' }).map((name) => `${room}/${name}`),
  ).filter((name) => name.endsWith('.ts'));
  const faults = names.filter((name) => KNEX.test(readFileSync(path.join(SRC, name), 'utf8')));
  expect(faults).toEqual([]);
  expect(CONTROL_PLANE.filter((room) => !names.some((name) => name.startsWith(`${room}/`)))).toEqual([]);
  expect(names.length).toBeGreaterThan(80);
});
