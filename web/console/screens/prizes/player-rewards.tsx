import { useMemo } from 'react';
import { useList } from '../../api/hooks.js';
import { graphql } from '../../generated/gql.js';
import type { PlayerRewardsQuery } from '../../generated/graphql.js';
import type { Column } from '../../parts/data-table.js';
import { count } from '../../parts/format.js';
import { ListCard } from '../../parts/list-card.js';
import { When } from '../../parts/time.js';
import { ClosingLink } from './closing-link.js';
import { RewardStatusLink } from './rewards.js';
import { REWARD_TEXTS as text } from './texts.js';

const PlayerRewardsText = graphql(`
  query PlayerRewards($identityId: ID!, $after: String) {
    rewards(filter: { identityId: $identityId, isTest: false }, first: 10, after: $after) {
      nodes {
        id
        title
        line
        rank
        sharedBy
        status
        createdAt
        board { id name shortCode }
        closing { id view period group }
      }
      pageInfo { hasNextPage endCursor }
    }
  }
`);

type Reward = PlayerRewardsQuery['rewards']['nodes'][number];

/** What a player was granted, open rewards first. */
export function PlayerRewards({ identityId, slug }: { identityId: string; slug: string }) {
  const list = useList(PlayerRewardsText, { identityId }, (data) => data.rewards);
  const columns = useMemo(
    (): Column<Reward>[] => [
      {
        id: 'prize',
        title: text.prize,
        cell: ({ title, line, sharedBy }) => (
          <>
            {title ?? line} {sharedBy != null && <span className="soft">{text.shared(sharedBy)}</span>}
          </>
        ),
      },
      {
        id: 'closing',
        title: text.ranking,
        cell: ({ board, closing }) => board && <ClosingLink slug={slug} board={board} closing={closing} />,
      },
      { id: 'rank', title: text.rank, number: true, cell: ({ rank }) => count(rank) },
      { id: 'status', title: text.statusTitle, cell: (reward) => <RewardStatusLink reward={reward} /> },
      {
        id: 'at',
        title: text.grantedAt,
        wide: true,
        cell: ({ createdAt }) => <When at={createdAt} className="soft" />,
      },
    ],
    [slug],
  );
  return (
    <ListCard
      title={text.title}
      label={text.title}
      list={list}
      columns={columns}
      keyOf={({ id }) => id}
      empty={text.nonePlayer}
    />
  );
}
