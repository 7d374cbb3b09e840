import { type Html, html } from '../../../base/html.js';
import { formattedNumber } from '../../../base/value-format.js';
import { texts } from '../texts.js';
import type { PlayerSplits } from './facts.js';
import { lines } from './lines.js';

const FORMAT = { kind: 'TIME', decimals: 2, timeUnit: 'MILLISECONDS' } as const;

const shown = (millis: number) => formattedNumber(FORMAT, millis);

function gap(own: number, first: number): string {
  return `${own < first ? '−' : '+'}${shown(Math.abs(own - first))}`;
}

/** Renders the splits of the run that counts, beside the player's best ones and those of first place. */
export function splitsSection({ bestSplits, ranking }: PlayerSplits): Html | undefined {
  const own = ranking.entry?.splits ?? [];
  const best = bestSplits ?? [];
  const first = ranking.leader.nodes[0]?.splits ?? [];
  const isFirst = ranking.entry?.rank === 1;
  const items = Array.from({ length: Math.max(own.length, best.length) }, (_, n) => {
    const { atMs, segmentMs } = best[n] ?? {};
    const [at, leader] = [own[n], first[n]];
    const more = atMs === undefined ? undefined : texts.bestSplit(shown(atMs), shown(segmentMs!));
    const behind = at === undefined || leader === undefined || isFirst ? '' : gap(at, leader);
    return html`<li><span class="name">${texts.split(n + 1)}${more && html` <small>${more}</small>`}</span><span class="count">${behind}</span><span class="value">${at === undefined ? '–' : shown(at)}</span></li>`;
  });
  if (items.length === 0) return undefined;
  return html`<section class="panel runs" aria-labelledby="splits"><h2 id="splits">${texts.splits}</h2>
${lines(items)}
</section>`;
}
