import { type Html, html } from '../../base/html.js';

/** Lines of one language, as the reference shows them next to an operation. */
export interface Sample {
  language: 'curl' | 'JavaScript' | 'C#' | 'GDScript' | `${'TypeScript' | 'C#' | 'GDScript' | 'Lua'} client`;
  text: string;
}

/** Renders a text that can be copied. */
export function sampleView(title: string, text: string): Html {
  return html`<figure><figcaption>${title}</figcaption><button type="button" class="copy" hidden>Copy</button><pre tabindex="0"><code>${text}</code></pre></figure>`;
}
