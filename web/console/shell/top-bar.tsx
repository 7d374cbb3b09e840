import { Fragment } from 'react';
import { connection } from '../api/connection.js';
import { useStore } from '../api/store.js';
import { Icon } from '../parts/icon.js';
import { t } from '../texts.js';
import { crumbsShown } from './page.js';
import { Search } from './search.js';
import { changeTheme } from './theme.js';

export function TopBar() {
  const crumbs = useStore(crumbsShown);
  const { live } = useStore(connection);
  return (
    <header className="top">
      <div className="crumbs">
        {crumbs.map(([text, link], step) => (
          <Fragment key={`${step} ${text}`}>
            {step > 0 && <span aria-hidden="true">/</span>}
            {step === crumbs.length - 1 ? (
              <b>{text}</b>
            ) : link ? (
              link(text)
            ) : (
              <span className="soft">{text}</span>
            )}
          </Fragment>
        ))}
      </div>
      <Search />
      <span className={live ? 'connection' : 'connection off'} role="status">
        <span className="dot" />
        {live ? t.connection.live : t.connection.lost}
      </span>
      <button
        type="button"
        className="button quiet icon-only"
        aria-label={t.changeTheme}
        onClick={changeTheme}
      >
        <Icon name="theme" />
      </button>
    </header>
  );
}
