import { useState } from 'react';
import { TextField } from '../../parts/controls.js';
import { FormDialog } from '../../parts/form-dialog.js';
import { fromLocalInput } from '../../parts/format.js';
import { WEBHOOK_TEXTS } from './texts.js';

const text = WEBHOOK_TEXTS;

interface SendSpanProps {
  act: Parameters<typeof FormDialog>[0]['act'];
  onClose(): void;
  onSubmit(span: { createdAfter: string; createdBefore: string }): void;
}

/** Asks for the span whose deliveries are sent again. */
export function SendSpan({ act, onClose, onSubmit }: SendSpanProps) {
  const [from, setFrom] = useState('');
  const [to, setTo] = useState('');
  const submit = () => onSubmit({ createdAfter: fromLocalInput(from)!, createdBefore: fromLocalInput(to)! });
  return (
    <FormDialog title={text.span} action={text.again} act={act} onClose={onClose} onSubmit={submit}>
      <p>{text.spanHint}</p>
      <TextField label={text.from} type="datetime-local" value={from} onText={setFrom} required />
      <TextField label={text.to} type="datetime-local" value={to} onText={setTo} required />
    </FormDialog>
  );
}
