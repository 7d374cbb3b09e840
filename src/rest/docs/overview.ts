import { type Html, html, prose } from '../../base/html.js';
import type { JsonSchema } from '../openapi/json-schema.js';
import { type ApiDocument, plainSchema, type ResponseSpec } from './document.js';
import type { Group } from './groups.js';
import { titleOf } from './title.js';

function credentials({ components }: ApiDocument): Html {
  const rows = Object.values(components.securitySchemes).map(({ type, name, description }) => {
    const header = type === 'http' ? 'authorization: Bearer <access token>' : `${name}: <key>`;
    return html`<tr><td><code>${header}</code></td><td>${prose(description)}</td></tr>`;
  });
  return html`<section id="credentials"><h2>Credentials</h2><p>If a request has both, the API key is used.</p><table>${rows}</table>
<p>In the samples, BASE is the address of the service, and KEY, TOKEN and NONCE are the credential and the nonce. DEVICE is an id that each installation generates once and stores. RUN is an id that the game generates when a run ends and sends again with each retry. FILE is the file to upload: its path or, in JavaScript, a File.</p></section>`;
}

function lists(): Html {
  return html`<section id="lists"><h2>Lists</h2>
<p>Every list returns <code>data</code> and <code>pagination</code>. Pass <code>next_cursor</code> or <code>prev_cursor</code> as <code>cursor</code> to get the next or previous page, with the same <code>sort</code> and filters. Records created in between are never repeated or skipped.</p></section>`;
}

/** Returns the codes of an error response. */
function codesOf(document: ApiDocument, { content }: ResponseSpec): string[] {
  const { properties } = plainSchema(document, content?.['application/json']?.schema ?? {});
  return ((properties as Record<string, JsonSchema> | undefined)?.code?.enum ?? []) as string[];
}

interface DocumentedError {
  status: string;
  description: string;
  codes: string[];
}

/** Returns the errors that operations share. */
export function errorsOf(document: ApiDocument): DocumentedError[] {
  return Object.entries(document.components.responses).map(([name, response]) => ({
    status: name.replace(/\D/g, ''),
    description: response.description ?? '',
    codes: codesOf(document, response),
  }));
}

function errors(document: ApiDocument): Html {
  const rows = errorsOf(document).map(({ status, description, codes }) => {
    const named = codes.map((code) => html`<code>${code}</code> `);
    return html`<tr id="errors-${status}"><td>${status}</td><td><p>${prose(description)}</p><p class="codes">${named}</p></td></tr>`;
  });
  const { responses } = document.components;
  const first = responses.Error422 ?? Object.values(responses)[0]!;
  const example = first.content?.['application/json']?.example;
  return html`<section id="errors" class="operation"><div class="description"><h2>Errors</h2>
<p>All errors have the same format: a message for people, a stable code for programs and the id of the request. Only 422 errors have <code>details</code>.</p>
<table>${rows}</table></div>
<div class="samples"><figure><figcaption>An error</figcaption><pre tabindex="0"><code>${JSON.stringify(example, null, 2)}</code></pre></figure></div></section>`;
}

function groupSection({ name, slug, description, operations }: Group): Html {
  const items = operations.map(
    ({ method, path, spec }) =>
      html`<li><a href="docs/${slug}#${spec.operationId}">${titleOf(spec.operationId)}</a> <span class="address"><span class="method ${method.toLowerCase()}">${method}</span> <code>${path}</code></span></li>`,
  );
  return html`<section id="${slug}" class="group"><h2><a href="docs/${slug}">${name}</a></h2><p>${prose(description)}</p><ul>${items}</ul></section>
`;
}

/** Renders what all operations share. */
export function sharedSections(document: ApiDocument): Html[] {
  return [credentials(document), lists(), errors(document)];
}

/** Renders the first page: all operations by what they do, and what they share. */
export function overview(document: ApiDocument, groups: Group[]): Html {
  const { info } = document;
  return html`<header><h1>${info.title}</h1>
${info.description.split('\n\n').map((paragraph) => html`<p>${prose(paragraph)}</p>`)}
<p class="links"><a href="openapi.json">OpenAPI document</a> <a href="docs/graphql">GraphQL reference</a></p></header>
${groups.map(groupSection)}
${sharedSections(document)}`;
}
