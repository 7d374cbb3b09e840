import { useState } from 'react';
import { useRead } from '../../api/hooks.js';
import { graphql } from '../../generated/gql.js';
import { BoardPicker } from '../../parts/board-picker.js';
import { t } from '../../texts.js';

const FilterBoardQuery = graphql(`
  query FilterBoard($id: ID!) { board(by: { id: $id }) { id name } }
`);

interface BoardFilterProps {
  /** The game whose boards can be chosen; undefined: all. */
  gameId: string | undefined;
  boardId: string | undefined;
  onPick(board: string | undefined): void;
}

/** Limits the queue to a board, among any number. */
export function BoardFilter({ gameId, boardId, onPick }: BoardFilterProps) {
  const [open, setOpen] = useState(false);
  const { data } = useRead(FilterBoardQuery, { id: boardId ?? '' }, { pause: !boardId });
  const name = boardId ? (data?.board?.name ?? t.queue.thisBoard) : t.queue.allBoards;
  return (
    <>
      <button
        type="button"
        className="input as-select"
        aria-label={`${t.queue.board}: ${name}`}
        aria-haspopup="dialog"
        onClick={() => setOpen(true)}
      >
        {name}
      </button>
      {open && (
        <BoardPicker
          all={t.queue.allBoards}
          gameId={gameId}
          chosen={boardId}
          onPick={onPick}
          onClose={() => setOpen(false)}
        />
      )}
    </>
  );
}
