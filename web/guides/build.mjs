// Turns docs/ into the pages of /guides: a fragment of HTML for each, and their list. `npm run build:web` runs it.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Marked } from 'marked';

const ROOT = path.join(import.meta.dirname, '../..');
const DOCS = path.join(ROOT, 'docs');
const OUT = path.join(ROOT, 'dist/guides');

/** Groups of the list, in order of reading; `decisions` is reached by links. */
const GROUPS = [
  ['Start', ['getting-started', 'concepts']],
  ['Guides', filesOf('guides')],
  ['Reference', filesOf('reference')],
  ['Operations', filesOf('operations')],
  ['Behind it', ['performance', 'decisions/README']],
];

function filesOf(folder) {
  return readdirSync(path.join(DOCS, folder)).map((file) => `${folder}/${file.replace(/\.md$/, '')}`);
}

/** The address of a page below /guides/. */
function addressOf(page) {
  return page.replace(/^guides\//, '').replace(/\/README$/, '');
}

/** The name of a heading in addresses, as in links between the files. */
function anchorOf(text) {
  return text
    .replace(/<[^>]+>/g, '')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replace(/\s/g, '-');
}

/** @returns the relative address of a linked file, undefined for files that have no page */
function linkOf(from, href) {
  if (/^[a-z]+:|^#/.test(href)) return href;
  const [file, anchor] = href.split('#');
  const target = path.posix.join(path.posix.dirname(from), file);
  if (target.startsWith('..') || !target.endsWith('.md')) return undefined;
  const here = path.posix.dirname(`guides/${addressOf(from)}`);
  const there = path.posix.relative(here, `guides/${addressOf(target.replace(/\.md$/, ''))}`);
  return anchor === undefined ? there : `${there}#${anchor}`;
}

function fragmentOf(page) {
  const renderer = {
    heading({ tokens, depth }) {
      const text = this.parser.parseInline(tokens);
      return `<h${depth} id="${anchorOf(text)}">${text}</h${depth}>\n`;
    },
    link({ href, tokens }) {
      const text = this.parser.parseInline(tokens);
      const there = linkOf(page, href);
      return there === undefined ? text : `<a href="${there}">${text}</a>`;
    },
    // A wide table scrolls by itself, by keyboard too.
    table(token) {
      const row = (cells, tag) =>
        `<tr>${cells.map((cell) => `<${tag}>${this.parser.parseInline(cell.tokens)}</${tag}>`).join('')}</tr>`;
      const body = token.rows.map((cells) => row(cells, 'td')).join('\n');
      return `<div class="wide" tabindex="0"><table><thead>${row(token.header, 'th')}</thead><tbody>${body}</tbody></table></div>\n`;
    },
    code({ text }) {
      const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
      return `<pre tabindex="0"><code>${escaped}</code></pre>\n`;
    },
  };
  const text = readFileSync(path.join(DOCS, `${page}.md`), 'utf8');
  const title = /^# (.*)$/m.exec(text)[1].replaceAll('`', '');
  return { title, html: new Marked({ renderer }).parse(text) };
}

rmSync(OUT, { recursive: true, force: true });
const titles = {};
for (const page of [
  'getting-started',
  'concepts',
  'performance',
  ...['guides', 'reference', 'operations', 'decisions'].flatMap(filesOf),
]) {
  const { title, html } = fragmentOf(page);
  const address = addressOf(page);
  titles[address] = title;
  const file = path.join(OUT, `${address}.html`);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, html);
}
const groups = GROUPS.map(([name, pages]) => ({ name, pages: pages.map(addressOf) }));
writeFileSync(path.join(OUT, 'index.json'), JSON.stringify({ titles, groups }));
