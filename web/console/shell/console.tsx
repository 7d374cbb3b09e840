import { RouterProvider } from '@tanstack/react-router';
import { useEffect, useMemo } from 'react';
import { Provider } from 'urql';
import { makeClient } from '../api/client.js';
import { useRead } from '../api/hooks.js';
import { MeContext, MeQuery } from '../api/me.js';
import { apiKey, refusal } from '../api/session.js';
import { useStore } from '../api/store.js';
import { Failed } from '../parts/states.js';
import { Toasts } from '../parts/toast.js';
import { Refused } from './refused.js';
import { router } from './router.js';
import { SignIn } from './sign-in.js';

/** The sign-in, or the console of a key. */
export function Console() {
  const key = useStore(apiKey);
  const refused = useStore(refusal);
  if (key === null) return <SignIn />;
  return (
    <>
      <SignedIn key={key} apiKey={key} />
      <Toasts />
      {refused && <Refused {...refused} />}
    </>
  );
}

function SignedIn({ apiKey }: { apiKey: string }) {
  const client = useMemo(() => makeClient(apiKey), [apiKey]);
  return (
    <Provider value={client}>
      <Gate />
    </Provider>
  );
}

const SCREENS_AFTER_MS = 2_000;

/** Loads the code of the other screens when the first one is there: they open without a connection, too. */
function useAllScreens(): void {
  useEffect(() => {
    const timer = setTimeout(() => {
      for (const route of Object.values(router.routesById))
        void router.loadRouteChunk(route)?.catch(() => {});
    }, SCREENS_AFTER_MS);
    return () => clearTimeout(timer);
  }, []);
}

/** The screens need to know whose key it is. */
function Gate() {
  const { data, fault, again } = useRead(MeQuery, {});
  useAllScreens();
  if (data) {
    return (
      <MeContext value={data.me}>
        <RouterProvider router={router} />
      </MeContext>
    );
  }
  if (fault) return <Failed fault={fault} again={again} />;
  return (
    <div className="app" aria-busy="true">
      <div className="side" />
      <div className="page">
        <div className="top" />
      </div>
    </div>
  );
}
