import { Link } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { useAct, useList, useRead } from '../../api/hooks.js';
import { graphql } from '../../generated/gql.js';
import type { ClosingRewardsQuery, RewardStatus } from '../../generated/graphql.js';
import { Chip, Facts, type Tone } from '../../parts/card.js';
import { Button, SelectField } from '../../parts/controls.js';
import { type Column, DataTable } from '../../parts/data-table.js';
import { FormDialog } from '../../parts/form-dialog.js';
import { count } from '../../parts/format.js';
import { Pager } from '../../parts/pager.js';
import { Empty, Failed, Loaded, Waiting } from '../../parts/states.js';
import { When } from '../../parts/time.js';
import { say } from '../../parts/toast.js';
import { REWARD_TEXTS as text } from './texts.js';
import './prizes.css';

const RewardCountsText = graphql(`
  query RewardCounts($id: ID!) {
    closing(id: $id) {
      id
      grantedCount
      rewardCounts { open claimed acknowledged expired revoked }
    }
  }
`);

const ClosingRewards = graphql(`
  query ClosingRewards($closingId: ID!, $status: RewardStatus, $isTest: Boolean!, $after: String) {
    rewards(filter: { closingId: $closingId, status: $status, isTest: $isTest }, first: 20, after: $after) {
      nodes { id title line rank sharedBy status updatedAt identity { id displayName } }
      pageInfo { hasNextPage endCursor }
    }
  }
`);

const ReleasePrizes = graphql(`
  mutation ReleasePrizes($input: ReleasePrizesInput!) {
    releasePrizes(input: $input) { closing { id prizesStatus } }
  }
`);

type Reward = ClosingRewardsQuery['rewards']['nodes'][number];
type Filter = RewardStatus | '';

const REWARD_TONES: Record<RewardStatus, Tone> = {
  OPEN: 'warn',
  CLAIMED: 'good',
  ACKNOWLEDGED: 'good',
  EXPIRED: 'plain',
  REVOKED: 'bad',
};

const STATUSES = Object.keys(text.status) as RewardStatus[];

interface RewardsProps {
  closingId: string;
  isTest: boolean;
  slug: string;
}

/** The rewards of a closing: how many have which status, and which they are. */
export function Rewards({ closingId, isTest, slug }: RewardsProps) {
  const counts = useRead(RewardCountsText, { id: closingId });
  const [status, setStatus] = useState<Filter>('');
  const list = useList(ClosingRewards, { closingId, isTest, status: status || null }, (data) => data.rewards);
  const columns = useMemo(() => columnsOf(slug), [slug]);
  return (
    <section className="rewards" aria-label={text.title}>
      <Loaded data={counts.data} fault={counts.fault} again={counts.again} rows={1}>
        {({ closing: { grantedCount, rewardCounts: by } }) => (
          <Facts
            facts={[
              [text.granted, count(grantedCount)],
              ...STATUSES.map((key): [string, string] => [
                text.status[key],
                count(by?.[key.toLowerCase() as Lowercase<RewardStatus>] ?? 0),
              ]),
            ]}
          />
        )}
      </Loaded>
      <SelectField<Filter>
        label={text.filter}
        value={status}
        options={[['', text.all], ...STATUSES.map((key): [RewardStatus, string] => [key, text.status[key]])]}
        onPick={(picked) => {
          setStatus(picked);
          counts.again();
        }}
      />
      {list.loading && <Waiting rows={3} />}
      {list.fault && <Failed fault={list.fault} again={list.reload} />}
      {!list.loading && !list.fault && list.rows.length === 0 && <Empty>{text.empty}</Empty>}
      {list.rows.length > 0 && (
        <DataTable label={text.title} rows={list.rows} columns={columns} keyOf={({ id }) => id} />
      )}
      <Pager list={list} />
    </section>
  );
}

function columnsOf(slug: string): Column<Reward>[] {
  return [
    { id: 'rank', title: text.rank, number: true, cell: ({ rank }) => count(rank) },
    {
      id: 'player',
      title: text.player,
      cell: ({ identity }) =>
        identity && (
          <Link className="name" to="/games/$slug/players/$id" params={{ slug, id: identity.id }}>
            {identity.displayName}
          </Link>
        ),
    },
    {
      id: 'prize',
      title: text.prize,
      cell: ({ title, line, sharedBy }) => (
        <>
          {title ?? line} {sharedBy != null && <span className="soft">{text.shared(sharedBy)}</span>}
        </>
      ),
    },
    { id: 'status', title: text.statusTitle, cell: (reward) => <RewardStatusLink reward={reward} /> },
    {
      id: 'at',
      title: text.since,
      wide: true,
      cell: ({ updatedAt }) => <When at={updatedAt} className="soft" />,
    },
  ];
}

/** The status of a reward; its changes are behind it. */
export function RewardStatusLink({ reward: { id, status } }: { reward: Pick<Reward, 'id' | 'status'> }) {
  return (
    <Link to="/audit" search={{ subject: id }}>
      <Chip tone={REWARD_TONES[status]}>{text.status[status]}</Chip>
    </Link>
  );
}

/** Lets prizes be granted that a limit or a restored backup holds. */
export function ReleaseButton({
  closingId,
  hint,
  onDone,
}: {
  closingId: string;
  hint: string;
  onDone(): void;
}) {
  const [asking, setAsking] = useState(false);
  const act = useAct(ReleasePrizes, ['Closing', 'Reward']);
  const release = async () => {
    if (!(await act.run({ input: { id: closingId } }))) return;
    setAsking(false);
    say(text.released);
    onDone();
  };
  return (
    <>
      <Button needs="CONFIGURE" onClick={() => setAsking(true)}>
        {text.release}
      </Button>
      {asking && (
        <FormDialog
          title={text.release}
          action={text.release}
          act={act}
          onClose={() => setAsking(false)}
          onSubmit={() => void release()}
        >
          <p>{hint}</p>
          <p>{text.releaseHint}</p>
        </FormDialog>
      )}
    </>
  );
}
