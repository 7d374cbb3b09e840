import { useRead } from '../api/hooks.js';
import { graphql } from '../generated/gql.js';
import { axis, count, type Measured } from '../parts/format.js';
import { Loaded } from '../parts/states.js';
import { t } from '../texts.js';
import { Histogram } from './histogram.js';

const DistributionQuery = graphql(`
  query BoardDistribution($boardId: ID!, $isTest: Boolean!, $view: String, $period: String, $where: [TagInput!]) {
    board(by: { id: $boardId }) {
      id
      ranking(isTest: $isTest, view: $view, period: $period, where: $where) {
        distribution {
          count
          median
          quantiles { share value }
          bins { from to count }
        }
      }
    }
  }
`);

/** The others' values when a run was flagged. */
export interface UsualValues {
  entries: number;
  median: number;
  from: number;
  to: number;
}

/** A ranking of a view. */
export interface ShownRanking {
  view: string | null;
  periodKey: string | null;
  tags: { name: string; value: string }[];
}

interface DistributionProps {
  board: { id: string } & Measured;
  isTest?: boolean;
  /** The value to mark as "this run". */
  mark?: number;
  /** Told instead of the present ones. */
  usual?: UsualValues | null;
  /** Absent: the board's own. */
  ranking?: ShownRanking | undefined;
  height?: number;
  every?: number | undefined;
}

/** The distribution of a board's values, with the median and a value marked. */
export function Distribution(props: DistributionProps) {
  const { board, isTest = false, mark, usual, ranking: of, height = 170, every } = props;
  const where = of?.tags.map(({ name, value }) => ({ name, value }));
  const variables = { boardId: board.id, isTest, ...(of && { view: of.view, period: of.periodKey, where }) };
  const { data, fault, again } = useRead(DistributionQuery, variables, { every });
  return (
    <Loaded data={data} fault={fault} again={again} rows={3}>
      {({ board: { ranking } }, distribution = ranking?.distribution) =>
        !distribution || distribution.count === 0 ? (
          <p className="soft small">{t.distribution.empty}</p>
        ) : (
          <>
            <Histogram
              of={board}
              bins={distribution.bins.map(({ from, to, count }) => ({ from, to, entries: count }))}
              median={usual?.median ?? distribution.median}
              mark={mark}
              height={height}
            />
            <p className="small faint-text">
              {usual
                ? t.distribution.asFlagged(
                    count(usual.entries),
                    axis(board, usual.from),
                    axis(board, usual.to),
                  )
                : sentence(board, distribution)}
            </p>
          </>
        )
      }
    </Loaded>
  );
}

function sentence(
  board: Measured,
  { count: entries, quantiles }: { count: number; quantiles: { share: number; value: number }[] },
) {
  const at = (share: number) => quantiles.find((quantile) => quantile.share === share)?.value;
  const [low, high] = [at(0.25), at(0.75)];
  if (low === undefined || high === undefined) return t.queue.entries(count(entries));
  return t.distribution.half(count(entries), axis(board, low), axis(board, high));
}
