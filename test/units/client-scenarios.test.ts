import { readFileSync } from 'node:fs';
import path from 'node:path';
import { LANGUAGES } from '../../clients/conformance/languages.js';
import { scenarios } from '../../clients/conformance/scenario.js';

const ROOT = path.resolve(__dirname, '../..');
const read = (file: string) => readFileSync(path.join(ROOT, file), 'utf8');

/** Rows of the table that `npm run prove:clients` writes, as client and result. */
function rows(): string[][] {
  const [, table] = /<!-- conformance -->\n([\s\S]*?)<!-- end -->/.exec(read('docs/reference/clients.md'))!;
  return table!
    .trim()
    .split('\n')
    .slice(2)
    .map((row) => row.split('|').map((cell) => cell.trim()))
    .map(([, client, result]) => [client!, result!]);
}

test('the table of conformance has every client, and says all instead of a number that would drift', () => {
  const clients = Object.values(LANGUAGES).map(({ name }) => name);
  expect(rows().map(([client]) => client)).toEqual([...clients, 'GDScript']);
  const handled = JSON.parse(read('clients/godot/scenarios.json')) as Record<string, unknown>;
  const others = scenarios().filter(({ name }) => handled[name] === null);
  const titles = others.map(({ title }) => title).join('; ');
  expect(rows().map(([, result]) => result)).toEqual([
    ...clients.map(() => 'all passed'),
    `all parsed, not run, but not handled: ${titles}`,
  ]);
});

test('the page of the suite has every step and command of the scenarios', () => {
  const page = read('clients/conformance/README.md');
  const steps = scenarios().flatMap((scenario) => scenario.steps as unknown as Record<string, unknown>[]);
  const commands = steps.flatMap(({ call, start }) => {
    const command = (call ?? start) as { do: string } | undefined;
    return command ? [command.do] : [];
  });
  expect(steps.length).toBeGreaterThan(500);
  const named = (word: string) => page.includes(`\`${word}\``) || page.includes(`\`${word}:`);
  const members = steps.flatMap((step) => Object.keys(step));
  const missing = [...new Set([...commands, ...members])].filter((word) => !named(word));
  expect(missing).toEqual([]);
});
