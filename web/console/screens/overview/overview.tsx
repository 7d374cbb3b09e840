import { Link, Navigate } from '@tanstack/react-router';
import { lazy, Suspense, useMemo } from 'react';
import { OverviewQuery } from '../../api/first-operations.js';
import { type GameName, useCurrentGame, useGames } from '../../api/games.js';
import { useRead } from '../../api/hooks.js';
import { useAccountId, useMay, useMe } from '../../api/me.js';
import { useStore } from '../../api/store.js';
import type { AuditAction } from '../../generated/graphql.js';
import { Card, Figures, Head } from '../../parts/card.js';
import { span } from '../../parts/format.js';
import { Icon } from '../../parts/icon.js';
import { May } from '../../parts/may.js';
import { Empty, Loaded, Waiting } from '../../parts/states.js';
import { Ago, useNow } from '../../parts/time.js';
import { Page } from '../../shell/page.js';
import { pending } from '../../shell/pending.js';
import { t } from '../../texts.js';
import { EntryLine } from '../audit/entry-line.js';
import type { Entry } from '../audit/sentence.js';
import { ComingUp } from './coming-up.js';
import { LiveBoards } from './live-boards.js';
import { ServiceCard } from './service-card.js';

const EVERY_MS = 15_000;

/** Apart from the code of the first view. */
const Activity = lazy(async () => ({ default: (await import('./activity.js')).Activity }));

/** Actions of moderators. */
const DECISIONS = new Set<AuditAction>([
  'FLAG_REVIEWED',
  'FLAG_DELETED',
  'FLAG_RESTORED',
  'RUNS_REVIEWED',
  'RUNS_REVIEW_UNDONE',
  'DEVICE_STATUS_CHANGED',
  'DEVICE_RESET',
  'DEVICE_UNLINKED',
  'TRUST_TIER_CHANGED',
]);

function startOfDay(now: number): number {
  return new Date(now).setHours(0, 0, 0, 0);
}

export function Overview() {
  const { games } = useGames();
  const may = useMay();
  const none = games?.length === 0;
  if (none && may('CONFIGURE_ACCOUNT')) return <Navigate to="/set-up" />;
  return (
    <Page title={t.overview.title} crumbs={[[t.overview.title]]}>
      <Actions />
      {none ? <Empty>{t.overview.noGames}</Empty> : <Content games={games} />}
    </Page>
  );
}

function Actions() {
  const game = useCurrentGame();
  return (
    <Head
      title={t.overview.title}
      actions={
        <>
          <May needs="CONFIGURE_ACCOUNT">
            <Link className="button plain" to="/set-up">
              {t.overview.setUp}
            </Link>
          </May>
          {game && (
            <May needs="CONFIGURE">
              <Link className="button primary" to="/games/$slug/boards/new" params={{ slug: game.slug }}>
                <Icon name="plus" />
                {t.overview.newBoard}
              </Link>
            </May>
          )}
        </>
      }
    />
  );
}

function Content({ games }: { games: GameName[] | undefined }) {
  const { superAdmin } = useMe();
  const waits = useStore(pending);
  const { data, fault, again } = useRead(OverviewQuery, { accountId: useAccountId() }, { every: EVERY_MS });
  const now = useNow();
  const live = data?.boards.nodes.filter((board) => board.phase === 'LIVE') ?? [];
  const decisions = useMemo(() => {
    const all = data?.auditEntries.nodes ?? [];
    return all.filter(({ action }) => DECISIONS.has(action));
  }, [data]);
  const today = decisions.filter((entry) => Date.parse(entry.createdAt) >= startOfDay(now) && entry.userId);
  const people = new Set(today.map((entry) => entry.userId)).size;
  return (
    <>
      <Waits oldest={data?.oldest.nodes[0]?.createdAt} />
      <Figures
        figures={[
          { name: t.overview.pending, value: waits ?? '–' },
          {
            name: t.overview.live,
            value: data ? `${live.length}${data.boards.pageInfo.hasNextPage ? '+' : ''}` : '–',
            small: data && t.overview.inGames(new Set(live.map((board) => board.gameId)).size),
          },
          {
            name: t.overview.decidedToday,
            value: data ? `${today.length}${today.length === 100 ? '+' : ''}` : '–',
            small: people > 0 && t.overview.byPeople(people),
          },
        ]}
      />
      <Suspense fallback={<ActivityToCome />}>
        <Activity games={games} />
      </Suspense>
      <div className="grid sided">
        <div className="stack">
          <LiveBoards />
          <ComingUp />
        </div>
        <div className="stack">
          <Card title={t.overview.decisions} side={<Link to="/audit">{t.audit.title}</Link>}>
            <Loaded data={data} fault={fault} again={again}>
              {() => <Decisions entries={decisions.slice(0, 6)} />}
            </Loaded>
          </Card>
          {superAdmin && <ServiceCard />}
        </div>
      </div>
    </>
  );
}

/** In the height of what comes. */
function ActivityToCome() {
  return (
    <Card className="apart" title={t.history.title} padded>
      <Waiting rows={1} height={270} />
    </Card>
  );
}

function Decisions({ entries }: { entries: (Entry & { createdAt: string })[] }) {
  if (entries.length === 0) return <p className="empty">{t.overview.noDecisions}</p>;
  return (
    <ul className="rows">
      {entries.map((entry) => (
        <li key={entry.id}>
          <EntryLine entry={entry} />
          <Ago at={entry.createdAt} />
        </li>
      ))}
    </ul>
  );
}

function Waits({ oldest }: { oldest: string | undefined }) {
  const waits = useStore(pending);
  const now = useNow();
  if (waits === null) return null;
  if (waits === '0') {
    return (
      <section className="card call">
        <p>
          <strong>{t.overview.noFlags}</strong>
          <span className="soft">{t.overview.noFlagsMore}</span>
        </p>
      </section>
    );
  }
  return (
    <section className="card call">
      <p>
        <strong>{t.overview.waits(waits)}</strong>
        {oldest && <span className="soft">{t.overview.oldest(span(now - Date.parse(oldest)))}</span>}
      </p>
      <Link className="button primary" to="/moderation">
        {t.overview.decide}
      </Link>
    </section>
  );
}
