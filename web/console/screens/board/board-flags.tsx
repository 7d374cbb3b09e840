import { Link } from '@tanstack/react-router';
import type { BoardDetails } from '../../api/boards.js';
import { useList } from '../../api/hooks.js';
import { graphql } from '../../generated/gql.js';
import type { FlagListQuery } from '../../generated/graphql.js';
import { Amount } from '../../parts/amount.js';
import { Chip } from '../../parts/card.js';
import type { Column } from '../../parts/data-table.js';
import { ListCard } from '../../parts/list-card.js';
import { When } from '../../parts/time.js';
import { t } from '../../texts.js';
import { VerdictChip } from '../queue/flag-list.js';

const FlagListQueryText = graphql(`
  query FlagList($boardId: ID, $identityId: ID, $after: String) {
    scoreFlags(filter: {boardId: $boardId, identityId: $identityId}, first: 50, after: $after) {
      nodes {
        id
        flagType
        status
        explanation
        createdAt
        board { name unit format { kind decimals timeUnit } }
        identity { displayName }
        scoreEvent { value valueDisplay }
        reviewerName
      }
      pageInfo { hasNextPage endCursor }
    }
  }
`);

type FlagRow = FlagListQuery['scoreFlags']['nodes'][number];

const COLUMNS: Column<FlagRow>[] = [
  {
    id: 'flag',
    title: t.flags.flag,
    cell: (row) => (
      <>
        <Link to="/moderation" search={{ flag: row.id }}>
          <span className="name">{row.identity?.displayName}</span>, {t.queue.kinds[row.flagType]},{' '}
          <Amount of={row.board} value={row.scoreEvent?.value ?? 0} display={row.scoreEvent?.valueDisplay} />
        </Link>
        <div className="small soft">{row.explanation}</div>
      </>
    ),
  },
  {
    id: 'status',
    title: t.flags.decision,
    by: (row) => row.status,
    cell: (row) =>
      row.status === 'PENDING' ? (
        <Chip tone="warn">{t.flags.pending}</Chip>
      ) : (
        <VerdictChip status={row.status} by={row.reviewerName ?? undefined} />
      ),
  },
  {
    id: 'at',
    title: t.audit.when,
    wide: true,
    by: (row) => row.createdAt,
    cell: (row) => <When at={row.createdAt} className="soft" />,
  },
];

/** Flags of a board, or of a player, decided ones too. */
export function FlagCard({ boardId, identityId }: { boardId?: string; identityId?: string }) {
  const list = useList(FlagListQueryText, { boardId, identityId }, (data) => data.scoreFlags);
  return (
    <ListCard
      title={t.nav.flags}
      label={t.nav.flags}
      list={list}
      columns={COLUMNS}
      keyOf={(row) => row.id}
      empty={t.flags.empty}
    />
  );
}

export function BoardFlags({ board }: { board: BoardDetails }) {
  return <FlagCard boardId={board.id} />;
}
