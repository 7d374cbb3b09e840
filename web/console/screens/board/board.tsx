import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { type BoardDetails, BoardQuery, CloseBoardMutation, UpdateBoardMutation } from '../../api/boards.js';
import { useAct, useRead } from '../../api/hooks.js';
import { SERVICE_PATH } from '../../api/place.js';
import { useRemoval } from '../../api/removal.js';
import type { UpdateBoardInput } from '../../generated/graphql.js';
import { Chip, Head } from '../../parts/card.js';
import { ActionFault, Button } from '../../parts/controls.js';
import { Icon } from '../../parts/icon.js';
import { Editable } from '../../parts/may.js';
import { Menu } from '../../parts/menu.js';
import { Loaded } from '../../parts/states.js';
import { When } from '../../parts/time.js';
import { say } from '../../parts/toast.js';
import { Page } from '../../shell/page.js';
import { t } from '../../texts.js';
import { ruleLine } from '../boards/board-rules.js';
import { Phase } from '../boards/boards.js';
import { Closings } from '../closings/closings.js';
import { Rehearse } from '../prizes/rehearse.js';
import { REHEARSAL_TEXTS } from '../prizes/texts.js';
import { BoardFlags } from './board-flags.js';
import { BoardRuns } from './board-runs.js';
import { Live } from './live.js';
import { Series } from './series.js';
import { BoardSettings } from './settings.js';
import { TestRun } from './test-run.js';
import { TAKEN_TEXTS } from './texts.js';

const TABS = ['live', 'flags', 'runs', 'closings', 'series', 'settings'] as const;
const text = t.board;

export function BoardScreen() {
  const { slug, code, tab } = useParams({ from: '/games/$slug/boards/$code/$tab' });
  const { data, fault, again } = useRead(BoardQuery, { code });
  const board = data?.board;
  const name = board?.name ?? code;
  return (
    <Page
      title={name}
      seen={board?.id}
      crumbs={[
        [
          board?.game?.name ?? slug,
          (shown) => (
            <Link to="/games/$slug/boards" params={{ slug }}>
              {shown}
            </Link>
          ),
        ],
        [name],
      ]}
    >
      <Loaded data={board} fault={fault} again={again}>
        {(board) => (
          <>
            <BoardHead board={board} slug={slug} again={again} />
            <nav className="tabs" aria-label={text.tabs}>
              {TABS.map((key) => (
                <Link
                  key={key}
                  to="/games/$slug/boards/$code/$tab"
                  params={{ slug, code, tab: key }}
                  aria-current={key === tab ? 'page' : undefined}
                >
                  {text.tabNames[key]}
                </Link>
              ))}
            </nav>
            {tab === 'flags' && <BoardFlags board={board} />}
            {tab === 'runs' && <BoardRuns board={board} slug={slug} />}
            {tab === 'closings' && <Closings board={board} slug={slug} />}
            {tab === 'series' && <Series board={board} slug={slug} />}
            {tab === 'settings' && (
              <Editable needs="CONFIGURE">
                <BoardSettings key={board.id} board={board} again={again} />
              </Editable>
            )}
            {(tab === 'live' || !TABS.includes(tab as 'live')) && (
              <Live key={board.id} board={board} slug={slug} />
            )}
          </>
        )}
      </Loaded>
    </Page>
  );
}

/** A page of the public side that makes a code or a link. */
function openPage({ shortCode }: BoardDetails, page: 'embed' | 'overlay'): void {
  window.open(`${SERVICE_PATH}/b/${shortCode}/${page}`, '_blank', 'noreferrer');
}

