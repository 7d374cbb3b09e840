import { type FormEvent, type ReactNode, useEffect, useId, useRef } from 'react';

interface DialogProps {
  title: ReactNode;
  children: ReactNode;
  footer: ReactNode;
  /** Undefined: it can only be left by its buttons. */
  onClose?: () => void;
  onSubmit?: () => void;
}

/** The browser's own modal dialog: it traps the focus and gives it back. */
export function Dialog({ title, children, footer, onClose, onSubmit }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const shown = dialog.current;
    const before = document.activeElement;
    shown?.showModal();
    return () => {
      shown?.close();
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSubmit?.();
  };
  return (
    <dialog
      ref={dialog}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        onClose?.();
      }}
    >
      <form onSubmit={submit}>
        <header>
          <h2 id={id}>{title}</h2>
        </header>
        <div className="body">{children}</div>
        <footer>{footer}</footer>
      </form>
    </dialog>
  );
}
