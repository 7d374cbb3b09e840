import type { GraphQLSchema } from 'graphql';
import { html, prose } from '../../../base/html.js';
import type { RestRoute } from '../../routes/rest-route.js';
import type { ApiDocument } from '../document.js';
import { groupsOf, slugOf } from '../groups.js';
import { type Menu, referencePage } from '../page.js';
import { plainTextOf, type SearchEntry } from '../search-index.js';
import { fieldDescription, fieldView } from './field.js';
import type { View } from './members.js';
import { generalSections, graphqlOverview, type RoleWith } from './overview.js';
import { SchemaPlaces, SHARED } from './places.js';
import { typeDescription, typeView } from './type.js';

/** What the reference of GraphQL is made of. */
export interface GraphqlParts {
  /** The schema as callers see it. */
  schema: GraphQLSchema;
  routes: RestRoute[];
  roleWith: RoleWith;
}

const SCRIPTS = ['page.js', 'search.js'];

/** Makes the pages of the reference of GraphQL. */
class GraphqlReference {
  readonly #places: SchemaPlaces;

  constructor(
    private readonly document: ApiDocument,
    private readonly parts: GraphqlParts,
  ) {
    this.#places = new SchemaPlaces(parts.schema, groupsOf(document), parts.routes);
  }

  overview(): string {
    const main = graphqlOverview(this.#view('../'), this.parts.roleWith);
    return referencePage({ title: 'GraphQL', up: '../', menu: this.#menu(), scripts: SCRIPTS, main });
  }

  /** @param slug of the page */
  page(slug: string): string {
    const { name, description, fields, types } = this.#places.pages.find((page) => page.slug === slug)!;
    const view = this.#view('../../');
    const main = html`<header><h1>${name}</h1><p>${prose(description)}</p></header>
${fields.map((field) => fieldView(view, field))}
${types.length > 0 && html`<section id="types"><h2>Types</h2></section>`}
${types.map((type) => typeView(view, type))}`;
    const current = `docs/graphql/${slug}`;
    const menu = this.#menu(slug);
    return referencePage({ title: `${name} · GraphQL`, up: view.up, menu, current, scripts: SCRIPTS, main });
  }

  searchIndex(): SearchEntry[] {
    const view = this.#view('');
    const shared = generalSections(view, this.parts.roleWith).map(({ id, title, section }) => {
      return { href: `docs/graphql#${id}`, title, text: plainTextOf(section) };
    });
    const found = this.#places.pages.flatMap(({ slug, fields, types }) => {
      const at = (name: string) => ({ href: `docs/graphql/${slug}#${name}`, title: name });
      return [
        ...fields.map((root) => ({
          ...at(root.field.name),
          text: plainTextOf(fieldDescription(view, root)),
        })),
        ...types.map((type) => ({ ...at(type.name), text: plainTextOf(typeDescription(view, type)) })),
      ];
    });
    return [...shared, ...found];
  }

  #view(up: string): View {
    const { paths } = this.document;
    const operationHref = (method: string, path: string) => {
      const spec = paths[path]?.[method.toLowerCase()];
      return spec && `docs/${slugOf(spec.tags[0]!)}#${spec.operationId}`;
    };
    return { places: this.#places, up, operationHref };
  }

  /** @param current the page whose types are listed, too */
  #menu(current?: string): Menu {
    return {
      place: 'docs/graphql',
      name: 'Fields and types',
      placeholder: 'Search, e.g. BoardFilter',
      general: [
        { href: 'docs/graphql#sending', text: 'Sending an operation' },
        { href: 'docs/graphql#callers', text: 'Callers' },
        { href: 'docs/graphql#cost', text: 'Cost' },
      ],
      groups: this.#places.pages.map(({ name, slug, fields, types }) => {
        const href = `docs/graphql/${slug}`;
        const shown = slug === current ? types : [];
        const links = [
          ...fields.map(({ kind, field }) => ({
            href: `${href}#${field.name}`,
            title: kind,
            text: field.name,
          })),
          ...shown.map(({ name: type }) => ({ href: `${href}#${type}`, title: 'type', text: type })),
        ];
        return { href, text: name, links };
      }),
      index: 'docs/graphql/search.json',
    };
  }
}

/** Returns what makes each page of the reference of GraphQL, by path. @param sections names of the document's sections */
export function graphqlPages(
  document: () => ApiDocument,
  parts: GraphqlParts,
  sections: string[],
): Map<string, { type: string; make: () => string }> {
  let made: GraphqlReference | undefined;
  const reference = () => {
    made ??= new GraphqlReference(document(), parts);
    return made;
  };
  return new Map([
    ['/docs/graphql', { type: 'html', make: () => reference().overview() }],
    ['/docs/graphql/search.json', { type: 'json', make: () => JSON.stringify(reference().searchIndex()) }],
    ...[...sections, SHARED]
      .map(slugOf)
      .map(
        (slug) => [`/docs/graphql/${slug}`, { type: 'html', make: () => reference().page(slug) }] as const,
      ),
  ]);
}
