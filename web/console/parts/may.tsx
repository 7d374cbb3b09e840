import type { ReactNode } from 'react';
import { type Needs, useMay } from '../api/me.js';
import { t } from '../texts.js';

interface MayProps {
  needs: Needs;
  children: ReactNode;
}

/** What only some may use; nothing for others. Buttons and items of menus have `needs` themselves. */
export function May({ needs, children }: MayProps) {
  return useMay()(needs) ? children : null;
}

/** A form that others may read, without its buttons and with the reason. */
export function Editable({ needs, children }: MayProps) {
  const may = useMay()(needs);
  return (
    <>
      {!may && <Reason needs={needs} />}
      <fieldset className="editable" disabled={!may}>
        {children}
      </fieldset>
    </>
  );
}

export function Reason({ needs }: Pick<MayProps, 'needs'>) {
  return (
    <p className="note" role="note">
      <span>{t.roles.needs[needs]}</span>
    </p>
  );
}
