import { useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback, useEffect, useRef, useState } from 'react';
import { useClient } from 'urql';
import { useGames } from '../../api/games.js';
import { useAccountId, useMay } from '../../api/me.js';
import { useStore } from '../../api/store.js';
import type { FlagConfidence, FlagType, TrustTier } from '../../generated/graphql.js';
import { Waiting } from '../../parts/states.js';
import { say } from '../../parts/toast.js';
import { useKeys } from '../../shell/keys.js';
import { Page } from '../../shell/page.js';
import { t } from '../../texts.js';
import { Alerts } from './alerts.js';
import { BulkDialog } from './bulk.js';
import { KeysDialog, ReasonDialog } from './dialogs.js';
import { Filters } from './filters.js';
import { FlagDetail } from './flag-detail.js';
import { FlagList } from './flag-list.js';
import { useFollowing } from './following.js';
import { Queue as QueueState } from './queue-state.js';
import type { Filter } from './rows.js';
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
  const may = useMay();
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
    n: () => queue.nextUndecided(),
    ...(may('MODERATE') && {
      e: () => queue.leaveOut(),
      x: () => queue.pick(),
      c: () => queue.decide('CONFIRMED_CHEAT'),
      f: () => queue.decide('FALSE_POSITIVE'),
      d: () => queue.decide('DISMISSED'),
      u: () => queue.undo(),
      r: () => open && setShown('reason'),
      b: () => open && setShown('bulk'),
    }),
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
        <Filters filter={filter} />
        <Alerts filter={filter} />
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
