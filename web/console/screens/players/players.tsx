import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useDeferredValue, useMemo } from 'react';
import { useList, useRead } from '../../api/hooks.js';
import { graphql } from '../../generated/gql.js';
import type { PlayerRowFragment as PlayerRow } from '../../generated/graphql.js';
import { Chip, Head } from '../../parts/card.js';
import { TextField } from '../../parts/controls.js';
import type { Column } from '../../parts/data-table.js';
import { count } from '../../parts/format.js';
import { ListCard } from '../../parts/list-card.js';
import { Loaded } from '../../parts/states.js';
import { Ago } from '../../parts/time.js';
import { Page } from '../../shell/page.js';
import { t } from '../../texts.js';

const PlayersGameQuery = graphql(`
  query PlayersGame($slug: String!) {
    game(by: { slug: $slug }) { id name }
  }
`);

const FindPlayersQuery = graphql(`
  query FindPlayers($gameId: ID!, $name: String!) {
    game(by: { id: $gameId }) {
      id
      findIdentities(name: $name, first: 50) { ...PlayerRow }
    }
  }
`);

const PlayersQuery = graphql(`
  query Players($gameId: ID!, $after: String) {
    identities(filter: {gameId: $gameId}, first: 100, after: $after) {
      nodes { ...PlayerRow }
      pageInfo { hasNextPage endCursor }
    }
  }
  fragment PlayerRow on Identity {
    id
    displayName
    trustTier
    activity { lastSeenAt runs pendingFlags devices bannedDevices suspendedDevices }
  }
`);

const text = t.players;

/** Its devices that cannot play: a word for all, or how many. */
function statusOf({ activity }: PlayerRow): string {
  if (!activity) return '';
  const { devices, bannedDevices, suspendedDevices } = activity;
  if (bannedDevices > 0)
    return bannedDevices === devices ? text.banned : text.someBanned(bannedDevices, devices);
  return suspendedDevices > 0 ? text.suspended : '';
}

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
    {
      id: 'seen',
      title: text.lastSeen,
      by: ({ activity }) => activity?.lastSeenAt ?? '',
      cell: ({ activity }) => activity?.lastSeenAt && <Ago at={activity.lastSeenAt} className="soft" />,
    },
    {
      id: 'runs',
      title: text.runs,
      number: true,
      wide: true,
      by: ({ activity }) => activity?.runs ?? 0,
      cell: ({ activity }) => activity && count(activity.runs),
    },
    {
      id: 'flags',
      title: text.flags,
      number: true,
      by: ({ activity }) => activity?.pendingFlags ?? 0,
      cell: ({ activity }) =>
        activity && activity.pendingFlags > 0 && <Chip tone="warn">{activity.pendingFlags}</Chip>,
    },
    {
      id: 'status',
      title: text.status,
      by: statusOf,
      cell: (row) =>
        statusOf(row) ? (
          <Chip tone="bad">{statusOf(row)}</Chip>
        ) : (
          <span className="faint-text">{text.active}</span>
        ),
    },
    {
      id: 'devices',
      title: text.devices,
      number: true,
      wide: true,
      by: ({ activity }) => activity?.devices ?? 0,
      cell: ({ activity }) => activity?.devices,
    },
    {
      id: 'tier',
      title: text.tier,
      wide: true,
      by: (row) => row.trustTier ?? '',
      cell: (row) =>
        row.trustTier ? (
          <Chip>{t.queue.tier(row.trustTier)}</Chip>
        ) : (
          <span className="faint-text">{text.defaultTier}</span>
        ),
    },
  ];
}

export function Players() {
  const { slug } = useParams({ from: '/games/$slug/players' });
  const { data, fault, again } = useRead(PlayersGameQuery, { slug });
  return (
    <Page title={t.nav.players} crumbs={[[data?.game.name ?? slug], [t.nav.players]]}>
      <Head
        title={t.nav.players}
        actions={
          <Link className="button quiet" to="/deleted" search={{ kind: 'players' }}>
            {t.deleted.show}
          </Link>
        }
      />
      <Loaded data={data?.game} fault={fault} again={again}>
        {(game) => <PlayerList key={game.id} gameId={game.id} slug={slug} />}
      </Loaded>
    </Page>
  );
}

function PlayerList({ gameId, slug }: { gameId: string; slug: string }) {
  const { q = '' } = useSearch({ from: '/games/$slug/players' });
  const navigate = useNavigate({ from: '/games/$slug/players' });
  const list = useList(PlayersQuery, { gameId }, (data) => data.identities);
  const columns = useMemo(() => columnsOf(slug), [slug]);
  const sought = useDeferredValue(q.trim());
  const found = useRead(FindPlayersQuery, { gameId, name: sought }, { pause: sought === '' });
  const shown = sought
    ? { ...list, hasMore: false, fault: found.fault, loading: found.loading, reload: found.again }
    : list;
  return (
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
      rows={sought ? (found.data?.game.findIdentities ?? []) : list.rows}
      columns={columns}
      keyOf={(row) => row.id}
      empty={q ? text.noMatch : text.empty}
    />
  );
}
