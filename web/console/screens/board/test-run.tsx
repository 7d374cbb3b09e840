import { useState } from 'react';
import type { BoardDetails } from '../../api/boards.js';
import { useMe } from '../../api/me.js';
import { type Fault, playRun } from '../../api/play.js';
import { ActionFault, Button, TextField } from '../../parts/controls.js';
import { Dialog } from '../../parts/dialog.js';
import { amount } from '../../parts/format.js';
import { say } from '../../parts/toast.js';
import { t } from '../../texts.js';

const text = t.testRun;

/** The unit of a value as it is submitted. */
function unitOfInput({ format, unit }: BoardDetails): string | null | undefined {
  if (format?.kind === 'TIME') return (format.timeUnit ?? 'SECONDS').toLowerCase();
  return format?.kind === 'PERCENT' ? null : unit;
}

/** Submits a run to the test scores of a board. */
export function TestRun({ board, onClose }: { board: BoardDetails; onClose(): void }) {
  const { user } = useMe();
  const [name, setName] = useState(text.name(user?.displayName ?? ''));
  const [value, setValue] = useState('1000');
  const [busy, setBusy] = useState(false);
  const [fault, setFault] = useState<Fault>();
  const submit = async () => {
    setBusy(true);
    try {
      const { gameId, id: boardId } = board;
      const run = { gameId, boardId, playerName: name, value: Number(value), testMode: true };
      const { rank } = await playRun(run);
      say(text.done(rank));
      onClose();
    } catch (error) {
      setFault(error as Fault);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Dialog
      title={t.board.testRun}
      onClose={onClose}
      onSubmit={() => void submit()}
      footer={
        <>
          <Button look="quiet" onClick={onClose}>
            {t.cancel}
          </Button>
          <Button look="primary" type="submit" busy={busy} wait={fault?.retryAfter}>
            {text.submit}
          </Button>
        </>
      }
    >
      <p className="soft">{text.hint}</p>
      <TextField label={text.player} value={name} onText={setName} required maxLength={256} />
      <TextField
        label={text.value(unitOfInput(board))}
        hint={board.format && value !== '' && text.shown(amount(board, Number(value)))}
        value={value}
        onText={setValue}
        type="number"
        step="any"
        required
        inputMode="decimal"
      />
      <ActionFault fault={fault} />
    </Dialog>
  );
}
