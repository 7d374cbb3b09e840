import { readFileSync } from 'node:fs';
import path from 'node:path';
import {
  buildSchema,
  type GraphQLField,
  getVariableValues,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
  isSpecifiedScalarType,
  Kind,
  type OperationDefinitionNode,
  parse,
  validate,
} from 'graphql';
import type { Browser, Page } from 'playwright-core';
import { NEEDED_FILTERS, RECORD_OF, SELECTIONS } from '../../src/rest/docs/graphql/example.js';
import { PLACED } from '../../src/rest/docs/graphql/groups.js';
import { objections } from '../faces/looks.js';
import { startApp, type TestApp } from '../support/app.js';
import { launchBrowser, type WatchedPage, watchedPage } from '../support/browser.js';
import { keyOf } from '../support/console.js';
import { type Data, send } from '../support/http.js';

const text = readFileSync(path.resolve(__dirname, '../../schema/schema.graphql'), 'utf8');
const schema = buildSchema(text);
const roots = [schema.getQueryType()!, schema.getMutationType()!, schema.getSubscriptionType()!];
const fields = roots.flatMap((root) =>
  Object.values(root.getFields()).map((field) => ({
    name: field.name,
    kind: root.name.toLowerCase(),
    field,
  })),
);
const types = Object.values(schema.getTypeMap()).filter(
  (type) => !type.name.startsWith('__') && !isSpecifiedScalarType(type) && !roots.includes(type as never),
);

let app: TestApp;
let browser: Browser;
/** Places of the pages with fields and types. */
let places: string[];
/** The HTML of each page, by place. */
let pages: Map<string, string>;
/** What each root field and type shows, by its name. */
let sections: Map<string, { place: string; html: string }>;
beforeAll(async () => {
  app = await startApp();
  const document = (await send(`${app.url}/openapi.json`)).body;
  const names = [...document.tags.map(({ name }: Data) => name), 'Shared types'];
  places = names.map((name) => `/${name.toLowerCase().replaceAll(/\W+/g, '-')}`);
  pages = new Map();
  sections = new Map();
  for (const place of places) {
    const html = await (await fetch(`${app.url}/docs/graphql${place}`)).text();
    pages.set(place, html);
    for (const [whole, id] of html.matchAll(/<section class="operation" id="(\w+)">.*?<\/section>/gs)) {
      sections.set(id!, { place, html: whole });
    }
  }
  browser = await launchBrowser();
});
afterAll(async () => {
  await browser.close();
  await app.close();
});

const SIGNS: Record<string, string> = { '&lt;': '<', '&gt;': '>', '&quot;': '"', '&amp;': '&' };
const plain = (html: string) => html.replace(/<[^<>]*>/g, '').replace(/&\w+;/g, (sign) => SIGNS[sign]!);

/** The example beside a field, as readers copy it. */
function exampleOf(name: string): { document: string; variables: Record<string, unknown> } {
  const [document, variables = '{}'] = [...sections.get(name)!.html.matchAll(/<pre[^>]*>(.*?)<\/pre>/gs)].map(
    ([, code]) => plain(code!),
  );
  return { document: document!, variables: JSON.parse(variables) };
}

