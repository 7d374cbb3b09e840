import { Link } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { readAgain } from '../../api/connection.js';
import { useAct, useList } from '../../api/hooks.js';
import { useMay } from '../../api/me.js';
import type { PlayerRunListQuery as Answer, FlagStatus } from '../../generated/graphql.js';
import { Amount } from '../../parts/amount.js';
import { Card, Chip, type Tone } from '../../parts/card.js';
import { ActionFault, Button } from '../../parts/controls.js';
import { amount } from '../../parts/format.js';
import { Empty, Failed, Waiting } from '../../parts/states.js';
import { When } from '../../parts/time.js';
import { say } from '../../parts/toast.js';
import { useKeys } from '../../shell/keys.js';
import { pendingChanged } from '../../shell/pending.js';
import { t } from '../../texts.js';
import { RaiseMutation } from '../board/raise-flag.js';
import { ReviewMutation } from '../queue/operations.js';
import { PlayerRunListQuery } from './operations.js';
import './players.css';
import { RUN_TEXTS as text } from './texts.js';

type Run = Answer['scoreEvents']['nodes'][number];
type Flag = NonNullable<Run['flags']>[number];
/** What a key or button makes of a run's flags; `PENDING` takes a review back. */
type Result = Extract<FlagStatus, 'CONFIRMED_CHEAT' | 'FALSE_POSITIVE' | 'PENDING'>;

const isPending = ({ flags }: Run) => !!flags?.some(({ status }) => status === 'PENDING');
const isReviewed = ({ flags }: Run) => !!flags?.length && flags.every(({ status }) => status !== 'PENDING');

/** The flags that an action is about: those that wait or, where none does, those that were reviewed. */
function flagsFor({ flags }: Run, result: Result): Flag[] {
  const waiting = flags?.filter(({ status }) => status === 'PENDING') ?? [];
  const meant = result !== 'PENDING' && waiting.length > 0 ? waiting : (flags ?? []);
  return meant.filter(({ status }) => status !== result);
}

