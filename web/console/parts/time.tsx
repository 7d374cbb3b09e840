import { useEffect, useState } from 'react';
import { exact, moment, span } from './format.js';

/** The present moment, again every so many milliseconds. */
export function useNow(every = 10_000): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), every);
    return () => clearInterval(timer);
  }, [every]);
  return now;
}

/** How long ago a moment was: `2 m`. */
export function Ago({ at, className }: { at: string; className?: string }) {
  const now = useNow();
  return (
    <time className={className} dateTime={at} title={exact(at)}>
      {span(now - Date.parse(at))}
    </time>
  );
}

/** A moment in the viewer's zone. */
export function When({ at, className }: { at: string; className?: string }) {
  return (
    <time className={className} dateTime={at} title={exact(at)}>
      {moment(at)}
    </time>
  );
}

/** The time until a moment, each second within the last hour. */
export function Until({ at }: { at: string }) {
  const near = Date.parse(at) - Date.now() < 3_600_000;
  const now = useNow(near ? 1_000 : 10_000);
  const left = Date.parse(at) - now;
  const seconds = near ? Math.max(0, Math.floor(left / 1000)) : undefined;
  return (
    <time className={near ? 'ticking' : undefined} dateTime={at} title={exact(at)}>
      {seconds === undefined || seconds < 60 ? span(left) : `${Math.floor(seconds / 60)} m ${seconds % 60} s`}
    </time>
  );
}
