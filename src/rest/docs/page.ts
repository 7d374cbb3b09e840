import { type Html, html } from '../../base/html.js';
import { masthead } from '../../base/masthead.js';

interface Page {
  title: string;
  /** Relative path from the page to the service's root. */
  up: string;
  menu: Menu;
  /** The address of the page, if it's in the menu. */
  current?: string;
  /** Files of web/docs. */
  scripts: string[];
  main: Html;
}

interface Link {
  /** The address below the service's root. */
  href: string;
  text: string;
  /** What the field above the menu finds it by, too. */
  title?: string;
}

/** What the pages of one interface have at their side. */
export interface Menu {
  /** The place in the masthead. */
  place: 'docs' | 'docs/graphql';
  name: string;
  placeholder: string;
  general: Link[];
  groups: (Link & { links: Link[] })[];
  /** The address of what the search reads. */
  index: string;
}

/** Lists everything, so that the field above finds it from every page; only what is on this page is unfolded. */
function navigation({ up, menu, current }: Page): Html {
  const { name, placeholder, general, groups, index } = menu;
  const lists = groups.map(({ href, text, links }) => {
    const items = links.map(
      (link) =>
        html`<li><a href="${up}${link.href}"${link.title !== undefined && html` title="${link.title}"`}>${link.text}</a></li>`,
    );
    return html`<li><a href="${up}${href}"${href === current && html` aria-current="page"`}>${text}</a><ul>${items}</ul></li>`;
  });
  const first = general.map(({ href, text }) => html`<li><a href="${up}${href}">${text}</a></li>`);
  return html`<nav aria-label="${name}"><details id="menu"><summary>${name}</summary>
<input id="filter" type="search" placeholder="${placeholder}" aria-label="Search the reference" data-index="${index}" hidden>
<p id="hits" role="status" hidden></p>
<ul>${first}${lists}</ul>
<div id="found" hidden></div>
</details></nav>`;
}

/** Renders a page of the reference. It loads nothing from other hosts. */
export function referencePage(page: Page): string {
  const { title, up, menu, scripts, main } = page;
  const sources = scripts.map((name) => html`<script src="${up}docs/${name}" defer></script>\n`);
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · reference</title>
<link rel="stylesheet" href="${up}docs/page.css">
<link rel="icon" href="${up}docs/logo.svg" type="image/svg+xml">
${sources}</head>
<body>
${masthead(up, menu.place)}
<div class="reference">
${navigation(page)}
<main>
${main}
</main>
</div>
</body>
</html>
`.text;
}
