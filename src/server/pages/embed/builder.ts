import type { ParsedUrlQuery } from 'node:querystring';
import { type Html, html } from '../../../base/html.js';
import { factsOf } from '../board/board-visit.js';
import { htmlPage, type PageFrame } from '../layout.js';
import { MOST_ON_TOP } from '../overlay-look.js';
import { logo } from '../pictures.js';
import type { PageBoard } from '../queries.js';
import { hashOf, type SharedPages } from '../send.js';
import { texts } from '../texts.js';
import { ownQuery, type PageRanking, rankingQuery } from '../views/address.js';
import { viewName } from '../views/pickers.js';
import type { Visit } from '../visit.js';
import { type EmbedLink, embedHeight, embedLinkOf, embedQuery, WIDTHS } from './look.js';

const words = texts.embed;

function rankingChoice(facts: PageBoard, { ranking, own }: EmbedLink): Html | undefined {
  const plain = facts.views.filter(({ status, by }) => status === 'LIVE' && by.length === 0);
  if (plain.length === 0) return undefined;
  const options = plain.map(({ name }) => {
    const place: PageRanking = { view: name, of: undefined, where: {} };
    return html`<option value="${rankingQuery(place)}"${name === ranking?.view && html` selected`}>${viewName(name)}</option>`;
  });
  const ofBoard =
    ownQuery(facts) !== undefined &&
    html`<option value="view="${own && html` selected`}>${texts.ownRanking}</option>`;
  const first = facts.defaultView === null ? texts.ownRanking : words.first;
  return html`<div><label for="ranking-of">${texts.overlay.ranking}</label><select id="ranking-of" name="ranking"><option value="">${first}</option>${ofBoard}${options}</select></div>`;
}

function themeChoice({ theme }: EmbedLink): Html {
  const options = (['', 'light', 'dark'] as const).map(
    (value) =>
      html`<label><input type="radio" name="theme" value="${value}"${value === (theme ?? '') && html` checked`}><span>${words.themes[value]}</span></label>`,
  );
  return html`<fieldset><legend>${words.theme}</legend><div class="segments">${options}</div></fieldset>`;
}

function embedBuilder(frame: PageFrame, facts: PageBoard, link: EmbedLink): string {
  const { up } = frame;
  const { game, name, shortCode, urlShort } = facts;
  const query = embedQuery(link);
  const address = `${up}b/${shortCode}?${query}`;
  const height = embedHeight(link);
  const width = link.width === undefined ? '100%' : String(link.width);
  // Escaped as the page that it is pasted into needs it; the text field escapes it once more.
  const source = `${(urlShort ?? address).split('?')[0]}?${query}`;
  const frameOf = html`<iframe src="${source}" title="${name}" width="${width}" height="${height}" style="border:0"></iframe>`;
  const body = html`<main class="build">
<header class="head"><p class="crumb"><a href="${up}games/${game.slug}">${logo(up, game)}<bdi>${game.name}</bdi></a> › <a href="${up}b/${shortCode}"><bdi>${name}</bdi></a></p>
<h1>${words.title}</h1>
<p class="about">${words.about}</p></header>
<div class="builder">
<form method="get" class="card" id="embed-form">
${rankingChoice(facts, link)}
${themeChoice(link)}
<div class="pair"><p><label for="top">${texts.overlay.rows}</label><input id="top" name="top" type="number" min="1" max="${MOST_ON_TOP}" required value="${link.top}"></p>
<p><label for="width">${words.width}</label><input id="width" name="width" type="number" min="${WIDTHS.least}" max="${WIDTHS.most}" placeholder="100%" value="${link.width}"></p></div>
<button>${texts.overlay.update}</button>
</form>
<div class="result">
<div class="card"><label for="embed-code">${words.code}</label>
<textarea id="embed-code" readonly rows="4">${frameOf.text}</textarea>
<p class="soft"><button type="button" id="embed-copy" data-copy="#embed-code" hidden>${texts.guides.copy}</button> ${words.size} <b>${words.pixels(width, String(height))}</b></p></div>
<iframe id="embed-preview" title="${texts.overlay.preview}" src="${address}" width="${width}" height="${height}"></iframe>
</div>
</div>
</main>
<footer><a href="${up}b/${shortCode}">${texts.wholeBoard}</a><a href="${up}guides/public-pages">${texts.overlay.guide}</a></footer>`;
  return htmlPage(frame, {
    title: `${words.title} · ${name}`,
    description: words.about,
    site: game.name,
    indexed: false,
    game,
    body,
  });
}

/** The page that makes the code of an embedded board. A view that the board does not have is ignored, as other bad parameters are. */
export function visitEmbedBuilder(
  { ctx, run, frame }: Visit,
  code: string,
  query: ParsedUrlQuery,
  pages: SharedPages,
): Promise<void> {
  const link = embedLinkOf(query);
  // The page that is embedded has the theme; this one keeps the visitor's.
  const whole = { ...frame, theme: undefined };
  const make = async () => {
    const facts = await factsOf(run, { kind: 'code', code });
    const isServed = facts.views.some(({ name, status }) => name === link.ranking?.view && status === 'LIVE');
    const page = embedBuilder(whole, facts, isServed ? link : { ...link, ranking: undefined });
    return { etag: `W/"${hashOf(page)}"`, page: async () => page };
  };
  return pages.send({ id: JSON.stringify([ctx.path, link]), board: code, ctx, make });
}
