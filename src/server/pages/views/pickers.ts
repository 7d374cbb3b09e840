import { type Html, html } from '../../../base/html.js';
import { shownNumber } from '../../../base/value-format.js';
import { countryFlag, countryName } from '../details.js';
import type { PageBoard } from '../queries.js';
import { type PlayerLinks, placeContent } from '../ranking.js';
import { shownMoment, texts } from '../texts.js';
import { ownQuery, type PageRanking, rankingQuery } from './address.js';
import type { GroupFacts, PageViewFacts, PodiumFacts, ShownView, ViewPeriodFacts } from './facts.js';
import { periodName } from './names.js';

/** Returns the name of a view as a heading: `weekly_country` is "Weekly country". */
export function viewName(name: string): string {
  const words = name.replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

export function groupName(where: Readonly<Record<string, string>>): string {
  return Object.entries(where)
    .map(([tag, value]) => (tag === 'country' ? countryName(value.toUpperCase()) : value))
    .join(', ');
}

/** Returns view, period and group in words: `Weekly, Week 47, 16–22 Nov 2026, Germany`. */
export function rankingName({ facts, place, period, isChosen }: ShownView): string {
  const group = isChosen && facts.by.length > 0 ? groupName(chosenTags(facts, place)) : '';
  const { name, days } = period ? periodName(facts, period) : { name: place.of, days: undefined };
  return [viewName(facts.name), name, days, group].filter(Boolean).join(', ');
}

/** The chosen values of a view's tags. */
function chosenTags({ by }: PageViewFacts, { where }: PageRanking): Record<string, string> {
  return Object.fromEntries(by.flatMap((tag) => (where[tag] === undefined ? [] : [[tag, where[tag]]])));
}

const address = (place: PageRanking) => `?${rankingQuery(place)}`;

/** Renders links to the board's own ranking and to those of its views. */
export function viewPicker(facts: PageBoard, shown: ShownView | undefined): Html | undefined {
  const served = facts.views.filter(({ status }) => status === 'LIVE');
  if (served.length === 0) return undefined;
  const link = (href: string, name: string, isShown: boolean) =>
    html`<li><a href="${href}"${isShown && html` aria-current="page"`}>${name}</a></li>`;
  // A selected group stays selected if the other view has the same tags.
  const where = shown?.isChosen ? chosenTags(shown.facts, shown.place) : {};
  const links = served.map((view) => {
    const place = { view: view.name, of: undefined, where: chosenTags(view, { ...NOWHERE, where }) };
    return link(address(place), viewName(view.name), view.name === shown?.facts.name);
  });
  return html`<nav class="views" aria-label="${texts.views}"><ul role="list">${link(`?${ownQuery(facts) ?? ''}`, texts.ownRanking, !shown)}${links}</ul></nav>`;
}

const NOWHERE: PageRanking = { view: '', of: undefined, where: {} };

/** A period that can be chosen: of a view, or a board of a series. */
export interface PeriodChoice {
  href: string;
  name: string;
  /** Its days, where the name does not say them. */
  days?: string | undefined;
  isShown?: boolean;
  /** When it begins and ends. */
  title?: string;
}

const CHEVRONS = { previous: 'M10 3 5 8l5 5', next: 'M6 3l5 5-5 5' };

function step(choice: PeriodChoice | undefined, way: 'previous' | 'next'): Html {
  const drawing = html`<svg viewBox="0 0 16 16" aria-hidden="true"><path d="${CHEVRONS[way]}"/></svg>`;
  if (!choice) return html`<span class="step" aria-hidden="true">${drawing}</span>`;
  const words = way === 'previous' ? texts.previousPeriod : texts.nextPeriod;
  const rel = way === 'previous' ? 'prev' : 'next';
  return html`<a class="step" rel="${rel}" href="${choice.href}" aria-label="${words}: ${choice.name}">${drawing}</a>`;
}

const named = ({ name, days }: Pick<PeriodChoice, 'name' | 'days'>) =>
  html`<b><bdi>${name}</bdi></b>${days !== undefined && html` <small>${days}</small>`}`;

/** Renders the shown period between links to those before and after it, and the list of all. */
export function periodPicker(
  shown: Pick<PeriodChoice, 'name' | 'days'>,
  choices: PeriodChoice[],
  previous: PeriodChoice | undefined,
  next: PeriodChoice | undefined,
): Html {
  const items = choices.map((choice) => {
    const marks = html`${choice.title !== undefined && html` title="${choice.title}"`}${choice.isShown && html` aria-current="page"`}`;
    return html`<li><a href="${choice.href}"${marks}>${named(choice)}</a></li>`;
  });
  return html`<nav class="periods" aria-label="${texts.period}">
${step(previous, 'previous')}
<details><summary><span>${named(shown)}</span></summary><ol role="list">${items}</ol></details>
${step(next, 'next')}
</nav>`;
}

/** Renders the choice of a period of a view. */
export function viewPeriodPicker(shown: ShownView): Html | undefined {
  const { facts, periods, period, place, previous, next } = shown;
  if (periods.length === 0) return undefined;
  const choiceOf = (one: ViewPeriodFacts): PeriodChoice => ({
    href: address({ ...place, of: one.key }),
    ...periodName(facts, one),
    isShown: one.key === period?.key,
    title: `${shownMoment(new Date(one.startsAt))} – ${shownMoment(new Date(one.endsAt))}`,
  });
  const present = period ? periodName(facts, period) : { name: texts.otherPeriods };
  return periodPicker(present, periods.map(choiceOf), previous && choiceOf(previous), next && choiceOf(next));
}

/** Sorted by their names; the page's script does it in the visitor's language. */
function groupLinks(up: string, { groups, place, group }: ShownView, type: PageBoard['boardType']): Html[] {
  const links = groups.map(({ key, where, total }) => {
    const current = key === group?.key && html` aria-current="page"`;
    const name = groupName(where);
    const country = where.country?.toUpperCase();
    const isCountry = country !== undefined && Object.keys(where).length === 1;
    const link = html`<li${isCountry && html` data-country="${country}"`}><a href="${address({ ...place, where })}"${current}>${country !== undefined && countryFlag(up, country)}<bdi>${name}</bdi> <small>${texts.entries(shownNumber(total), type)}</small></a></li>`;
    return { name, link };
  });
  return links.toSorted((a, b) => a.name.localeCompare(b.name, texts.language)).map(({ link }) => link);
}

/** Renders the choice of another group than the shown one. */
export function groupPicker(up: string, shown: ShownView, type: PageBoard['boardType']): Html | undefined {
  const { facts, place, groups, isChosen } = shown;
  if (facts.by.length === 0 || !isChosen || groups.length === 0) return undefined;
  return html`<nav class="groups" aria-label="${texts.group}">
<details><summary><span><b><bdi>${groupName(chosenTags(facts, place))}</bdi></b></span></summary><ol role="list">${groupLinks(up, shown, type)}</ol></details>
</nav>`;
}

/** Renders the groups of a view, in the place of a ranking. */
export function groupChoice(up: string, shown: ShownView, type: PageBoard['boardType']): Html {
  const { facts, place, hasMoreGroups, groups } = shown;
  const tags = facts.by.join(', ');
  const fields = facts.by.map(
    (tag) =>
      html`<label for="tag-${tag}">${tag}</label> <input id="tag-${tag}" name="${tag}" required maxlength="64" autocomplete="off">`,
  );
  return html`<section class="choices" id="ranking" aria-labelledby="choose">
<h2 id="choose">${texts.chooseGroup(tags)}</h2>
${groups.length === 0 && html`<p class="empty">${texts.noScores}</p>`}
<ol role="list">${groupLinks(up, shown, type)}</ol>
${
  hasMoreGroups &&
  html`<form method="get"><input type="hidden" name="view" value="${place.view}">${
    place.of !== undefined && html`<input type="hidden" name="of" value="${place.of}">`
  }${fields} <button>${texts.go}</button></form>`
}
</section>`;
}

/** The state of the shown ranking. */
export function isDropped({ period, group }: ShownView): boolean {
  return (group ?? period)?.state === 'DROPPED';
}

/** Number of entries of a ranking that is not kept. */
export function keptTotal({ period, group }: ShownView): number {
  return (group as GroupFacts | undefined)?.total ?? period?.total ?? 0;
}

/** Renders what is kept of a ranking: podium and number of entries. */
export function keptPodium(
  shown: ShownView,
  { boardType, ...measure }: PageBoard,
  links: PlayerLinks | undefined,
): Html {
  const { podium } = shown.period ?? { podium: [] };
  const row = ({ scoreId, isDisqualified, ...place }: PodiumFacts) => {
    const mark = isDisqualified ? html`<small class="extra">${texts.disqualified}</small>` : undefined;
    return html`<li id="rank-${place.rank}">${placeContent({ ...place, displayRank: place.rank, id: scoreId }, measure, mark, links)}</li>`;
  };
  return html`<section class="ranking" id="ranking" aria-label="${texts.ranking}">
${podium.length > 0 && html`<ol role="list" class="places top">${podium.map(row)}</ol>`}
<p class="empty">${texts.notKept(texts.entries(shownNumber(keptTotal(shown)), boardType))}</p>
</section>`;
}
