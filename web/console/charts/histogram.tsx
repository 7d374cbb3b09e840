import { axis, type Measured } from '../parts/format.js';
import { t } from '../texts.js';
import { FOOT, Frame, TOP } from './frame.js';

export interface Bin {
  from: number;
  to: number;
  entries: number;
}

interface HistogramProps {
  /** The board whose values they are. */
  of: Measured;
  bins: Bin[];
  median?: number | null | undefined;
  /** A value to mark as "this run". */
  mark?: number | undefined;
  height?: number;
}

/** Width of a small character, about. */
const CHARACTER = 6.6;

/** Bars of a distribution; the median as a broken line, the marked value as a labelled one. */
export function Histogram({ of, bins, median, mark, height = 150 }: HistogramProps) {
  const first = bins[0];
  const last = bins.at(-1);
  if (!first || !last) return null;
  const from = Math.min(first.from, mark ?? first.from);
  const to = Math.max(last.to, mark ?? last.to);
  const most = Math.max(...bins.map((bin) => bin.entries), 1);
  const base = height - FOOT;
  const label = [
    t.chart.range(axis(of, from), axis(of, to)),
    median != null && t.chart.median(axis(of, median)),
    mark !== undefined && t.chart.thisRun(axis(of, mark)),
  ];
  const draw = (width: number) => {
    const x = (value: number) => (to > from ? ((value - from) / (to - from)) * width : width / 2);
    const isMarked = (bin: Bin) =>
      mark !== undefined && mark >= bin.from && (mark < bin.to || (bin === last && mark <= bin.to));
    const markAt = mark === undefined ? 0 : Math.min(width - 1, Math.max(1, x(mark)));
    // Of the median's text, and of the last value behind it.
    const roomBehind =
      12 + CHARACTER * (axis(of, to).length + t.chart.median(axis(of, median ?? 0)).length / 2);
    return (
      <>
        {bins.map((bin) => {
          const tall = bin.entries ? Math.max(2, (bin.entries / most) * (base - TOP)) : 0;
          const left = x(bin.from);
          return (
            <rect
              key={bin.from}
              className={isMarked(bin) ? 'bar marked' : 'bar'}
              x={left + 0.5}
              width={Math.max(1, x(bin.to) - left - 1)}
              y={base - tall}
              height={tall}
            />
          );
        })}
        <line className="axis" x1={0} x2={width} y1={base + 0.5} y2={base + 0.5} />
        {median != null && (
          <>
            <line className="median" x1={x(median)} x2={x(median)} y1={TOP - 6} y2={base} />
            <text
              x={Math.max(90, Math.min(width - roomBehind, x(median)))}
              y={height - 4}
              textAnchor="middle"
            >
              {t.chart.median(axis(of, median))}
            </text>
          </>
        )}
        {mark !== undefined && (
          <>
            <line className="mark" x1={markAt} x2={markAt} y1={TOP - 6} y2={base} />
            <text
              className="strong"
              x={markAt > width * 0.55 ? Math.min(markAt + 1, width) : markAt + 4}
              y={TOP - 10}
              textAnchor={markAt > width * 0.55 ? 'end' : 'start'}
            >
              {t.chart.thisRun(axis(of, mark))}
            </text>
          </>
        )}
        <text x={0} y={height - 4}>
          {axis(of, from)}
        </text>
        <text x={width} y={height - 4} textAnchor="end">
          {axis(of, to)}
        </text>
      </>
    );
  };
  return <Frame height={height} label={label.filter(Boolean).join(', ')} draw={draw} />;
}
