import { Link, useNavigate } from '@tanstack/react-router';
import { useCurrentGame, useGames } from '../api/games.js';
import { useMay } from '../api/me.js';
import { VERSION } from '../api/place.js';
import { useStore } from '../api/store.js';
import { Environment } from '../parts/environment.js';
import { Icon, type IconName } from '../parts/icon.js';
import { Menu } from '../parts/menu.js';
import { t } from '../texts.js';
import { AccountMenu, useAccountName } from './account-menu.js';
import { ACCOUNT_PLACES, INSTALLATION_PLACES } from './navigation.js';
import { pending } from './pending.js';
import { Brand, Places } from './places.js';

function Text({ icon, text }: { icon: IconName; text: string }) {
  return (
    <>
      <Icon name={icon} />
      {text}
    </>
  );
}

export function Sidebar() {
  const may = useMay();
  const account = useAccountName();
  const waits = useStore(pending);
  return (
    <nav className="side" aria-label={t.nav.console}>
      <Brand />
      <AccountMenu />
      <ul>
        <li>
          <Link to="/" activeOptions={{ exact: true }}>
            <Text icon="home" text={t.nav.overview} />
          </Link>
        </li>
        <li>
          <Link to="/moderation">
            <Text icon="flag" text={t.nav.moderation} />
            {waits !== null && waits !== '0' && <span className="waits">{waits}</span>}
          </Link>
        </li>
      </ul>
      <GameGroup />
      <section>
        <h2>{account}</h2>
        <ul>
          {ACCOUNT_PLACES.filter(({ needs }) => may(needs)).map(({ to, icon, text }) => (
            <li key={to}>
              <Link to={to} activeOptions={{ exact: true }}>
                <Text icon={icon} text={text} />
              </Link>
            </li>
          ))}
        </ul>
      </section>
      {may('SUPERADMIN') && (
        <section>
          <h2>{t.nav.installation}</h2>
          <ul>
            {INSTALLATION_PLACES.map(({ to, icon, text }) => (
              <li key={to}>
                <Link to={to}>
                  <Text icon={icon} text={text} />
                </Link>
              </li>
            ))}
          </ul>
        </section>
      )}
      <section className="foot">
        <ul>
          <Places />
        </ul>
      </section>
      {VERSION && <div className="tiny faint-text version">{t.version(VERSION)}</div>}
    </nav>
  );
}

function GameGroup() {
  const game = useCurrentGame();
  const { games = [] } = useGames();
  const navigate = useNavigate();
  if (!game) return null;
  const params = { slug: game.slug };
  const items = games.map(({ name, slug }) => ({
    text: name,
    on: slug === game.slug,
    onPick: () => void navigate({ to: '/games/$slug/boards', params: { slug } }),
  }));
  return (
    <section>
      <Menu
        label={t.nav.otherGame}
        items={items}
        trigger={
          <button type="button" className="game-picker" aria-label={t.nav.game(game.name)}>
            {game.name} <Environment of={game.environment} />
          </button>
        }
      />
      <ul>
        <li>
          <Link to="/games/$slug/boards" params={params}>
            <Text icon="board" text={t.nav.boards} />
          </Link>
        </li>
        <li>
          <Link to="/games/$slug/templates" params={params}>
            <Text icon="loop" text={t.nav.templates} />
          </Link>
        </li>
        <li>
          <Link to="/games/$slug/players" params={params}>
            <Text icon="user" text={t.nav.players} />
          </Link>
        </li>
        <li>
          <Link to="/games/$slug/fair-play" params={params}>
            <Text icon="shield" text={t.nav.fairPlay} />
          </Link>
        </li>
        <li>
          <Link to="/games/$slug/providers" params={params}>
            <Text icon="key" text={t.nav.providers} />
          </Link>
        </li>
      </ul>
    </section>
  );
}