function BoardHead({ board, slug, again }: { board: BoardDetails; slug: string; again(): void }) {
  const navigate = useNavigate();
  const [testing, setTesting] = useState(false);
  const [rehearsing, setRehearsing] = useState(false);
  const update = useAct(UpdateBoardMutation);
  const closing = useAct(CloseBoardMutation, ['Closing']);
  const removal = useRemoval('Board');
  const change = async (input: Omit<UpdateBoardInput, 'id'>, sentence: string) => {
    if (!(await update.run({ input: { id: board.id, ...input } }))) return;
    say(sentence);
    again();
  };
  const close = async () => {
    if (!(await closing.run({ input: { id: board.id } }))) return;
    say(text.closed);
    again();
  };
  const remove = async () => {
    if (!(await removal.remove({ id: board.id }))) return;
    void navigate({ to: '/games/$slug/boards', params: { slug } });
    say(text.deleted(board.name), () => {
      void removal.restore({ id: board.id }).then(() =>
        navigate({
          to: '/games/$slug/boards/$code/$tab',
          params: { slug, code: board.shortCode, tab: 'live' },
        }),
      );
    });
  };
  const isRun = board.boardType !== 'RATIO' && board.phase === 'LIVE';
  return (
    <>
      <Head
        title={board.name}
        meta={
          <>
            <Phase phase={board.phase} />
            {board.endsAt && (
              <span>
                {board.phase === 'ENDED' ? t.boards.ended : t.boards.ends} <When at={board.endsAt} />
              </span>
            )}
            <span>{ruleLine(board.boardType, board.keepStrategy, board.sortDirection)}</span>
            <span className="mono">{board.shortCode}</span>
            {board.rehearsalOf ? (
              <Link
                to="/games/$slug/boards/$code/$tab"
                params={{ slug, code: board.rehearsalOf.shortCode, tab: 'closings' }}
              >
                {REHEARSAL_TEXTS.of(board.rehearsalOf.name)}
              </Link>
            ) : (
              !board.isPublished && <Chip>{t.boards.hidden}</Chip>
            )}
          </>
        }
        actions={
          <>
            {board.isPublished && (
              <a
                className="button plain"
                href={`${SERVICE_PATH}/b/${board.shortCode}`}
                target="_blank"
                rel="noreferrer"
              >
                <Icon name="out" />
                {text.publicPage}
              </a>
            )}
            <Link className="button plain" to="/audit" search={{ subject: board.id }}>
              {t.audit.ofThis}
            </Link>
            {isRun && (
              <Button needs="SUBMIT" onClick={() => setTesting(true)}>
                {text.testRun}
              </Button>
            )}
            <Menu
              label={text.moreActions}
              items={[
                board.isPublished && { text: TAKEN_TEXTS.embed, onPick: () => openPage(board, 'embed') },
                board.isPublished && { text: TAKEN_TEXTS.overlay, onPick: () => openPage(board, 'overlay') },
                {
                  text: text.duplicate,
                  needs: 'CONFIGURE' as const,
                  onPick: () =>
                    void navigate({
                      to: '/games/$slug/boards/new',
                      params: { slug },
                      search: { from: board.shortCode },
                    }),
                },
                !board.rehearsalOf &&
                  board.closingRules.length > 0 &&
                  board.boardType !== 'RATIO' && {
                    text: REHEARSAL_TEXTS.title,
                    needs: 'CONFIGURE' as const,
                    onPick: () => setRehearsing(true),
                  },
                !board.rehearsalOf &&
                  (board.isPublished
                    ? {
                        text: text.unpublish,
                        needs: 'CONFIGURE' as const,
                        onPick: () => void change({ isPublished: false }, text.unpublished),
                      }
                    : {
                        text: text.publish,
                        needs: 'CONFIGURE' as const,
                        onPick: () => void change({ isPublished: true }, text.published),
                      }),
                !board.rehearsalOf &&
                  (board.isActive
                    ? {
                        text: text.close,
                        needs: 'CONFIGURE' as const,
                        onPick: () => void close(),
                      }
                    : {
                        text: text.open,
                        needs: 'CONFIGURE' as const,
                        // A board that has ended opens again without an end.
                        onPick: () =>
                          void change(
                            { isActive: true, ...(board.phase === 'ENDED' && { endsAt: null }) },
                            text.opened,
                          ),
                      }),
                { text: t.delete, needs: 'CONFIGURE', danger: true, onPick: () => void remove() },
              ]}
            />
          </>
        }
      />
      <ActionFault fault={update.fault ?? closing.fault ?? removal.fault} />
      {rehearsing && <Rehearse board={board} slug={slug} onClose={() => setRehearsing(false)} />}
      {testing && <TestRun board={board} onClose={() => setTesting(false)} />}
    </>
  );
}
