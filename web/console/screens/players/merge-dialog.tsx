import { useState } from 'react';
import { useAct, useRead } from '../../api/hooks.js';
import { ActionFault, Button, TextField } from '../../parts/controls.js';
import { Dialog } from '../../parts/dialog.js';
import { count } from '../../parts/format.js';
import { Picker } from '../../parts/picker.js';
import { say } from '../../parts/toast.js';
import { t } from '../../texts.js';
import { PodiumLines } from '../queue/podium-lines.js';
import { type MergedBoards, MergePlayersMutation } from './merge-operations.js';
import { FindPlayersQuery } from './operations.js';
import { LINK_TEXTS } from './texts.js';

const text = LINK_TEXTS;
const MOST_FOUND = 20;

interface Named {
  id: string;
  name: string;
}

interface MergePickerProps {
  player: { id: string };
  slug: string;
  onPick(other: Named): void;
  onClose(): void;
}

/** Chooses the player whose runs are to count for this one. */
export function MergePicker({ player, slug, onPick, onClose }: MergePickerProps) {
  const [seen, setSeen] = useState<Named[]>([]);
  const useFound = (name: string) => {
    const asked = { slug, name, first: MOST_FOUND };
    const { data, fault, again } = useRead(FindPlayersQuery, asked, { pause: name === '' });
    const others = (data?.game.findIdentities ?? []).filter(({ id }) => id !== player.id);
    const choices = others.map(({ id, displayName, activity }) => ({
      ...{ id, name: displayName || text.nameless },
      ...(activity && { more: text.runs(activity.runs) }),
    }));
    if (choices.some(({ id }) => !seen.some((one) => one.id === id))) setSeen([...seen, ...choices]);
    return {
      data: name === '' ? { choices: [], hasMore: false } : data && { choices, hasMore: false },
      fault,
      again,
    };
  };
  return (
    <Picker
      title={text.mergeWith}
      label={text.find}
      none={(sought) => (sought === '' ? text.findHint : t.search.none(sought))}
      chosen={undefined}
      useFound={useFound}
      onPick={(id) => {
        const found = seen.find((one) => one.id === id);
        if (found) onPick(found);
      }}
      onClose={onClose}
    />
  );
}

interface MergeDialogProps {
  /** Whose runs will count for the target. */
  source: Named;
  target: Named;
  onClose(): void;
  onMerged(): void;
}

/** Shows what a merge would change, then merges. */
export function MergeDialog({ source, target, onClose, onMerged }: MergeDialogProps) {
  const [swapped, setSwapped] = useState(false);
  const [reason, setReason] = useState('');
  const [seen, setSeen] = useState<{ swapped: boolean; boards: MergedBoards }>();
  const dry = useAct(MergePlayersMutation);
  const real = useAct(MergePlayersMutation);
  const [from, into] = swapped ? [target, source] : [source, target];
  const foreseen = seen?.swapped === swapped ? seen.boards : undefined;
  const input = { sourceId: from.id, targetId: into.id, ...(reason && { reason }) };
  const submit = async () => {
    if (!foreseen) {
      const answer = await dry.run({ input: { ...input, dryRun: true } });
      if (answer) setSeen({ swapped, boards: answer.mergePlayers.boards });
      return;
    }
    if (!(await real.run({ input }))) return;
    say(text.merged(from.name, into.name));
    onMerged();
  };
  return (
    <Dialog
      title={text.mergeOf(from.name, into.name)}
      onClose={onClose}
      onSubmit={() => void submit()}
      footer={
        <>
          <Button look="quiet" onClick={onClose}>
            {t.cancel}
          </Button>
          <Button
            look={foreseen ? 'danger' : 'primary'}
            type="submit"
            busy={dry.busy || real.busy}
            wait={(dry.fault ?? real.fault)?.retryAfter}
          >
            {foreseen ? text.merge : t.queue.bulk.look}
          </Button>
        </>
      }
    >
      <p>{text.mergeHint(from.name, into.name)}</p>
      <Button onClick={() => setSwapped(!swapped)}>{text.swap}</Button>
      <TextField label={t.queue.bulk.reason} value={reason} onText={setReason} maxLength={1_000} />
      {foreseen && <Effect boards={foreseen} />}
      <ActionFault fault={dry.fault ?? real.fault} />
    </Dialog>
  );
}

function Effect({ boards }: { boards: MergedBoards }) {
  if (boards.length === 0) return <p role="status">{text.noEffect}</p>;
  const columns = t.queue.bulk;
  return (
    <div role="status">
      <table>
        <thead>
          <tr>
            <th scope="col">{columns.board}</th>
            <th scope="col" className="number">
              {columns.runs}
            </th>
            <th scope="col" className="number">
              {text.flags}
            </th>
            <th scope="col" className="number">
              {columns.moved}
            </th>
            <th scope="col">{columns.podium}</th>
          </tr>
        </thead>
        <tbody>
          {boards.map(({ boardId, board, runs, flags, moved, podium }) => (
            <tr key={boardId}>
              <td className="name">{board?.name}</td>
              <td className="number">{count(runs)}</td>
              <td className="number">{count(flags)}</td>
              <td className="number">{count(moved)}</td>
              <td>
                <PodiumLines board={board} podium={podium} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
