import { Link } from '@tanstack/react-router';
import { useCurrentGame } from '../api/games.js';
import { useMay } from '../api/me.js';
import { Card, Head } from '../parts/card.js';
import { Button } from '../parts/controls.js';
import { t } from '../texts.js';
import { useAccountPicker, useDigestDialog } from './account-menu.js';
import { useLeave } from './leave.js';
import { ACCOUNT_PLACES, INSTALLATION_PLACES } from './navigation.js';
import { Page } from './page.js';
import { Places } from './places.js';
import { changeTheme } from './theme.js';

/** Everything that the bar of phones has no room for. */
export function More() {
  const may = useMay();
  const game = useCurrentGame();
  const leave = useLeave();
  const digest = useDigestDialog();
  const picker = useAccountPicker();
  return (
    <Page title={t.nav.more} crumbs={[[t.nav.more]]}>
      <Head title={t.nav.more} />
      <div className="stack">
        {game && (
          <Card title={game.name}>
            <ul className="rows">
              <li>
                <Link to="/games/$slug/templates" params={{ slug: game.slug }}>
                  {t.nav.templates}
                </Link>
              </li>
              <li>
                <Link to="/games/$slug/fair-play" params={{ slug: game.slug }}>
                  {t.nav.fairPlay}
                </Link>
              </li>
              <li>
                <Link to="/games/$slug/providers" params={{ slug: game.slug }}>
                  {t.nav.providers}
                </Link>
              </li>
            </ul>
          </Card>
        )}
        <Card>
          <ul className="rows">
            {ACCOUNT_PLACES.filter(({ needs }) => may(needs)).map(({ to, text }) => (
              <li key={to}>
                <Link to={to}>{text}</Link>
              </li>
            ))}
            <li>
              <Link to="/security">{t.security.title}</Link>
            </li>
          </ul>
        </Card>
        {may('SUPERADMIN') && (
          <Card title={t.nav.installation}>
            <ul className="rows">
              {INSTALLATION_PLACES.map(({ to, text }) => (
                <li key={to}>
                  <Link to={to}>{text}</Link>
                </li>
              ))}
            </ul>
          </Card>
        )}
        <Card title={t.places.title}>
          <ul className="rows">
            <Places />
          </ul>
        </Card>
        <div className="actions">
          {picker.open && <Button onClick={picker.open}>{t.accountPicker.title}</Button>}
          {digest.open && <Button onClick={digest.open}>{t.digest.title}</Button>}
          <Button onClick={changeTheme}>{t.changeTheme}</Button>
          <Button onClick={leave}>{t.signOut}</Button>
        </div>
      </div>
      {digest.dialog}
      {picker.dialog}
    </Page>
  );
}
