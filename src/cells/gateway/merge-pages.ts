import type { PlacedPage } from '../../db/keyset.js';
import type { OrderPart, PositionValue } from '../../db/sort.js';

/** A row of one of the pages. */
interface Place {
  /** Number of the page, and of the row in it. */
  page: number;
  row: number;
  position: PositionValue[];
}

/** The page of all databases together. */
export interface MergedPage {
  /** In the list's order. */
  places: Pick<Place, 'page' | 'row'>[];
  hasNext: boolean;
  hasPrevious: boolean;
  startCursor: string | null;
  backCursor: string | null;
  endCursor: string | null;
}

function compareValues(a: PositionValue, b: PositionValue): number {
  if (typeof a === 'string' && typeof b === 'string') return Buffer.compare(Buffer.from(a), Buffer.from(b));
  return Number(a) - Number(b);
}

/** As the databases order: text by its bytes, nulls last in either direction. */
function compare(parts: OrderPart[], a: PositionValue[], b: PositionValue[]): number {
  for (const [index, { direction }] of parts.entries()) {
    const [one, other] = [a[index]!, b[index]!];
    if (one === null || other === null) {
      if (one !== other) return one === null ? 1 : -1;
      continue;
    }
    const sign = compareValues(one, other);
    if (sign !== 0) return direction === 'asc' ? sign : -sign;
  }
  return 0;
}

/**
 * Puts the pages of one list on several databases together. Positions in a list are values of its rows, not numbers of
 * rows: a cursor of any row is a position on every database.
 * @param pages of the same request, hence of the same order, direction and size
 */
export async function mergePages(pages: readonly PlacedPage[]): Promise<MergedPage> {
  const [{ order, size, forward }] = pages as [PlacedPage];
  const all: Place[] = pages.flatMap((page, number) =>
    Array.from({ length: page.count }, (_, row) => ({ page: number, row, position: page.position(row) })),
  );
  all.sort((a, b) => compare(order.parts, a.position, b.position));
  // A record that moved a moment ago, or whose rows have yet to be deleted, is on two databases.
  const distinct = all.filter(
    ({ position }, index) => index === 0 || compare(order.parts, all[index - 1]!.position, position) !== 0,
  );
  const places = forward ? distinct.slice(0, size) : distinct.slice(-size);
  const cut = distinct.length > places.length;
  const next = (await Promise.all(pages.map((page) => page.hasNext()))).some(Boolean);
  const previous = (await Promise.all(pages.map((page) => page.hasPrevious()))).some(Boolean);
  const cursor = (place: Place | undefined, direction: 'f' | 'b') =>
    place ? pages[place.page]!.cursor(place.row, direction) : null;
  return {
    places,
    hasNext: next || (forward && cut),
    hasPrevious: previous || (!forward && cut),
    startCursor: cursor(places[0], 'f'),
    backCursor: cursor(places[0], 'b'),
    endCursor: cursor(places.at(-1), 'f'),
  };
}
