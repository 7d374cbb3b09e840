import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import type { Context } from 'koa';
import { html, prose } from '../../base/html.js';
import { packageRoot } from '../../base/package.js';
import type { ApiDocument } from '../docs/document.js';
import { type GraphqlParts, graphqlPages } from '../docs/graphql/pages.js';
import { type Group, groupsOf, operationsMenu, slugOf } from '../docs/groups.js';
import { operationView, type ShownRecords } from '../docs/operation.js';
import { overview } from '../docs/overview.js';
import { referencePage } from '../docs/page.js';
import { searchIndex } from '../docs/search-index.js';

export type { RoleWith } from '../docs/graphql/overview.js';

const REFERENCE_POLICY =
  "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self'; " +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** Files of web/docs. */
const STYLES = ['masthead.css', 'page.css', 'operation.css', 'run.css'];
/** Of every page; run.js is for pages with operations. */
const SCRIPTS = ['page.js', 'search.js'];

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

function overviewPage(document: ApiDocument): string {
  const groups = groupsOf(document);
  const main = overview(document, groups);
  const menu = operationsMenu(groups);
  return referencePage({ title: document.info.title, up: '', menu, scripts: SCRIPTS, main });
}

function groupPage(document: ApiDocument, slug: string): string {
  const groups = groupsOf(document);
  const current = groups.find((group) => group.slug === slug) as Group;
  const { name, description, operations } = current;
  const shown: ShownRecords = new Map();
  const main = html`<header><h1>${name}</h1><p>${prose(description)}</p><div id="keys"></div></header>
${operations.map((operation) => operationView(document, operation, shown))}`;
  const menu = operationsMenu(groups);
  const scripts = [...SCRIPTS, 'run.js'];
  return referencePage({ title: name, up: '../', menu, current: `docs/${slug}`, scripts, main });
}

/**
 * Returns the handlers of GET /docs and the paths below it, by path: the references generated from the OpenAPI document and
 * from GraphQL's schema, a page a section, with their search, style sheet and scripts; each generated on the first request for it.
 * @param sections names of the document's sections
 */
export function reference(
  document: () => object,
  sections: string[],
  graphql: GraphqlParts,
): Map<string, (ctx: Context) => void> {
  const api = () => document() as ApiDocument;
  const scripts = [...SCRIPTS, 'run.js'];
  const makers: [string, () => File][] = [
    ['/docs', () => file('html', overviewPage(api()))],
    ...sections.map(slugOf).map((slug): [string, () => File] => {
      return [`/docs/${slug}`, () => file('html', groupPage(api(), slug))];
    }),
    ['/docs/search.json', () => file('json', JSON.stringify(searchIndex(api(), groupsOf(api()))))],
    ...[...graphqlPages(api, graphql, sections)].map(([path, { type, make }]): [string, () => File] => {
      return [path, () => file(type, make())];
    }),
    // For programs that read sites for language models.
    ['/llms.txt', () => file('txt', readFileSync(join(packageRoot, 'llms.txt'), 'utf8'))],
    ['/docs/page.css', () => file('css', STYLES.map(asset).join(''))],
    ['/docs/logo.svg', () => file('svg', asset('logo.svg'))],
    ...scripts.map((name): [string, () => File] => [`/docs/${name}`, () => file('js', asset(name))]),
  ];
  return new Map(
    makers.map(([path, make]) => {
      let made: File | undefined;
      const handler = (ctx: Context) => {
        // Links are relative to the address without the slash, whatever a proxy puts before it.
        if (ctx.path.endsWith('/')) return ctx.redirect(`..${path.slice(path.lastIndexOf('/'))}`);
        made ??= make();
        answer(ctx, made);
      };
      return [path, handler];
    }),
  );
}
