import { useEffect } from 'react';
import { useRead } from '../api/hooks.js';
import { useAccountId } from '../api/me.js';
import { Store } from '../api/store.js';
import { graphql } from '../generated/gql.js';
import { count } from '../parts/format.js';

const PendingQuery = graphql(`
  query Pending($accountId: ID!) {
    scoreFlags(accountId: $accountId, status: PENDING, first: 100) {
      nodes { id }
      pageInfo { hasNextPage }
    }
  }
`);

const EVERY_MS = 15_000;

/** The number of flags that wait, as it is shown: `24`, `100+`; null while it is unknown. */
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
    const { nodes, pageInfo } = data.scoreFlags;
    pending.set(`${count(nodes.length)}${pageInfo.hasNextPage ? '+' : ''}`);
  }, [data]);
  return null;
}
