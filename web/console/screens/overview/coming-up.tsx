import { Link } from '@tanstack/react-router';
import { useMemo } from 'react';
import { useCurrentGame } from '../../api/games.js';
import { useRead } from '../../api/hooks.js';
import { useAccountId } from '../../api/me.js';
import { graphql } from '../../generated/gql.js';
import { Card } from '../../parts/card.js';
import { Loaded } from '../../parts/states.js';
import { When } from '../../parts/time.js';
import { t } from '../../texts.js';

const ComingUpQuery = graphql(`
  query ComingUp($accountId: ID!, $now: DateTime!) {
    boards(accountId: $accountId, filter: {startsAt: {after: $now}}, first: 20) {
      nodes { id name shortCode startsAt game { slug } createdFromTemplate { name repeatInterval } }
    }
    boardTemplates(accountId: $accountId, filter: {isActive: true}, first: 20) {
      nodes { id name repeatInterval nextRunAt game { slug } }
    }
  }
`);

interface Planned {
  id: string;
  name: string;
  at: string;
  madeBy: string;
  slug: string;
  code: string | undefined;
}

const MOST = 5;

/** Boards that open, and the next boards of templates. */
export function ComingUp() {
  const now = useMemo(() => new Date().toISOString(), []);
  const game = useCurrentGame();
  const { data, fault, again } = useRead(ComingUpQuery, { accountId: useAccountId(), now });
  const templates = game && (
    <Link className="small" to="/games/$slug/templates" params={{ slug: game.slug }}>
      {t.nav.templates}
    </Link>
  );
  return (
    <Card title={t.overview.comingUp} side={templates}>
      <Loaded data={data} fault={fault} again={again} rows={2}>
        {({ boards, boardTemplates }) => {
          const planned: Planned[] = [];
          for (const { id, name, shortCode, startsAt, game, createdFromTemplate: template } of boards.nodes) {
            if (!startsAt || !game) continue;
            const madeBy = template
              ? t.overview.byTemplate(template.name, template.repeatInterval)
              : t.overview.byHand;
            planned.push({ id, name, at: startsAt, madeBy, slug: game.slug, code: shortCode });
          }
          for (const { id, name, repeatInterval, nextRunAt, game } of boardTemplates.nodes) {
            if (!game) continue;
            const madeBy = t.overview.byTemplate(name, repeatInterval);
            planned.push({ id, name, at: nextRunAt, madeBy, slug: game.slug, code: undefined });
          }
          planned.sort((a, b) => a.at.localeCompare(b.at));
          return planned.length ? (
            <Table planned={planned.slice(0, MOST)} />
          ) : (
            <p className="empty">{t.overview.nothingUp}</p>
          );
        }}
      </Loaded>
    </Card>
  );
}

function Table({ planned }: { planned: Planned[] }) {
  return (
    <table>
      <thead>
        <tr>
          <th scope="col">{t.overview.board}</th>
          <th scope="col">{t.overview.opens}</th>
          <th scope="col" className="wide-only">
            {t.overview.madeBy}
          </th>
        </tr>
      </thead>
      <tbody>
        {planned.map(({ id, name, at, madeBy, slug, code }) => (
          <tr key={id}>
            <td>
              {code ? (
                <Link
                  className="name"
                  to="/games/$slug/boards/$code/$tab"
                  params={{ slug, code, tab: 'live' }}
                >
                  {name}
                </Link>
              ) : (
                <Link className="name" to="/games/$slug/templates/$id" params={{ slug, id }}>
                  {name}
                </Link>
              )}
            </td>
            <td>
              <When at={at} />
            </td>
            <td className="soft wide-only">{madeBy}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
