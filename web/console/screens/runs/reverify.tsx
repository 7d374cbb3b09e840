import { useEffect, useState } from 'react';
import { useAct, useRead } from '../../api/hooks.js';
import { graphql } from '../../generated/gql.js';
import type { ApplyPassMutation } from '../../generated/graphql.js';
import { Card } from '../../parts/card.js';
import { ActionFault, Button } from '../../parts/controls.js';
import { Dialog } from '../../parts/dialog.js';
import { count } from '../../parts/format.js';
import { Waiting } from '../../parts/states.js';
import { When } from '../../parts/time.js';
import { say } from '../../parts/toast.js';
import { t } from '../../texts.js';
import { REVERIFY_TEXTS as text } from './texts.js';

const PassesQuery = graphql(`
  query VerificationPasses($code: String!) {
    board(by: { shortCode: $code }) {
      id
      verificationPasses { id status recordingCount sent createdAt moved failure verdicts { verified rejected unknown } }
    }
  }
`);
const ReverifyRuns = graphql(`
  mutation ReverifyRuns($input: ReverifyRunsInput!) {
    reverifyRuns(input: $input) { verificationPass { id status } }
  }
`);
const ApplyPass = graphql(`
  mutation ApplyPass($input: ApplyPassInput!) {
    applyPass(input: $input) {
      verificationPass { id status }
      effect { runs moved podium { rank moves before { playerName } after { playerName } } }
    }
  }
`);
const UndoPass = graphql(`
  mutation UndoPass($input: UndoPassInput!) { undoPass(input: $input) { verificationPass { id status } } }
`);

const POLL_MS = 5_000;

/** Passes of a board: its recordings verified again, applied with a preview, and undone. */
export function Reverify({ code }: { code: string }) {
  const { data, again } = useRead(PassesQuery, { code }, { every: POLL_MS });
  const begin = useAct(ReverifyRuns, ['VerificationPass']);
  const undo = useAct(UndoPass, ['VerificationPass']);
  const [applied, setApplied] = useState<string>();
  const { id, verificationPasses } = data?.board ?? {};
  const passes = verificationPasses ?? [];
  const isMoving = passes.some(({ status }) => ['SENDING', 'OPEN', 'APPLYING', 'UNDOING'].includes(status));
  if (!id) return null;
  const start = async () => {
    if (await begin.run({ input: { boardId: id } })) again();
  };
  const end = async (pass: string) => {
    if (!(await undo.run({ input: { id: pass } }))) return;
    say(text.ended);
    again();
  };
  return (
    <Card title={text.heading} className="below" padded>
      <p className="hint">{text.hint}</p>
      <div>
        <Button needs="MODERATE" busy={begin.busy} disabled={isMoving} onClick={() => void start()}>
          {text.start}
        </Button>
      </div>
      <ActionFault fault={begin.fault ?? undo.fault} />
      <ul className="passes">
        {passes
          .slice(0, 5)
          .map(({ id: pass, status, recordingCount, sent, createdAt, moved, failure, verdicts }) => (
            <li key={pass}>
              <span>
                <When at={createdAt} />: {text.status[status]},{' '}
                {text.progress(
                  count(sent),
                  count(recordingCount),
                  count(verdicts?.verified ?? 0),
                  count(verdicts?.rejected ?? 0),
                )}
                {status === 'APPLIED' && moved != null && ` ${text.moved(count(moved))}`}
                {failure && ` ${failure}`}
              </span>
              {(status === 'OPEN' || status === 'SENDING') && (
                <Button needs="MODERATE" onClick={() => setApplied(pass)}>
                  {text.apply}
                </Button>
              )}
              {['OPEN', 'SENDING', 'APPLIED'].includes(status) && (
                <Button needs="MODERATE" look="quiet" busy={undo.busy} onClick={() => void end(pass)}>
                  {status === 'APPLIED' ? text.undo : text.cancel}
                </Button>
              )}
            </li>
          ))}
      </ul>
      {applied && <Apply pass={applied} onClose={() => setApplied(undefined)} onDone={again} />}
    </Card>
  );
}

interface ApplyProps {
  pass: string;
  onClose(): void;
  onDone(): void;
}

/** Applies a pass, once its effect was shown. */
function Apply({ pass, onClose, onDone }: ApplyProps) {
  const look = useAct(ApplyPass);
  const apply = useAct(ApplyPass, ['VerificationPass', 'ScoreFlag']);
  const [effect, setEffect] = useState<ApplyPassMutation['applyPass']['effect']>();
  const { run } = look;
  useEffect(() => {
    void run({ input: { id: pass, dryRun: true } }).then((done) => setEffect(done?.applyPass.effect));
  }, [run, pass]);
  const submit = async () => {
    if (!(await apply.run({ input: { id: pass, dryRun: false } }))) return;
    say(text.applied);
    onDone();
    onClose();
  };
  return (
    <Dialog
      title={text.title}
      onClose={onClose}
      onSubmit={() => void submit()}
      footer={
        <>
          <Button look="quiet" onClick={onClose}>
            {t.cancel}
          </Button>
          <Button look="primary" type="submit" busy={apply.busy} disabled={!effect}>
            {text.apply}
          </Button>
        </>
      }
    >
      {!effect && !look.fault && <Waiting rows={2} />}
      {effect && (
        <div role="status">
          <p className="strong">{text.effect(count(effect.runs), count(effect.moved))}</p>
          <ul>
            {effect.podium
              .filter(({ moves }) => moves)
              .map(({ rank, before, after }) => (
                <li key={rank}>
                  {count(rank)}. <bdi>{before?.playerName ?? '–'}</bdi> →{' '}
                  <bdi>{after?.playerName ?? '–'}</bdi>
                </li>
              ))}
          </ul>
        </div>
      )}
      <ActionFault fault={look.fault ?? apply.fault} />
    </Dialog>
  );
}
