import type { Html } from '../../base/html.js';
import type { ApiDocument, OperationSpec } from './document.js';
import type { Group } from './groups.js';
import { operationDescription, type ShownRecords } from './operation.js';
import { errorsOf, sharedSections } from './overview.js';
import { titleOf } from './title.js';

/** What the search of the reference finds. */
export interface SearchEntry {
  /** The address below the service's root. */
  href: string;
  title: string;
  text: string;
}

const SIGNS: Record<string, string> = { '&lt;': '<', '&gt;': '>', '&quot;': '"', '&amp;': '&' };

/** Returns the text that readers see, with a dot between blocks. */
export function plainTextOf({ text }: Html): string {
  return text
    .replace(/<\/(p|h\d|div|td|summary)>/g, ' · ')
    .replace(/<[^<>]*>/g, '')
    .replace(/&\w+;/g, (sign) => SIGNS[sign] ?? sign)
    .replace(/\s+/g, ' ')
    .replace(/( ·)+/g, ' ·')
    .trim();
}

/** Returns what the pages say, without samples: operations with the codes of their errors, and the shared sections. */
export function searchIndex(document: ApiDocument, groups: Group[]): SearchEntry[] {
  const errors = errorsOf(document);
  const codesOf = ({ responses }: OperationSpec) =>
    errors.filter(({ status }) => responses[status]).flatMap(({ codes }) => codes);
  const operations = groups.flatMap((group) => {
    const shown: ShownRecords = new Map();
    return group.operations.map((operation) => {
      const { operationId } = operation.spec;
      const text = `${plainTextOf(operationDescription(document, operation, shown))} ${codesOf(operation.spec).join(' ')}`;
      return { href: `docs/${group.slug}#${operationId}`, title: titleOf(operationId), text };
    });
  });
  const [credentials, lists] = sharedSections(document);
  return [
    { href: 'docs#credentials', title: 'Credentials', text: plainTextOf(credentials!) },
    { href: 'docs#lists', title: 'Lists', text: plainTextOf(lists!) },
    ...operations,
    ...errors.map(({ status, description, codes }) => ({
      ...{ href: `docs#errors-${status}`, title: `Error ${status}` },
      text: `${description} ${codes.join(' ')}`,
    })),
  ];
}
