import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useDeferredValue, useMemo } from 'react';
import { useCurrentGame } from '../../api/games.js';
import { useList, useRead } from '../../api/hooks.js';
import { graphql } from '../../generated/gql.js';
import type { PlayersQuery as Answer } from '../../generated/graphql.js';
import { Chip, Head } from '../../parts/card.js';
import { TextField } from '../../parts/controls.js';
import type { Column } from '../../parts/data-table.js';
import { ListCard } from '../../parts/list-card.js';
import { When } from '../../parts/time.js';
import { Page } from '../../shell/page.js';
import { t } from '../../texts.js';
import { FindPlayersQuery } from './operations.js';

const PlayersQuery = graphql(`
  query Players($slug: String!, $after: String) {
    game(by: { slug: $slug }) {
      id
      identities(first: 100, after: $after) {
        nodes { id displayName kind trustTier createdAt }
        pageInfo { hasNextPage endCursor }
      }
    }
  }
`);

type PlayerRow = NonNullable<Answer['game']['identities']>['nodes'][number];
const text = t.players;

function columnsOf(slug: string): Column<PlayerRow>[] {
  return [
    {
      id: 'name',
      title: text.player,
      by: (row) => row.displayName.toLowerCase(),
      cell: (row) => (
        <Link className="name" to="/games/$slug/players/$id" params={{ slug, id: row.id }}>
          {row.displayName}
        </Link>
      ),
    },
    { id: 'kind', title: text.kind, wide: true, by: (row) => row.kind, cell: (row) => text.kinds[row.kind] },
    {
      id: 'tier',
      title: text.tier,
      by: (row) => row.trustTier ?? '',
      cell: (row) =>
        row.trustTier ? (
          <Chip>{t.queue.tier(row.trustTier)}</Chip>
        ) : (
          <span className="faint-text">{text.defaultTier}</span>
        ),
    },
    {
      id: 'seen',
      title: text.firstSeen,
      wide: true,
      by: (row) => row.createdAt,
      cell: (row) => <When at={row.createdAt} className="soft" />,
    },
  ];
}

export function Players() {
  const { slug } = useParams({ from: '/games/$slug/players' });
  const { q = '' } = useSearch({ from: '/games/$slug/players' });
  const navigate = useNavigate({ from: '/games/$slug/players' });
  const list = useList(PlayersQuery, { slug }, (data) => data.game.identities!);
  const columns = useMemo(() => columnsOf(slug), [slug]);
  const name = useDeferredValue(q.trim());
  const found = useRead(FindPlayersQuery, { slug, name, first: 50 }, { pause: name === '' });
  const shown = name
    ? { ...list, hasMore: false, fault: found.fault, loading: found.loading, reload: found.again }
    : list;
  return (
    <Page title={t.nav.players} crumbs={[[useCurrentGame()?.name ?? slug], [t.nav.players]]}>
      <Head
        title={t.nav.players}
        actions={
          <Link className="button quiet" to="/deleted" search={{ kind: 'players' }}>
            {t.deleted.show}
          </Link>
        }
      />
      <ListCard
        title={t.nav.players}
        label={t.nav.players}
        side={
          <TextField
            bare
            label={text.filter}
            placeholder={text.filter}
            value={q}
            onText={(next) => void navigate({ search: { q: next || undefined }, replace: true })}
          />
        }
        list={shown}
        rows={name ? (found.data?.game.findIdentities ?? []) : list.rows}
        columns={columns}
        keyOf={(row) => row.id}
        empty={q ? text.noMatch : text.empty}
      />
    </Page>
  );
}
