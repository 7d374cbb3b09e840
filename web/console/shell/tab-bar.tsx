import { Link } from '@tanstack/react-router';
import { useCurrentGame } from '../api/games.js';
import { useStore } from '../api/store.js';
import { Icon } from '../parts/icon.js';
import { t } from '../texts.js';
import { pending } from './pending.js';

/** Navigation of phones, at the bottom. */
export function TabBar() {
  const game = useCurrentGame();
  const waits = useStore(pending);
  return (
    <nav className="tab-bar" aria-label={t.nav.main}>
      <Link to="/" activeOptions={{ exact: true }}>
        <Icon name="home" />
        {t.nav.overview}
      </Link>
      <Link to="/moderation">
        <Icon name="flag" />
        {t.nav.flags}
        {waits !== null && waits !== '0' && <span className="waits">{waits}</span>}
      </Link>
      {game ? (
        <>
          <Link to="/games/$slug/boards" params={{ slug: game.slug }}>
            <Icon name="board" />
            {t.nav.boards}
          </Link>
          <Link to="/games/$slug/players" params={{ slug: game.slug }}>
            <Icon name="user" />
            {t.nav.players}
          </Link>
        </>
      ) : (
        <Link to="/games">
          <Icon name="game" />
          {t.nav.games}
        </Link>
      )}
      <Link to="/more">
        <Icon name="more" />
        {t.nav.more}
      </Link>
    </nav>
  );
}
