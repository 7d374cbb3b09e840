import { useState } from 'react';
import { Button, Field } from '../../parts/controls.js';
import { Dialog } from '../../parts/dialog.js';
import { t } from '../../texts.js';

interface ReasonProps {
  reason: string;
  onKeep(reason: string): void;
  onClose(): void;
}

export function ReasonDialog({ reason, onKeep, onClose }: ReasonProps) {
  const [text, setText] = useState(reason);
  const keep = () => {
    onKeep(text.trim());
    onClose();
  };
  return (
    <Dialog
      title={t.queue.reason}
      onClose={onClose}
      onSubmit={keep}
      footer={
        <>
          <Button look="quiet" onClick={onClose}>
            {t.cancel}
          </Button>
          <Button look="primary" type="submit">
            {t.queue.keep}
          </Button>
        </>
      }
    >
      <Field label={t.queue.reasonLabel}>
        {(ids) => (
          <textarea
            {...ids}
            className="input"
            rows={3}
            maxLength={2_000}
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
        )}
      </Field>
    </Dialog>
  );
}

export function KeysDialog({ onClose }: { onClose(): void }) {
  return (
    <Dialog
      title={t.queue.keysTitle}
      onClose={onClose}
      onSubmit={onClose}
      footer={
        <Button look="primary" type="submit">
          {t.close}
        </Button>
      }
    >
      <div className="keys">
        {t.queue.keys.map(([key, text]) => (
          <span key={key} className="key-pair">
            <kbd>{key}</kbd>
            <span>{text}</span>
          </span>
        ))}
      </div>
    </Dialog>
  );
}
