import { Link } from '@tanstack/react-router';
import { graphql } from '../../generated/gql.js';
import type { FairPlayEffectQuery } from '../../generated/graphql.js';
import { Card } from '../../parts/card.js';
import { count } from '../../parts/format.js';
import { When } from '../../parts/time.js';
import { t } from '../../texts.js';
import { FAIR_PLAY_TEXTS } from './texts.js';

export const EffectQuery = graphql(`
  query FairPlayEffect($input: PreviewFairPlayInput!) {
    previewFairPlay(input: $input) {
      submissions
      since
      confirmedCheats
      falsePositives
      now { flagged rejected players confirmedCheats falsePositives checks { flagType count } }
      after { flagged rejected players confirmedCheats falsePositives checks { flagType count } }
      found { scoreEventId rejects explanation scoreEvent { identityId createdAt identity { displayName } } }
      lost { scoreEventId rejects explanation scoreEvent { identityId createdAt identity { displayName } } }
    }
  }
`);

type Preview = FairPlayEffectQuery['previewFairPlay'];
type Kind = keyof typeof t.queue.kinds;
const text = FAIR_PLAY_TEXTS;

/** The result of the checks of past runs with other settings, next to that with the present ones. */
export function Effect({ preview, slug }: { preview: Preview; slug: string }) {
  const { submissions, since, confirmedCheats, falsePositives, now, after } = preview;
  if (submissions === 0) {
    return (
      <Card title={text.effect}>
        <p className="empty">{text.noRuns}</p>
      </Card>
    );
  }
  const ofCheck = ({ checks }: Preview['now'], kind: string) =>
    checks.find(({ flagType }) => flagType === kind)?.count ?? 0;
  const kinds = (Object.keys(t.queue.kinds) as Kind[]).filter(
    (kind) => ofCheck(now, kind) + ofCheck(after, kind) > 0,
  );
  const lines: [string, number, number][] = [
    [text.flagged, now.flagged, after.flagged],
    [text.rejected, now.rejected, after.rejected],
    [text.players, now.players, after.players],
    ...kinds.map((kind): [string, number, number] => [
      t.queue.kinds[kind],
      ofCheck(now, kind),
      ofCheck(after, kind),
    ]),
  ];
  if (confirmedCheats > 0)
    lines.push([text.cheats(count(confirmedCheats)), now.confirmedCheats, after.confirmedCheats]);
  if (falsePositives > 0)
    lines.push([text.fair(count(falsePositives)), now.falsePositives, after.falsePositives]);
  return (
    <>
      <Card title={text.effect}>
        <table>
          <thead>
            <tr>
              <th scope="col">{text.runs(count(submissions))}</th>
              <th scope="col" className="number">
                {text.now}
              </th>
              <th scope="col" className="number">
                {text.after}
              </th>
            </tr>
          </thead>
          <tbody>
            {lines.map(([name, before, then]) => (
              <tr key={name}>
                <td>{name}</td>
                <td className="number soft">{count(before)}</td>
                <td className={before === then ? 'number' : 'number strong'}>{count(then)}</td>
              </tr>
            ))}
          </tbody>
        </table>
        <p className="empty small">
          {since && (
            <>
              {text.since} <When at={since} />.{' '}
            </>
          )}
          {text.approximate}
        </p>
      </Card>
      <Differences title={text.found} runs={preview.found} slug={slug} />
      <Differences title={text.lost} runs={preview.lost} slug={slug} />
    </>
  );
}

function Differences({ title, runs, slug }: { title: string; runs: Preview['found']; slug: string }) {
  if (runs.length === 0) return null;
  return (
    <Card title={title} side={<span className="faint-text small">{text.newest}</span>}>
      <ul className="rows">
        {runs.map(({ scoreEventId, rejects, explanation, scoreEvent }) => (
          <li key={scoreEventId}>
            <span>
              {scoreEvent && (
                <Link
                  className="name"
                  to="/games/$slug/players/$id"
                  params={{ slug, id: scoreEvent.identityId }}
                >
                  {scoreEvent.identity?.displayName || t.audit.records.ide}
                </Link>
              )}{' '}
              {rejects && <span className="bad-text small">{text.rejects}</span>}
              <span className="block small soft">{explanation}</span>
            </span>
          </li>
        ))}
      </ul>
    </Card>
  );
}
