import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { scenarios } from '../../clients/conformance/scenario.js';
import { beginningsFor } from '../../src/rest/docs/client-samples.js';
import type { ApiDocument } from '../../src/rest/docs/document.js';
import { samplesOf } from '../../src/rest/docs/samples.js';

const ROOT = path.resolve(__dirname, '../..');
const PROJECT = path.join(ROOT, 'clients/godot');
const ADDON = path.join(PROJECT, 'addons/leaderboard_client');

const { gdtool } = require('../../clients/conformance/gdtoolkit.cjs') as {
  gdtool(name: string): string | undefined;
};

test('the Godot client names functions of its code for each scenario but those of two tabs', () => {
  const handled = JSON.parse(readFileSync(path.join(PROJECT, 'scenarios.json'), 'utf8')) as Record<
    string,
    Record<string, string[]> | null
  >;
  expect(Object.keys(handled).sort()).toEqual(
    scenarios()
      .map(({ name }) => name)
      .sort(),
  );
  expect(Object.keys(handled).filter((name) => handled[name] === null)).toEqual([
    'recording-two-tabs',
    'tabs-together',
  ]);
  const missing = Object.entries(handled).flatMap(([name, files]) =>
    Object.entries(files ?? {}).flatMap(([file, functions]) => {
      const code = readFileSync(path.join(ADDON, file), 'utf8');
      expect(functions.length).toBeGreaterThan(0);
      return functions
        .filter((one) => !code.includes(`func ${one}(`))
        .map((one) => `${name}: ${file} ${one}`);
    }),
  );
  expect(missing).toEqual([]);
});

/** The lines of the reference that send a request without a client, as a function for each operation. */
function requestsOf(language: string): string[] {
  const document = JSON.parse(readFileSync(path.join(ROOT, 'schema/openapi.json'), 'utf8')) as ApiDocument;
  return Object.entries(document.paths).flatMap(([place, methods]) =>
    Object.entries(methods).flatMap(([method, spec]) => {
      const samples = samplesOf(document, { method: method.toUpperCase(), path: place, spec });
      const ofLanguage = samples.filter((sample) => sample.language === language);
      return ofLanguage.map(
        ({ text }) => `func ${spec.operationId}() -> void:\n${text.replace(/^/gm, '\t')}`,
      );
    }),
  );
}

const [parse, lint] = [gdtool('gdparse'), gdtool('gdlint')];
const name =
  'the scripts for Godot, the lines of its page and of the reference parse, and gdlint has nothing against the scripts';
if (!parse || !lint) {
  test.skip(`${name}: gdtoolkit is not installed (node clients/conformance/install.cjs)`, () => undefined);
} else {
  test(name, () => {
    const folder = mkdtempSync(path.join(os.tmpdir(), 'leaderboard-godot-'));
    const page = readFileSync(path.join(ROOT, 'docs/guides/game-godot.md'), 'utf8');
    const blocks = [...page.matchAll(/```gdscript\n([\s\S]*?)```/g)].map(([, block]) => block!);
    expect(blocks).toHaveLength(8);
    expect(blocks[0]!.trim().split('\n').length).toBeLessThanOrEqual(10);
    const lines = path.join(folder, 'page.gd');
    writeFileSync(lines, `extends Node\n\n\n${blocks.join('\n\n')}`);
    const begin = path.join(folder, 'begin.gd');
    const ids = { BASE: 'https://scores.test', GAME: 'gam_1', BOARD: 'brd_1' };
    const { text } = beginningsFor(ids).find(({ language }) => language === 'GDScript')!;
    writeFileSync(begin, `extends Node\n\n\n${text}\n`);
    const requests = path.join(folder, 'requests.gd');
    writeFileSync(requests, `extends Node\n\n\n${requestsOf('GDScript').join('\n\n')}`);
    const scripts = [ADDON, path.join(PROJECT, 'sample')].flatMap((place) =>
      readdirSync(place)
        .filter((file) => file.endsWith('.gd'))
        .map((file) => path.join(place, file)),
    );
    expect(scripts.length).toBeGreaterThan(15);
    execFileSync(parse, [...scripts, lines, begin, requests]);
    execFileSync(lint, scripts);
    rmSync(folder, { recursive: true });
  });
}
