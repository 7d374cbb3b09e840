import { DropdownMenu } from 'radix-ui';
import { type ReactNode, useEffect, useRef } from 'react';
import { Icon } from './icon.js';
import type { MenuItem } from './menu.js';

interface DropDownProps {
  label: string;
  items: MenuItem[];
  trigger: ReactNode;
  /** Opened by keyboard: the first item has the focus then. */
  byKeyboard: boolean;
}

/** A menu that is open from the start. */
export function DropDown({ label, items, trigger, byKeyboard }: DropDownProps) {
  const content = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (byKeyboard)
      content.current?.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowDown', bubbles: true }));
  }, [byKeyboard]);
  return (
    <DropdownMenu.Root modal={false} defaultOpen>
      <DropdownMenu.Trigger asChild>{trigger}</DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content ref={content} className="menu" align="end" sideOffset={4} aria-label={label}>
          {items.map((item) => (
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
