import { useState } from 'react';
import { createPortal } from 'react-dom';
import { useRead } from '../../api/hooks.js';
import { graphql } from '../../generated/gql.js';
import { BoardPicker } from '../../parts/board-picker.js';
import { Button, Check } from '../../parts/controls.js';
import { t } from '../../texts.js';
import { WEBHOOK_TEXTS } from './texts.js';

const ChosenBoardsQuery = graphql(`
  query ChosenBoards($ids: [ID!]!) { nodes(ids: $ids) { id ... on Board { name game { name } } } }
`);

const text = WEBHOOK_TEXTS;

interface BoardListProps {
  boardIds: readonly string[];
  onPick(boardIds: string[]): void;
}

/** The boards that an endpoint is told of. */
export function BoardList({ boardIds, onPick }: BoardListProps) {
  const [picking, setPicking] = useState(false);
  const { data } = useRead(ChosenBoardsQuery, { ids: [...boardIds] }, { pause: boardIds.length === 0 });
  const nameOf = (id: string) => {
    const board = data?.nodes.find((node) => node?.id === id);
    return board && 'name' in board ? text.boardOf(board.name, board.game?.name) : t.queue.thisBoard;
  };
  const add = (id: string | undefined) => {
    if (id && !boardIds.includes(id)) onPick([...boardIds, id]);
  };
  return (
    <fieldset>
      <legend>{text.boards}</legend>
      {boardIds.map((id) => (
        <Check
          key={id}
          label={nameOf(id)}
          checked
          onPick={() => onPick(boardIds.filter((other) => other !== id))}
        />
      ))}
      <Button look="quiet" onClick={() => setPicking(true)}>
        {text.addBoard}
      </Button>
      {/* A form inside the form of the endpoint is not allowed. */}
      {picking && createPortal(<BoardPicker onPick={add} onClose={() => setPicking(false)} />, document.body)}
    </fieldset>
  );
}
