import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { Html, html } from '../../base/html.js';
import { packageRoot } from '../../base/package.js';
import { htmlPage, icon, type PageFrame } from './layout.js';
import { texts } from './texts.js';

/** The guides that `npm run build` made from docs/. */
interface GuideList {
  /** Titles by address below /guides/. */
  titles: Record<string, string>;
  groups: { name: string; pages: string[] }[];
}

const BUILT = path.join(packageRoot, 'dist', 'guides');

/** Returns the list of guides; undefined without a build. */
export function guideList(): GuideList | undefined {
  try {
    return JSON.parse(readFileSync(path.join(BUILT, 'index.json'), 'utf8'));
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

function bar(up: string): Html {
  return html`<header class="bar"><a class="brand" href="${up}./">${icon('fa-trophy')}${texts.service}</a>
<nav aria-label="${texts.landing.links}"><a href="${up}guides">${texts.guides}</a><a href="${up}docs">${texts.landing.reference}</a><a href="${up}explorer">${texts.landing.explorer}</a><a class="button" href="${up}console/">${texts.landing.console}</a></nav></header>`;
}

/** @param page address below /guides/; undefined: the list of all. @returns undefined for a page that does not exist */
export async function guidePage(
  frame: PageFrame,
  list: GuideList,
  page: string | undefined,
): Promise<string | undefined> {
  if (page !== undefined && !Object.hasOwn(list.titles, page)) return undefined;
  const { up } = frame;
  const title = page === undefined ? texts.guides : list.titles[page]!;
  const text =
    page === undefined
      ? html`<h1>${texts.guides}</h1><div class="list">${links(list, up, page)}</div>`
      : new Html(await readFile(path.join(BUILT, `${page}.html`), 'utf8'));
  const body = html`${bar(up)}
<div class="reading">${page !== undefined && html`<nav class="contents" aria-label="${texts.guides}">${links(list, up, page)}</nav>`}
<main>${text}</main></div>`;
  return htmlPage(frame, { title: `${title} · ${texts.service}`, indexed: true, kind: 'guide', body });
}
