import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import type { Context } from 'koa';
import { type Html, html, prose } from '../../base/html.js';
import { masthead } from '../../base/masthead.js';
import { packageRoot } from '../../base/package.js';
import type { JsonSchema } from '../openapi/json-schema.js';
import { type ApiDocument, plainSchema, type ResponseSpec } from './document.js';
import { operationView, type ShownRecords } from './operation.js';
import type { PlacedOperation } from './samples.js';

const REFERENCE_POLICY =
  "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self'; " +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** Files of web/docs. */
const STYLES = ['masthead.css', 'page.css', 'operation.css', 'run.css'];
const SCRIPTS = ['page.js', 'search.js', 'run.js'];

interface File {
  type: string;
  identity: Buffer;
  gzip: Buffer;
  br: Buffer;
  etag: string;
}

function file(type: string, text: string): File {
  const identity = Buffer.from(text);
  const etag = `"${createHash('sha256').update(identity).digest('base64url').slice(0, 22)}"`;
  // The best one takes a second for the page; this one makes it half of what gzip does, in 40 ms.
  const br = brotliCompressSync(identity, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } });
  return { type, identity, gzip: gzipSync(identity, { level: 9 }), br, etag };
}

function asset(name: string): string {
  return readFileSync(join(packageRoot, 'web', 'docs', name), 'utf8');
}

function answer(ctx: Context, { type, etag, ...bodies }: File): void {
  ctx.set({ 'cache-control': 'no-cache', 'content-security-policy': REFERENCE_POLICY, etag });
  ctx.vary('accept-encoding');
  ctx.type = type;
  ctx.status = 200;
  if (ctx.fresh) {
    ctx.status = 304;
    return;
  }
  // Browsers name gzip first, with the same weight.
  const encoding = (['br', 'gzip'] as const).find((name) => ctx.acceptsEncodings(name)) ?? 'identity';
  if (encoding !== 'identity') ctx.set('content-encoding', encoding);
  ctx.body = bodies[encoding];
}

/**
 * Returns the handlers of GET /docs and the paths below it, by path: the reference generated from the OpenAPI document,
 * its style sheet and its scripts; generated on the first request.
 */
export function reference(document: () => object): Map<string, (ctx: Context) => void> {
  const makers: [string, () => File][] = [
    ['/docs', () => file('html', referencePage(document() as ApiDocument))],
    // For programs that read sites for language models.
    ['/llms.txt', () => file('txt', readFileSync(join(packageRoot, 'llms.txt'), 'utf8'))],
    ['/docs/page.css', () => file('css', STYLES.map(asset).join(''))],
    ['/docs/logo.svg', () => file('svg', asset('logo.svg'))],
    ...SCRIPTS.map((name): [string, () => File] => [`/docs/${name}`, () => file('js', asset(name))]),
  ];
  return new Map(
    makers.map(([path, make]) => {
      let made: File | undefined;
      const handler = (ctx: Context) => {
        made ??= make();
        answer(ctx, made);
      };
      return [path, handler];
    }),
  );
}

/** The order of a game's day; what administers it follows in the document's order. */
const FIRST_TAGS = [
  'Game clients',
  'Scores',
  'Boards',
  'Friends',
  'Tags of players',
  'Score events',
  'Imports',
];

function inOrder(tags: ApiDocument['tags']): ApiDocument['tags'] {
  const first = FIRST_TAGS.flatMap((name) => tags.filter((tag) => tag.name === name));
  return [...first, ...tags.filter((tag) => !first.includes(tag))];
}

function slugOf(tag: string): string {
  return tag.toLowerCase().replace(/[^a-z]+/g, '-');
}

function operationsOf({ paths }: ApiDocument): PlacedOperation[] {
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, spec]) => ({ method: method.toUpperCase(), path, spec })),
  );
}

