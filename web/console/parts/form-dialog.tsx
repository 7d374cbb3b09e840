import type { ReactNode } from 'react';
import type { Fault } from '../api/fault.js';
import { t } from '../texts.js';
import { ActionFault, Button } from './controls.js';
import { Dialog } from './dialog.js';

interface FormDialogProps {
  title: ReactNode;
  /** The label of the button that submits. */
  action: string;
  look?: 'primary' | 'danger';
  /** The mutation behind it. */
  act: { busy: boolean; fault?: Fault | undefined };
  children: ReactNode;
  onClose(): void;
  onSubmit(): void;
}

/** A dialog with one action and a way out; an error of the service appears below its content. */
export function FormDialog({ title, action, look = 'primary', act, children, ...on }: FormDialogProps) {
  return (
    <Dialog
      title={title}
      {...on}
      footer={
        <>
          <Button look="quiet" onClick={on.onClose}>
            {t.cancel}
          </Button>
          <Button look={look} type="submit" busy={act.busy}>
            {action}
          </Button>
        </>
      }
    >
      {children}
      <ActionFault fault={act.fault} />
    </Dialog>
  );
}
