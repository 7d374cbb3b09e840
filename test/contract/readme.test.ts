import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { settings } from '../../src/config/table.js';

const ROOT = path.resolve(__dirname, '../..');

const textOf = (name: string) => readFileSync(path.join(ROOT, name), 'utf8');

const FOLDERS = ['docs', 'clients', 'bench', 'examples', 'migrations', 'deploy', '.github'];

/** Every document of the repository. */
const pages = new Map(
  ['.', ...FOLDERS]
    .flatMap((folder) =>
      readdirSync(path.join(ROOT, folder), { recursive: folder !== '.', encoding: 'utf8' }).map((name) =>
        path.posix.join(folder, name.split(path.sep).join('/')),
      ),
    )
    .filter((name) => name.endsWith('.md') && !name.includes('node_modules/'))
    .map((name) => [name, textOf(name)] as const),
);

/** Without blocks of code, whose lines are no sentences, headings or links. */
const proseOf = (text: string) => text.replaceAll(/^```[\s\S]*?^```$/gm, '');

/** Anchors of a page's headings, as GitHub makes them. */
function anchorsOf(text: string): string[] {
  const headings = [...proseOf(text).matchAll(/^#{1,6} (.+)$/gm)].map((match) => match[1]!);
  return headings.map((heading) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\w\- ]/g, '')
      .replaceAll(' ', '-'),
  );
}

test('the table of settings is that of the service, with defaults, units and meaning', () => {
  const lines = pages.get('docs/reference/configuration.md')!.split('\n');
  const rows = lines.filter((line) => /^\| `[A-Z][A-Z_]+` \|/.test(line));
  expect(rows).toEqual(
    settings.map(
      ({ name, fallback, unit, doc }) =>
        `| \`${name}\` | ${fallback ? `\`${fallback}\`` : ''} | ${unit ?? ''} | ${doc.replaceAll('|', '\\|')} |`,
    ),
  );
});

test('the commands that the pages name exist', () => {
  const { scripts } = JSON.parse(textOf('package.json')) as { scripts: Record<string, string> };
  const named = [...pages.values()].flatMap((text) =>
    [...text.matchAll(/`(?:npm run ([a-z:-]+)|(bench:[a-z-]+))[^`]*`/g)].map(
      (match) => match[1] ?? match[2]!,
    ),
  );
  expect(new Set(named).size).toBeGreaterThan(15);
  expect(named.filter((name) => !(name in scripts))).toEqual([]);
});

test('every link, anchor and picture of the pages resolves', () => {
  const faults: string[] = [];
  for (const [page, text] of pages) {
    for (const [, one, other] of proseOf(text).matchAll(/\]\(([^()\s]+)\)|src(?:set)?="([^"]+)"/g)) {
      const link = one ?? other;
      if (/^[a-z]+:/.test(link!)) continue;
      const [target, anchor] = link!.split('#');
      const name = target ? path.posix.join(path.posix.dirname(page), target) : page;
      const isThere = existsSync(path.join(ROOT, name));
      if (!isThere || (anchor && !anchorsOf(textOf(name)).includes(anchor))) faults.push(`${page}: ${link}`);
    }
  }
  expect(faults).toEqual([]);
});

test('every file of the repository that the pages name exists', () => {
  const faults: string[] = [];
  for (const [page, text] of pages) {
    for (const [, name] of text.matchAll(
      /`((?:src|test|tools|migrations|schema|web|bench|clients|examples|seeds)\/[\w./-]+)`/g,
    )) {
      const source = name!.replace(/^(clients\/terminal)\/dist\/(.+)\.js$/, '$1/src/$2.ts');
      if (!existsSync(path.join(ROOT, source))) faults.push(`${page}: ${name}`);
    }
  }
  expect(faults).toEqual([]);
});

test('the table of terminal commands names each noun once, and examples set the variables that they use', () => {
  const nouns = [
    ...pages.get('docs/reference/terminal.md')!.matchAll(/^\| (`[a-z-]+`(?:, `[a-z-]+`)*) \|/gm),
  ].flatMap((match) => match[1]!.split(', '));
  expect(nouns.length).toBeGreaterThan(15);
  expect(nouns.filter((noun, index) => nouns.indexOf(noun) < index)).toEqual([]);
  const guide = pages.get('docs/guides/submitting-scores.md')!;
  for (const [, name] of guide.matchAll(/\$(NONCE_\d)/g)) expect(guide).toContain(`${name}=$(`);
});

test('the guide to the console names buttons and titles that the console has', () => {
  const files = readdirSync(path.join(ROOT, 'web/console'), { recursive: true, encoding: 'utf8' });
  const texts = files
    .filter((name) => /(^|\/)texts\.ts$/.test(name))
    .map((name) => textOf(`web/console/${name}`))
    .join();
  const guide = pages.get('docs/guides/console.md')!;
  const named = [...guide.matchAll(/(?<!\*)\*([^*\n]+)\*(?!\*)/g)].map((match) => match[1]!);
  expect(named.length).toBeGreaterThan(20);
  expect(named.filter((name) => !new RegExp(`['\`]${name}(?!\\w)`).test(texts))).toEqual([]);
});
