import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { useCurrentGame } from '../../api/games.js';
import { useList } from '../../api/hooks.js';
import { graphql } from '../../generated/gql.js';
import type { BoardsQuery as Answer, BoardPhase } from '../../generated/graphql.js';
import { Chip, Head, type Tone } from '../../parts/card.js';
import { SelectField, TextField } from '../../parts/controls.js';
import type { Column } from '../../parts/data-table.js';
import { count } from '../../parts/format.js';
import { Icon } from '../../parts/icon.js';
import { ListCard } from '../../parts/list-card.js';
import { May } from '../../parts/may.js';
import { When } from '../../parts/time.js';
import { Page } from '../../shell/page.js';
import { t } from '../../texts.js';
import { ruleLine } from './board-rules.js';

const BoardsQuery = graphql(`
  query Boards($slug: String!, $after: String) {
    boards(filter: {gameSlug: $slug}, first: 100, after: $after) {
      nodes {
        id
        name
        shortCode
        phase
        isPublished
        boardType
        keepStrategy
        sortDirection
        startsAt
        endsAt
        createdFromTemplate { id name }
        ranking { totalCount }
      }
      pageInfo { hasNextPage endCursor }
    }
  }
`);

type Listed = Answer['boards']['nodes'][number];

/** A board, or the foremost board of a series. */
interface BoardRow extends Listed {
  /** Other boards of its series in the list. */
  others: number;
}

/** Live boards stand for their series, then upcoming ones, then the newest. */
const FOREMOST: readonly BoardPhase[] = ['LIVE', 'UPCOMING'];
const standing = ({ phase }: Listed) =>
  (FOREMOST.indexOf(phase) + FOREMOST.length + 1) % (FOREMOST.length + 1);

/** The boards with one of each series, except of those that are unfolded. */
function folded(rows: readonly Listed[], unfolded: ReadonlySet<string>): BoardRow[] {
  const series = new Map<string, Listed[]>();
  for (const row of rows) {
    const id = row.createdFromTemplate?.id;
    if (id) series.set(id, [...(series.get(id) ?? []), row]);
  }
  return rows.flatMap((row) => {
    const id = row.createdFromTemplate?.id;
    const all = id ? series.get(id)! : [row];
    const first = all.toSorted((a, b) => standing(a) - standing(b))[0];
    const others = row === first ? all.length - 1 : 0;
    return row === first || (id && unfolded.has(id)) ? [{ ...row, others }] : [];
  });
}

const TONES: Record<BoardPhase, Tone> = { LIVE: 'good', UPCOMING: 'warn', ENDED: 'plain', INACTIVE: 'plain' };
const text = t.boards;

export function Phase({ phase }: { phase: BoardPhase }) {
  return (
    <Chip tone={TONES[phase]} dot={phase === 'LIVE'}>
      {t.phase[phase]}
    </Chip>
  );
}

function columnsOf(
  slug: string,
  unfolded: ReadonlySet<string>,
  toggle: (template: string) => void,
): Column<BoardRow>[] {
  return [
    {
      id: 'name',
      title: text.board,
      by: (row) => row.name.toLowerCase(),
      cell: (row) => (
        <>
          <Link
            className="name"
            to="/games/$slug/boards/$code/$tab"
            params={{ slug, code: row.shortCode, tab: 'live' }}
          >
            {row.name}
          </Link>
          <div className="faint-text small">
            {ruleLine(row.boardType, row.keepStrategy, row.sortDirection)}
          </div>
          {row.others > 0 && row.createdFromTemplate && (
            <SeriesToggle
              template={row.createdFromTemplate}
              others={row.others}
              isOpen={unfolded.has(row.createdFromTemplate.id)}
              toggle={toggle}
            />
          )}
        </>
      ),
    },
    { id: 'state', title: text.state, by: (row) => row.phase, cell: (row) => <Phase phase={row.phase} /> },
    {
      id: 'ends',
      title: text.when,
      wide: true,
      by: (row) => row.endsAt ?? '',
      cell: (row) =>
        row.phase === 'UPCOMING' && row.startsAt ? (
          <span className="period">
            {text.opens} <When at={row.startsAt} />
          </span>
        ) : row.endsAt ? (
          <span className="period">
            {row.phase === 'ENDED' ? text.ended : text.ends} <When at={row.endsAt} />
          </span>
        ) : (
          <span className="faint-text">{t.overview.noEnd}</span>
        ),
    },
    {
      id: 'code',
      title: text.code,
      wide: true,
      cell: (row) => <span className="mono">{row.shortCode}</span>,
    },
    {
      id: 'published',
      title: text.seen,
      wide: true,
      by: (row) => Number(row.isPublished),
      cell: (row) => (row.isPublished ? text.published : <span className="faint-text">{text.hidden}</span>),
    },
    {
      id: 'entries',
      title: t.overview.entries,
      number: true,
      by: (row) => row.ranking?.totalCount ?? 0,
      cell: (row) => count(row.ranking?.totalCount ?? 0),
    },
  ];
}

