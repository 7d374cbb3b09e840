import { DropdownMenu } from 'radix-ui';
import type { ReactNode } from 'react';
import { Icon } from './icon.js';

export interface MenuItem {
  text: string;
  onPick(): void;
  danger?: boolean;
  /** Shown as chosen. */
  on?: boolean;
}

interface MenuProps {
  label: string;
  items: (MenuItem | undefined | false)[];
  /** The button; three dots by default. */
  trigger?: ReactNode;
}

export function Menu({ label, items, trigger }: MenuProps) {
  const shown = items.filter((item) => !!item);
  if (shown.length === 0) return null;
  return (
    <DropdownMenu.Root modal={false}>
      <DropdownMenu.Trigger asChild>
        {trigger ?? (
          <button type="button" className="button plain icon-only" aria-label={label}>
            <Icon name="more" />
          </button>
        )}
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content className="menu" align="end" sideOffset={4} aria-label={label}>
          {shown.map((item) => (
            <DropdownMenu.Item
              key={item.text}
              className={item.danger ? 'menu-item danger' : 'menu-item'}
              onSelect={item.onPick}
            >
              {item.text}
              {item.on && <Icon name="check" />}
            </DropdownMenu.Item>
          ))}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}
