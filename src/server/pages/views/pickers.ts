import { type Html, html } from '../../../base/html.js';
import { type Measure, shownNumber } from '../../../base/value-format.js';
import { countryName } from '../details.js';
import type { PageBoard } from '../queries.js';
import { type PlayerLinks, placeContent } from '../ranking.js';
import { shownMoment, texts } from '../texts.js';
import { type PageRanking, rankingQuery } from './address.js';
import type { GroupFacts, PageViewFacts, PodiumFacts, ShownView, ViewPeriodFacts } from './facts.js';

/** Returns the name of a view as a heading: `weekly_country` is "Weekly country". */
function viewName(name: string): string {
  const words = name.replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function groupName(where: Readonly<Record<string, string>>): string {
  return Object.entries(where)
    .map(([tag, value]) => (tag === 'country' ? countryName(value.toUpperCase()) : value))
    .join(', ');
}

/** Returns view, period and group in words: `Weekly, 2026-W47, Germany`. */
export function rankingName({ facts, place, period, isChosen }: ShownView): string {
  const group = isChosen && facts.by.length > 0 ? groupName(chosenTags(facts, place)) : '';
  return [viewName(facts.name), period?.key ?? place.of, group].filter(Boolean).join(', ');
}

/** The chosen values of a view's tags. */
function chosenTags({ by }: PageViewFacts, { where }: PageRanking): Record<string, string> {
  return Object.fromEntries(by.flatMap((tag) => (where[tag] === undefined ? [] : [[tag, where[tag]]])));
}

const address = (place: PageRanking) => `?${rankingQuery(place)}`;

/** Renders links to the board's own ranking and to those of its views. */
export function viewPicker({ views }: PageBoard, shown: ShownView | undefined): Html | undefined {
  const served = views.filter(({ status }) => status === 'LIVE');
  if (served.length === 0) return undefined;
  const link = (href: string, name: string, isShown: boolean) =>
    html`<li><a href="${href}"${isShown && html` aria-current="page"`}>${name}</a></li>`;
  // A selected group stays selected if the other view has the same tags.
  const where = shown?.isChosen ? chosenTags(shown.facts, shown.place) : {};
  const links = served.map((view) => {
    const place = { view: view.name, of: undefined, where: chosenTags(view, { ...NOWHERE, where }) };
    return link(address(place), viewName(view.name), view.name === shown?.facts.name);
  });
  return html`<nav class="views" aria-label="${texts.views}"><ul role="list">${link('?', texts.ownRanking, !shown)}${links}</ul></nav>`;
}

const NOWHERE: PageRanking = { view: '', of: undefined, where: {} };

function step(shown: ShownView, period: ViewPeriodFacts | undefined, way: 'previous' | 'next'): Html {
  const words = way === 'previous' ? texts.previousPeriod : texts.nextPeriod;
  if (!period) return html`<span class="step ${way}" aria-hidden="true">${words}</span>`;
  const href = address({ ...shown.place, of: period.key });
  const rel = way === 'previous' ? 'prev' : 'next';
  return html`<a class="step ${way}" rel="${rel}" href="${href}"><span>${words}</span> <bdi>${period.key}</bdi></a>`;
}

/** Renders links to the periods before and after the shown one, and to each around it. */
export function viewPeriodPicker(shown: ShownView): Html | undefined {
  const { periods, period, place } = shown;
  if (periods.length === 0) return undefined;
  const choices = periods.map(({ key, startsAt, endsAt }) => {
    const href = address({ ...place, of: key });
    const span = `${shownMoment(new Date(startsAt))} – ${shownMoment(new Date(endsAt))}`;
    return html`<li><a href="${href}" title="${span}"${key === period?.key && html` aria-current="page"`}><bdi>${key}</bdi></a></li>`;
  });
  return html`<nav class="periods" aria-label="${texts.period}">
${step(shown, shown.previous, 'previous')}
<details><summary>${period?.key ?? texts.otherPeriods}</summary><ol role="list">${choices}</ol></details>
${step(shown, shown.next, 'next')}
</nav>`;
}

function groupLinks({ groups, place, group }: ShownView): Html[] {
  return groups.map(({ key, where, total }) => {
    const current = key === group?.key && html` aria-current="page"`;
    return html`<li><a href="${address({ ...place, where })}"${current}><bdi>${groupName(where)}</bdi> <small>${texts.entries(shownNumber(total))}</small></a></li>`;
  });
}

/** Renders the choice of another group than the shown one. */
export function groupPicker(shown: ShownView): Html | undefined {
  const { facts, place, groups, isChosen } = shown;
  if (facts.by.length === 0 || !isChosen || groups.length === 0) return undefined;
  return html`<nav class="periods groups" aria-label="${texts.group}">
<details><summary><bdi>${groupName(chosenTags(facts, place))}</bdi></summary><ol role="list">${groupLinks(shown)}</ol></details>
</nav>`;
}

/** Renders the groups of a view, in the place of a ranking. */
export function groupChoice(shown: ShownView): Html {
  const { facts, place, hasMoreGroups, groups } = shown;
  const tags = facts.by.join(', ');
  const fields = facts.by.map(
    (tag) =>
      html`<label for="tag-${tag}">${tag}</label> <input id="tag-${tag}" name="${tag}" required maxlength="64" autocomplete="off">`,
  );
  return html`<section class="choices" id="ranking" aria-labelledby="choose">
<h2 id="choose">${texts.chooseGroup(tags)}</h2>
${groups.length === 0 && html`<p class="empty">${texts.noScores}</p>`}
<ol role="list">${groupLinks(shown)}</ol>
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
export function keptPodium(shown: ShownView, measure: Measure, links: PlayerLinks | undefined): Html {
  const { podium } = shown.period ?? { podium: [] };
  const row = ({ scoreId, isDisqualified, ...place }: PodiumFacts) => {
    const mark = isDisqualified ? html`<small class="extra">${texts.disqualified}</small>` : undefined;
    return html`<li id="rank-${place.rank}">${placeContent({ ...place, displayRank: place.rank, id: scoreId }, measure, mark, links)}</li>`;
  };
  return html`<section class="ranking" id="ranking" aria-label="${texts.ranking}">
${podium.length > 0 && html`<ol role="list" class="places top">${podium.map(row)}</ol>`}
<p class="empty">${texts.notKept(texts.entries(shownNumber(keptTotal(shown))))}</p>
</section>`;
}
