import { type Html, html } from '../../../base/html.js';
import { htmlPage, type PageFrame } from '../layout.js';
import {
  MOST_ON_TOP,
  OVERLAY_CHOICES,
  type OverlayLink,
  overlayQuery,
  overlaySize,
} from '../overlay-look.js';
import { logo } from '../pictures.js';
import { accentOf } from '../previews/previews.js';
import type { PageBoard } from '../queries.js';
import { texts } from '../texts.js';
import { type PageRanking, rankingQuery } from '../views/address.js';
import { groupName, viewName } from '../views/pickers.js';

const words = texts.overlay;

function choice(name: keyof typeof OVERLAY_CHOICES, { look }: OverlayLink): Html {
  // In the order of their sizes.
  const values = name === 'size' ? (['small', 'medium', 'large'] as const) : OVERLAY_CHOICES[name];
  const options = values.map(
    (value) =>
      html`<label><input type="radio" name="${name}" value="${value}"${value === look[name] && html` checked`}><span>${words.values[value]}</span></label>`,
  );
  return html`<fieldset><legend>${words[name]}</legend><div class="segments">${options}</div></fieldset>`;
}

/** Rankings that can be chosen: the board's own, those of views without groups, and the group that the page was opened for. */
function rankingChoice({ views }: PageBoard, { ranking }: OverlayLink): Html | undefined {
  const plain = views.filter(({ status, by }) => status === 'LIVE' && by.length === 0);
  const places: PageRanking[] = plain.map(({ name }) => ({ view: name, of: undefined, where: {} }));
  if (ranking && !places.some(({ view }) => view === ranking.view)) places.push(ranking);
  if (places.length === 0) return undefined;
  const option = (place: PageRanking) => {
    const group = groupName(place.where);
    const name = [viewName(place.view), group].filter(Boolean).join(', ');
    return html`<option value="${rankingQuery(place)}"${place.view === ranking?.view && html` selected`}>${name}</option>`;
  };
  return html`<div><label for="ranking-of">${words.ranking}</label><select id="ranking-of" name="ranking"><option value="">${texts.ownRanking}</option>${places.map(option)}</select></div>`;
}

/** The page that builds the link of a board's overlay; its form works without a script. */
export function overlayBuilder(frame: PageFrame, facts: PageBoard, link: OverlayLink): string {
  const { up } = frame;
  const { game, name, shortCode, urlShort } = facts;
  const own = accentOf(game).slice(1);
  const query = overlayQuery(link, own);
  const address = `${up}b/${shortCode}?${query}`;
  const { width, height } = overlaySize(link);
  const body = html`<main class="build">
<header class="head"><p class="crumb"><a href="${up}games/${game.slug}">${logo(up, game)}<bdi>${game.name}</bdi></a> › <a href="${up}b/${shortCode}"><bdi>${name}</bdi></a></p>
<h1>${words.title}</h1>
<p class="about">${words.about}</p></header>
<div class="builder">
<form method="get" class="card" id="overlay-form" data-board="${up}b/${shortCode}" data-accent="${own}"${urlShort !== null && html` data-link="${urlShort}"`}>
${rankingChoice(facts, link)}
${choice('layout', link)}${choice('size', link)}${choice('side', link)}
<div class="pair"><p><label for="top">${words.rows}</label><input id="top" name="top" type="number" min="1" max="${MOST_ON_TOP}" required value="${link.top}"></p>
<p><label for="accent">${words.accent}</label><input id="accent" name="accent" type="color" value="#${link.look.accent ?? own}"></p></div>
<button>${words.update}</button>
</form>
<div class="result">
<div class="card"><label for="overlay-link">${words.link}</label>
<div class="copying"><input id="overlay-link" readonly value="${urlShort === null ? address : `${urlShort}?${query}`}"><button type="button" id="overlay-copy" hidden>${texts.guides.copy}</button></div>
<p class="soft">${words.source} <b id="overlay-size">${words.pixels(width, height)}</b>. <a id="overlay-open" href="${address}">${words.open}</a></p></div>
<iframe id="overlay-preview" title="${words.preview}" src="${address}" width="${width}" height="${height}"></iframe>
</div>
</div>
</main>
<footer><a href="${up}b/${shortCode}">${texts.wholeBoard}</a><a href="${up}guides/public-pages#stream-overlays">${words.guide}</a></footer>`;
  return htmlPage(frame, {
    title: `${words.title} · ${name}`,
    description: words.about,
    site: game.name,
    indexed: false,
    game,
    body,
  });
}
