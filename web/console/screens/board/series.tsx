import { Link } from '@tanstack/react-router';
import type { BoardDetails } from '../../api/boards.js';
import { useList } from '../../api/hooks.js';
import { graphql } from '../../generated/gql.js';
import { Card } from '../../parts/card.js';
import { count } from '../../parts/format.js';
import { Pager } from '../../parts/pager.js';
import { Empty, Failed, Waiting } from '../../parts/states.js';
import { t } from '../../texts.js';
import { Phase } from '../boards/boards.js';

const SeriesQuery = graphql(`
  query Series($id: ID!, $after: String) {
    boardTemplate(id: $id) {
      id
      boards(first: 50, after: $after) {
        nodes { id name shortCode phase ranking { totalCount entries(first: 1) { nodes { playerName } } } }
        pageInfo { hasNextPage endCursor }
      }
    }
  }
`);

/** The boards of the same template, newest first. */
export function Series({ board, slug }: { board: BoardDetails; slug: string }) {
  const { createdFromTemplate: template } = board;
  if (!template) {
    return (
      <Card>
        <Empty>{t.series.none}</Empty>
      </Card>
    );
  }
  return <SeriesOf id={template.id} name={template.name} slug={slug} here={board.id} />;
}

export function SeriesOf({
  id,
  name,
  slug,
  here,
}: {
  id: string;
  name: string;
  slug: string;
  here?: string;
}) {
  const list = useList(SeriesQuery, { id }, (data) => data.boardTemplate.boards);
  return (
    <Card
      title={t.series.of(name)}
      side={
        <Link className="small" to="/games/$slug/templates/$id" params={{ slug, id }}>
          {t.series.template}
        </Link>
      }
    >
      {list.loading && <Waiting />}
      {list.fault && <Failed fault={list.fault} again={list.reload} />}
      {!list.loading && list.rows.length === 0 && <Empty>{t.series.empty}</Empty>}
      <ul className="rows">
        {list.rows.map(({ id, name, shortCode, phase, ranking }) => (
          <li key={id}>
            <span>
              {id === here ? (
                <b className="name">{name}</b>
              ) : (
                <Link
                  className="name"
                  to="/games/$slug/boards/$code/$tab"
                  params={{ slug, code: shortCode, tab: 'live' }}
                >
                  {name}
                </Link>
              )}{' '}
              <Phase phase={phase} />
              <span className="block small soft">
                {t.series.line(
                  count(ranking?.totalCount ?? 0),
                  ranking?.entries?.nodes[0]?.playerName,
                  phase === 'ENDED',
                )}
              </span>
            </span>
          </li>
        ))}
      </ul>
      <Pager list={list} />
    </Card>
  );
}
