import { Link } from '@tanstack/react-router';
import { t } from '../texts.js';
import { Page } from './page.js';

export function NotFound() {
  return (
    <Page title={t.notFound.title} crumbs={[[t.notFound.title]]}>
      <p>
        {t.notFound.sentence} <Link to="/">{t.nav.overview}</Link>
      </p>
    </Page>
  );
}
