import { useEffect } from 'react';
import { Store, useStore } from '../api/store.js';
import { t } from '../texts.js';
import { Button } from './controls.js';

interface Toast {
  id: number;
  text: string;
  undo: (() => void) | undefined;
}

const SHOWN_MS = 8_000;
const toast = new Store<Toast | null>(null);
let serial = 0;

/** Says what was done, for eight seconds, with the way back where there is one. */
export function say(text: string, undo?: () => void): void {
  serial += 1;
  toast.set({ id: serial, text, undo });
}

export function Toasts() {
  const shown = useStore(toast);
  useEffect(() => {
    if (!shown) return;
    const timer = setTimeout(() => toast.set(null), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [shown]);
  return (
    <div className="toasts" role="status">
      {shown && (
        <div className="toast" key={shown.id}>
          <span>{shown.text}</span>
          {shown.undo && (
            <Button
              onClick={() => {
                toast.set(null);
                shown.undo?.();
              }}
            >
              {t.undo}
            </Button>
          )}
        </div>
      )}
    </div>
  );
}
