import { cloneElement, lazy, type MouseEvent, type ReactElement, Suspense, useState } from 'react';
import { type Needs, useMay } from '../api/me.js';
import { Icon } from './icon.js';

/** The code of an open menu: a fifth of the first view's, which shows none. */
export const loadDropDown = () => import('./drop-down.js');

const DropDown = lazy(async () => ({ default: (await loadDropDown()).DropDown }));

export interface MenuItem {
  text: string;
  onPick(): void;
  /** Others do not see it. */
  needs?: Needs;
  danger?: boolean;
  /** Shown as chosen. */
  on?: boolean;
}

type ButtonProps = Partial<Record<`on${string}` | `aria-${string}`, unknown>>;

interface MenuProps {
  label: string;
  items: (MenuItem | undefined | false)[];
  /** The button; three dots by default. */
  trigger?: ReactElement<ButtonProps>;
}

/** A button with a menu. */
export function Menu({ label, items, trigger }: MenuProps) {
  const [opened, setOpened] = useState<'by mouse' | 'by keyboard'>();
  const may = useMay();
  const shown = items.filter((item) => !!item && may(item.needs)) as MenuItem[];
  if (shown.length === 0) return null;
  const button = trigger ?? (
    <button type="button" className="button plain icon-only" aria-label={label}>
      <Icon name="more" />
    </button>
  );
  const closed = cloneElement<ButtonProps>(button, {
    'aria-haspopup': 'menu',
    'aria-expanded': false,
    onPointerEnter: loadDropDown,
    onFocus: loadDropDown,
    onClick: (event: MouseEvent) => setOpened(event.detail === 0 ? 'by keyboard' : 'by mouse'),
  });
  if (!opened) return closed;
  return (
    <Suspense fallback={closed}>
      <DropDown label={label} items={shown} trigger={button} byKeyboard={opened === 'by keyboard'} />
    </Suspense>
  );
}
