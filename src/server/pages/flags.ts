import { type Html, html } from '../../base/html.js';

/** The flag of a country next to its name or code. @param up path to the root of the service @param code two letters */
export function countryFlag(up: string, code: string): Html | undefined {
  if (!/^[A-Z]{2}$/.test(code)) return undefined;
  return html`<img class="flag" src="${up}pages/flags/${code}.svg" alt="" width="20" height="14" loading="lazy">`;
}
