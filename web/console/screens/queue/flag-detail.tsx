import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { useRead } from '../../api/hooks.js';
import { Runs } from '../../charts/runs.js';
import { Amount } from '../../parts/amount.js';
import { Card, Chip, Facts } from '../../parts/card.js';
import { Button, SelectField } from '../../parts/controls.js';
import { count, gap, span } from '../../parts/format.js';
import { Loaded } from '../../parts/states.js';
import { When } from '../../parts/time.js';
import { onPlatform, t } from '../../texts.js';
import { RecordingLink } from '../runs/recording-link.js';
import { RunFacts } from '../runs/run-facts.js';
import { VerdictList } from '../runs/verdict-list.js';
import { Comments } from './comments.js';
import { About, Confidence, VerdictChip } from './flag-list.js';
import { useIfConfirmed } from './if-confirmed.js';
import { type FlagDetails, FlagQuery } from './operations.js';
import { type Queue } from './queue-state.js';
import { type Flag, isPending, type QueueView, type Row } from './rows.js';
import { WhereItLies } from './where-it-lies.js';

/** A run of the player, with its value as it is shown. */
interface Run {
  id: string;
  value: number;
  shown: ReactNode;
  at: string;
}

interface DetailProps {
  row: Row;
  flag: Flag;
  view: QueueView;
  queue: Queue;
  onAllRuns(): void;
}

/** A player's flags, and the one of them that is looked at. */
export function FlagDetail(props: DetailProps) {
  const { id, boardId, identityId } = props.flag;
  const { data, fault, again } = useRead(FlagQuery, { id, boardId, identityId });
  return (
    <>
      {props.row.flags.length > 1 && <Flags {...props} />}
      <Loaded data={data?.scoreFlag.id === id ? data : undefined} fault={fault} again={again}>
        {(details) => <Details key={id} row={props.flag} details={details} />}
      </Loaded>
      <Comments identityId={identityId} flagId={id} />
    </>
  );
}

/** All flags of a player: which one is looked at, and which are left out of the next decision. */
function Flags({ row: { name, flags, pending }, flag: open, view, queue, onAllRuns }: DetailProps) {
  return (
    <section className="card flags-of" aria-label={t.queue.flagsOf(name)}>
      <ul>
        {flags.map((flag, index) => (
          <li key={flag.id}>
            <input
              type="checkbox"
              aria-label={t.queue.include}
              checked={isPending(flag) && !view.leftOut.has(flag.id)}
              disabled={!isPending(flag)}
              onChange={() => queue.leaveOut(flag)}
            />
            <button
              type="button"
              className="flag-line"
              aria-current={flag === open || undefined}
              onClick={() => queue.look(index)}
            >
              <Confidence value={flag.confidence} />
              <span className="about">
                <About flag={flag} />
              </span>
              {flag.status === 'PENDING' ? (
                <When at={flag.createdAt} className="age" />
              ) : (
                <VerdictChip status={flag.status} by={flag.colleague?.name} />
              )}
            </button>
          </li>
        ))}
      </ul>
      {pending > flags.length && (
        <p className="note">
          <span>{t.queue.onlyShown(flags.length)}</span>
          <Button needs="MODERATE" onClick={onAllRuns} keyName="B">
            {t.queue.decideAll}
          </Button>
        </p>
      )}
    </section>
  );
}

function runsOf({ runs, scoreFlag }: FlagDetails): Run[] {
  const population = runs.nodes.filter((run) => run.isTest === scoreFlag.isTest);
  return population.toReversed().map(({ id, value, valueDisplay, createdAt }) => {
    const shown = <Amount of={scoreFlag.board} value={value} display={valueDisplay} both />;
    return { id, value, shown, at: createdAt };
  });
}

