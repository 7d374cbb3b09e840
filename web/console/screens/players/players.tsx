import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useDeferredValue, useMemo } from 'react';
import { useCurrentGame } from '../../api/games.js';
import { useList, useRead } from '../../api/hooks.js';
import { graphql } from '../../generated/gql.js';
import type { PlayersQuery as Answer } from '../../generated/graphql.js';
import { Chip, Head } from '../../parts/card.js';
import { TextField } from '../../parts/controls.js';
import type { Column } from '../../parts/data-table.js';
import { count } from '../../parts/format.js';
import { ListCard } from '../../parts/list-card.js';
import { Ago } from '../../parts/time.js';
import { Page } from '../../shell/page.js';
import { t } from '../../texts.js';
import { FindPlayersQuery } from './operations.js';

const PlayersQuery = graphql(`
  query Players($slug: String!, $after: String) {
    game(by: { slug: $slug }) {
      id
      identities(first: 100, after: $after) {
        nodes {
          id displayName trustTier
          activity { lastSeenAt runs pendingFlags devices bannedDevices suspendedDevices }
        }
        pageInfo { hasNextPage endCursor }
      }
    }
  }
`);

type PlayerRow = NonNullable<Answer['game']['identities']>['nodes'][number];
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
