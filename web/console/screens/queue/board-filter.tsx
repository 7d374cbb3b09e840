import { useState } from 'react';
import { useRead } from '../../api/hooks.js';
import { useAccountId } from '../../api/me.js';
import { graphql } from '../../generated/gql.js';
import { type Choice, Picker } from '../../parts/picker.js';
import { t } from '../../texts.js';

const FilterBoardQuery = graphql(`
  query FilterBoard($id: ID!) { board(by: { id: $id }) { id name } }
`);

const NewestBoardsQuery = graphql(`
  query NewestBoards($accountId: ID!, $filter: BoardFilter) {
    boards(accountId: $accountId, filter: $filter, first: 20) {
      nodes { id name game { id name } }
      pageInfo { hasNextPage }
    }
  }
`);

const BoardsNamedQuery = graphql(`
  query BoardsNamed($accountId: ID!, $text: String!) {
    search(accountId: $accountId, text: $text, first: 20) { __typename id ... on Board { name game { id name } } }
  }
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
  const useFound = (sought: string) => useBoards(sought, gameId);
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
        <Picker
          title={t.queue.board}
          label={t.queue.boardName}
          none={t.queue.noBoard}
          all={t.queue.allBoards}
          chosen={boardId}
          useFound={useFound}
          onPick={onPick}
          onClose={() => setOpen(false)}
        />
      )}
    </>
  );
}

/** The newest boards, or those that a text names. */
function useBoards(sought: string, gameId: string | undefined) {
  const accountId = useAccountId();
  const filter = gameId ? { gameId } : null;
  const newest = useRead(NewestBoardsQuery, { accountId, filter }, { pause: sought !== '' });
  const named = useRead(BoardsNamedQuery, { accountId, text: sought }, { pause: sought === '' });
  const { fault, again } = sought === '' ? newest : named;
  const found = named.data?.search.flatMap((hit) => (hit?.__typename === 'Board' ? hit : []));
  const boards = sought === '' ? newest.data?.boards.nodes : found;
  const choices = boards
    ?.filter(({ game }) => !gameId || game?.id === gameId)
    .map(({ id, name, game }): Choice => ({ id, name, more: game?.name }));
  const hasMore = sought === '' ? !!newest.data?.boards.pageInfo.hasNextPage : (found?.length ?? 0) === 20;
  return { data: choices && { choices, hasMore }, fault, again };
}
