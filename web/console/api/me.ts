import { createContext, use, useCallback } from 'react';
import type { MeQuery as Answer } from '../generated/graphql.js';
import { chosenAccount } from './session.js';
import { useStore } from './store.js';

export type Me = Answer['me'];

export const MeContext = createContext<Me | null>(null);

export function useMe(): Me {
  const me = use(MeContext);
  if (!me) throw new Error('No screen is shown before it is known whose key it is');
  return me;
}

/** The account that is looked at: the own one, or the one that a superadmin has chosen. */
export function useAccountId(): string {
  const { accountId, superAdmin } = useMe();
  const chosen = useStore(chosenAccount);
  return superAdmin && chosen ? chosen : accountId;
}

type Right = Me['rights'][number];

/** What something in the console needs; the longer ones also all games of the account, or every account. */
export type Needs = Right | 'CONFIGURE_ACCOUNT' | 'SUPERADMIN';

function allows({ rights, gameIds, superAdmin }: Me, needs: Needs): boolean {
  if (needs === 'SUPERADMIN') return superAdmin;
  if (needs === 'CONFIGURE_ACCOUNT') return rights.includes('CONFIGURE') && !gameIds;
  return rights.includes(needs);
}

/** Tells whether this sign-in may do what needs that; undefined: everyone may. */
export function useMay(): (needs: Needs | undefined) => boolean {
  const me = use(MeContext);
  return useCallback((needs) => !needs || (me !== null && allows(me, needs)), [me]);
}
