import { type ReactNode, useEffect } from 'react';
import { type Needs, useAccountId, useMay } from '../api/me.js';
import { Store } from '../api/store.js';
import { Reason } from '../parts/may.js';
import { t } from '../texts.js';
import { noteSeen } from './recent.js';

/** A step of the path: its text and, except for the last one, its link. */
export type Crumb = [string, ((text: string) => ReactNode)?];

export const crumbsShown = new Store<Crumb[]>([]);

interface PageProps {
  /** For the window's title. */
  title: string;
  crumbs: Crumb[];
  children: ReactNode;
  className?: string;
  /** Others see the reason instead. */
  needs?: Needs;
  /** Id of the record that is shown, for what the search shows as recently seen. */
  seen?: string | undefined;
}

/** Content of a screen: sets the window's title and the path in the top bar. */
export function Page({ title, crumbs, children, className, needs, seen }: PageProps) {
  const path = crumbs.map(([text]) => text).join('/');
  useEffect(() => crumbsShown.set(crumbs), [path]);
  useEffect(() => {
    document.title = t.windowTitle(title);
  }, [title]);
  const accountId = useAccountId();
  useEffect(() => {
    if (seen) noteSeen(accountId, seen);
  }, [accountId, seen]);
  const may = useMay()(needs);
  return (
    <main id="main" className={className} tabIndex={-1}>
      {needs && !may ? <Reason needs={needs} /> : children}
    </main>
  );
}
