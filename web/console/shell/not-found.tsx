import { Link } from '@tanstack/react-router';
import { t } from '../texts.js';
import { Page } from './page.js';

export function NotFound() {
  return (
    <Page title={t.notFound.title} crumbs={[[t.notFound.title]]}>
      <h1>{t.notFound.title}</h1>
      <p>
        {t.notFound.sentence} <Link to="/">{t.nav.overview}</Link>
      </p>
    </Page>
  );
}

/** A screen that could not be drawn: a fault of the console itself. */
export function Broken({ message }: { message: string }) {
  return (
    <Page title={t.broken.title} crumbs={[[t.broken.title]]}>
      <h1>{t.broken.title}</h1>
      <p>{t.broken.sentence}</p>
      <p className="mono">{message}</p>
    </Page>
  );
}
