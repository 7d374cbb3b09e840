import { useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback, useEffect, useRef, useState } from 'react';
import { useClient } from 'urql';
import { connection } from '../../api/connection.js';
import { useGames } from '../../api/games.js';
import { useRead } from '../../api/hooks.js';
import { useAccountId, useMe } from '../../api/me.js';
import { useStore } from '../../api/store.js';
import type { FlagConfidence, FlagType, TrustTier } from '../../generated/graphql.js';
import { SelectField } from '../../parts/controls.js';
import { Fold } from '../../parts/fold.js';
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
import { FlagReviewedSubscription, GameBoardsQuery, NewFlagSubscription } from './operations.js';
import { type Filter, Queue as QueueState } from './queue-state.js';
import { Picked, Verdicts } from './verdicts.js';

type Shown = 'reason' | 'keys' | 'bulk' | undefined;

/** The moderation queue. Another filter is another queue. */
export function Queue() {
  const { game, kind, board, confidence, tier } = useSearch({ from: '/moderation' });
  const accountId = useAccountId();
  const { games } = useGames();
  if (!games) return null;
  const filter = {
    accountId,
    gameId: games.find(({ slug }) => slug === game)?.id,
    boardId: board,
    flagType: kind as FlagType | undefined,
    confidence: confidence as FlagConfidence | undefined,
    trustTier: tier as TrustTier | undefined,
  };
  return <Filtered key={JSON.stringify(filter)} filter={filter} />;
}

function Filtered({ filter }: { filter: Filter }) {
  const { accountId, gameId } = filter;
  const client = useClient();
  const search = useSearch({ from: '/moderation' });
  const navigate = useNavigate({ from: '/moderation' });
  const [queue] = useState(() => new QueueState(client, filter));
  const view = useStore(queue.view);
  const [shown, setShown] = useState<Shown>();
  const [opened, setOpened] = useState(search.flag !== undefined);
  const open = view.rows[view.at];
  const flag = open?.flags[view.flag];
  const started = useRef<QueueState>(undefined);
  useEffect(() => {
    // Once, also where effects run twice.
    if (started.current === queue) return;
    started.current = queue;
    void queue.start(search.flag);
  }, [queue, search.flag]);
  useFollowing(queue, accountId, gameId);
  useAddress(flag?.id, (flag) => void navigate({ search: { ...search, flag }, replace: true }));
  useEffect(() => {
    document.documentElement.classList.toggle('with-open-flag', opened && !!open);
    return () => document.documentElement.classList.remove('with-open-flag');
  }, [opened, open]);
  const toPlayer = () => {
    const slug = open?.slug;
    if (slug) void navigate({ to: '/games/$slug/players/$id', params: { slug, id: open.id } });
  };
  const step = (by: number, picks: boolean) => {
    if (picks) queue.pickTo(view.at + by);
    queue.move(by);
  };
  useKeys({
    j: ({ shiftKey }) => step(1, shiftKey),
    k: ({ shiftKey }) => step(-1, shiftKey),
    l: () => queue.look(view.flag + 1),
    h: () => queue.look(view.flag - 1),
    e: () => queue.leaveOut(),
    x: () => queue.pick(),
    n: () => queue.nextUndecided(),
    c: () => queue.decide('CONFIRMED_CHEAT'),
    f: () => queue.decide('FALSE_POSITIVE'),
    d: () => queue.decide('DISMISSED'),
    u: () => queue.undo(),
    r: () => open && setShown('reason'),
    b: () => open && setShown('bulk'),
    p: toPlayer,
    '?': () => setShown('keys'),
    Escape: () => (view.picked.size > 0 ? queue.unpick() : setOpened(false)),
  });
  const onEnd = useCallback(() => void queue.more(), [queue]);
  const onOpen = useCallback(
    (at: number) => {
      queue.go(at);
      setOpened(true);
    },
    [queue],
  );
  const onPick = useCallback(
    (at: number, range: boolean) => (range ? queue.pickTo(at) : queue.pick(at)),
    [queue],
  );
  const resting = useResting(flag?.id);
  const close = () => setShown(undefined);
  const player = open?.name ?? '';
  return (
    <Page title={t.nav.moderation} crumbs={[[t.nav.moderation]]} className="queue">
      <section className="flags" aria-label={t.nav.flags}>
        <Head filter={filter} />
        <FlagList
          view={view}
          onOpen={onOpen}
          onPick={onPick}
          onEnd={onEnd}
          onShowFresh={() => queue.showFresh()}
          again={onEnd}
        />
        {view.picked.size > 0 && <Picked queue={queue} view={view} />}
      </section>
      <section className="flag" aria-label={t.queue.flag}>
        <Verdicts
          queue={queue}
          view={view}
          onShow={setShown}
          onBack={() => setOpened(false)}
          bodyKey={flag?.id}
        >
          {flag && flag.id !== resting && <Waiting />}
          {open && flag && flag.id === resting && (
            <FlagDetail row={open} flag={flag} view={view} queue={queue} onAllRuns={() => setShown('bulk')} />
          )}
        </Verdicts>
      </section>
      {shown === 'reason' && (
        <ReasonDialog reason={view.reason} onKeep={(reason) => queue.setReason(reason)} onClose={close} />
      )}
      {shown === 'keys' && <KeysDialog onClose={close} />}
      {shown === 'bulk' && open && (
        <BulkDialog
          identityId={open.id}
          player={player}
          runAt={flag?.createdAt}
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

function Head({ filter: { gameId, boardId } }: { filter: Filter }) {
  const search = useSearch({ from: '/moderation' });
  const navigate = useNavigate({ from: '/moderation' });
  const { games = [] } = useGames();
  const { data } = useRead(GameBoardsQuery, { gameId: gameId ?? '' }, { pause: !gameId });
  const waits = useStore(pending);
  const pick = (changes: Record<string, string | undefined>) =>
    void navigate({ search: { ...search, flag: undefined, ...changes } });
  const boards = (gameId && data?.boards.nodes.map(({ id, name }) => [id, name] as const)) || [];
  if (boardId && boards.every(([id]) => id !== boardId)) boards.unshift([boardId, t.queue.thisBoard]);
  const more = [search.confidence, search.tier].some(Boolean);
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
        {boards.length > 0 && (
          <SelectField
            bare
            label={t.queue.board}
            value={boardId ?? ''}
            options={[['', t.queue.allBoards], ...boards]}
            onPick={(board) => pick({ board: board || undefined })}
          />
        )}
      </div>
      <Fold title={t.queue.more} open={more} faulty={false}>
        <div className="flags-filters">
          <SelectField
            bare
            label={t.queue.filterConfidence}
            value={search.confidence ?? ''}
            options={[['', t.queue.anyConfidence], ...Object.entries(t.queue.confidence).reverse()]}
            onPick={(confidence) => pick({ confidence: confidence || undefined })}
          />
          <SelectField
            bare
            label={t.queue.filterTier}
            value={search.tier ?? ''}
            options={[['', t.queue.allTiers], ...Object.entries(t.queue.tiers)]}
            onPick={(tier) => pick({ tier: tier || undefined })}
          />
        </div>
      </Fold>
    </div>
  );
}
