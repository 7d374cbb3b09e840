import { useEffect, useRef } from 'react';
import { useClient } from 'urql';
import { connection } from '../../api/connection.js';
import { useMe } from '../../api/me.js';
import { useStore } from '../../api/store.js';
import { t } from '../../texts.js';
import { FlagReviewedSubscription, NewFlagSubscription } from './operations.js';
import type { Queue } from './queue-state.js';

/** New flags, and decisions of others. */
export function useFollowing(queue: Queue, accountId: string, gameId: string | undefined): void {
  const client = useClient();
  const { epoch } = useStore(connection);
  const { loading } = useStore(queue.view);
  const seen = useRef(epoch);
  useEffect(() => {
    if (seen.current !== epoch) void queue.resume();
    seen.current = epoch;
  }, [queue, epoch]);
  const added = useRef<string>(undefined);
  useEffect(() => {
    if (loading) return;
    const { unsubscribe } = client
      .subscription(NewFlagSubscription, { accountId, gameId, after: added.current ?? queue.live })
      .subscribe(({ data }) => {
        if (!data) return;
        const { cursor, scoreFlag } = data.scoreFlagged;
        added.current = cursor;
        if (scoreFlag) queue.arrived(scoreFlag);
      });
    return unsubscribe;
  }, [client, queue, accountId, gameId, loading, epoch]);
  const { user } = useMe();
  const changed = useRef<string>(undefined);
  useEffect(() => {
    if (loading) return;
    const { unsubscribe } = client
      .subscription(FlagReviewedSubscription, { accountId, gameId, after: changed.current ?? queue.live })
      .subscribe(({ data }) => {
        if (!data) return;
        const { cursor, scoreFlag } = data.scoreFlagReviewed;
        changed.current = cursor;
        if (!scoreFlag) return;
        const { id, status, reviewedAt, reviewerId, reviewerName } = scoreFlag;
        const name = reviewerId === user?.id ? t.queue.you : (reviewerName ?? t.audit.someone);
        queue.heard(id, status, name, reviewedAt ? Date.parse(reviewedAt) : Date.now());
      });
    return unsubscribe;
  }, [client, queue, accountId, gameId, loading, epoch, user]);
}
