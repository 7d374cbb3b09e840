import { useRead } from '../api/hooks.js';
import { useAccountId } from '../api/me.js';
import { graphql } from '../generated/gql.js';
import { t } from '../texts.js';
import { type Choice, Picker } from './picker.js';

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

interface BoardPickerProps {
  /** The game whose boards can be chosen; undefined: all. */
  gameId?: string | undefined;
  /** The choice of no board; undefined: one has to be chosen. */
  all?: string;
  chosen?: string | undefined;
  onPick(board: string | undefined): void;
  onClose(): void;
}

/** Chooses a board of the account, among any number. */
export function BoardPicker({ gameId, chosen, ...more }: BoardPickerProps) {
  const useFound = (sought: string) => useBoards(sought, gameId);
  return (
    <Picker
      title={t.queue.board}
      label={t.queue.boardName}
      none={t.queue.noBoard}
      chosen={chosen}
      useFound={useFound}
      {...more}
    />
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
