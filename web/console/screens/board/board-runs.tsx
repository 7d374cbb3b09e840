import { Link } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import type { BoardDetails } from '../../api/boards.js';
import { useAct, useList } from '../../api/hooks.js';
import { graphql } from '../../generated/gql.js';
import type { RunListQuery } from '../../generated/graphql.js';
import { Amount } from '../../parts/amount.js';
import { Chip } from '../../parts/card.js';
import { ActionFault, Button, SelectField } from '../../parts/controls.js';
import type { Column } from '../../parts/data-table.js';
import { ListCard } from '../../parts/list-card.js';
import { When } from '../../parts/time.js';
import { say } from '../../parts/toast.js';
import { t } from '../../texts.js';
import { RaiseMutation } from './raise-flag.js';

const RunListText = graphql(`
  query RunList($boardId: ID!, $isTest: Boolean, $after: String) {
    scoreEvents(filter: {boardId: $boardId, isTest: $isTest}, first: 50, after: $after) {
      nodes {
        id
        identityId
        value
        valueDisplay
        createdAt
        isTest
        country
        identity { displayName }
        flags { id status }
      }
      pageInfo { hasNextPage endCursor }
    }
  }
`);

type RunRow = RunListQuery['scoreEvents']['nodes'][number];
type Population = 'production' | 'test';
const text = t.runs;

/** All runs of a board, newest first; a run can be flagged here. */
export function BoardRuns({ board, slug }: { board: BoardDetails; slug: string }) {
  const [population, setPopulation] = useState<Population>('production');
  const isTest = population === 'test';
  const list = useList(RunListText, { boardId: board.id, isTest }, (data) => data.scoreEvents);
  const raise = useAct(RaiseMutation);
  const { run } = raise;
  const { reload } = list;
  const columns = useMemo((): Column<RunRow>[] => {
    const flag = async (row: RunRow) => {
      if (!(await run({ input: { scoreEventId: row.id } }))) return;
      say(text.raised(row.identity?.displayName ?? ''));
      reload();
    };
    return [
      {
        id: 'player',
        title: text.player,
        cell: (row) => (
          <>
            <Link className="name" to="/games/$slug/players/$id" params={{ slug, id: row.identityId }}>
              {row.identity?.displayName}
            </Link>
            <div className="small faint-text phone-only">
              <When at={row.createdAt} />
            </div>
          </>
        ),
      },
      {
        id: 'value',
        title: t.queue.value,
        number: true,
        by: (row) => row.value,
        cell: (row) => (
          <span className="strong">
            <Amount of={board} value={row.value} display={row.valueDisplay} />
          </span>
        ),
      },
      {
        id: 'at',
        title: t.audit.when,
        wide: true,
        by: (row) => row.createdAt,
        cell: (row) => <When at={row.createdAt} />,
      },
      { id: 'country', title: text.country, wide: true, cell: (row) => row.country ?? '' },
      {
        id: 'flag',
        title: '',
        number: true,
        cell: (row) =>
          row.flags?.length ? (
            <Chip tone="warn">{text.flagged}</Chip>
          ) : (
            <Button look="quiet" needs="MODERATE" onClick={() => void flag(row)}>
              {text.raise}
            </Button>
          ),
      },
    ];
  }, [board, slug, run, reload]);
  return (
    <>
      <ActionFault fault={raise.fault} />
      <ListCard
        title={t.board.tabNames.runs}
        label={t.board.tabNames.runs}
        side={
          <SelectField<Population>
            bare
            label={text.population}
            value={population}
            options={[
              ['production', text.production],
              ['test', text.test],
            ]}
            onPick={setPopulation}
          />
        }
        list={list}
        columns={columns}
        keyOf={(row) => row.id}
        empty={t.live.noRuns}
      />
    </>
  );
}
