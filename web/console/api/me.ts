import { createContext, use } from 'react';
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