function Details({ row, details }: { row: Flag; details: FlagDetails }) {
  const { scoreFlag: flag } = details;
  const { board, identity, scoreEvent: event } = flag;
  const runs = runsOf(details);
  const index = runs.findIndex((run) => run.id === event?.id);
  const run = runs[index];
  const before = runs[index - 1];
  const lowerIsBetter = board?.sortDirection === 'ASC';
  const best = runs
    .filter((other) => other !== run)
    .sort((a, b) => (lowerIsBetter ? a.value - b.value : b.value - a.value))[0];
  const [rankingAt, setRanking] = useState('');
  const entry = board?.entriesOf?.[Number(rankingAt)];
  const view = rankingAt === '' ? undefined : entry?.ranking;
  const rank = (view ? entry : board?.ranking?.entry)?.rank;
  const total = (view ?? board?.ranking)?.totalCount ?? 0;
  const [after, moves] = useIfConfirmed(flag.id, row.status === 'PENDING');
  const value = run?.shown ?? <Amount of={board} value={event?.value ?? 0} />;
  return (
    <>
      <header>
        <div className="meta">
          {board?.game && (
            <Link
              to="/games/$slug/boards/$code/$tab"
              params={{ slug: board.game.slug, code: board.shortCode, tab: 'live' }}
            >
              {board.game.name} / {board.name}
            </Link>
          )}
          <span>{t.queue.kinds[flag.flagType]}</span>
          <span className={flag.confidence === 'HIGH' ? 'bad-text' : 'warn-text'}>
            {t.queue.confidence[flag.confidence]}
          </span>
          <When at={flag.createdAt} />
          {flag.isTest && <Chip>{t.queue.test}</Chip>}
          {row.status === 'PENDING' && flag.heldRank != null && (
            <Chip tone="warn">{t.queue.held(count(flag.heldRank))}</Chip>
          )}
          {row.status !== 'PENDING' && <VerdictChip status={row.status} by={row.colleague?.name} />}
        </div>
        <h2 className="sentence">{flag.explanation}</h2>
        {flag.details.length > 0 && (
          <details>
            <summary>{t.queue.details}</summary>
            <Facts facts={flag.details.map(({ label, text }) => [label, text])} />
          </details>
        )}
        {event?.run && <RunFacts run={event.run} />}
        {event?.recording && <RecordingLink recording={event.recording} />}
        {event?.verdicts && <VerdictList verdicts={event.verdicts} />}
        <Player details={details} />
      </header>
      {row.colleague && row.status !== 'PENDING' && (
        <p className="note warn" role="status">
          {t.queue.colleague(row.colleague.name, span(Date.now() - row.colleague.at))}
        </p>
      )}
      {flag.reviewerDecision && <p className="note">{t.queue.reasonWas(flag.reviewerDecision)}</p>}
      <Facts
        facts={[
          [t.queue.value, value, t.queue.confidence[flag.confidence]],
          [t.queue.placeNow, rank === undefined ? '–' : count(rank), board && t.queue.of(count(total))],
          [t.queue.ifConfirmed, after, moves],
          [t.queue.bestOther, best ? best.shown : '–', best && <When at={best.at} />],
          [
            t.queue.sinceBefore,
            run && before ? gap(Date.parse(run.at) - Date.parse(before.at)) : '–',
            before ? before.shown : t.queue.firstRun,
          ],
        ]}
      />
      {!!board?.entriesOf?.length && (
        <SelectField
          label={t.queue.ranking}
          value={rankingAt}
          options={[['', t.queue.ownRanking], ...board.entriesOf.map(rankingOption)]}
          onPick={setRanking}
        />
      )}
      <div className="pair">
        <figure className="card">
          <figcaption>
            <b>{t.queue.pastRuns}</b>
            {t.queue.runsHere(runs.length, details.runs.pageInfo.hasNextPage)}
          </figcaption>
          {runs.length > 1 ? (
            <Runs of={board} runs={runs} marked={event?.id} lowerIsBetter={lowerIsBetter} height={170} />
          ) : (
            <p className="soft small">{t.queue.onlyRun}</p>
          )}
        </figure>
        {board && identity && (
          <WhereItLies
            board={board}
            mark={event?.value ?? 0}
            isTest={flag.isTest}
            usual={view ? null : flag.usual}
            ranking={view}
          />
        )}
      </div>
      <Compared details={details} />
    </>
  );
}

type ViewEntry = NonNullable<NonNullable<FlagDetails['scoreFlag']['board']>['entriesOf']>[number];

function rankingOption({ ranking: { view, periodKey, tags } }: ViewEntry, index: number): [string, string] {
  const period = periodKey === 'all' ? [] : [periodKey];
  return [String(index), [view, ...period, ...tags.map(({ value }) => value)].join(' · ')];
}

function Player({ details: { scoreFlag: flag, runs } }: { details: FlagDetails }) {
  const { identity, board } = flag;
  if (!identity) return null;
  const flags = (identity.scoreFlags?.nodes ?? []).filter(
    (other) => other.id !== flag.id && other.status !== 'PENDING',
  );
  const confirmed = flags.filter((other) => other.status === 'CONFIRMED_CHEAT').length;
  const devices = identity.devices?.nodes ?? [];
  return (
    <div className="meta">
      {board?.game ? (
        <Link
          className="name strong"
          to="/games/$slug/players/$id"
          params={{ slug: board.game.slug, id: identity.id }}
        >
          {identity.displayName}
        </Link>
      ) : (
        <span className="name strong">{identity.displayName}</span>
      )}
      <Chip>{identity.trustTier ? t.queue.tier(identity.trustTier) : t.queue.defaultTier}</Chip>
      <span>{t.queue.runsHere(runs.nodes.length, runs.pageInfo.hasNextPage)}</span>
      <span>
        {t.queue.firstSeen} <When at={identity.createdAt} />
      </span>
      {devices.length > 0 && (
        <span>
          {t.queue.devices(
            devices.length,
            [...new Set(devices.map(({ platform }) => onPlatform(platform)))].join(', '),
          )}
        </span>
      )}
      {flags.length > 0 ? (
        <span className="warn-text">{t.queue.earlier(flags.length, confirmed)}</span>
      ) : (
        <span>{t.queue.noEarlier}</span>
      )}
    </div>
  );
}

function Compared({ details: { scoreFlag: flag } }: { details: FlagDetails }) {
  const { comparedEvents, board } = flag;
  if (comparedEvents.length === 0) return null;
  const side = <span className="faint-text small">{t.queue.comparedHint}</span>;
  return (
    <Card title={t.queue.compared} side={side}>
      <table>
        <thead>
          <tr>
            <th scope="col">{t.queue.run}</th>
            <th scope="col" className="number">
              {t.queue.value}
            </th>
            <th scope="col">{t.queue.submitted}</th>
          </tr>
        </thead>
        <tbody>
          {comparedEvents.map((event) => (
            <tr key={event.id}>
              <td className="name">{event.identity?.displayName}</td>
              <td className="number strong">
                <Amount of={board} value={event.value} display={event.valueDisplay} both />
              </td>
              <td className="soft">
                <When at={event.createdAt} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Card>
  );
}
