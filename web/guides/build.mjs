// Turns the README's tour and docs/ into the pages of /guides: a fragment of HTML for each, their list, their pictures, and what the
// search reads. `npm run build:web` runs it.
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import hljs from 'highlight.js';
import { Marked } from 'marked';
import { getHeadingList, gfmHeadingId } from 'marked-gfm-heading-id';
import { markedHighlight } from 'marked-highlight';

const ROOT = path.join(import.meta.dirname, '../..');
const OUT = path.join(ROOT, 'dist/guides');
const PICTURES = path.join(ROOT, 'docs/pictures');

/** In the order of learning: files of docs/ without their ending, and those of FILES. */
const GROUPS = [
  ['Start', ['tour', 'getting-started', 'concepts']],
  [
    'Build a game',
    [
      ...['submitting-scores', 'boards-and-templates', 'views', 'season-with-prizes', 'live', 'friends'],
      'own-login',
      'one-player',
      ...['game-typescript', 'game-csharp', 'game-godot', 'game-lua'],
    ].map((name) => `guides/${name}`),
  ],
  [
    'Do one thing',
    ['first-prizes', 'embed-a-board', 'where-is-my-run', 'invite-a-moderator'].map(
      (name) => `guides/${name}`,
    ),
  ],
  [
    'Look after it',
    [
      ...[
        'console',
        'fair-play',
        'runs-really-played',
        'public-pages',
        'registration',
        'single-sign-on',
        'import',
        'export',
        'webhooks',
        'configuration-as-code',
      ],
    ].map((name) => `guides/${name}`),
  ],
  [
    'Run it',
    [
      ...[
        'first-server',
        'deploy',
        'containers',
        'proxy',
        'upgrade',
        'backup',
        'monitoring',
        'personal-data',
      ],
      ...['capacity', 'scaling', 'high-availability', 'cells'],
    ].map((name) => `operations/${name}`),
  ],
  ['Extend it', ['architecture', 'guides/extending', 'decisions/README']],
  [
    'Reference',
    [
      ...['configuration', 'rest', 'graphql', 'clients', 'generated-clients', 'terminal'].map(
        (name) => `reference/${name}`,
      ),
      'performance',
    ],
  ],
];

/** Pages from outside docs/; the tour is a section of the README. */
const TOUR = 'tour';
const FILES = { [TOUR]: 'README.md', architecture: 'ARCHITECTURE.md' };

const listed = GROUPS.flatMap(([, pages]) => pages);
/** Pages that are reached by links alone. */
const written = readdirSync(path.join(ROOT, 'docs'), { recursive: true })
  .filter((file) => file.endsWith('.md'))
  .map((file) => file.split(path.sep).join('/').replace(/\.md$/, ''));
const linked = written.filter((page) => page.startsWith('decisions/') && !listed.includes(page));
const pages = [...listed, ...linked];
const forgotten = written.filter((page) => !pages.includes(page));
if (forgotten.length > 0)
  throw new Error(`These pages are in no group of web/guides/build.mjs: ${forgotten.join(', ')}`);

function fileOf(page) {
  return FILES[page] ?? `docs/${page}.md`;
}

