import { RouterProvider } from '@tanstack/react-router';
import { lazy, Suspense, useEffect, useMemo } from 'react';
import { Provider } from 'urql';
import { makeClient } from '../api/client.js';
import { FirstAccountQuery, MeQuery } from '../api/first-operations.js';
import { useRead } from '../api/hooks.js';
import { MeContext } from '../api/me.js';
import { CONSOLE_PATH } from '../api/place.js';
import { apiKey, chosenAccount, refusal } from '../api/session.js';
import { useStore } from '../api/store.js';
import { loadDropDown } from '../parts/menu.js';
import { Failed } from '../parts/states.js';
import { Toasts } from '../parts/toast.js';
import { t } from '../texts.js';
import { Refused } from './refused.js';
import { router } from './router.js';

const loadSignIn = () => import('./sign-in.js');
const SignIn = lazy(async () => ({ default: (await loadSignIn()).SignIn }));

const Register = lazy(async () => ({ default: (await import('./register.js')).Register }));

const SignedInPage = lazy(async () => ({ default: (await import('./signed-in.js')).SignedIn }));

/** Where issuers send browsers back. */
const isReturning = location.pathname === `${CONSOLE_PATH}/signed-in`;

const isAtRegister = /\/register\/?$/.test(location.pathname);

/** The page to register, the sign-in, or the console of a key. */
export function Console() {
  const key = useStore(apiKey);
  const refused = useStore(refusal);
  if (isReturning) {
    return (
      <Suspense>
        <SignedInPage />
      </Suspense>
    );
  }
  if (isAtRegister || key === null) return <Suspense>{isAtRegister ? <Register /> : <SignIn />}</Suspense>;
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

/** Loads all other code after the first screen: screens, menus and the sign-in open without a connection, too. */
function useAllScreens(): void {
  useEffect(() => {
    const timer = setTimeout(() => {
      const routes = Object.values(router.routesById).map((route) => router.loadRouteChunk(route));
      for (const loading of [...routes, loadDropDown(), loadSignIn()]) void loading?.catch(() => {});
    }, SCREENS_AFTER_MS);
    return () => clearTimeout(timer);
  }, []);
}

/**
 * A superadmin's own account has no games as a rule: the account with the newest game is shown then, until another one
 * is chosen. @returns false until that is known
 */
function useFirstAccount(me: { superAdmin: boolean; accountId: string } | undefined): boolean {
  const chosen = useStore(chosenAccount);
  const open = me?.superAdmin === true && chosen === null;
  const { data, fault } = useRead(FirstAccountQuery, { own: me?.accountId ?? '' }, { pause: !open });
  useEffect(() => {
    const [newest] = data?.newest.nodes ?? [];
    if (open && data) chosenAccount.set((data.own.nodes.length === 0 && newest?.accountId) || me.accountId);
  }, [open, data, me]);
  return me !== undefined && (!open || fault !== undefined);
}

/** The screens need to know whose key it is. */
function Gate() {
  const { data, fault, again } = useRead(MeQuery, {});
  const isKnown = useFirstAccount(data?.me);
  useAllScreens();
  if (data && isKnown) {
    return (
      <MeContext value={data.me}>
        <RouterProvider router={router} />
      </MeContext>
    );
  }
  if (fault) return <Failed fault={fault} again={again} />;
  return (
    <div className="app" aria-busy="true">
      <div className="side">
        <div className="who">
          <span className="badge" aria-hidden="true">
            L
          </span>
          {t.product}
        </div>
      </div>
      <div className="page">
        <div className="top">
          <b className="phone-only">{t.product}</b>
        </div>
      </div>
    </div>
  );
}
