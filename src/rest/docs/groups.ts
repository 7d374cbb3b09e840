import type { ApiDocument } from './document.js';
import type { Menu } from './page.js';
import type { PlacedOperation } from './samples.js';
import { titleOf } from './title.js';

/** The operations of one page of the reference. */
export interface Group {
  name: string;
  /** The last segment of the page's address. */
  slug: string;
  description: string;
  operations: PlacedOperation[];
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

/** The address of a group's page is `/docs/<slug>`. */
export function slugOf(name: string): string {
  return name.toLowerCase().replace(/[^a-z]+/g, '-');
}

/** Returns the sections of the document with their operations, in the order of the reference. */
export function groupsOf({ tags, paths }: ApiDocument): Group[] {
  const first = FIRST_TAGS.flatMap((name) => tags.filter((tag) => tag.name === name));
  const operations = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, spec]) => ({ method: method.toUpperCase(), path, spec })),
  );
  return [...first, ...tags.filter((tag) => !first.includes(tag))].map(({ name, description }) => ({
    ...{ name, slug: slugOf(name), description },
    operations: operations.filter(({ spec }) => spec.tags.includes(name)),
  }));
}

/** Returns the menu of the reference of REST. */
export function operationsMenu(groups: Group[]): Menu {
  return {
    place: 'docs',
    name: 'Operations',
    placeholder: 'Search, e.g. idempotency or PATCH',
    general: ['Credentials', 'Lists', 'Errors'].map((text) => ({ href: `docs#${text.toLowerCase()}`, text })),
    groups: groups.map(({ name, slug, operations }) => ({
      href: `docs/${slug}`,
      text: name,
      links: operations.map(({ method, path, spec: { operationId } }) => {
        return {
          href: `docs/${slug}#${operationId}`,
          title: `${method} ${path}`,
          text: titleOf(operationId),
        };
      }),
    })),
    index: 'docs/search.json',
  };
}
