import { type ReactNode, useEffect, useMemo } from 'react';
import { Provider } from 'urql';
import { makeClient } from '../api/client.js';
import { t } from '../texts.js';
import { Brand } from './places.js';

interface DoorProps {
  /** Of the window; the heading without one. */
  title: string;
  heading?: string;
  children: ReactNode;
  /** The way to another door. */
  foot?: ReactNode;
}

/** The frame of what is there without a key; its requests are a visitor's. */
export function Door({ title, heading = title, children, foot }: DoorProps) {
  const client = useMemo(() => makeClient(undefined), []);
  useEffect(() => {
    document.title = t.windowTitle(title);
  }, [title]);
  return (
    <Provider value={client}>
      <main className="sign-in">
        <div>
          <Brand />
          <section className="card">
            <h1>{heading}</h1>
            {children}
          </section>
          {foot && <p className="small soft">{foot}</p>}
        </div>
      </main>
    </Provider>
  );
}