/** Every run of a player, newest first: what became of it, and what can be done about it by button or key. */
export function PlayerRuns({ identityId, slug }: { identityId: string; slug: string }) {
  const list = useList(PlayerRunListQuery, { identityId }, (data) => data.scoreEvents);
  const review = useAct(ReviewMutation);
  const raise = useAct(RaiseMutation);
  const may = useMay();
  const [chosen, setChosen] = useState<string>();
  const rows = useRef<HTMLUListElement>(null);
  const runs = list.rows;
  const current = runs.find(({ id }) => id === chosen) ?? runs.find(isPending) ?? runs[0];
  const nameOf = (run: Run) => `${amount(run.board, run.value, run.valueDisplay)}, ${run.board.name}`;
  const changed = () => {
    readAgain();
    pendingChanged();
  };
  const set = async (flags: Flag[], status: FlagStatus) => {
    const ids = flags.map(({ id }) => id);
    return await review.run({ ids, status, reason: null, single: false, identityId });
  };
  const takeBack = async (run: Run, flags: Flag[]) => {
    for (const status of new Set(flags.map((flag) => flag.status))) {
      const those = flags.filter((flag) => flag.status === status);
      if (!(await set(those, status))) return;
    }
    say(text.done.PENDING(nameOf(run)));
    changed();
  };
  const decide = async (run: Run, result: Result) => {
    const flags = flagsFor(run, result);
    if (flags.length === 0 || review.busy) return;
    setChosen(run.id);
    if (!(await set(flags, result))) return;
    say(text.done[result](nameOf(run)), result === 'PENDING' ? undefined : () => void takeBack(run, flags));
    changed();
  };
  const flag = async (run: Run) => {
    setChosen(run.id);
    if (!(await raise.run({ input: { scoreEventId: run.id } }))) return;
    say(text.raised(nameOf(run)));
    changed();
  };
  const move = (by: number) => {
    const next = current && runs[runs.indexOf(current) + by];
    if (!next) return;
    setChosen(next.id);
    rows.current?.children[runs.indexOf(next)]?.scrollIntoView({ block: 'nearest' });
  };
  useKeys({
    j: () => move(1),
    k: () => move(-1),
    ...(may('MODERATE') &&
      current && {
        c: () => void decide(current, 'CONFIRMED_CHEAT'),
        f: () => void decide(current, 'FALSE_POSITIVE'),
        u: () => isReviewed(current) && void decide(current, 'PENDING'),
      }),
  });
  return (
    <Card
      title={text.title}
      side={
        runs.some(isPending) &&
        may('MODERATE') && <span className="faint-text small wide-only">{text.keys}</span>
      }
    >
      <ActionFault fault={review.fault ?? raise.fault} />
      {list.fault && <Failed fault={list.fault} again={list.reload} />}
      {list.loading && <Waiting />}
      {!list.loading && !list.fault && runs.length === 0 && <Empty>{text.empty}</Empty>}
      <ul className="rows runs-of" ref={rows} aria-label={text.title}>
        {runs.map((run) => (
          <li key={run.id} aria-current={run === current || undefined}>
            <span>
              <span className="strong">
                <Amount of={run.board} value={run.value} display={run.valueDisplay} />
              </span>{' '}
              <Link
                to="/games/$slug/boards/$code/$tab"
                params={{ slug, code: run.board.shortCode, tab: 'live' }}
              >
                {run.board.name}
              </Link>{' '}
              <When at={run.createdAt} className="soft small" />
              <span className="block">
                <State run={run} />
              </span>
            </span>
            <span className="right">
              {isPending(run) && (
                <>
                  <Button
                    look="danger"
                    needs="MODERATE"
                    busy={review.busy}
                    onClick={() => void decide(run, 'CONFIRMED_CHEAT')}
                  >
                    {text.confirm}
                  </Button>
                  <Button
                    needs="MODERATE"
                    busy={review.busy}
                    onClick={() => void decide(run, 'FALSE_POSITIVE')}
                  >
                    {text.fair}
                  </Button>
                </>
              )}
              {isReviewed(run) && (
                <Button needs="MODERATE" busy={review.busy} onClick={() => void decide(run, 'PENDING')}>
                  {text.undo}
                </Button>
              )}
              {run.flags?.[0] ? (
                <Link className="button quiet" to="/moderation" search={{ flag: run.flags[0].id }}>
                  {text.open}
                </Link>
              ) : (
                <Button look="quiet" needs="MODERATE" busy={raise.busy} onClick={() => void flag(run)}>
                  {text.flag}
                </Button>
              )}
            </span>
          </li>
        ))}
      </ul>
      {list.hasMore && (
        <div className="pager">
          <Button onClick={list.more}>{t.more}</Button>
        </div>
      )}
    </Card>
  );
}

/** What became of a run, in words. */
function State({ run }: { run: Run }) {
  const [tone, words] = stateOf(run);
  return (
    <>
      <Chip tone={tone}>{words}</Chip> {run.isTest && <Chip>{text.test}</Chip>}
    </>
  );
}

function stateOf(run: Run): [Tone, string] {
  const { outcome, board } = run;
  if (!outcome) return ['plain', '–'];
  const { state, displayRank, wouldRank, views } = outcome;
  switch (state) {
    case 'HELD':
      return ['warn', text.held(wouldRank ?? null)];
    case 'REJECTED':
      return ['bad', text.rejected([...new Set(run.flags?.map(({ flagType }) => flagType))])];
    case 'REMOVED':
      return ['bad', text.removed];
    case 'NOT_SHOWN':
      return ['plain', views.length > 0 ? text.views(views.map(viewName)) : text.other];
    default: {
      const ranked = (board.boardType === 'COUNTER' ? text.inSum : text.ranked)(displayRank ?? 1);
      return isPending(run) ? ['warn', `${ranked} · ${text.review}`] : ['good', ranked];
    }
  }
}

type ViewRank = NonNullable<Run['outcome']>['views'][number];

function viewName({ view, periodKey, tagValues }: ViewRank): string {
  return [view, ...(periodKey === 'all' ? [] : [periodKey]), ...tagValues].join(' ');
}
