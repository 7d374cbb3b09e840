import { useNavigate, useSearch } from '@tanstack/react-router';
import { useGames } from '../../api/games.js';
import { useAct, useList, useRead } from '../../api/hooks.js';
import { useAccountId } from '../../api/me.js';
import { graphql } from '../../generated/gql.js';
import type { AuditAction } from '../../generated/graphql.js';
import { Card, Head } from '../../parts/card.js';
import { ActionFault, Button, SelectField } from '../../parts/controls.js';
import { toLocalInput } from '../../parts/format.js';
import { Pager } from '../../parts/pager.js';
import { Empty, Failed, Waiting } from '../../parts/states.js';
import { When } from '../../parts/time.js';
import { say } from '../../parts/toast.js';
import { Page } from '../../shell/page.js';
import { t } from '../../texts.js';
import { UndoRunsMutation } from '../queue/operations.js';
import { useAuditFile } from './audit-file.js';
import { Changes } from './changes.js';
import { AuditQuery, EntryLine } from './entry-line.js';
import { rowsOf, type TrailEntry } from './sentence.js';

const AuditUsersQuery = graphql(`
  query AuditUsers($accountId: ID!) {
    users(accountId: $accountId, first: 100) { nodes { id displayName } }
  }
`);

const BackToPendingMutation = graphql(`
  mutation BackToPending($id: ID!) {
    reviewScoreFlag(input: { id: $id, status: PENDING }) { scoreFlag { id status } }
  }
`);

const text = t.audit;

/** The beginning of a day in the viewer's zone, some days and milliseconds later; null where it is no day. */
function startOf(day: string | undefined, days: number, millis = 0): string | null {
  const [, year, month, date] = /^(\d+)-(\d+)-(\d+)$/.exec(day ?? '') ?? [];
  if (!year) return null;
  return new Date(Number(year), Number(month) - 1, Number(date) + days, 0, 0, 0, millis).toISOString();
}

/** The day a week ago in the viewer's zone, as fields have it. */
function weekAgo(): string {
  return toLocalInput(new Date(Date.now() - 7 * 86_400_000).toISOString()).slice(0, 10);
}

/** Every change: by whom, of what, from what to what; flags and reviews can be taken back here. */
export function Audit() {
  const accountId = useAccountId();
  const search = useSearch({ from: '/audit' });
  const navigate = useNavigate({ from: '/audit' });
  const { games = [] } = useGames();
  const users = useRead(AuditUsersQuery, { accountId }).data?.users.nodes ?? [];
  const filter = {
    action: (search.action as AuditAction | undefined) ?? null,
    gameId: games.find(({ slug }) => slug === search.game)?.id ?? null,
    userId: search.user ?? null,
    subjectId: search.subject ?? null,
    createdAt: { after: startOf(search.from, 0, -1), before: startOf(search.until, 1) },
  };
  const list = useList(AuditQuery, { accountId, filter }, (data) => data.auditEntries);
  const download = useAuditFile();
  const pick = (changes: Record<string, string | undefined>) =>
    void navigate({ search: { ...search, ...changes }, replace: true });
  const pending = useAct(BackToPendingMutation);
  const undoRuns = useAct(UndoRunsMutation);
  const takeBack = async (entry: TrailEntry) => {
    const act = entry.action === 'FLAG_REVIEWED' ? pending : undoRuns;
    if (!(await act.run({ id: entry.subjectId }))) return;
    say(text.undone);
    list.reload();
  };
  const line = (entry: TrailEntry) => (
    <>
      <span>
        <EntryLine entry={entry} onAuthor={(user) => pick({ user })} />
        <Changes entry={entry} />
        {entry.reason && <span className="block small soft">{t.queue.reasonWas(entry.reason)}</span>}
      </span>
      <When at={entry.createdAt} />
      {isReversible(entry, list.rows) && (
        <Button look="quiet" needs="MODERATE" onClick={() => void takeBack(entry)}>
          {text.undo}
        </Button>
      )}
    </>
  );
  return (
    <Page title={text.title} crumbs={[[text.title]]}>
      <Head
        title={text.title}
        actions={
          <Button busy={download.busy} onClick={() => void download.run(accountId, filter)}>
            {text.export}
          </Button>
        }
      />
      <ActionFault fault={pending.fault ?? undoRuns.fault ?? download.fault} />
      <Card
        side={
          <>
            <SelectField
              bare
              label={text.filterAction}
              value={search.action ?? ''}
              options={[['', text.everyAction], ...Object.entries(text.actions)]}
              onPick={(action) => pick({ action: action || undefined })}
            />
            <SelectField
              bare
              label={text.filterGame}
              value={search.game ?? ''}
              options={[['', text.everyGame], ...games.map(({ slug, name }) => [slug, name] as const)]}
              onPick={(game) => pick({ game: game || undefined })}
            />
            <SelectField
              bare
              label={text.filterUser}
              value={search.user ?? ''}
              options={[
                ['', text.everyone],
                ...users.map(({ id, displayName }) => [id, displayName] as const),
              ]}
              onPick={(user) => pick({ user: user || undefined })}
            />
            <Button
              look="quiet"
              aria-pressed={search.from === weekAgo()}
              onClick={() => pick({ from: weekAgo(), until: undefined })}
            >
              {text.lastWeek}
            </Button>
            <Day label={text.from} value={search.from} onPick={(from) => pick({ from })} />
            <Day label={text.until} value={search.until} onPick={(until) => pick({ until })} />
            {search.subject && (
              <Button look="quiet" onClick={() => pick({ subject: undefined })}>
                {text.everything}
              </Button>
            )}
          </>
        }
      >
        {list.loading && <Waiting />}
        {list.fault && <Failed fault={list.fault} again={list.reload} />}
        {!list.loading && !list.fault && list.rows.length === 0 && <Empty>{text.empty}</Empty>}
        <ul className="rows">
          {rowsOf(list.rows).map(([entry, ...further]) => (
            <li key={entry!.id}>
              {line(entry!)}
              {further.length > 0 && (
                <details className="small soft">
                  <summary>{text.automatic(further.length)}</summary>
                  <ul className="rows">
                    {further.map((one) => (
                      <li key={one.id}>{line(one)}</li>
                    ))}
                  </ul>
                </details>
              )}
            </li>
          ))}
        </ul>
        <Pager list={list} />
      </Card>
    </Page>
  );
}

interface DayProps {
  label: string;
  value: string | undefined;
  onPick(day: string | undefined): void;
}

function Day({ label, value, onPick }: DayProps) {
  return (
    <label className="small soft">
      {label}{' '}
      <input
        className="input"
        type="date"
        value={value ?? ''}
        onChange={({ target }) => onPick(target.value || undefined)}
      />
    </label>
  );
}

/** True for the newest decision about a flag, or about all runs, that has not been taken back. */
function isReversible(entry: TrailEntry, rows: TrailEntry[]): boolean {
  const newest = rows.find((row) => row.subjectId === entry.subjectId);
  if (newest !== entry) return false;
  return (
    entry.action === 'RUNS_REVIEWED' ||
    (entry.action === 'FLAG_REVIEWED' && entry.after?.status !== 'pending')
  );
}
