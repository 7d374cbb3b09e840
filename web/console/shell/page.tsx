import { type ReactNode, useEffect } from 'react';
import { Store } from '../api/store.js';
import { t } from '../texts.js';

/** A step of the path: its text and, except for the last one, its link. */
export type Crumb = [string, ((text: string) => ReactNode)?];

export const crumbsShown = new Store<Crumb[]>([]);

interface PageProps {
  /** For the window's title. */
  title: string;
  crumbs: Crumb[];
  children: ReactNode;
  className?: string;
}

/** Content of a screen: sets the window's title and the path in the top bar. */
export function Page({ title, crumbs, children, className }: PageProps) {
  const path = crumbs.map(([text]) => text).join('/');
  useEffect(() => crumbsShown.set(crumbs), [path]);
  useEffect(() => {
    document.title = t.windowTitle(title);
  }, [title]);
  return (
    <main id="main" className={className} tabIndex={-1}>
      {children}
    </main>
  );
}
