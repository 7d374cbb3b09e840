import { useEffect } from 'react';
import { PendingQuery } from '../api/first-operations.js';
import { useRead } from '../api/hooks.js';
import { useAccountId } from '../api/me.js';
import { Store } from '../api/store.js';
import { upTo } from '../parts/format.js';

const EVERY_MS = 15_000;

/** The number of flags that wait, as it is shown: `24`, `1,000+`; null while it is unknown. */
export const pending = new Store<string | null>(null);

let readNow = () => {};

/** Reads the number again, after a decision. */
export function pendingChanged(): void {
  readNow();
}

export function FollowPending() {
  const { data, again } = useRead(PendingQuery, { accountId: useAccountId() }, { every: EVERY_MS });
  useEffect(() => {
    readNow = again;
  }, [again]);
  useEffect(() => {
    if (!data) return;
    pending.set(upTo(data.scoreFlags.totalCount));
  }, [data]);
  return null;
}
