import { type Html, html } from '../../../base/html.js';
import { type Grant, rightsIn } from '../../../graphql/rights.js';

/** The anchor of what a right is, on the first page. */
export function anchorOf(right: string): string {
  return `right-${right}`;
}

/** Joins pieces as a list in a sentence. @param between what is before the last one */
function either(pieces: Html[], between = ' or '): Html {
  const last = pieces.at(-1)!;
  if (pieces.length === 1) return last;
  const first = pieces.slice(0, -1).map((piece, i) => (i === 0 ? piece : html`, ${piece}`));
  return html`${first}${between}${last}`;
}

/** Who may use a field, in words. @param up way to the folder above `docs` */
export function callersText(up: string, grants: readonly Grant[]): Html {
  if (grants.includes('anyone')) return html`anyone, with or without a credential`;
  const rights = rightsIn(grants);
  const named = rights.map(
    (right) => html`<a href="${up}docs/graphql#${anchorOf(right)}"><code>${right.toUpperCase()}</code></a>`,
  );
  return either(
    [
      ...(rights.length > 0 ? [html`administrators with the right ${either(named)}`] : []),
      ...(grants.includes('superadmin') ? [html`superadmins`] : []),
      ...(grants.includes('client') ? [html`game clients`] : []),
    ],
    rights.length > 1 ? ', or ' : ' or ',
  );
}
