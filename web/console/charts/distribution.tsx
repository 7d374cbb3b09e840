import { useRead } from '../api/hooks.js';
import { graphql } from '../generated/gql.js';
import { axis, count, type Measured } from '../parts/format.js';
import { Loaded } from '../parts/states.js';
import { t } from '../texts.js';
import { Histogram } from './histogram.js';

const DistributionQuery = graphql(`
  query BoardDistribution($boardId: ID!, $isTest: Boolean!) {
    board(by: { id: $boardId }) {
      id
      ranking(isTest: $isTest) {
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

interface DistributionProps {
  board: { id: string } & Measured;
  isTest?: boolean;
  /** The value to mark as "this run". */
  mark?: number;
  /** Told instead of the present ones. */
  usual?: UsualValues | null;
  height?: number;
  every?: number | undefined;
}

/** The distribution of a board's values, with the median and a value marked. */
export function Distribution({ board, isTest = false, mark, usual, height = 170, every }: DistributionProps) {
  const { data, fault, again } = useRead(DistributionQuery, { boardId: board.id, isTest }, { every });
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
