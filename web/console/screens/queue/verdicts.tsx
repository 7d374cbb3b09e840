import { type ReactNode, useEffect, useRef } from 'react';
import { Button } from '../../parts/controls.js';
import { Icon } from '../../parts/icon.js';
import { t } from '../../texts.js';
import { type Queue } from './queue-state.js';
import { isPending, type QueueView } from './rows.js';

interface VerdictsProps {
  queue: Queue;
  view: QueueView;
  onShow(dialog: 'reason' | 'keys' | 'bulk'): void;
  /** Back to the list, on phones. */
  onBack(): void;
  /** Another flag begins at the top. */
  bodyKey: string | undefined;
  children: ReactNode;
}

/** The open flag between the way back of phones and the buttons; each button is a key, too. */
export function Verdicts({ queue, view, onShow, onBack, bodyKey, children }: VerdictsProps) {
  const body = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (body.current) body.current.scrollTop = 0;
  }, [bodyKey]);
  const { rows, at, picked } = view;
  const none = rows.length === 0;
  return (
    <>
      <div className="flag-back">
        <h1 className="hidden-text">{t.nav.moderation}</h1>
        <Button look="quiet" onClick={onBack}>
          <Icon name="left" />
          {t.nav.flags}
        </Button>
        <span className="gap" />
        <span className="faint-text small">{t.queue.position(at + 1, rows.length)}</span>
        <Button look="quiet" className="icon-only" aria-label={t.queue.before} onClick={() => queue.move(-1)}>
          <Icon name="left" />
        </Button>
        <Button look="quiet" className="icon-only" aria-label={t.queue.after} onClick={() => queue.move(1)}>
          <Icon name="right" />
        </Button>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: an area that scrolls is reached by keyboard. */}
      <section className="flag-body" ref={body} tabIndex={0} aria-label={t.queue.open}>
        <div>
          {none && !view.loading && <p className="soft">{t.queue.empty}</p>}
          {children}
        </div>
      </section>
      <div className="verdicts">
        {picked.size > 0 ? (
          <span className="small strong">{t.queue.players(picked.size)}</span>
        ) : (
          <VerdictButtons queue={queue} disabled={none} />
        )}
        <Button look="quiet" keyName="R" needs="MODERATE" disabled={none} onClick={() => onShow('reason')}>
          {view.reason ? t.queue.reasonSet : t.queue.reason}
        </Button>
        <Button look="quiet" keyName="B" needs="MODERATE" disabled={none} onClick={() => onShow('bulk')}>
          {t.queue.allRuns}
        </Button>
        <span className="gap" />
        <Button look="quiet" keyName="U" needs="MODERATE" onClick={() => queue.undo()}>
          {t.undo}
        </Button>
        <Button look="quiet" className="all-keys" aria-label={t.queue.allKeys} onClick={() => onShow('keys')}>
          <kbd>?</kbd>
        </Button>
      </div>
    </>
  );
}

function VerdictButtons({ queue, disabled }: { queue: Queue; disabled?: boolean }) {
  return (
    <>
      <Button
        look="danger"
        keyName="C"
        needs="MODERATE"
        disabled={disabled}
        onClick={() => queue.decide('CONFIRMED_CHEAT')}
      >
        {t.queue.confirm}
      </Button>
      <Button keyName="F" needs="MODERATE" disabled={disabled} onClick={() => queue.decide('FALSE_POSITIVE')}>
        {t.queue.fair}
      </Button>
      <Button keyName="D" needs="MODERATE" disabled={disabled} onClick={() => queue.decide('DISMISSED')}>
        {t.queue.dismiss}
      </Button>
    </>
  );
}

/** What the next decision is about while several players are selected, in place of the open one's buttons. */
export function Picked({ queue, view: { rows, picked } }: Pick<VerdictsProps, 'queue' | 'view'>) {
  const chosen = rows.filter(({ id }) => picked.has(id));
  const flags = chosen.flatMap((row) => row.flags.filter(isPending)).length;
  return (
    <div className="verdicts picked">
      <span className="small strong" role="status">
        {t.queue.selected(t.queue.players(chosen.length), t.queue.flags(flags))}
      </span>
      <Button look="quiet" onClick={() => queue.unpick()}>
        {t.queue.clear}
      </Button>
      <VerdictButtons queue={queue} />
    </div>
  );
}
