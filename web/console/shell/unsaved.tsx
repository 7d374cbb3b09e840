import { useBlocker } from '@tanstack/react-router';
import { Button } from '../parts/controls.js';
import { Dialog } from '../parts/dialog.js';
import { t } from '../texts.js';

/** Asks before the page is left with changes that are not saved; the browser itself asks before the tab is closed. */
export function Unsaved({ changed }: { changed: boolean }) {
  const blocker = useBlocker({
    shouldBlockFn: () => changed,
    enableBeforeUnload: () => changed,
    withResolver: true,
  });
  if (blocker.status !== 'blocked') return null;
  return (
    <Dialog
      title={t.unsaved.title}
      onClose={blocker.reset}
      onSubmit={blocker.reset}
      footer={
        <>
          <Button look="danger" onClick={blocker.proceed}>
            {t.unsaved.leave}
          </Button>
          <Button look="primary" type="submit">
            {t.unsaved.stay}
          </Button>
        </>
      }
    >
      <p>{t.unsaved.sentence}</p>
    </Dialog>
  );
}
