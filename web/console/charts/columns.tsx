import { useState } from 'react';
import { count } from '../parts/format.js';
import { FOOT, Frame, TOP } from './frame.js';

/** A count of a span of time. */
export interface TimedCount {
  /** Start of the span. */
  at: string;
  value: number;
}

interface ColumnsProps {
  /** Oldest first. */
  values: TimedCount[];
  /** The span in words. */
  spanText(at: string): string;
  /** The same at the ends of the axis. */
  shortText(at: string): string;
  /** The same facts in words. */
  label: string;
  height?: number;
}

/** Counts of equal spans of time as columns; the one that is pointed at says its own. */
export function Columns({ values, spanText, shortText, label, height = 120 }: ColumnsProps) {
  const [pointed, setPointed] = useState<number>();
  const most = Math.max(...values.map(({ value }) => value), 1);
  const base = height - FOOT;
  const shown = pointed === undefined ? undefined : values[pointed];
  const draw = (width: number) => {
    const each = width / values.length;
    const said = ((pointed ?? 0) + 0.5) * each;
    const anchor = said < width / 3 ? 'start' : said > (2 * width) / 3 ? 'end' : 'middle';
    return (
      <g onPointerLeave={() => setPointed(undefined)}>
        {values.map(({ at, value }, index) => {
          const tall = value ? Math.max(2, (value / most) * (base - TOP)) : 0;
          return (
            <g key={at} onPointerEnter={() => setPointed(index)}>
              <rect className="reach" x={index * each} width={each} y={0} height={base} />
              <rect
                className={index === pointed ? 'bar marked' : 'bar'}
                x={index * each + 0.5}
                width={Math.max(1, each - 1)}
                y={base - tall}
                height={tall}
              />
            </g>
          );
        })}
        <line className="axis" x1={0} x2={width} y1={base + 0.5} y2={base + 0.5} />
        {shown ? (
          <text
            className="strong"
            x={Math.min(width, Math.max(0, said))}
            y={TOP - 10}
            textAnchor={anchor}
          >{`${count(shown.value)}, ${spanText(shown.at)}`}</text>
        ) : (
          values.some(({ value }) => value > 0) && (
            <text x={0} y={TOP - 10}>
              {count(most)}
            </text>
          )
        )}
        <text x={0} y={height - 4}>
          {shortText(values[0]!.at)}
        </text>
        <text x={width} y={height - 4} textAnchor="end">
          {shortText(values.at(-1)!.at)}
        </text>
      </g>
    );
  };
  if (values.length === 0) return null;
  return <Frame height={height} label={label} draw={draw} />;
}
