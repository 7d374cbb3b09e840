import { type ReactNode, useEffect, useState } from 'react';
import type { Fault } from '../api/fault.js';
import { t } from '../texts.js';
import { Button } from './controls.js';

/** True after 150 ms: shorter waits show nothing. */
function useLate(): boolean {
  const [late, setLate] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), 150);
    return () => clearTimeout(timer);
  }, []);
  return late;
}

/** Lines in the height of the rows to come. */
export function Waiting({ rows = 5, height = 40 }: { rows?: number; height?: number }) {
  const late = useLate();
  return (
    <div className="waiting" aria-busy="true">
      <span className="hidden-text" role="status">
        {late ? t.loading : ''}
      </span>
      {Array.from({ length: rows }, (_, row) => (
        <div className="line" key={row} ref={(line) => line?.style.setProperty('height', `${height}px`)}>
          {late && <i />}
        </div>
      ))}
    </div>
  );
}

export function Empty({ children, action }: { children: ReactNode; action?: ReactNode }) {
  return (
    <div className="empty">
      <p>{children}</p>
      {action}
    </div>
  );
}

/** A read that failed, in its place. */
export function Failed({ fault, again }: { fault: Fault; again(): void }) {
  return (
    <div className="note bad failed" role="alert">
      <span>
        {fault.message}
        {fault.requestId && <span className="mono block">{t.requestId(fault.requestId)}</span>}
      </span>
      {fault.code !== 'FORBIDDEN' && fault.code !== 'SUPERADMIN_REQUIRED' && (
        <Button onClick={again} wait={fault.retryAfter}>
          {t.tryAgain}
        </Button>
      )}
    </div>
  );
}

interface LoadedProps<T> {
  data: T | undefined;
  fault: Fault | undefined;
  again(): void;
  rows?: number;
  height?: number;
  children(data: T): ReactNode;
}

/** Waits, shows the fault, or the data; existing data stays while it is read again. */
export function Loaded<T>({ data, fault, again, rows, height, children }: LoadedProps<T>) {
  if (data !== undefined) return children(data);
  if (fault) return <Failed fault={fault} again={again} />;
  return <Waiting rows={rows} height={height} />;
}
