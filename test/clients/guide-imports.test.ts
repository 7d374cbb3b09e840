import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

const ROOT = path.resolve(__dirname, '../..');
const SOURCES = path.join(ROOT, 'clients/typescript/src');
const { exports: parts } = JSON.parse(
  readFileSync(path.join(ROOT, 'clients/typescript/package.json'), 'utf8'),
) as { exports: Record<string, string | { default?: string }> };

/** Modules of the package by the names of what they export and a program calls. */
function modules(): Map<string, string> {
  const found = new Map<string, string>();
  for (const [part, target] of Object.entries(parts)) {
    if (typeof target === 'string' || !target.default) continue;
    const source = readFileSync(path.join(SOURCES, `${path.basename(target.default, '.js')}.ts`), 'utf8');
    const own = source.matchAll(/^export (?:async )?(?:function\*?|class|const) (\w+)/gm);
    const passed = [...source.matchAll(/^export \{([^}]*)\} from/gm)].flatMap(([, names]) =>
      names!.split(',').map((name) => name.trim()),
    );
    const names = [...[...own].map(([, name]) => name!), ...passed];
    for (const name of names.filter((one) => one !== '' && !one.startsWith('type ')))
      found.set(name, path.posix.join('leaderboard-client', part));
  }
  return found;
}

function pages(folder: string): string[] {
  return readdirSync(path.join(ROOT, folder), { withFileTypes: true }).flatMap((entry) => {
    const file = path.join(folder, entry.name);
    if (entry.isDirectory()) return pages(file);
    return file.endsWith('.md') ? [file] : [];
  });
}

test('what guides call of the TypeScript package is imported on the page, from where it is', () => {
  const known = modules();
  expect([known.get('watchRewards'), known.get('Leaderboard'), known.get('setTags')]).toEqual([
    'leaderboard-client/live',
    'leaderboard-client',
    'leaderboard-client/players',
  ]);
  const missing: string[] = [];
  let seen = 0;
  for (const page of [...pages('docs'), 'README.md', 'clients/typescript/README.md']) {
    const text = readFileSync(path.join(ROOT, page), 'utf8');
    const code = [...text.matchAll(/```(?:ts|tsx|js)\n([\s\S]*?)```/g)].map(([, block]) => block).join('\n');
    if (!/\bleaderboard\b|leaderboard-client/.test(code)) continue;
    const from = new Map<string, string>();
    for (const [, names, module] of code.matchAll(/import \{([^}]*)\} from '([^']*)'/g))
      for (const name of names!.split(',')) from.set(name.trim(), module!);
    for (const [, name] of code.matchAll(/(?<![.\w])(?:new )?(\w+)\(/g)) {
      const module = known.get(name!);
      const isOwn = new RegExp(`(?:function\\*?|const|let) ${name}\\b`).test(code);
      if (!module || isOwn) continue;
      seen += 1;
      if (from.get(name!) !== module) missing.push(`${page}: ${name} of ${module}`);
    }
  }
  expect(seen).toBeGreaterThan(8);
  expect(missing).toEqual([]);
});
