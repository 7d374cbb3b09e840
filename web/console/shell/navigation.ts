import type { Needs } from '../api/me.js';
import type { IconName } from '../parts/icon.js';
import { t } from '../texts.js';

interface Place {
  to: string;
  icon: IconName;
  text: string;
  needs?: Needs;
}

/** Screens of the account, in the sidebar and on the page of phones. */
export const ACCOUNT_PLACES = [
  { to: '/games', icon: 'game', text: t.nav.games, needs: 'READ' },
  { to: '/people', icon: 'key', text: t.nav.people, needs: 'CONFIGURE' },
  { to: '/webhooks', icon: 'hook', text: t.nav.webhooks, needs: 'CONFIGURE_ACCOUNT' },
  { to: '/audit', icon: 'list', text: t.nav.audit, needs: 'READ' },
  { to: '/deleted', icon: 'bin', text: t.nav.deleted, needs: 'MODERATE' },
] as const satisfies Place[];

export const INSTALLATION_PLACES = [
  { to: '/installation/accounts', icon: 'account', text: t.nav.accounts },
  { to: '/installation/jam-codes', icon: 'ticket', text: t.nav.jamCodes },
  { to: '/installation/jobs', icon: 'pulse', text: t.nav.jobs },
] as const satisfies Place[];
