import { Link } from '@tanstack/react-router';
import { useCurrentGame } from '../api/games.js';
import { useMe } from '../api/me.js';
import { Card, Head } from '../parts/card.js';
import { Button } from '../parts/controls.js';
import { t } from '../texts.js';
import { useAccountPicker, useDigestDialog } from './account-menu.js';
import { useLeave } from './leave.js';
import { Page } from './page.js';
import { Places } from './places.js';
import { changeTheme } from './theme.js';

/** Everything that the bar of phones has no room for. */
export function More() {
  const { superAdmin } = useMe();
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
            </ul>
          </Card>
        )}
        <Card>
          <ul className="rows">
            <li>
              <Link to="/games">{t.nav.games}</Link>
            </li>
            <li>
              <Link to="/people">{t.nav.people}</Link>
            </li>
            <li>
              <Link to="/webhooks">{t.nav.webhooks}</Link>
            </li>
            <li>
              <Link to="/audit">{t.nav.audit}</Link>
            </li>
            <li>
              <Link to="/deleted">{t.nav.deleted}</Link>
            </li>
            <li>
              <Link to="/security">{t.security.title}</Link>
            </li>
          </ul>
        </Card>
        {superAdmin && (
          <Card title={t.nav.installation}>
            <ul className="rows">
              <li>
                <Link to="/installation/accounts">{t.nav.accounts}</Link>
              </li>
              <li>
                <Link to="/installation/jam-codes">{t.nav.jamCodes}</Link>
              </li>
              <li>
                <Link to="/installation/jobs">{t.nav.jobs}</Link>
              </li>
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
