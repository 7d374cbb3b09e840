import { useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { useClient } from 'urql';
import { connection } from '../../api/connection.js';
import { useGames } from '../../api/games.js';
import { useAccountId, useMe } from '../../api/me.js';
import { useStore } from '../../api/store.js';
import type { FlagType } from '../../generated/graphql.js';
import { SelectField } from '../../parts/controls.js';
import { Waiting } from '../../parts/states.js';
import { say } from '../../parts/toast.js';
import { useKeys } from '../../shell/keys.js';
import { Page } from '../../shell/page.js';
import { pending } from '../../shell/pending.js';
import { t } from '../../texts.js';
import { BulkDialog } from './bulk.js';
import { KeysDialog, ReasonDialog } from './dialogs.js';
import { FlagDetail } from './flag-detail.js';
import { FlagList } from './flag-list.js';
import { FlagReviewedSubscription, NewFlagSubscription } from './operations.js';
import { Queue as QueueState } from './queue-state.js';
import { Verdicts } from './verdicts.js';

type Shown = 'reason' | 'keys' | 'bulk' | undefined;

/** The moderation queue. Another filter is another queue. */
export function Queue() {
  const { game, kind, board } = useSearch({ from: '/moderation' });
  const accountId = useAccountId();
  const { games } = useGames();
  if (!games) return null;
  const gameId = games.find(({ slug }) => slug === game)?.id;
  const filter = { accountId, gameId, boardId: board, flagType: kind as FlagType | undefined };
  return <Filtered key={JSON.stringify(filter)} {...filter} />;
}

interface Filter {
  accountId: string;
  gameId: string | undefined;
  boardId: string | undefined;
  flagType: FlagType | undefined;
}

function Filtered({ accountId, gameId, boardId, flagType }: Filter) {
  const client = useClient();
  const search = useSearch({ from: '/moderation' });
  const navigate = useNavigate({ from: '/moderation' });
  const queue = useMemo(
    () => new QueueState(client, { accountId, gameId, boardId, flagType }),
    [client, accountId, gameId, boardId, flagType],
  );
  const view = useStore(queue.view);
  const [shown, setShown] = useState<Shown>();
  const [opened, setOpened] = useState(search.flag !== undefined);
  const open = view.rows[view.at];
  const started = useRef<QueueState>(undefined);
  useEffect(() => {
    // Once, also where effects run twice.
    if (started.current === queue) return;
    started.current = queue;
    void queue.start(search.flag);
  }, [queue, search.flag]);
  useFollowing(queue, accountId, gameId);
  useAddress(open?.id, (flag) => void navigate({ search: { ...search, flag }, replace: true }));
  useEffect(() => {
    document.documentElement.classList.toggle('with-open-flag', opened && !!open);
    return () => document.documentElement.classList.remove('with-open-flag');
  }, [opened, open]);
  const toPlayer = () => {
    const slug = open?.game?.slug;
    if (slug) void navigate({ to: '/games/$slug/players/$id', params: { slug, id: open.identityId } });
  };
  useKeys({
    j: () => queue.move(1),
    k: () => queue.move(-1),
    n: () => queue.nextUndecided(),
    c: () => queue.decide('CONFIRMED_CHEAT'),
    f: () => queue.decide('FALSE_POSITIVE'),
    d: () => queue.decide('DISMISSED'),
    u: () => queue.undo(),
    r: () => open && setShown('reason'),
    b: () => open && setShown('bulk'),
    p: toPlayer,
    '?': () => setShown('keys'),
    Escape: () => setOpened(false),
  });
  const onEnd = useCallback(() => void queue.more(), [queue]);
  const onOpen = useCallback(
    (at: number) => {
      queue.go(at);
      setOpened(true);
    },
    [queue],
  );
  const resting = useResting(open?.id);
  const close = () => setShown(undefined);
  const player = open?.identity?.displayName ?? '';
  const sameOf = (id: string) =>
    view.rows.filter((row) => row.identityId === id && row.status === 'PENDING' && row.id !== open?.id)
      .length;
  return (
    <Page title={t.nav.moderation} crumbs={[[t.nav.moderation]]} className="queue">
      <section className="flags" aria-label={t.nav.flags}>
        <Head />
        <FlagList
          view={view}
          onOpen={onOpen}
          onEnd={onEnd}
          onShowFresh={() => queue.showFresh()}
          again={onEnd}
        />
      </section>
      <section className="flag" aria-label={t.queue.flag}>
        <Verdicts
          queue={queue}
          view={view}
          onShow={setShown}
          onBack={() => setOpened(false)}
          bodyKey={open?.id}
        >
          {open && open.id !== resting && <Waiting />}
          {open && open.id === resting && (
            <FlagDetail row={open} others={sameOf(open.identityId)} onAllRuns={() => setShown('bulk')} />
          )}
        </Verdicts>
      </section>
      {shown === 'reason' && (
        <ReasonDialog reason={view.reason} onKeep={(reason) => queue.setReason(reason)} onClose={close} />
      )}
      {shown === 'keys' && <KeysDialog onClose={close} />}
      {shown === 'bulk' && open && (
        <BulkDialog
          identityId={open.identityId}
          player={player}
          runAt={open.createdAt}
          onClose={close}
          onApplied={(review, sentence) => {
            close();
            queue.reviewed(review, player);
            say(sentence, () => queue.undo());
            void queue.refreshRows();
          }}
        />
      )}
    </Page>
  );
}

/** New flags, and decisions of others. */
function useFollowing(queue: QueueState, accountId: string, gameId: string | undefined): void {
  const client = useClient();
  const { epoch } = useStore(connection);
  const { loading } = useStore(queue.view);
  const seen = useRef(epoch);
  useEffect(() => {
    if (seen.current !== epoch) void queue.resume();
    seen.current = epoch;
  }, [queue, epoch]);
  useEffect(() => {
    if (loading) return;
    const { unsubscribe } = client
      .subscription(NewFlagSubscription, { accountId, gameId, after: queue.newest })
      .subscribe(({ data }) => data?.scoreFlagged.scoreFlag && queue.arrived(data.scoreFlagged.scoreFlag));
    return unsubscribe;
  }, [client, queue, accountId, gameId, loading, epoch]);
  const { user } = useMe();
  const cursor = useRef<string>(undefined);
  useEffect(() => {
    if (loading) return;
    const { unsubscribe } = client
      .subscription(FlagReviewedSubscription, { accountId, gameId, after: cursor.current })
      .subscribe(({ data }) => {
        if (!data) return;
        const { cursor: at, scoreFlag } = data.scoreFlagReviewed;
        cursor.current = at;
        if (!scoreFlag) return;
        const { id, status, reviewedAt, reviewerId, reviewer } = scoreFlag;
        const name = reviewerId === user?.id ? t.queue.you : (reviewer?.displayName ?? t.audit.someone);
        queue.heard(id, status, name, reviewedAt ? Date.parse(reviewedAt) : Date.now());
      });
    return unsubscribe;
  }, [client, queue, accountId, gameId, loading, epoch, user]);
}

const REST_MS = 120;

/** The value; while it changes faster, as under a held key, the one before until it rests. */
function useResting<T>(value: T): T {
  const [resting, setResting] = useState(value);
  const changedAt = useRef(0);
  const last = useRef(value);
  const now = performance.now();
  const isCalm = last.current === value || now - changedAt.current > REST_MS;
  if (last.current !== value) {
    last.current = value;
    changedAt.current = now;
  }
  useEffect(() => {
    if (resting === value) return;
    if (isCalm) return setResting(value);
    const timer = setTimeout(() => setResting(value), REST_MS);
    return () => clearTimeout(timer);
  }, [value, resting, isCalm]);
  return resting;
}

const ADDRESS_AFTER_MS = 250;

/** Writes the open flag into the address, when the viewer rests on it. */
function useAddress(flag: string | undefined, write: (flag: string) => void): void {
  const latest = useRef(write);
  latest.current = write;
  useEffect(() => {
    if (!flag) return;
    const timer = setTimeout(() => latest.current(flag), ADDRESS_AFTER_MS);
    return () => clearTimeout(timer);
  }, [flag]);
}

function Head() {
  const search = useSearch({ from: '/moderation' });
  const navigate = useNavigate({ from: '/moderation' });
  const { games = [] } = useGames();
  const waits = useStore(pending);
  const pick = (changes: Record<string, string | undefined>) =>
    void navigate({ search: { ...search, flag: undefined, ...changes } });
  return (
    <div className="flags-head">
      <div>
        <h1>{t.nav.moderation}</h1>
        {waits !== null && <span className="soft small">{t.queue.pending(waits)}</span>}
      </div>
      <div className="flags-filters">
        <SelectField
          bare
          label={t.queue.game}
          value={search.game ?? ''}
          options={[['', t.queue.allGames], ...games.map(({ slug, name }) => [slug, name] as const)]}
          onPick={(slug) => pick({ game: slug || undefined, board: undefined })}
        />
        <SelectField
          bare
          label={t.queue.kind}
          value={search.kind ?? ''}
          options={[['', t.queue.allKinds], ...Object.entries(t.queue.kinds)]}
          onPick={(kind) => pick({ kind: kind || undefined })}
        />
      </div>
    </div>
  );
}
