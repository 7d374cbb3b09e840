import { isRecord } from './file-table.js';

/** A pattern of whole names. */
function anyOf(...alternatives: string[]): RegExp {
  return new RegExp(`^(?:${alternatives.join('|')})$`);
}

/** Objects about a page, next to its list or in one another. */
const ABOUT_PAGES =
  /^_?(?:pagination|paging|pages?|pageinfo|pagemeta|meta|metadata|responsemetadata|links?|cursors?|resultinfo|hits)$/;
const DEEPEST = 3;

// Names without case, blanks and signs: nextPageToken, next_page_url, @odata.nextLink.
const NEXT = /^(?:has|is)?next/;
/** Names of what comes next and is no page, such as NextReset of PlayFab. */
const NO_PAGE =
  /^next.*(?:reset|run|update|refresh|season|level|rank|tier|round|match|event|reward|at|time|date)$/;
const MORE = anyOf(
  '(?:has|is)?more(?:items|entries|results|records|pages|data)?(?:available)?',
  '(?:is)?truncated|incompleteresults|continuationtoken|lastevaluatedkey',
  'remaining(?:items|entries|results|records|pages|count)?',
);
const LAST = /^(?:is)?(?:last|lastpage|eof)$/;
const BEFORE = /^(?:has|is)?prev/;
const FIRST = /^(?:is)?first(?:page)?$/;
const TOTAL = anyOf(
  '(?:total|num|numberof|full)(?:count|entries|results|items|records|rows|hits|elements)',
  '(?:total|num|numberof|full)(?:players|users|members|scores|runs|objects|size)',
  '(?:entry|result|record|item|row|player|user|member|score|object|hit)s?(?:count|total)',
  'total|count',
);
const PAGES = /^(?:(?:total|num|numberof|last|max)pages?(?:count)?|pagecount|pagestotal|pages)$/;
const PAGE = /^(?:(?:current)?page(?:number|no|num)?|current)$/;
const PAGE_FROM_0 = /^(?:(?:current)?pageindex|number)$/;
const SIZE = /^(?:perpage|pagesize|itemsperpage|limit|size)$/;
const OFFSET = /^(?:offset|skip|start|from)$/;

/** What a file says about its page. */
interface Said {
  /** The word for what follows; undefined: none. */
  next?: string;
  /** True if nothing follows. */
  isLast?: boolean;
  /** True if something precedes it. */
  hasPrevious?: boolean;
  total?: [word: string, count: number];
  pages?: [word: string, count: number];
  /** Its number from 1. */
  page?: number;
  size?: number;
  offset?: number;
}

const isSomething = (value: unknown): boolean => {
  if (isRecord(value)) return Object.values(value).some(isSomething);
  if (typeof value === 'number') return value > 0;
  return typeof value === 'string' ? !/^(?:|0|-1|false|null|none)$/i.test(value.trim()) : value === true;
};

function* wordsOf(
  values: Record<string, unknown>,
  path = '',
  depth = 0,
): Generator<[path: string, name: string, value: unknown]> {
  for (const [member, value] of Object.entries(values)) {
    const name = member.toLowerCase().replaceAll(/^@odata|[^a-z0-9]/g, '');
    // Links are a list in HAL and elsewhere.
    if (Array.isArray(value) && /^links?$/.test(name)) {
      for (const link of value)
        if (isRecord(link) && link.rel === 'next') yield [`${path}${member}`, 'next', true];
    }
    yield [path + member, name, value];
    if (isRecord(value) && depth < DEEPEST && ABOUT_PAGES.test(name))
      yield* wordsOf(value, `${path}${member}.`, depth + 1);
  }
}

function countIn(value: unknown): number | undefined {
  const number = isRecord(value) ? value.value : value;
  const count = typeof number === 'number' || typeof number === 'string' ? Number(number) : Number.NaN;
  return Number.isSafeInteger(count) && number !== '' ? count : undefined;
}

function take(said: Said, [path, name, value]: [string, string, unknown]): void {
  const count = countIn(value);
  const isNext = (NEXT.test(name) && !NO_PAGE.test(name)) || MORE.test(name);
  if (isNext || (LAST.test(name) && typeof value === 'boolean')) {
    if (isNext === isSomething(value)) said.next ??= path;
    else said.isLast = true;
  } else if (BEFORE.test(name)) said.hasPrevious ||= isSomething(value);
  else if (FIRST.test(name)) said.hasPrevious ||= value === false;
  else if (count === undefined) return;
  else if (TOTAL.test(name)) {
    if (!said.total || count > said.total[1]) said.total = [path, count];
  } else if (PAGES.test(name)) said.pages ??= [path, count];
  else if (PAGE.test(name)) said.page ??= Math.max(count, 1);
  else if (PAGE_FROM_0.test(name)) said.page ??= count + 1;
  else if (SIZE.test(name)) said.size ??= count;
  // Offsets of some services count from 1.
  else if (OFFSET.test(name)) said.offset ??= count === 1 ? 0 : count;
}

/**
 * The reason why a list is one page of several that others follow: nothing is missing after a last page.
 * @param around the objects that the list is in
 */
export function missingPages(length: number, around: readonly Record<string, unknown>[]): string | undefined {
  const said: Said = {};
  for (const values of around) for (const word of wordsOf(values)) take(said, word);
  const { next, total, pages, page = 1, size = 0, offset = (page - 1) * size } = said;
  if (next !== undefined) return `it is only one of several pages ("${next}" says that more follow)`;
  const hasPrevious = said.hasPrevious || page > 1 || offset > 0;
  const isLast = said.isLast && (hasPrevious || (pages && pages[1] > 1));
  if (isLast || (pages && page > 1 && page >= pages[1])) return undefined;
  if (pages && pages[1] > page) return `it is only one of several pages ("${pages[0]}" is ${pages[1]})`;
  if (!total || total[1] <= length || (offset < total[1] && offset + length >= total[1])) return undefined;
  return `it says ${total[1]} entries but has ${length} ("${total[0]}")`;
}
