import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Html, html } from './html.js';
import { packageRoot } from './package.js';

/** Where the service's pages for studios are, below its root. */
const PLACES = {
  guides: 'Guides',
  docs: 'REST',
  'docs/graphql': 'GraphQL',
  explorer: 'Explorer',
  'console/': 'Console',
};

const LOGO = new Html(readFileSync(path.join(packageRoot, 'web', 'docs', 'logo.svg'), 'utf8'));

/**
 * The head of the landing page, the guides, the reference, the explorer and error pages, with links to each other.
 * @param up relative path from the page to the service's root
 */
export function masthead(up: string, current?: keyof typeof PLACES): Html {
  const links = Object.entries(PLACES).map(
    ([place, name]) =>
      html`<a href="${up}${place}"${place === current && html` aria-current="page"`}>${name}</a>`,
  );
  // An empty path would be the page itself.
  return html`<header class="masthead"><a class="brand" href="${up || './'}">${LOGO}Leaderboards</a>
<nav aria-label="For studios">${links}</nav></header>`;
}
