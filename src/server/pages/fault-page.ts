import { html } from '../../base/html.js';
import { icon } from './icons.js';
import { type Frame, pageOf } from './layout.js';
import { texts } from './texts.js';

/** Renders the page of an error. */
export function faultPage(frame: Frame, status: number, requestId: string): string {
  const [title, why] =
    status === 404
      ? [texts.notFound, html`${texts.notFoundWhy}`]
      : status === 503
        ? [texts.unavailable, html`${texts.unavailableWhy}`]
        : status === 429
          ? [texts.tooMany, html`${texts.tooManyWhy}`]
          : [texts.failed, html`${texts.failedWhy} <code>${requestId}</code>`];
  const body = html`<main class="fault">${icon('fa-trophy')}<h1>${title}</h1><p>${why}</p></main>`;
  return pageOf(frame, { title, indexed: false, body });
}
