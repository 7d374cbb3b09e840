import { useEffect, useState } from 'react';
import { useAct, useRead } from '../../api/hooks.js';
import type { ReviewRunsMutation as Answer, ReviewDecision } from '../../generated/graphql.js';
import { ActionFault, Button, Check, Choices, SelectField, TextField } from '../../parts/controls.js';
import { Dialog } from '../../parts/dialog.js';
import { count, fromLocalInput } from '../../parts/format.js';
import { t } from '../../texts.js';
import { ReviewRunsMutation, ReviewStateQuery } from './operations.js';
import { PodiumLines } from './podium-lines.js';

type Boards = Answer['reviewIdentity']['boards'];
type Since = 'first' | 'run' | 'date';

interface BulkProps {
  identityId: string;
  player: string;
  /** The moment of the run that is open, to begin with. */
  runAt?: string | undefined;
  onClose(): void;
  /** The review is applied, or applied as far as it could be. */
  onApplied(reviewId: string, sentence: string): void;
}

const text = t.queue.bulk;

/** Decides about all runs of a player: first shows the effect, then applies it, and says how far it is. */
export function BulkDialog({ identityId, player, runAt, onClose, onApplied }: BulkProps) {
  const [decision, setDecision] = useState<ReviewDecision>('CONFIRMED_CHEAT');
  const [since, setSince] = useState<Since>('first');
  const [date, setDate] = useState('');
  const [ban, setBan] = useState(true);
  const [reason, setReason] = useState('');
  const [applying, setApplying] = useState<{ id: string; runs: number; boards: number; banned: number }>();
  const dry = useAct(ReviewRunsMutation);
  const real = useAct(ReviewRunsMutation);
  const [seen, setSeen] = useState<{ key: string; boards: Boards; banned: number }>();
  const from = since === 'run' ? runAt : since === 'date' ? fromLocalInput(date) : undefined;
  const input = {
    target: { identityId },
    decision,
    banDevices: decision === 'CONFIRMED_CHEAT' && ban,
    ...(from && { since: from }),
    ...(reason && { reason }),
  };
  const key = JSON.stringify({ ...input, reason: '' });
  const foreseen = seen?.key === key ? seen : undefined;
  const runs = foreseen?.boards.reduce((sum, board) => sum + board.runs, 0) ?? 0;
  const look = async () => {
    const answer = await dry.run({ input: { ...input, dryRun: true } });
    if (answer) {
      const { boards, bannedDevices } = answer.reviewIdentity;
      setSeen({ key, boards, banned: bannedDevices.length });
    }
  };
  const apply = async () => {
    const answer = await real.run({ input });
    const review = answer?.reviewIdentity.identityReview;
    if (!review) return;
    const banned = answer.reviewIdentity.bannedDevices.length;
    setApplying({ id: review.id, runs, boards: foreseen?.boards.length ?? 0, banned });
  };
  if (applying) {
    return (
      <Progress
        {...applying}
        player={player}
        onDone={() =>
          onApplied(applying.id, text.done[decision](applying.runs, applying.boards, applying.banned))
        }
      />
    );
  }
  return (
    <Dialog
      title={text.title(player)}
      onClose={onClose}
      onSubmit={() => void (foreseen ? apply() : look())}
      footer={
        <>
          <Button look="quiet" onClick={onClose}>
            {t.cancel}
          </Button>
          {foreseen ? (
            <Button look="danger" type="submit" busy={real.busy} wait={real.fault?.retryAfter}>
              {text.apply(runs)}
            </Button>
          ) : (
            <Button look="primary" type="submit" busy={dry.busy} wait={dry.fault?.retryAfter}>
              {text.look}
            </Button>
          )}
        </>
      }
    >
      <Choices<ReviewDecision>
        legend={text.decision}
        columns
        value={decision}
        onPick={setDecision}
        options={[
          ['CONFIRMED_CHEAT', text.cheats, text.cheatsHint],
          ['FALSE_POSITIVE', text.fair, text.fairHint],
        ]}
      />
      <div className="pair-fields">
        <SelectField<Since>
          label={text.since}
          value={since}
          onPick={setSince}
          options={[
            ['first', text.sinceFirst],
            ...(runAt ? ([['run', text.sinceRun]] as const) : []),
            ['date', text.sinceDate],
          ]}
        />
        {since === 'date' && (
          <TextField label={text.date} type="datetime-local" value={date} onText={setDate} required />
        )}
        <TextField label={text.reason} value={reason} onText={setReason} maxLength={2_000} />
      </div>
      {decision === 'CONFIRMED_CHEAT' && <Check label={text.ban} checked={ban} onPick={setBan} />}
      {foreseen && <Effect boards={foreseen.boards} banned={foreseen.banned} />}
      <ActionFault fault={dry.fault ?? real.fault} />
      <p className="hint">{text.hint}</p>
    </Dialog>
  );
}

function Effect({ boards, banned }: { boards: Boards; banned: number }) {
  if (boards.length === 0) return <p role="status">{text.noEffect}</p>;
  return (
    <div role="status">
      <table>
        <thead>
          <tr>
            <th scope="col">{text.board}</th>
            <th scope="col" className="number">
              {text.runs}
            </th>
            <th scope="col" className="number">
              {text.moved}
            </th>
            <th scope="col">{text.podium}</th>
          </tr>
        </thead>
        <tbody>
          {boards.map(({ boardId, board, runs, moved, podium }) => (
            <tr key={boardId}>
              <td className="name">{board?.name}</td>
              <td className="number">{count(runs)}</td>
              <td className="number">{count(moved)}</td>
              <td>
                <PodiumLines board={board} podium={podium} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {banned > 0 && <p className="small">{text.bans(banned)}</p>}
    </div>
  );
}

const EVERY_MS = 500;

/** Boards of a review follow one after the other: says how many have, and which could not. */
function Progress({ id, player, onDone }: { id: string; player: string; onDone(): void }) {
  const { data } = useRead(ReviewStateQuery, { id }, { every: EVERY_MS });
  const review = data?.identityReview;
  const failed = review?.boards.filter((board) => board.failure) ?? [];
  const settled = review?.status === 'APPLIED' && failed.length === 0;
  useEffect(() => {
    if (settled) onDone();
  }, [settled]);
  return (
    <Dialog title={text.title(player)} footer={<Button onClick={onDone}>{t.close}</Button>}>
      <p role="status">{text.applying(review?.boards.length ?? 0)}</p>
      {failed.map((board) => (
        <p className="note bad" key={board.boardId}>
          {board.board?.name}: {board.failure}
        </p>
      ))}
    </Dialog>
  );
}
