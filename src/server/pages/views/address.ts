/** The ranking of a view that the address of a board's page names. */
export interface PageRanking {
  view: string;
  /** Key of a period; undefined: the present one. */
  of: string | undefined;
  /** Values of tags by their names. */
  where: Readonly<Record<string, string>>;
}

const NAME = /^[a-z][a-z0-9_]{0,31}$/;
const LONGEST = 64;
/** More than a view has; the API refuses those that it does not have. */
const MOST_TAGS = 4;
/** Parameters of pages; a tag of such a name is in `where`, like `where=rank:gold`. */
const TAKEN = new Set('view of where from rank player after theme embed overlay top'.split(' '));
/** Those of overlays, where they are one; addresses of pages from before they existed stay. */
const OF_OVERLAYS = new Set('layout size side accent'.split(' '));

const isText = (value: unknown): value is string =>
  typeof value === 'string' && value !== '' && value.length <= LONGEST;

/** Returns the ranking that the parameters of a page name; undefined: the board's own. */
export function rankingPlaceOf(query: Readonly<Record<string, unknown>>): PageRanking | undefined {
  const { view, of, where } = query;
  if (typeof view !== 'string' || !NAME.test(view)) return undefined;
  const pairs = typeof where === 'string' ? where.split(',').map((pair) => pair.split(':')) : [];
  const isOverlay = query.overlay === '1';
  const plain = Object.entries(query).filter(
    ([name]) => !TAKEN.has(name) && !(isOverlay && OF_OVERLAYS.has(name)),
  );
  const tags = [...pairs, ...plain].filter(
    (pair): pair is [string, string] => pair.length === 2 && NAME.test(String(pair[0])) && isText(pair[1]),
  );
  const chosen = Object.fromEntries(tags.slice(0, MOST_TAGS));
  return { view, of: isText(of) && of !== 'current' ? of : undefined, where: chosen };
}

/** What an address without a ranking shows. */
interface Shows {
  defaultView: string | null;
  views: readonly { name: string; status: string }[];
}

/**
 * Returns the ranking that a page shows: the one that its address names, else the board's default. Overlays are links that the studio has
 * built, which a later default doesn't change.
 */
export function shownRanking(
  { defaultView, views }: Shows,
  { variant, ranking, own }: { variant: string; ranking: PageRanking | undefined; own: boolean },
): PageRanking | undefined {
  if (ranking || own || variant === 'overlay') return ranking;
  const view = views.find(({ name, status }) => name === defaultView && status === 'LIVE')?.name;
  return view === undefined ? undefined : { view, of: undefined, where: {} };
}

/** The query of the board's own ranking, without `?`; undefined: an address without a query shows it. */
export function ownQuery({ defaultView }: Pick<Shows, 'defaultView'>): string | undefined {
  return defaultView === null ? undefined : 'view=';
}

/** Returns the query of a ranking's page, without `?`: the same for the same ranking. */
export function rankingQuery({ view, of, where }: PageRanking): string {
  const query = new URLSearchParams({ view });
  if (of !== undefined) query.set('of', of);
  const tags = Object.entries(where);
  const isTaken = ([name]: [string, string]) => TAKEN.has(name) || OF_OVERLAYS.has(name);
  const taken = tags.filter(isTaken);
  for (const [name, value] of tags.filter((tag) => !isTaken(tag))) query.set(name, value);
  if (taken.length > 0) query.set('where', taken.map((pair) => pair.join(':')).join(','));
  return query.toString();
}
