import type { DomainError } from '../../../base/errors.js';
import type { DetailedScores, OfRanking, PageBoard, RunQuery } from '../queries.js';
import type { PageRanking } from './address.js';
import type { GroupFacts, ShownView, ViewPeriodFacts } from './facts.js';

interface PeriodPage {
  view: { periods: { nodes: ViewPeriodFacts[] } };
}

interface GroupPage {
  view: {
    groups: {
      nodes: (Omit<GroupFacts, 'where'> & { tags: { name: string; value: string }[] })[];
      pageInfo: { hasNextPage: boolean };
    };
  };
}

/**
 * Reads the facts around the ranking of a view.
 * @throws DomainError when the board has no such view or period, or the view is being built
 */
export async function readView(
  run: RunQuery,
  { shortCode: code, views }: PageBoard,
  place: PageRanking,
  readAt: number,
  missing: () => DomainError,
): Promise<ShownView> {
  const facts = views.find(({ name }) => name === place.view);
  if (!facts) throw missing();
  const variables = { code, view: place.view };
  const hasPeriods = facts.period !== null || facts.every !== null || facts.seasons !== null;
  if (!hasPeriods && place.of !== undefined) throw missing();
  const found = hasPeriods ? await readPeriods(run, variables, place.of) : undefined;
  const period = found?.period;
  const isChosen = facts.by.every((tag) => place.where[tag] !== undefined);
  const isGrouped = facts.by.length > 0;
  const listed = isGrouped
    ? (await run<GroupPage>('ViewGroups', 'publicBoard', { ...variables, of: place.of })).view.groups
    : undefined;
  const groups = (listed?.nodes ?? []).map(
    ({ tags, ...group }): GroupFacts => ({
      ...group,
      where: Object.fromEntries(tags.map(({ name, value }) => [name, value])),
    }),
  );
  const group = groups.find(({ where }) => facts.by.every((tag) => isSame(where, place.where, tag)));
  return {
    facts,
    place,
    ...{ periods: [], previous: undefined, next: undefined },
    ...found,
    period,
    groups,
    hasMoreGroups: listed?.pageInfo.hasNextPage ?? false,
    group: isChosen ? group : undefined,
    readAt,
    isChosen,
  };
}

/** Countries are found in either case, as the API does it. */
function isSame(group: Record<string, string>, where: Record<string, string>, tag: string): boolean {
  const wanted = where[tag];
  return group[tag] === (tag === 'country' ? wanted?.toUpperCase() : wanted);
}

/** The periods around the wanted one, without a wanted one the newest. @throws DomainError when there is no such period */
async function readPeriods(run: RunQuery, variables: Record<string, string>, of: string | undefined) {
  const { view } = await run<PeriodPage>('ViewPeriods', 'publicBoard', { ...variables, of });
  const { nodes: periods } = view.periods;
  const at = indexOf(periods, of);
  if (at < 0) return { periods, period: undefined };
  return { periods, period: periods[at], previous: periods[at + 1], next: periods[at - 1] };
}

/** Between two seasons no period is the present one. */
function indexOf(periods: readonly ViewPeriodFacts[], of: string | undefined): number {
  const isOpen = periods[0]?.state === 'OPEN';
  if (of === undefined) return isOpen ? 0 : -1;
  // Nothing is newer than the present one.
  if (of === 'previous') return isOpen ? 1 : 0;
  return periods.findIndex(({ key }) => key === of);
}

/** The variables of operations that read a ranking of a view. */
export function rankingVariables({ place, period, facts }: ShownView) {
  // A period that is over by now is the one that the page's head names.
  const of = period?.key ?? place.of;
  return { view: place.view, of, where: facts.by.map((name) => ({ name, value: place.where[name] })) };
}

/** The places of a ranking of a view. */
export async function readViewScores(
  run: RunQuery,
  code: string,
  shown: ShownView,
  { from, size }: { from: number; size: number },
) {
  const variables = { code, ...rankingVariables(shown), from, size };
  const { ranking } = await run<OfRanking<DetailedScores>>('ViewScores', 'publicBoard', variables);
  const { scores, leader } = ranking;
  return { scores: scores.nodes, entryCount: scores.entryCount, leader: leader?.nodes[0] };
}
