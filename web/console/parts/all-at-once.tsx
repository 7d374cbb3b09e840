import { type ReactNode, useEffect, useRef, useState } from 'react';
import { Waiting } from './states.js';

/** After that, what has loaded is shown. */
const LONGEST_WAIT_MS = 4_000;
const BUSY = '[aria-busy="true"]';

/** Shows its cards once all of them have loaded: one that came later would move what is about to be clicked. */
export function AllAtOnce({ children }: { children: ReactNode }) {
  const box = useRef<HTMLDivElement>(null);
  const [ready, setReady] = useState(false);
  useEffect(() => {
    const look = () => box.current?.querySelector(BUSY) || setReady(true);
    const observer = new MutationObserver(look);
    observer.observe(box.current!, { subtree: true, childList: true, attributeFilter: ['aria-busy'] });
    const timer = setTimeout(() => setReady(true), LONGEST_WAIT_MS);
    look();
    return () => {
      observer.disconnect();
      clearTimeout(timer);
    };
  }, []);
  return (
    <>
      {!ready && <Waiting rows={10} />}
      <div ref={box} className={ready ? undefined : 'not-yet'} inert={!ready}>
        {children}
      </div>
    </>
  );
}
