import { Link } from '@tanstack/react-router';
import { useDeferredValue, useRef, useState } from 'react';
import { useCurrentGame } from '../api/games.js';
import { useRead } from '../api/hooks.js';
import { useAccountId } from '../api/me.js';
import { graphql } from '../generated/gql.js';
import { Icon } from '../parts/icon.js';
import { t } from '../texts.js';
import { useKeys } from './keys.js';

const FindQuery = graphql(`
  query Find($accountId: ID!, $code: String!, $coded: Boolean!, $gameId: ID!, $name: String!, $inGame: Boolean!) {
    byCode: boards(accountId: $accountId, filter: {shortCode: $code}, first: 1) @include(if: $coded) {
      nodes { id name shortCode game { slug name } }
    }
    boards(accountId: $accountId, first: 100) {
      nodes { id name shortCode game { slug name } }
    }
    game(by: { id: $gameId }) @include(if: $inGame) {
      id
      findIdentities(name: $name, first: 5) { id displayName }
    }
  }
`);

const MOST = 8;
const CODE = /^[a-z0-9]{3,16}$/i;

/** Boards by code or name; players of the present game by the beginning of their names. */
export function Search() {
  const [text, setText] = useState('');
  const [open, setOpen] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  useKeys({ '/': () => input.current?.focus() });
  const close = () => {
    setOpen(false);
    setText('');
    input.current?.blur();
  };
  return (
    <search
      className="find"
      onBlur={(event) => {
        if (!event.currentTarget.contains(event.relatedTarget)) setOpen(false);
      }}
      onKeyDown={(event) => {
        if (event.key === 'Escape') close();
        if (event.key === 'Enter') event.currentTarget.querySelector<HTMLElement>('.found a')?.click();
      }}
    >
      <Icon name="find" />
      <input
        ref={input}
        className="input"
        type="search"
        aria-label={t.search.label}
        placeholder={t.search.placeholder}
        value={text}
        autoComplete="off"
        onFocus={() => setOpen(true)}
        onChange={(event) => {
          setText(event.target.value);
          setOpen(true);
        }}
      />
      <kbd aria-hidden="true">/</kbd>
      {open && text.trim() !== '' && <Found text={text.trim()} close={close} />}
    </search>
  );
}

function Found({ text, close }: { text: string; close(): void }) {
  const sought = useDeferredValue(text);
  const game = useCurrentGame();
  const coded = CODE.test(sought);
  const { data } = useRead(FindQuery, {
    accountId: useAccountId(),
    code: coded ? sought : 'none',
    coded,
    gameId: game?.id ?? '',
    name: sought,
    inGame: game !== undefined,
  });
  const named = (data?.boards.nodes ?? []).filter(({ name }) =>
    name.toLowerCase().includes(sought.toLowerCase()),
  );
  const exact = data?.byCode?.nodes ?? [];
  const boards = [...exact, ...named.filter(({ id }) => id !== exact[0]?.id)].slice(0, MOST);
  return (
    <div className="found">
      {boards.map(
        (board) =>
          board.game && (
            <Link
              key={board.id}
              to="/games/$slug/boards/$code/$tab"
              params={{ slug: board.game.slug, code: board.shortCode, tab: 'live' }}
              onClick={close}
            >
              {board.name} <span className="faint-text small">{board.game.name}</span>
            </Link>
          ),
      )}
      {game &&
        data?.game?.findIdentities?.map(({ id, displayName }) => (
          <Link key={id} to="/games/$slug/players/$id" params={{ slug: game.slug, id }} onClick={close}>
            <span className="name">{displayName}</span>{' '}
            <span className="faint-text small">{t.search.playerOf(game.name)}</span>
          </Link>
        ))}
      {game && (
        <Link to="/games/$slug/players" params={{ slug: game.slug }} search={{ q: text }} onClick={close}>
          {t.search.players(text, game.name)}
        </Link>
      )}
      {data && boards.length === 0 && <p>{t.search.none(text)}</p>}
    </div>
  );
}