interface SeriesToggleProps {
  template: { id: string; name: string };
  others: number;
  isOpen: boolean;
  toggle(template: string): void;
}

function SeriesToggle({ template: { id, name }, others, isOpen, toggle }: SeriesToggleProps) {
  return (
    <button type="button" className="link small" aria-expanded={isOpen} onClick={() => toggle(id)}>
      {isOpen ? text.fold(name) : text.series(name, others)}
    </button>
  );
}

export function Boards() {
  const { slug } = useParams({ from: '/games/$slug/boards' });
  const { q = '', state = '' } = useSearch({ from: '/games/$slug/boards' });
  const navigate = useNavigate({ from: '/games/$slug/boards' });
  const game = useCurrentGame();
  const list = useList(BoardsQuery, { slug }, (data) => data.boards);
  const [unfolded, setUnfolded] = useState<ReadonlySet<string>>(new Set());
  const columns = useMemo(() => {
    const toggle = (id: string) =>
      setUnfolded((open) =>
        open.has(id) ? new Set([...open].filter((one) => one !== id)) : new Set([...open, id]),
      );
    return columnsOf(slug, unfolded, toggle);
  }, [slug, unfolded]);
  const rows = useMemo(() => {
    const sought = q.trim().toLowerCase();
    const shown = list.rows.filter(
      (row) => (!state || row.phase === state) && row.name.toLowerCase().includes(sought),
    );
    // Who looks for a name finds each board.
    return sought ? shown.map((row) => ({ ...row, others: 0 })) : folded(shown, unfolded);
  }, [list.rows, state, q, unfolded]);
  return (
    <Page title={t.nav.boards} crumbs={[[game?.name ?? slug], [t.nav.boards]]}>
      <Head
        title={t.nav.boards}
        actions={
          <May needs="CONFIGURE">
            <Link className="button quiet" to="/deleted" search={{ kind: 'boards' }}>
              {t.deleted.show}
            </Link>
            <Link className="button primary" to="/games/$slug/boards/new" params={{ slug }}>
              <Icon name="plus" />
              {t.overview.newBoard}
            </Link>
          </May>
        }
      />
      <ListCard
        label={t.nav.boards}
        title={game?.name ?? slug}
        side={
          <>
            <TextField
              bare
              label={text.filter}
              placeholder={text.filter}
              value={q}
              onText={(next) =>
                void navigate({ search: { state: state || undefined, q: next || undefined }, replace: true })
              }
            />
            <SelectField
              bare
              label={text.state}
              value={state}
              options={[['', text.everyState], ...Object.entries(t.phase)]}
              onPick={(next) =>
                void navigate({ search: { q: q || undefined, state: next || undefined }, replace: true })
              }
            />
          </>
        }
        list={{ ...list, rows }}
        columns={columns}
        keyOf={(row) => row.id}
        empty={q || state ? text.noMatch : text.empty}
      />
    </Page>
  );
}
