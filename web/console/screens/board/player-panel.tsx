import { Link } from '@tanstack/react-router';
import type { BoardDetails } from '../../api/boards.js';
import { useRead } from '../../api/hooks.js';
import type { ShownRanking } from '../../charts/distribution.js';
import { Runs } from '../../charts/runs.js';
import { graphql } from '../../generated/gql.js';
import { Amount } from '../../parts/amount.js';
import { Card, Chip, Facts } from '../../parts/card.js';
import { count } from '../../parts/format.js';
import { Loaded } from '../../parts/states.js';
import { When } from '../../parts/time.js';
import { t } from '../../texts.js';

const PanelQuery = graphql(`
  query PlayerPanel($boardId: ID!, $identityId: ID!, $view: String, $period: String, $where: [TagInput!]) {
    identity(id: $identityId) {
      id
      displayName
      scoreFlags(filter: {boardId: $boardId, status: PENDING}, first: 20) { nodes { id } }
    }
    board(by: { id: $boardId }) {
      id
      ranking(view: $view, period: $period, where: $where) { totalCount entry(identityId: $identityId) { rank value valueDisplay updatedAt } }
    }
    scoreEvents(filter: {boardId: $boardId, identityId: $identityId, isTest: false}, first: 60) {
      nodes { id value createdAt }
    }
  }
`);

const EVERY_MS = 10_000;

interface PanelProps {
  board: BoardDetails;
  slug: string;
  identityId: string;
  /** Undefined: the board's own. */
  ranking: ShownRanking | undefined;
}

/** Place, best run and history of one player on the board. */
export function PlayerPanel({ board, slug, identityId, ranking: of }: PanelProps) {
  const view = of && { view: of.view, period: of.periodKey, where: of.tags };
  const variables = { boardId: board.id, identityId, ...view };
  const { data, fault, again } = useRead(PanelQuery, variables, { every: EVERY_MS });
  return (
    <Loaded data={data} fault={fault} again={again}>
      {({ identity, board: { ranking }, scoreEvents }) => {
        const score = ranking?.entry;
        const flags = identity.scoreFlags?.nodes ?? [];
        const runs = scoreEvents.nodes.toReversed().map(({ id, value, createdAt }) => ({
          id,
          value,
          at: createdAt,
        }));
        return (
          <Card
            padded
            title={
              <Link className="name" to="/games/$slug/players/$id" params={{ slug, id: identity.id }}>
                {identity.displayName}
              </Link>
            }
            side={flags.length > 0 && <Chip tone="warn">{t.live.pendingFlags(flags.length)}</Chip>}
          >
            {score && (
              <Facts
                two
                facts={[
                  [t.live.place, count(score.rank), t.queue.of(count(ranking?.totalCount ?? 0))],
                  [
                    t.queue.value,
                    <Amount key="value" of={board} value={score.value} display={score.valueDisplay} />,
                    <When key="at" at={score.updatedAt} />,
                  ],
                ]}
              />
            )}
            <Runs of={board} runs={runs} lowerIsBetter={board.sortDirection === 'ASC'} height={140} />
            <div className="actions">
              {flags[0] && (
                <Link className="button plain" to="/moderation" search={{ flag: flags[0].id }}>
                  {t.live.reviewFlag}
                </Link>
              )}
              <Link className="button quiet" to="/games/$slug/players/$id" params={{ slug, id: identity.id }}>
                {t.live.playerPage}
              </Link>
            </div>
          </Card>
        );
      }}
    </Loaded>
  );
}