describe('each root field', () => {
  test.each(fields)(
    '$kind $name is described, with who may use it, its cost and a valid example',
    ({ name, kind, field }) => {
      const shown = plain(sections.get(name)!.html);
      expect(shown).toContain(kind);
      expect(shown).toContain(field.description!.replaceAll('`', ''));
      for (const argument of field.args) {
        expect(shown).toContain(`${argument.name} ${String(argument.type)}`);
        expect(shown).toContain(argument.description!.replaceAll('`', ''));
      }
      expect(shown).toMatch(/Who\s*For (administrators|superadmins|game clients|anyone)/);
      for (const right of rightsOf(field)) expect(shown).toContain(right);
      expect(shown).toMatch(/Cost\s*\w+/);
      const { document, variables } = exampleOf(name);
      const parsed = parse(document);
      expect(validate(schema, parsed)).toEqual([]);
      const definition = parsed.definitions[0] as OperationDefinitionNode;
      const [selected] = definition.selectionSet.selections;
      expect([definition.operation, selected?.kind === Kind.FIELD && selected.name.value]).toEqual([
        kind,
        name,
      ]);
      expect(
        getVariableValues(schema, definition.variableDefinitions ?? [], variables).errors,
      ).toBeUndefined();
      expect(
        Number(/Cost of the example: ([\d,]+) of 5,000/.exec(shown)![1]!.replace(',', '')),
      ).toBeLessThanOrEqual(5_000);
    },
  );

  test('examples are operations that the service runs: none is refused for what it says', async () => {
    const refused: unknown[] = [];
    for (const { name } of fields.filter(({ kind }) => kind !== 'subscription')) {
      const { document, variables } = exampleOf(name);
      const answer = await fetch(`${app.url}/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'service-api-key': keyOf(app.superadmin) },
        body: JSON.stringify({ query: document, variables }),
      });
      const { errors = [], extensions } = (await answer.json()) as Data;
      const faults = errors.filter(({ extensions: { code } }: Data) =>
        ['VALIDATION_FAILED', 'BAD_REQUEST'].includes(code),
      );
      const said = errors.map(({ message }: Data) => message);
      if (answer.status === 400 || faults.length > 0) refused.push([name, ...said]);
      const cost = Number(
        /Cost of the example: ([\d,]+) of/.exec(plain(sections.get(name)!.html))![1]!.replace(',', ''),
      );
      if (extensions?.cost) expect([name, extensions.cost.requested]).toEqual([name, cost]);
    }
    expect(refused).toEqual([]);
  });

  test('tables of the reference name no field that the schema lost', () => {
    const names = fields.map(({ name }) => name);
    const named = [
      ...Object.values(PLACED).flat(),
      ...Object.keys(SELECTIONS),
      ...Object.keys(NEEDED_FILTERS),
    ];
    expect(named.filter((name) => !names.includes(name))).toEqual([]);
    expect(Object.keys(RECORD_OF).filter((name) => !schema.getType(name))).toEqual([]);
  });
});

/** The rights that the schema's text names. */
function rightsOf({ astNode }: GraphQLField<unknown, unknown>): string[] {
  const allow = astNode!.directives!.find(({ name }) => name.value === 'allow')!;
  const rights = allow.arguments!.find(({ name }) => name.value === 'rights')?.value;
  return rights?.kind === Kind.LIST ? rights.values.map((value) => (value as { value: string }).value) : [];
}

describe('types', () => {
  test('each is at one place, with its fields or values and where it is used', () => {
    const all = [...pages.values()].join('\n');
    for (const type of types) {
      const anchors = [...all.matchAll(new RegExp(` id="${type.name}"`, 'g'))];
      expect([type.name, anchors.length]).toEqual([type.name, 1]);
      const own =
        sections.get(type.name) ??
        [...sections.values()].find(({ html }) => html.includes(` id="${type.name}"`))!;
      const shown = plain(own.html);
      const hasFields = isObjectType(type) || isInputObjectType(type) || isInterfaceType(type);
      if (hasFields) {
        for (const { name, type: of } of Object.values<{ name: string; type: unknown }>(type.getFields()))
          expect(shown).toContain(`${name} ${String(of)}`);
      }
      if (isEnumType(type)) for (const { name } of type.getValues()) expect(shown).toContain(name);
      // Directives alone use these.
      if (sections.has(type.name) && !type.name.startsWith('Allowed'))
        expect([type.name, shown]).toEqual([type.name, expect.stringMatching(/Used (by|in \d+ places)/)]);
    }
  });

  test('every link leads to an anchor that is there, and no anchor is there twice on a page', async () => {
    const overview = await (await fetch(`${app.url}/docs/graphql`)).text();
    const rest = new Map<string, string>();
    const textOf = async (address: string) => {
      const known = rest.get(address) ?? (await (await fetch(address)).text());
      rest.set(address, known);
      return known;
    };
    const lost: string[] = [];
    for (const [place, html] of [['', overview] as const, ...pages]) {
      const ids = [...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id!);
      expect([place, ids.filter((id, i) => ids.indexOf(id) !== i)]).toEqual([place, []]);
      const own = `${app.url}/docs/graphql${place}`;
      for (const href of new Set([...html.matchAll(/<a[^>]* href="([^"]+)"/g)].map(([, one]) => one!))) {
        const { origin, pathname, hash } = new URL(href, own);
        if (origin !== app.url || !pathname.startsWith('/docs') || hash === '') continue;
        const target = await textOf(origin + pathname);
        if (!target.includes(` id="${hash.slice(1)}"`)) lost.push(`${place}: ${href}`);
      }
    }
    expect(lost).toEqual([]);
  });
});

test('every page is small on the wire, and so is what the search loads', async () => {
  for (const place of ['', ...places, '/search.json']) {
    const response = await fetch(`${app.url}/docs/graphql${place}`, {
      headers: { 'accept-encoding': 'gzip' },
    });
    const bytes = Number(response.headers.get('content-length'));
    expect(bytes).toBeLessThan(place === '/search.json' ? 90_000 : 50_000);
    expect(bytes).toBeGreaterThan(3_000);
  }
});

describe('in a browser', () => {
  let watched: WatchedPage;
  let page: Page;
  const open = async (width: number, place = '', heading = 'GraphQL') => {
    watched = await watchedPage(browser, app.url, { width, height: 900 });
    page = watched.page;
    await page.goto(`${app.url}/docs/graphql${place}`);
    await page.getByRole('heading', { level: 1, name: heading, exact: true }).waitFor();
  };
  afterEach(async () => {
    expect(watched.foreign).toEqual([]);
    expect(watched.complaints).toEqual([]);
    await page.context().close();
  });

  test('the reference of REST, the guides and the explorer lead to it', async () => {
    await open(1400);
    for (const [place, name] of [
      ['/docs', 'GraphQL'],
      ['/guides', 'GraphQL'],
      ['/explorer', 'GraphQL'],
      ['/', 'GraphQL'],
    ]) {
      await page.goto(app.url + place);
      const link = page
        .getByRole('navigation', { name: 'For studios' })
        .getByRole('link', { name: name!, exact: true });
      expect(new URL((await link.getAttribute('href'))!, page.url()).pathname).toBe('/docs/graphql');
    }
    await page.goto(`${app.url}/docs/graphql`);
    expect(await page.locator('.masthead nav a').allTextContents()).toContain('REST');
    await page.getByRole('link', { name: 'submitScore', exact: true }).last().click();
    await page.waitForURL(/\/docs\/graphql\/scores#submitScore$/);
    await page.locator('#submitScore').getByRole('link', { name: 'SubmitScorePayload' }).first().click();
    await page.waitForURL(/#SubmitScorePayload$/);
  });

  test('the search finds fields, types, arguments and descriptions, from every page', async () => {
    await open(1400, '/games', 'Games');
    const field = page.getByLabel('Search the reference');
    await field.fill('submitscore');
    await page.locator('nav li li a[href$="scores#submitScore"]').waitFor();
    const found = page.locator('#found a');
    for (const [words, place] of [
      ['BoardFilter', 'boards#BoardFilter'],
      ['keepStrategy', 'boards#Board'],
      ['NONCE_USED', 'shared-types#ErrorCode'],
    ]) {
      await field.fill(words!);
      await page.locator(`#found a[href="${app.url}/docs/graphql/${place}"]`).waitFor();
    }
    await field.fill('BoardFilter');
    await found.first().getByText('BoardFilter').first().waitFor();
    expect(await objections(page, undefined, '#found')).toEqual([]);
  });

  test('the index has every field and type', async () => {
    await open(1400);
    const index: Data[] = (await send(`${app.url}/docs/graphql/search.json`)).body;
    for (const { name } of [...fields, ...types]) {
      expect([name, index.some(({ title, text: said }) => title === name || said.includes(name))]).toEqual([
        name,
        true,
      ]);
    }
    const hrefs = new Set(index.map(({ href }) => href));
    for (const [name, { place }] of sections) expect(hrefs).toContain(`docs/graphql${place}#${name}`);
  });

  test.each([320, 1400])(
    'no content is cut off at a width of %i, and axe has no complaint',
    async (width) => {
      const sideways = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
      await open(width);
      for (const place of ['', ...places]) {
        await page.goto(`${app.url}/docs/graphql${place}`);
        expect([place, await page.evaluate(sideways)]).toEqual([place, 0]);
        if (['', '/scores', '/score-flags', '/shared-types'].includes(place))
          expect([place, await objections(page)]).toEqual([place, []]);
      }
    },
  );
});
