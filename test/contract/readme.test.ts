import { readFileSync } from 'node:fs';
import path from 'node:path';
import { settings } from '../../src/config/table.js';

const readme = readFileSync(path.resolve(__dirname, '../../README.md'), 'utf8');
const scripts: Record<string, string> = JSON.parse(
  readFileSync(path.resolve(__dirname, '../../package.json'), 'utf8'),
).scripts;

test("the README's settings are those of the service, with their defaults, units and meaning", () => {
  const rows = readme.split('\n').filter((line) => /^\| `[A-Z_]+` \|/.test(line));
  expect(rows).toEqual(
    settings.map(
      ({ name, fallback, unit, doc }) =>
        `| \`${name}\` | ${fallback ? `\`${fallback}\`` : ''} | ${unit ?? ''} | ${doc.replaceAll('|', '\\|')} |`,
    ),
  );
});

test('the commands the README names exist', () => {
  const named = [...readme.matchAll(/`(?:npm run )?([a-z-]+:[a-z]+|(?<=npm run )[a-z-]+)`/g)].map(
    (match) => match[1]!,
  );
  expect(named.length).toBeGreaterThan(8);
  expect(named.filter((name) => !(name in scripts))).toEqual([]);
});
