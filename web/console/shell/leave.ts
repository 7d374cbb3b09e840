import { signOut } from '../api/session.js';

/** Signs out of this tab. */
export function useLeave(): () => void {
  return signOut;
}
