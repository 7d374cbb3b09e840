import { ACCOUNT_IN_TAB, KEY_IN_TAB } from './early.js';
import { Store, TabText } from './store.js';

/** The key of this tab. It is in sessionStorage and nowhere else: it ends with the tab. */
export const apiKey = new TabText(KEY_IN_TAB);

/** The id of the key of this tab if it was made by a code of a mail: signing out ends it. */
export const ownKey = new TabText('console:own-key');

/** The account that a superadmin looks at; null: none was chosen yet. */
export const chosenAccount = new TabText(ACCOUNT_IN_TAB);

/** The slug of the game that was opened last. */
export const lastGame = new TabText('console:game');

/** The reason why the service refuses the key of this tab; null while it does not. */
export const refusal = new Store<{ code: string; message: string; at: number } | null>(null);

const REFUSALS = new Set(['API_KEY_REQUIRED', 'INVALID_API_KEY', 'ACCOUNT_SUSPENDED', 'USER_SUSPENDED']);

/** Notes that the key is no longer accepted. Codes of other errors are ignored. */
export function noteRefusal(code: string, message: string): void {
  if (!REFUSALS.has(code) || apiKey.get() === null || refusal.get()) return;
  refusal.set({ code, message, at: Date.now() });
}

export function signIn(key: string): void {
  refusal.set(null);
  apiKey.set(key);
}

/** Forgets the key and the choices made with it; texts being typed stay in the tab. */
export function signOut(): void {
  refusal.set(null);
  chosenAccount.set(null);
  lastGame.set(null);
  ownKey.set(null);
  apiKey.set(null);
}
