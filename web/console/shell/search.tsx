import { useState } from 'react';
import { Icon } from '../parts/icon.js';
import { t } from '../texts.js';
import { useKeys } from './keys.js';
import { Palette } from './palette.js';

/** Opens the search. */
export function Search() {
  const [open, setOpen] = useState(false);
  const show = () => setOpen(true);
  useKeys({ '/': show });
  return (
    <search>
      <button
        type="button"
        className="find"
        aria-label={t.search.label}
        aria-haspopup="dialog"
        onClick={show}
      >
        <Icon name="find" />
        <span>{t.search.label}</span>
        <kbd aria-hidden="true">/</kbd>
      </button>
      {open && <Palette close={() => setOpen(false)} />}
    </search>
  );
}