/** The address of a page below /guides/. */
function addressOf(page) {
  return page.replace(/^guides\//, '').replace(/\/README$/, '');
}

const addresses = new Map(pages.map((page) => [fileOf(page), addressOf(page)]));

/** @returns the relative address of a linked file, undefined for files that have no page */
function linkOf(page, href) {
  if (/^[a-z]+:|^#/.test(href)) return href;
  const [file, anchor] = href.split('#');
  const target = addresses.get(path.posix.join(path.posix.dirname(fileOf(page)), file));
  if (target === undefined) return undefined;
  const there = `${upFrom(page)}${target}`;
  return anchor === undefined ? there : `${there}#${anchor}`;
}

/** @returns the relative path from a page to /guides/ */
function upFrom(page) {
  return '../'.repeat(addressOf(page).split('/').length - 1);
}

/** Names of languages as the guides write them; what is not known stays plain. */
const LANGUAGES = { gdscript: 'python', jsonl: 'json', http: 'http', caddyfile: 'nginx', text: 'plaintext' };

function highlighted(code, language) {
  const known = LANGUAGES[language] ?? language;
  return hljs.getLanguage(known)
    ? hljs.highlight(code, { language: known }).value
    : hljs.highlight(code, { language: 'plaintext' }).value;
}

function textOf(page) {
  const text = readFileSync(path.join(ROOT, fileOf(page)), 'utf8');
  if (page !== TOUR) return text;
  const [section] = /^## .*tour.*\n[\s\S]*?(?=^## |(?![\s\S]))/im.exec(text);
  return section.replace(/^##/gm, '#');
}

function fragmentOf(page) {
  const renderer = {
    link({ href, tokens }) {
      const text = this.parser.parseInline(tokens);
      const there = linkOf(page, href);
      return there === undefined ? text : `<a href="${there}">${text}</a>`;
    },
    // A <picture> with its light and dark file.
    html({ text }) {
      return text
        .replace(/(src|srcset)="[^"]*\/pictures\/([^"/]+)"/g, (_link, attribute, name) => {
          pictures.add(name);
          return `${attribute}="${upFrom(page)}pictures/${name}"`;
        })
        .replaceAll('<img ', '<img loading="lazy" ');
    },
    // A wide table scrolls by itself, by keyboard too.
    table(token) {
      const row = (cells, tag) =>
        `<tr>${cells.map((cell) => `<${tag}>${this.parser.parseInline(cell.tokens)}</${tag}>`).join('')}</tr>`;
      const body = token.rows.map((cells) => row(cells, 'td')).join('\n');
      return `<div class="wide" tabindex="0"><table><thead>${row(token.header, 'th')}</thead><tbody>${body}</tbody></table></div>\n`;
    },
    // Runs behind markedHighlight, which has made HTML of the text.
    code({ text }) {
      return `<pre tabindex="0"><code>${text}</code></pre>\n`;
    },
  };
  const marked = new Marked(markedHighlight({ highlight: highlighted }), gfmHeadingId(), { renderer });
  const html = marked.parse(textOf(page));
  const [title, ...headings] = getHeadingList();
  return {
    title: plain(title.text),
    outline: headings
      .filter(({ level }) => level < 4)
      .map(({ level, text, id }) => ({ level, id, title: plain(text) })),
    html,
  };
}

function plain(html) {
  return html
    .replace(/<[^>]+>/g, '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replace(/&#(39|x27);/g, "'")
    .replaceAll('&amp;', '&');
}

/** What the search reads: each section by its heading. */
function sectionsOf(address, { title, html }) {
  return html
    .split(/(?=<h[1-3] id=")/)
    .filter((part) => part.trim() !== '')
    .map((part) => {
      const [, level, id, heading] = /^<h([1-3]) id="([^"]*)">(.*)<\/h/.exec(part) ?? [];
      return {
        id: level === '1' || id === undefined ? address : `${address}#${id}`,
        page: title,
        title: heading === undefined ? title : plain(heading),
        text: plain(part.replace(/^<h.*\n/, ''))
          .replace(/\s+/g, ' ')
          .trim(),
      };
    });
}

rmSync(OUT, { recursive: true, force: true });
mkdirSync(OUT, { recursive: true });
/** Those that a page shows. */
const pictures = new Set();
const titles = {};
const outlines = {};
const sections = [];
for (const page of pages) {
  const fragment = fragmentOf(page);
  const address = addressOf(page);
  titles[address] = fragment.title;
  outlines[address] = fragment.outline;
  if (!linked.includes(page)) sections.push(...sectionsOf(address, fragment));
  const file = path.join(OUT, `${address}.html`);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, fragment.html);
}
for (const name of pictures) cpSync(path.join(PICTURES, name), path.join(OUT, 'pictures', name));
const search = JSON.stringify(sections);
writeFileSync(path.join(OUT, 'search.json'), search);
writeFileSync(path.join(OUT, 'search.json.br'), brotliCompressSync(search));
writeFileSync(path.join(OUT, 'search.json.gz'), gzipSync(search, { level: 9 }));
const groups = GROUPS.map(([name, members]) => ({ name, pages: members.map(addressOf) }));
writeFileSync(path.join(OUT, 'index.json'), JSON.stringify({ titles, outlines, groups }));
