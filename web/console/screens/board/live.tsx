import { Link } from '@tanstack/react-router';
import { type ReactNode, useDeferredValue, useEffect, useState } from 'react';
import { useSubscription } from 'urql';
import type { BoardDetails } from '../../api/boards.js';
import { connection } from '../../api/connection.js';
import type { Fault } from '../../api/fault.js';
import { useRead } from '../../api/hooks.js';
import { useStore } from '../../api/store.js';
import { Bars } from '../../charts/bars.js';
import { Distribution, type ShownRanking } from '../../charts/distribution.js';
import { HistoryCard } from '../../charts/history.js';
import { graphql } from '../../generated/gql.js';
import type { BoardMovesSubscription } from '../../generated/graphql.js';
import { Amount } from '../../parts/amount.js';
import { Card, Figures } from '../../parts/card.js';
import { Button, TextField } from '../../parts/controls.js';
import { count, upTo } from '../../parts/format.js';
import { Loaded } from '../../parts/states.js';
import { Ago } from '../../parts/time.js';
import { t } from '../../texts.js';
import { NextClosings } from '../closings/next-closings.js';
import { OtherPlayers } from './other-players.js';
import { PlayerPanel } from './player-panel.js';
import { Ranking } from './ranking.js';
import { useChosenRanking } from './ranking-picker.js';

const PLACES = 25;

const BoardMoves = graphql(`
  subscription BoardMoves($boardId: ID!, $view: String, $period: String, $where: [TagInput!]) {
    boardChanged(boardId: $boardId, view: $view, period: $period, where: $where, first: 25) {
      version
      entries { totalCount nodes { scoreId rank identityId playerName value valueDisplay status updatedAt } }
    }
  }
`);

const PlacesQuery = graphql(`
  query Places($boardId: ID!, $from: Int!, $view: String, $period: String, $where: [TagInput!]) {
    board(by: { id: $boardId }) {
      id
      ranking(view: $view, period: $period, where: $where) {
        totalCount
        entries(startRank: $from, first: 25) {
          nodes { scoreId rank identityId playerName value valueDisplay status updatedAt }
        }
      }
    }
  }
`);

const VerifiedQuery = graphql(`
  query VerifiedPlaces($boardId: ID!, $from: Int!, $view: String, $period: String, $where: [TagInput!]) {
    board(by: { id: $boardId }) {
      id
      ranking(view: $view, period: $period, where: $where) {
        entries(startRank: $from, first: 25) { nodes { scoreId value verifiedAt } }
      }
    }
  }
`);

const AroundQuery = graphql(`
  query BoardAround($boardId: ID!) {
    board(by: { id: $boardId }) {
      id
      activity(minutes: 30) { at count }
      scoreFlags(filter: {status: PENDING}, first: 1) { totalCount { value isExact } }
      scoreEvents(first: 8) { nodes { id identityId value valueDisplay createdAt identity { displayName } } }
    }
  }
`);

export type Place = BoardMovesSubscription['boardChanged']['entries']['nodes'][number];

const EVERY_MS = 5_000;
const DISTRIBUTION_EVERY_MS = 30_000;
const text = t.live;

/** A board at work: one of its rankings that moves, a chosen player, the newest runs. */
export function Live({ board, slug }: { board: BoardDetails; slug: string }) {
  const { ranking, picker, fault, isEmpty, ready } = useChosenRanking(board);
  return (
    <LiveRanking
      key={JSON.stringify(ranking)}
      {...{ board, slug, ranking, picker, isEmpty, ready }}
      pickerFault={fault}
    />
  );
}

interface LiveProps {
  board: BoardDetails;
  slug: string;
  /** Undefined: the board's own. */
  ranking: ShownRanking | undefined;
  picker: ReactNode;
  pickerFault: Fault | undefined;
  /** The view has no group yet. */
  isEmpty: boolean;
  /** False while the group is not known. */
  ready: boolean;
}

