import { Outlet, useRouterState } from '@tanstack/react-router';
import { lazy, Suspense, useEffect } from 'react';
import { connection } from '../api/connection.js';
import { useMe } from '../api/me.js';
import { useStore } from '../api/store.js';
import { moment } from '../parts/format.js';
import { Waiting } from '../parts/states.js';
import { t } from '../texts.js';
import { ForeignAccount } from './account-menu.js';
import { FollowPending } from './pending.js';
import { Sidebar } from './sidebar.js';
import { TabBar } from './tab-bar.js';
import { TopBar } from './top-bar.js';

const FirstPasskey = lazy(async () => ({ default: (await import('./first-passkey.js')).FirstPasskey }));

/** Everything around a screen. */
export function Shell() {
  const path = useRouterState({ select: (state) => state.location.pathname });
  const { live, since } = useStore(connection);
  useEffect(() => {
    if (document.activeElement === document.body)
      document.getElementById('main')?.focus({ preventScroll: true });
  }, [path]);
  const { needsPasskey } = useMe();
  if (needsPasskey) {
    return (
      <Suspense fallback={<Waiting />}>
        <FirstPasskey />
      </Suspense>
    );
  }
  const queue = path === '/moderation' || path.endsWith('/console/moderation');
  return (
    <div className={queue ? 'app with-queue' : 'app'}>
      <a className="skip" href="#main">
        {t.skip}
      </a>
      <FollowPending />
      <Sidebar />
      <div className="page">
        <ForeignAccount />
        <TopBar />
        {!live && (
          <div className="note warn" role="status">
            {t.offline(moment(since))}
          </div>
        )}
        <Suspense fallback={<Waiting />}>
          <Outlet />
        </Suspense>
      </div>
      <TabBar />
    </div>
  );
}
