import { type Html, html } from '../../../base/html.js';
import { texts } from '../texts.js';

/** Lines listed at once; the others can be opened. */
const LISTED = 10;

/** Renders list items, the first ones open. */
export function lines(items: readonly Html[]): Html {
  const more = items.slice(LISTED);
  const list = (some: readonly Html[]) => html`<ol role="list" class="lines">${[...some]}</ol>`;
  return html`${list(items.slice(0, LISTED))}${more.length > 0 && html`<details><summary>${texts.showMore(more.length)}</summary>${list(more)}</details>`}`;
}
