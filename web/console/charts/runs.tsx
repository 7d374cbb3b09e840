import { axis, type Measured, shortDay } from '../parts/format.js';
import { t } from '../texts.js';
import { FOOT, Frame, TOP } from './frame.js';

export interface Run {
  id: string;
  value: number;
  at: string;
}

interface RunsProps {
  /** The board whose values they are. */
  of: Measured;
  /** Oldest first. */
  runs: Run[];
  /** The run to mark. */
  marked?: string | undefined;
  lowerIsBetter?: boolean;
  height?: number;
}

const MARGIN = 8;

/** A player's runs in their order, the best so far as steps, one run marked. */
export function Runs({ of, runs, marked, lowerIsBetter, height = 150 }: RunsProps) {
  const first = runs[0];
  if (!first) return null;
  const values = runs.map((run) => run.value);
  const high = Math.max(...values, 0);
  const low = Math.min(...values, 0);
  const base = height - FOOT;
  const better = lowerIsBetter ? Math.min : Math.max;
  const draw = (width: number) => {
    const x = (index: number) => MARGIN + (index / Math.max(1, runs.length - 1)) * (width - 2 * MARGIN);
    const y = (value: number) => base - ((value - low) / ((high - low) * 1.04 || 1)) * (base - TOP);
    let best: number | undefined;
    let steps = '';
    for (const [index, run] of runs.entries()) {
      if (run.id === marked) continue;
      const now: number = best === undefined ? run.value : better(best, run.value);
      steps += best === undefined ? `M${x(index)},${y(now)}` : `H${x(index)}V${y(now)}`;
      best = now;
    }
    return (
      <>
        <line className="axis" x1={0} x2={width} y1={base + 0.5} y2={base + 0.5} />
        <path className="best" d={steps} />
        {runs.map((run, index) => (
          <circle
            key={run.id}
            className={run.id === marked ? 'run marked' : 'run'}
            cx={x(index)}
            cy={y(run.value)}
            r={run.id === marked ? 5 : 3}
          />
        ))}
        {runs.map(
          (run, index) =>
            run.id === marked && (
              <text
                key={run.id}
                className="strong"
                x={x(index) > width / 2 ? Math.min(x(index) + 6, width) : Math.max(0, x(index) - 6)}
                y={Math.max(11, y(run.value) - 11)}
                textAnchor={x(index) > width / 2 ? 'end' : 'start'}
              >
                {t.chart.thisRun(axis(of, run.value))}
              </text>
            ),
        )}
        <text x={0} y={height - 4}>
          {shortDay(first.at)}
        </text>
        <text x={width} y={height - 4} textAnchor="end">
          {t.chart.now}
        </text>
      </>
    );
  };
  return (
    <Frame height={height} label={t.chart.runs(runs.length, axis(of, low), axis(of, high))} draw={draw} />
  );
}
