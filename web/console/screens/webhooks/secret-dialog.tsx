import { Button } from '../../parts/controls.js';
import { CopyButton } from '../../parts/copy-button.js';
import { Dialog } from '../../parts/dialog.js';
import { t } from '../../texts.js';
import { WEBHOOK_TEXTS } from './texts.js';

/** Shown once, after it was made. */
export function SecretDialog({ name, secret, onClose }: { name: string; secret: string; onClose(): void }) {
  const done = (
    <Button look="primary" type="submit">
      {t.keys.noted}
    </Button>
  );
  return (
    <Dialog title={name} onSubmit={onClose} footer={done}>
      <p>{WEBHOOK_TEXTS.once}</p>
      <div className="secret">
        <code>{secret}</code>
        <CopyButton text={secret} />
      </div>
    </Dialog>
  );
}
