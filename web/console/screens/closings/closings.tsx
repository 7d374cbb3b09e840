import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { BoardDetails } from '../../api/boards.js';
import { useList } from '../../api/hooks.js';
import { graphql } from '../../generated/gql.js';
import type { ClosingsQuery } from '../../generated/graphql.js';
import { Amount } from '../../parts/amount.js';
import { Card, Chip, type Tone } from '../../parts/card.js';
import { Button } from '../../parts/controls.js';
import { Fold } from '../../parts/fold.js';
import { count } from '../../parts/format.js';
import { Pager } from '../../parts/pager.js';
import { Empty, Failed, Waiting } from '../../parts/states.js';
import { When } from '../../parts/time.js';
import { ReissueButton } from '../prizes/reissue.js';
import { ReleaseButton, Rewards } from '../prizes/rewards.js';
import { REWARD_TEXTS } from '../prizes/texts.js';
import { RULE_TEXTS, CLOSING_TEXTS as text } from './texts.js';

const ClosingsText = graphql(`
  query Closings($id: ID!, $after: String) {
    board(by: { id: $id }) {
      id
      closings(first: 20, after: $after) {
        nodes {
          id
          view
          period
          group
          isTest
          status
          endedAt
          settlesAt
          reviewUntil
          frozenAt
          totalCount
          openFlags
          heldRuns
          prizesStatus
          grantedCount
          places { rank displayRank identityId playerName value valueDisplay }
          undecided { scoreEventId identityId playerName value valueDisplay isHeld }
        }
        pageInfo { hasNextPage endCursor }
      }
    }
  }
`);

type Closing = NonNullable<NonNullable<ClosingsQuery['board']['closings']>['nodes'][number]>;
type Place = NonNullable<Closing['places']>[number];
type Undecided = NonNullable<Closing['undecided']>[number];

const TONES: Record<Closing['status'], Tone> = { SETTLING: 'warn', FROZEN: 'good', WITHDRAWN: 'plain' };
const PODIUM = 3;
/** So that a closing is seen to settle. */
const EVERY_MS = 30_000;
const NOTHING = { nodes: [], pageInfo: { hasNextPage: false } };

interface Shown {
  board: BoardDetails;
  slug: string;
}

/** The closed rankings of a board, newest first. */
export function Closings({ board, slug }: Shown) {
  const list = useList(ClosingsText, { id: board.id }, (data) => data.board.closings ?? NOTHING, {
    every: EVERY_MS,
  });
  const none = !list.loading && !list.fault && list.rows.length === 0;
  return (
    <Card title={text.title}>
      {list.loading && <Waiting />}
      {list.fault && <Failed fault={list.fault} again={list.reload} />}
      {none && <Empty>{board.closingRules.length > 0 ? text.empty : text.noRules}</Empty>}
      <ul className="rows closings">
        {list.rows.map((closing) => (
          <li key={closing.id}>
            <ClosingRow closing={closing} board={board} slug={slug} again={list.reload} />
          </li>
        ))}
      </ul>
      <Pager list={list} />
    </Card>
  );
}

function ClosingRow({ closing, board, slug, again }: Shown & { closing: Closing; again(): void }) {
  const { view, period, group, status, isTest, totalCount } = closing;
  const places = closing.places ?? [];
  const undecided = closing.undecided ?? [];
  return (
    <div className="grow">
      <b className="name">{[view ?? RULE_TEXTS.own, period, group].filter(Boolean).join(' · ')}</b>{' '}
      <Chip tone={TONES[status]}>{text.status[status]}</Chip> {isTest && <Chip>{text.test}</Chip>}
      <span className="block small soft">
        {text.ended} <When at={closing.endedAt} />
        {status === 'SETTLING' && (
          <>
            {text.settles} <When at={closing.settlesAt} />
          </>
        )}
        {totalCount != null && text.entries(count(totalCount))}
      </span>
      {undecided.length > 0 && <Review closing={closing} runs={undecided} board={board} slug={slug} />}
      {status === 'FROZEN' && places.length === 0 && <span className="block small">{text.nobody}</span>}
      <Places places={places.slice(0, PODIUM)} board={board} slug={slug} />
      {places.length > PODIUM && (
        <Fold title={text.further(places.length - PODIUM)} faulty={false}>
          <Places places={places.slice(PODIUM)} board={board} slug={slug} />
        </Fold>
      )}
      <Prizes closing={closing} slug={slug} again={again} />
    </div>
  );
}

/** How far the prizes of a closing are, and its rewards on request: counting them reads all. */
function Prizes({ closing, slug, again }: { closing: Closing; slug: string; again(): void }) {
  const { id, isTest, prizesStatus: status, grantedCount } = closing;
  const [shown, setShown] = useState(false);
  if (status === 'NONE') return null;
  const hint = REWARD_TEXTS.prizes[status];
  const isHeld = status === 'WAITING_FOR_LIMIT' || status === 'HELD';
  return (
    <div className="stack">
      {hint !== '' && <p className={isHeld ? 'note warn' : 'small soft'}>{hint}</p>}
      <div className="actions">
        {grantedCount > 0 && (
          <Button aria-expanded={shown} onClick={() => setShown(!shown)}>
            {shown ? REWARD_TEXTS.hide : REWARD_TEXTS.show} ({count(grantedCount)})
          </Button>
        )}
        {status === 'GRANTED' && <ReissueButton closingId={id} onDone={again} />}
        {isHeld && <ReleaseButton closingId={id} hint={hint} onDone={again} />}
      </div>
      {shown && <Rewards closingId={id} isTest={isTest} slug={slug} />}
    </div>
  );
}

function Places({ places, board, slug }: Shown & { places: readonly Place[] }) {
  return (
    <ol className="places">
      {places.map(({ rank, displayRank, identityId, playerName, value, valueDisplay }) => (
        <li key={rank}>
          {displayRank}.{' '}
          <Link to="/games/$slug/players/$id" params={{ slug, id: identityId }} className="name">
            {playerName}
          </Link>{' '}
          <Amount of={board} value={value} display={valueDisplay} />
        </li>
      ))}
    </ol>
  );
}

/** What it waits for, or what it did not wait for any longer. */
function Review({ closing, runs, board, slug }: Shown & { closing: Closing; runs: readonly Undecided[] }) {
  const waits = closing.status === 'SETTLING';
  return (
    <div className="note warn">
      <span>
        {waits ? text.waits : text.waited}{' '}
        {waits && (
          <>
            <When at={closing.reviewUntil} />.
          </>
        )}{' '}
        <Link className="block" to="/moderation" search={{ board: board.id }}>
          {text.queue}
        </Link>
        <ul className="places">
          {runs.map(({ scoreEventId, identityId, playerName, value, valueDisplay, isHeld }) => (
            <li key={`${scoreEventId} ${isHeld}`}>
              <Link to="/games/$slug/players/$id" params={{ slug, id: identityId }} className="name">
                {playerName}
              </Link>{' '}
              <Amount of={board} value={value} display={valueDisplay} /> {isHeld ? text.held : text.flagged}
            </li>
          ))}
        </ul>
      </span>
    </div>
  );
}
