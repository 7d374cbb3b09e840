import { useState } from 'react';
import type { Fault } from '../api/fault.js';
import { TextField } from './controls.js';
import { FormDialog } from './form-dialog.js';
import { say } from './toast.js';

interface NameDialogProps {
  text: { create: string; name: string; made(name: string): string };
  /** The mutation that creates the record. */
  act: { busy: boolean; fault?: Fault | undefined };
  /** @returns something truthy when the record was created */
  create(name: string): Promise<unknown>;
  onClose(made: boolean): void;
}

/** A dialog that creates a record from its name alone. */
export function NameDialog({ text, act, create, onClose }: NameDialogProps) {
  const [typed, setTyped] = useState('');
  const name = typed.trim();
  const submit = async () => {
    if (!(await create(name))) return;
    say(text.made(name));
    onClose(true);
  };
  return (
    <FormDialog
      title={text.create}
      action={text.create}
      act={act}
      onClose={() => onClose(false)}
      onSubmit={() => void submit()}
    >
      <TextField
        label={text.name}
        value={typed}
        onText={setTyped}
        required
        maxLength={100}
        error={act.fault?.fields.name}
      />
    </FormDialog>
  );
}
