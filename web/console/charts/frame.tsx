import { type ReactNode, useEffect, useRef, useState } from 'react';

interface FrameProps {
  height: number;
  /** The same facts in words. */
  label: string;
  draw(width: number): ReactNode;
}

const NARROWEST = 120;
/** Pixels above and below the drawn values, for labels. */
export const TOP = 24;
export const FOOT = 20;

/** An SVG as wide as its place, drawn in pixels, so that texts keep their size. */
export function Frame({ height, label, draw }: FrameProps) {
  const place = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  useEffect(() => {
    const element = place.current;
    if (!element) return;
    const watch = new ResizeObserver(([entry]) => {
      if (entry) setWidth(Math.round(entry.contentRect.width));
    });
    watch.observe(element);
    return () => watch.disconnect();
  }, []);
  const drawn = Math.max(NARROWEST, width);
  return (
    <div ref={place}>
      <svg className="chart" role="img" aria-label={label} viewBox={`0 0 ${drawn} ${height}`} height={height}>
        {width > 0 && draw(drawn)}
      </svg>
    </div>
  );
}
