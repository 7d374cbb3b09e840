import { type ReactNode, useEffect, useRef } from 'react';

interface FoldProps {
  title: ReactNode;
  /** Beside the title: what a closed one holds. */
  side?: ReactNode;
  /** Open at first. */
  open?: boolean;
  /** Opens it: one of its fields has a fault. */
  faulty: boolean;
  children: ReactNode;
}

/** Fields that are out of sight until they are wanted, or until one of them has a fault. */
export function Fold({ title, side, open = false, faulty, children }: FoldProps) {
  const details = useRef<HTMLDetailsElement>(null);
  // Later the person opens and closes it, outside of React.
  useEffect(() => {
    if (details.current && open) details.current.open = true;
  }, []);
  useEffect(() => {
    if (details.current && faulty) details.current.open = true;
  }, [faulty]);
  return (
    <details
      ref={details}
      className="fold"
      // The browser shows its own fault at a field that it can reach.
      onInvalidCapture={(event) => {
        event.currentTarget.open = true;
      }}
    >
      <summary>
        <b>{title}</b> <span>{side}</span>
      </summary>
      <div className="fold-body">{children}</div>
    </details>
  );
}
