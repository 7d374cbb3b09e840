import { useEffect, useState } from 'react';
import { useAct } from '../../api/hooks.js';
import { graphql } from '../../generated/gql.js';
import type { ReissuePrizesMutation as Answer } from '../../generated/graphql.js';
import { ActionFault, Button } from '../../parts/controls.js';
import { Dialog } from '../../parts/dialog.js';
import { count } from '../../parts/format.js';
import { Waiting } from '../../parts/states.js';
import { say } from '../../parts/toast.js';
import { t } from '../../texts.js';
import { REISSUE_TEXTS as text } from './texts.js';

const ReissuePrizes = graphql(`
  mutation ReissuePrizes($input: ReissuePrizesInput!) {
    reissuePrizes(input: $input) {
      closing { id grantedCount }
      grantedCount
      missingCount
      wrongCount
      sharedCount
      differences { kind line rank identityId identity { displayName } }
    }
  }
`);

interface ReissueProps {
  closingId: string;
  onDone(): void;
}

/** Grants what is missing after later reviews, once its effect was shown. */
export function ReissueButton({ closingId, onDone }: ReissueProps) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button needs="CONFIGURE" onClick={() => setOpen(true)}>
        {text.open}
      </Button>
      {open && <Reissue closingId={closingId} onDone={onDone} onClose={() => setOpen(false)} />}
    </>
  );
}

function Reissue({ closingId, onDone, onClose }: ReissueProps & { onClose(): void }) {
  const look = useAct(ReissuePrizes);
  const grant = useAct(ReissuePrizes, ['Closing', 'Reward']);
  const [effect, setEffect] = useState<Answer['reissuePrizes']>();
  const { run } = look;
  useEffect(() => {
    void run({ input: { id: closingId, dryRun: true } }).then((done) => setEffect(done?.reissuePrizes));
  }, [run, closingId]);
  const reissue = async () => {
    const done = await grant.run({ input: { id: closingId, dryRun: false } });
    if (!done) return;
    say(text.done(count(done.reissuePrizes.grantedCount)));
    onDone();
    onClose();
  };
  const missing = effect?.missingCount ?? 0;
  return (
    <Dialog
      title={text.title}
      onClose={onClose}
      onSubmit={() => void reissue()}
      footer={
        <>
          <Button look="quiet" onClick={onClose}>
            {t.cancel}
          </Button>
          <Button look="primary" type="submit" busy={grant.busy} disabled={missing === 0}>
            {text.grant(count(missing))}
          </Button>
        </>
      }
    >
      <p>{text.hint}</p>
      {!effect && !look.fault && <Waiting rows={2} />}
      {effect && (
        <div role="status">
          <p className="strong">
            {text.effect(count(missing), count(effect.wrongCount), count(effect.sharedCount))}
          </p>
          <ul>
            {effect.differences.map(({ kind, line, rank, identityId, identity }) => (
              <li key={`${kind} ${line} ${identityId}`}>
                {text.kinds[kind]}: {rank != null && `${count(rank)}. `}
                <span className="name">{identity?.displayName ?? text.someone}</span>, {line}
              </li>
            ))}
          </ul>
        </div>
      )}
      <ActionFault fault={look.fault ?? grant.fault} />
    </Dialog>
  );
}
