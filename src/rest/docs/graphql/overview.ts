import { type Html, html, prose } from '../../../base/html.js';
import { LIMITS } from '../../../graphql/engine/cost.js';
import { RIGHT_TEXTS, RIGHTS, type Right } from '../../../graphql/rights.js';
import { sampleView } from '../sample.js';
import { anchorOf } from './callers.js';
import { exampleOfField } from './example.js';
import type { View } from './members.js';
import type { SchemaPage } from './places.js';

/** Returns the smallest role that includes a right. */
export type RoleWith = (right: Right) => string;

function callers({ places, up }: View, roleWith: RoleWith): Html {
  const roleHref = places.hrefOf(places.schema.getType('UserRole')!);
  const rights = RIGHTS.map(
    (right) =>
      html`<tr id="${anchorOf(right)}"><td><code>${right.toUpperCase()}</code></td><td><p>${prose(RIGHT_TEXTS[right])}</p><p class="facts">From the role <code>${roleWith(right).toUpperCase()}</code></p></td></tr>`,
  );
  return html`<section id="callers"><h2>Who may use a field</h2>
<p>Every root field names its callers: administrators with a right, by API key; superadmins; game clients, by access token; or anyone. Of several rights, one is enough. A user's <a href="${up}${roleHref}">role</a> has the rights of the roles before it, and a key can be limited to some of them.</p>
<table>${rights}</table></section>`;
}

function cost(): Html {
  const { cost: most, depth, aliases, tokens } = LIMITS;
  return html`<section id="cost"><h2>Cost</h2>
<p>An operation may cost ${most.toLocaleString('en')}, nest ${depth} levels deep, and have ${aliases} aliases and ${tokens.toLocaleString('en')} tokens. A field of an object costs 1 and its selection; a list counts its selection once per record requested. Fields with work of their own cost more, as they say. Each response has its cost in <code>extensions.cost</code>.</p></section>`;
}

function sending(view: View): Html | false {
  const root = view.places.pages
    .flatMap(({ fields }) => fields)
    .find(({ field }) => field.name === 'publicBoard');
  if (!root) return false;
  const { document, variables } = exampleOfField(view.places.schema, root);
  const body = JSON.stringify({ query: document.replace(/\s+/g, ' ').trim(), variables }, null, 2);
  const curl = `curl "$BASE/graphql" \\\n  -H 'content-type: application/json' \\\n  -d '${body}'`;
  const javascript = `const response = await fetch(\`\${BASE}/graphql\`, {
  method: 'POST',
  headers: { 'content-type': 'application/json', 'service-api-key': KEY },
  body: JSON.stringify({ query: '{ me { id } }' }),
});
const { data, errors } = await response.json();`;
  return html`<section id="sending" class="operation"><div class="description"><h2>Sending an operation</h2>
<p>Send operations to <code>POST /graphql</code>, subscriptions over WebSocket or server-sent events at the same path. Credentials are the <a href="${view.up}docs#credentials">headers of REST</a>. The guide <a href="${view.up}guides/reference/graphql">GraphQL</a> has errors, limits and options of clients; <a href="${view.up}guides/live">Live</a> has subscriptions.</p></div>
<div class="samples">${sampleView('curl, as a visitor', curl)}${sampleView('JavaScript, with a key', javascript)}</div></section>`;
}

/** The first sentence of a description. */
function firstSentence(description: string | null | undefined): string {
  return /^.+?\.(?= |$)/s.exec(description ?? '')?.[0] ?? '';
}

function groupSection({ up }: View, { name, slug, description, fields }: SchemaPage): Html {
  const items = fields.map(
    ({ kind, field }) =>
      html`<li><span><a href="${up}docs/graphql/${slug}#${field.name}">${field.name}</a> ${prose(firstSentence(field.description))}</span> <span class="address"><span class="method ${kind}">${kind}</span></span></li>`,
  );
  return html`<section id="${slug}" class="group"><h2><a href="${up}docs/graphql/${slug}">${name}</a></h2><p>${prose(description)}</p><ul>${items}</ul></section>
`;
}

/** Renders what all fields share. */
export function generalSections(
  view: View,
  roleWith: RoleWith,
): { id: string; title: string; section: Html }[] {
  return [
    { id: 'callers', title: 'Callers', section: callers(view, roleWith) },
    { id: 'cost', title: 'Cost', section: cost() },
  ];
}

/** Renders the first page: all root fields by group, and what they share. */
export function graphqlOverview(view: View, roleWith: RoleWith): Html {
  const { places, up } = view;
  return html`<header><h1>GraphQL</h1>
${(places.schema.description ?? '').split('\n\n').map((paragraph) => html`<p>${prose(paragraph)}</p>`)}
<p class="links"><a href="${up}explorer">Explorer</a> <a href="${up}schema.graphql">Schema as text</a> <a href="${up}guides/reference/graphql">Guide</a></p></header>
${sending(view)}
${places.pages.map((page) => groupSection(view, page))}
${generalSections(view, roleWith).map(({ section }) => section)}`;
}