function LiveRanking({ board, slug, ranking, picker, pickerFault, isEmpty, ready }: LiveProps) {
  const [paused, setPaused] = useState(false);
  const [from, setFrom] = useState(1);
  const [filter, setFilter] = useState('');
  const [chosen, setChosen] = useState<string>();
  const { live } = useStore(connection);
  const of = ranking && { view: ranking.view, period: ranking.periodKey, where: ranking.tags };
  const isOver = ranking?.periodKey != null;
  const [{ data: moves }] = useSubscription({
    query: BoardMoves,
    variables: { boardId: board.id, ...of },
    // A period that is over moves by reviews alone.
    pause: paused || !live || !ready || isEmpty || isOver,
  });
  const page = useRead(
    PlacesQuery,
    { boardId: board.id, from, ...of },
    { pause: !ready || isEmpty, every: from > 1 || isOver ? EVERY_MS : undefined },
  );
  const marks = useRead(
    VerifiedQuery,
    { boardId: board.id, from, ...of },
    { pause: !board.verdicts || !ready || isEmpty, every: paused ? undefined : EVERY_MS },
  );
  const verified = new Map(
    marks.data?.board.ranking?.entries?.nodes.map(({ scoreId, value, verifiedAt }) => [
      scoreId,
      { value, at: verifiedAt },
    ]),
  );
  const around = useRead(AroundQuery, { boardId: board.id }, { every: paused ? undefined : EVERY_MS });
  const window = moves?.boardChanged.entries;
  const read = page.data?.board.ranking;
  const places = isEmpty ? [] : ((from === 1 ? window?.nodes : undefined) ?? read?.entries?.nodes);
  const entries = window?.totalCount ?? read?.totalCount ?? 0;
  const sought = useDeferredValue(filter.trim());
  const shown = places?.filter((place) => place.playerName.toLowerCase().includes(sought.toLowerCase()));
  useEffect(() => {
    if (!chosen && places?.[0]) setChosen(places[0].identityId);
  }, [chosen, places]);
  const flags = around.data?.board.scoreFlags?.totalCount;
  const minutes = around.data?.board.activity?.map(({ count }) => count);
  return (
    <>
      <Figures
        figures={[
          { name: t.overview.entries, value: count(entries) },
          ...(minutes
            ? [
                {
                  name: t.overview.perMinute,
                  value: count(minutes.at(-2) ?? 0),
                  chart: <Bars values={minutes} height={26} />,
                },
              ]
            : []),
          {
            name: t.overview.pending,
            value: flags ? upTo(flags) : '–',
          },
        ]}
      />
      <NextClosings board={board} slug={slug} />
      <div className="grid board">
        <Card
          title={text.ranking}
          side={
            <>
              {picker}
              <TextField
                bare
                label={text.filter}
                placeholder={text.filter}
                value={filter}
                onText={setFilter}
              />
              <Button look="quiet" onClick={() => setPaused(!paused)}>
                {paused ? text.resume : text.pause}
              </Button>
            </>
          }
        >
          <Loaded data={shown} fault={page.fault ?? pickerFault} again={page.again} rows={12} height={38}>
            {(shown) =>
              shown.length === 0 ? (
                <p className="empty">{filter ? text.noMatch : text.empty}</p>
              ) : (
                <Ranking
                  {...{ places: shown, board, chosen, onChoose: setChosen }}
                  isVerified={({ scoreId, value }) => {
                    const known = verified.get(scoreId);
                    return known?.at != null && known.value === value;
                  }}
                />
              )
            }
          </Loaded>
          {sought && shown && (
            <OtherPlayers
              slug={slug}
              name={sought}
              shown={new Set(shown.map(({ identityId }) => identityId))}
              chosen={chosen}
              onChoose={setChosen}
            />
          )}
          {(from > 1 || entries > PLACES) && (
            <div className="pager">
              <Button disabled={from === 1} onClick={() => setFrom(Math.max(1, from - PLACES))}>
                {text.before}
              </Button>
              <span className="soft small">
                {text.places(from, Math.min(entries, from + PLACES - 1), count(entries))}
              </span>
              <Button disabled={from + PLACES > entries} onClick={() => setFrom(from + PLACES)}>
                {text.after}
              </Button>
            </div>
          )}
        </Card>
        <div className="stack">
          <Card title={t.distribution.title} padded>
            <Distribution
              board={board}
              ranking={ranking}
              every={paused ? undefined : DISTRIBUTION_EVERY_MS}
            />
          </Card>
          {chosen && (
            <PlayerPanel key={chosen} board={board} slug={slug} identityId={chosen} ranking={ranking} />
          )}
          <Card
            className="across"
            title={text.newest}
            side={
              <Link
                className="small"
                to="/games/$slug/boards/$code/$tab"
                params={{ slug, code: board.shortCode, tab: 'runs' }}
              >
                {text.allRuns}
              </Link>
            }
          >
            <Loaded data={around.data} fault={around.fault} again={around.again}>
              {({ board: { scoreEvents } }) =>
                !scoreEvents?.nodes.length ? (
                  <p className="empty">{text.noRuns}</p>
                ) : (
                  <ul className="rows">
                    {scoreEvents.nodes.map((event) => (
                      <li key={event.id}>
                        <Link
                          className="name"
                          to="/games/$slug/players/$id"
                          params={{ slug, id: event.identityId }}
                        >
                          {event.identity?.displayName}
                        </Link>
                        <span className="right strong">
                          <Amount of={board} value={event.value} display={event.valueDisplay} />
                        </span>
                        <Ago at={event.createdAt} />
                      </li>
                    ))}
                  </ul>
                )
              }
            </Loaded>
          </Card>
        </div>
      </div>
      <HistoryCard className="below" id={board.id} />
    </>
  );
}
