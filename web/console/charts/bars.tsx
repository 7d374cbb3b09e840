import { t } from '../texts.js';
import { Frame } from './frame.js';

/** A sparkline of counts. */
export function Bars({ values, height = 24 }: { values: number[]; height?: number }) {
  const most = Math.max(...values, 1);
  const draw = (width: number) =>
    values.map((value, index) => {
      const tall = Math.max(1, (value / most) * height);
      const each = width / values.length;
      return (
        <rect
          key={index}
          className="bar"
          x={index * each}
          width={Math.max(1, each - 1)}
          y={height - tall}
          height={tall}
        />
      );
    });
  return <Frame height={height} label={t.chart.bars(values.at(-1) ?? 0, most)} draw={draw} />;
}
