import { type FormEvent, type ReactNode, type RefObject, useEffect, useId, useRef } from 'react';

interface DialogProps {
  title: ReactNode;
  children: ReactNode;
  footer: ReactNode;
  /** Undefined: it can only be left by its buttons. */
  onClose?: () => void;
  onSubmit?: () => void;
}

/** For the browser's own modal dialog, which traps the focus; gives it back in the end. */
export function useModal(): RefObject<HTMLDialogElement | null> {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const shown = dialog.current;
    const before = document.activeElement;
    shown?.showModal();
    return () => {
      shown?.close();
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);
  return dialog;
}

export function Dialog({ title, children, footer, onClose, onSubmit }: DialogProps) {
  const dialog = useModal();
  const id = useId();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    // A dialog over another one is not its form.
    event.stopPropagation();
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
