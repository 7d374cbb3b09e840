import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { MIGRATIONS } from '../support/database.js';

/** The last migration before the rule was checked. */
const FREE = '036_erasures.sql';

/** Statements that take away or change what processes of the version before may still use. */
const CONTRACTIONS = [
  /\bdrop (table|column|function|type|view|sequence)\b/i,
  /\brename (to|column|constraint)\b/i,
  /\balter (column )?\w+ (set data )?type\b/i,
  /\balter (column )?\w+ (set not null|drop default)\b/i,
  /\badd (column )?(?!constraint\b)\w+ [^,;]*\bnot null\b(?![^,;]*\bdefault\b)(?<!\bdefault\b[^,;]*)/i,
];

/** Without comments, texts and the bodies of functions. */
function bare(sql: string): string {
  return sql.replace(/\$\$[\s\S]*?\$\$|--.*$|'[^']*'/gm, ' ').replace(/\s+/g, ' ');
}

function contractionsOf(sql: string): string[] {
  return CONTRACTIONS.flatMap((pattern) => pattern.exec(bare(sql))?.[0] ?? []);
}

test('a migration that takes something away names the migration that processes must know', () => {
  const names = readdirSync(MIGRATIONS).filter((name) => name.endsWith('.sql'));
  for (const name of names.filter((one) => one > FREE)) {
    const sql = readFileSync(path.join(MIGRATIONS, name), 'utf8');
    const named = /^-- contracts: (.+)$/m.exec(sql)?.[1];
    const found = contractionsOf(sql);
    if (found.length > 0) expect([name, found, named]).toEqual([name, found, expect.any(String)]);
    if (named !== undefined)
      expect([name, names.filter((one) => one <= name)]).toEqual([name, expect.arrayContaining([named])]);
  }
});

test.each([
  'alter table t drop column c',
  'drop function f(integer)',
  'alter table t rename column a to b',
  'alter table t alter column a type bigint',
  'alter table t alter a set not null',
  'alter table t add column a integer, add b text not null',
])('%s takes something away', (sql) => {
  expect(contractionsOf(sql)).toHaveLength(1);
});

test.each([
  "alter table t add column a text not null default 'x', add b integer default 0 not null, add c text",
  'alter table t add constraint c check (a is not null), drop constraint d',
  'create table t (a integer not null); drop index i; alter table t alter a set default 1',
  '-- drop table t\nselect 1',
])('%s takes nothing away', (sql) => {
  expect(contractionsOf(sql)).toEqual([]);
});
