import { Link, useParams } from '@tanstack/react-router';
import { useMemo } from 'react';
import { useCurrentGame } from '../../api/games.js';
import { useList } from '../../api/hooks.js';
import { graphql } from '../../generated/gql.js';
import type { TemplateListQuery } from '../../generated/graphql.js';
import { Chip, Head } from '../../parts/card.js';
import type { Column } from '../../parts/data-table.js';
import { Icon } from '../../parts/icon.js';
import { ListCard } from '../../parts/list-card.js';
import { May } from '../../parts/may.js';
import { When } from '../../parts/time.js';
import { Page } from '../../shell/page.js';
import { t } from '../../texts.js';
import { TEMPLATE_TEXTS } from './texts.js';

const TemplateListText = graphql(`
  query TemplateList($gameId: ID!, $after: String) {
    boardTemplates(filter: {gameId: $gameId}, first: 50, after: $after) {
      nodes { id name repeatInterval nextRunAt isActive boardsMade lastError }
      pageInfo { hasNextPage endCursor }
    }
  }
`);

type TemplateRow = TemplateListQuery['boardTemplates']['nodes'][number];
const text = TEMPLATE_TEXTS;

export function Templates() {
  const { slug } = useParams({ from: '/games/$slug/templates' });
  const game = useCurrentGame();
  const list = useList(TemplateListText, { gameId: game?.id ?? '' }, (data) => data.boardTemplates, {
    pause: !game,
  });
  const columns = useMemo(
    (): Column<TemplateRow>[] => [
      {
        id: 'name',
        title: text.template,
        by: (row) => row.name.toLowerCase(),
        cell: (row) => (
          <>
            <Link className="name" to="/games/$slug/templates/$id" params={{ slug, id: row.id }}>
              {row.name}
            </Link>
            {row.lastError && <div className="small bad-text">{row.lastError}</div>}
          </>
        ),
      },
      { id: 'every', title: text.every, cell: (row) => text.everyInterval(row.repeatInterval) },
      {
        id: 'next',
        title: text.next,
        wide: true,
        by: (row) => row.nextRunAt,
        cell: (row) => (row.isActive ? <When at={row.nextRunAt} /> : <Chip>{text.paused}</Chip>),
      },
      {
        id: 'made',
        title: text.made,
        number: true,
        by: (row) => row.boardsMade,
        cell: (row) => row.boardsMade,
      },
    ],
    [slug],
  );
  return (
    <Page title={t.nav.templates} crumbs={[[game?.name ?? slug], [t.nav.templates]]}>
      <Head
        title={t.nav.templates}
        actions={
          <May needs="CONFIGURE">
            <Link className="button quiet" to="/deleted" search={{ kind: 'templates' }}>
              {t.deleted.show}
            </Link>
            <Link className="button primary" to="/games/$slug/boards/new" params={{ slug }}>
              <Icon name="plus" />
              {text.create}
            </Link>
          </May>
        }
      />
      <ListCard
        label={t.nav.templates}
        list={list}
        columns={columns}
        keyOf={(row) => row.id}
        empty={text.empty}
      />
    </Page>
  );
}