function navigation(document: ApiDocument, operations: PlacedOperation[]): Html {
  const groups = inOrder(document.tags).map(({ name }) => {
    const links = operations
      .filter(({ spec }) => spec.tags.includes(name))
      .map(
        ({ method, path, spec }) =>
          html`<li><a href="#${spec.operationId}"><span class="method ${method.toLowerCase()}">${method}</span> ${path.replace(/^\/v1(?=\/)/, '')}</a></li>`,
      );
    return html`<li><a href="#${slugOf(name)}">${name}</a><ul>${links}</ul></li>`;
  });
  return html`<nav aria-label="Operations"><details id="menu"><summary>Operations</summary>
<input id="filter" type="search" placeholder="Search, e.g. idempotency or PATCH" aria-label="Search the reference" hidden>
<p id="hits" role="status" hidden></p>
<ul><li><a href="#credentials">Credentials</a></li><li><a href="#lists">Lists</a></li><li><a href="#errors">Errors</a></li>${groups}</ul>
<div id="found" hidden></div>
</details></nav>`;
}

function credentials({ components }: ApiDocument): Html {
  const rows = Object.values(components.securitySchemes).map(({ type, name, description }) => {
    const header = type === 'http' ? 'authorization: Bearer <access token>' : `${name}: <key>`;
    return html`<tr><td><code>${header}</code></td><td>${prose(description)}</td></tr>`;
  });
  return html`<section id="credentials"><h2>Credentials</h2><p>If a request has both, the API key is used.</p><table>${rows}</table>
<p>In the samples, BASE is the address of the service, and KEY, TOKEN and NONCE are the credential and the nonce. DEVICE is an id that each installation generates once and stores. RUN is an id that the game generates when a run ends and sends again with each retry. FILE is the file to upload: its path or, in JavaScript, a File.</p><div id="keys"></div></section>`;
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

function errors(document: ApiDocument): Html {
  const responses = Object.entries(document.components.responses);
  const rows = responses.map(([name, response]) => {
    const status = name.replace(/\D/g, '');
    const codes = codesOf(document, response).map((code) => html`<code>${code}</code> `);
    return html`<tr id="errors-${status}"><td>${status}</td><td><p>${prose(response.description)}</p><p class="codes">${codes}</p></td></tr>`;
  });
  const [, first] = responses.find(([name]) => name === 'Error422') ?? responses[0]!;
  const example = first.content?.['application/json']?.example;
  return html`<section id="errors" class="operation"><div class="description"><h2>Errors</h2>
<p>All errors have the same format: a message for people, a stable code for programs and the id of the request. Only 422 errors have <code>details</code>.</p>
<table>${rows}</table></div>
<div class="samples"><figure><figcaption>An error</figcaption><pre tabindex="0"><code>${JSON.stringify(example, null, 2)}</code></pre></figure></div></section>`;
}

/** Renders the OpenAPI document as one page for people. The page loads nothing from other hosts. */
function referencePage(document: ApiDocument): string {
  const { info, tags } = document;
  const operations = operationsOf(document);
  const shown: ShownRecords = new Map();
  const groups = inOrder(tags).map(
    ({ name, description }) => html`<h2 id="${slugOf(name)}">${name}</h2><p>${prose(description)}</p>
${operations.filter(({ spec }) => spec.tags.includes(name)).map((operation) => operationView(document, operation, shown))}`,
  );
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${info.title} · reference</title>
<link rel="stylesheet" href="docs/page.css">
<link rel="icon" href="docs/logo.svg" type="image/svg+xml">
${SCRIPTS.map(
  (name) => html`<script src="docs/${name}" defer></script>
`,
)}</head>
<body>
${masthead('', 'docs')}
<div class="reference">
${navigation(document, operations)}
<main>
<header><h1>${info.title}</h1>
${info.description.split('\n\n').map((paragraph) => html`<p>${prose(paragraph)}</p>`)}
<p class="links"><a href="openapi.json">OpenAPI document</a></p></header>
${credentials(document)}
${lists()}
${errors(document)}
${groups}
</main>
</div>
</body>
</html>
`.text;
}
