import { type Html, html } from '../../base/html.js';
import { masthead } from '../../base/masthead.js';
import type { Group } from './groups.js';
import { titleOf } from './title.js';

interface Page {
  title: string;
  /** Relative path from the page to the service's root. */
  up: '' | '../';
  /** The group that the page is of. */
  current?: Group;
  /** Files of web/docs. */
  scripts: string[];
  main: Html;
}

/** Lists all operations, so that the field above finds each from every page; only those of this page are unfolded. */
function navigation(groups: Group[], { up, current }: Page): Html {
  const lists = groups.map(({ name, slug, operations }) => {
    const links = operations.map(
      ({ method, path, spec }) =>
        html`<li><a href="${up}docs/${slug}#${spec.operationId}" title="${method} ${path}">${titleOf(spec.operationId)}</a></li>`,
    );
    const isCurrent = slug === current?.slug;
    return html`<li><a href="${up}docs/${slug}"${isCurrent && html` aria-current="page"`}>${name}</a><ul>${links}</ul></li>`;
  });
  const general = ['Credentials', 'Lists', 'Errors'].map(
    (name) => html`<li><a href="${up}docs#${name.toLowerCase()}">${name}</a></li>`,
  );
  return html`<nav aria-label="Operations"><details id="menu"><summary>Operations</summary>
<input id="filter" type="search" placeholder="Search, e.g. idempotency or PATCH" aria-label="Search the reference" hidden>
<p id="hits" role="status" hidden></p>
<ul>${general}${lists}</ul>
<div id="found" hidden></div>
</details></nav>`;
}

/** Renders a page of the reference. It loads nothing from other hosts. */
export function referencePage(groups: Group[], page: Page): string {
  const { title, up, scripts, main } = page;
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
${masthead(up, 'docs')}
<div class="reference">
${navigation(groups, page)}
<main>
${main}
</main>
</div>
</body>
</html>
`.text;
}
