import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { Html, html } from '../../base/html.js';
import { masthead } from '../../base/masthead.js';
import { packageRoot } from '../../base/package.js';
import { htmlPage, type PageFrame } from './layout.js';
import { texts } from './texts.js';

/** The guides that `npm run build` made from the README and docs/. */
interface GuideList {
  /** Titles by address below /guides/. */
  titles: Record<string, string>;
  /** Headings by address; `level` is 2 or 3. */
  outlines: Record<string, { level: number; id: string; title: string }[]>;
  /** In the order of learning. */
  groups: { name: string; pages: string[] }[];
}

/** Directory of the guides, their pictures and what their search reads. */
export const builtGuides = path.join(packageRoot, 'dist', 'guides');

/** Returns the list of guides; undefined without a build. */
export function guideList(): GuideList | undefined {
  try {
    return JSON.parse(readFileSync(path.join(builtGuides, 'index.json'), 'utf8'));
  } catch (fault) {
    if ((fault as NodeJS.ErrnoException).code !== 'ENOENT') throw fault;
    return undefined;
  }
}

function links({ titles, groups }: GuideList, up: string, current: string | undefined): Html[] {
  return groups.map(
    ({ name, pages }) =>
      html`<h2>${name}</h2><ul role="list">${pages.map(
        (page) =>
          html`<li><a href="${up}guides/${page}"${page === current && html` aria-current="page"`}>${titles[page]}</a></li>`,
      )}</ul>`,
  );
}

/** The script of the page makes the field useful, and shows it. */
function searchField(up: string): Html {
  const { search } = texts.guides;
  return html`<search class="search" data-guides="${up}guides/" hidden><input type="search" placeholder="${search}" aria-label="${search}"><ol role="list" hidden></ol></search>`;
}

function outline({ outlines }: GuideList, page: string): Html | undefined {
  const headings = outlines[page]!;
  if (headings.length < 2) return undefined;
  return html`<details class="outline"><summary>${texts.guides.outline}</summary><nav aria-label="${texts.guides.outline}"><ul role="list">${headings.map(
    ({ level, id, title }) => html`<li class="level-${level}"><a href="#${id}">${title}</a></li>`,
  )}</ul></nav></details>`;
}

/** The pages before and after, in the order of learning. */
function neighbours({ titles, groups }: GuideList, up: string, page: string): Html | undefined {
  const order = groups.flatMap(({ pages }) => pages);
  const at = order.indexOf(page);
  if (at < 0) return undefined;
  const link = (name: string | undefined, rel: 'prev' | 'next', text: string) =>
    name !== undefined &&
    html`<a rel="${rel}" href="${up}guides/${name}"><span>${text}</span> ${titles[name]}</a>`;
  return html`<nav class="neighbours" aria-label="${texts.guides.title}">${link(order[at - 1], 'prev', texts.guides.previous)}${link(order[at + 1], 'next', texts.guides.next)}</nav>`;
}

async function article(list: GuideList, up: string, page: string): Promise<Html> {
  const text = new Html(await readFile(path.join(builtGuides, `${page}.html`), 'utf8'));
  return html`<div class="reading"><div class="side">${searchField(up)}
<details class="menu"><summary>${texts.guides.menu}</summary><nav aria-label="${texts.guides.menu}">${links(list, up, page)}</nav></details></div>
${outline(list, page)}
<main>${text}
${neighbours(list, up, page)}</main></div>`;
}

function overview(list: GuideList, up: string): Html {
  return html`<main><h1>${texts.guides.title}</h1><p>${texts.guides.about}</p>${searchField(up)}
<div class="list">${links(list, up, undefined)}</div></main>`;
}

/** @param page address below /guides/; undefined: the list of all. @returns undefined for a page that does not exist */
export async function guidePage(
  frame: PageFrame,
  list: GuideList,
  page: string | undefined,
): Promise<string | undefined> {
  if (page !== undefined && !Object.hasOwn(list.titles, page)) return undefined;
  const { up } = frame;
  const title = page === undefined ? texts.guides.title : list.titles[page]!;
  const body = html`${masthead(up, 'guides')}
${page === undefined ? overview(list, up) : await article(list, up, page)}`;
  return htmlPage(frame, { title: `${title} · ${texts.service}`, indexed: true, kind: 'guide', body });
}
