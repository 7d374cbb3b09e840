import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { readAgain } from '../../api/connection.js';
import { useAct, useRead } from '../../api/hooks.js';
import type { PlayerMergesQuery as Answer } from '../../generated/graphql.js';
import { Card, Chip } from '../../parts/card.js';
import { ActionFault, Button } from '../../parts/controls.js';
import { When } from '../../parts/time.js';
import { say } from '../../parts/toast.js';
import { t } from '../../texts.js';
import { MergeDialog, MergePicker } from './merge-dialog.js';
import { PlayerMergesQuery, UndoMergeMutation } from './merge-operations.js';
import { LINK_TEXTS } from './texts.js';

const text = LINK_TEXTS;
/** Boards of a merge follow one after the other. */
const EVERY_MS = 1_000;

type Merge = Answer['playerMerges']['nodes'][number];

interface MergesProps {
  player: { id: string; displayName: string };
  slug: string;
}

/** The merges of a player, and the way to the next one. */
export function Merges({ player, slug }: MergesProps) {
  const [busy, setBusy] = useState(false);
  const { data, again } = useRead(PlayerMergesQuery, { id: player.id }, { ...(busy && { every: EVERY_MS }) });
  const merges = data?.playerMerges.nodes ?? [];
  const isUnderWay = merges.some(({ status }) => status === 'APPLYING' || status === 'UNDOING');
  if (isUnderWay !== busy) setBusy(isUnderWay);
  const [other, setOther] = useState<{ id: string; name: string }>();
  const [picking, setPicking] = useState(false);
  const done = () => {
    again();
    readAgain();
  };
  return (
    <Card
      title={text.merges}
      side={
        <Button needs="MODERATE" onClick={() => setPicking(true)}>
          {text.mergeWith}
        </Button>
      }
    >
      {merges.length === 0 ? (
        <p className="empty">{text.noMerges}</p>
      ) : (
        <ul className="rows">
          {merges.map((merge) => (
            <Row key={merge.id} merge={merge} player={player} slug={slug} done={done} />
          ))}
        </ul>
      )}
      {picking && (
        <MergePicker player={player} slug={slug} onPick={setOther} onClose={() => setPicking(false)} />
      )}
      {other && (
        <MergeDialog
          source={other}
          target={{ id: player.id, name: player.displayName }}
          onClose={() => setOther(undefined)}
          onMerged={() => {
            setOther(undefined);
            done();
          }}
        />
      )}
    </Card>
  );
}

function Row({ merge, player, slug, done }: MergesProps & { merge: Merge; done(): void }) {
  const undo = useAct(UndoMergeMutation);
  const { source, target, status, reason, createdAt, requestedBy } = merge;
  const isTarget = merge.targetId === player.id;
  const other = isTarget ? source : target;
  // A merged player can't be read, but the merge has its name.
  const name = (other ? other.displayName : isTarget ? merge.sourceName : merge.targetId) || text.nameless;
  const run = async () => {
    if (!(await undo.run({ id: merge.id }))) return;
    say(text.undone);
    done();
  };
  return (
    <li>
      <span>
        {isTarget ? text.mergedHere : text.mergedInto}{' '}
        {other && !(isTarget && status === 'APPLIED') ? (
          <Link to="/games/$slug/players/$id" params={{ slug, id: other.id }}>
            {name}
          </Link>
        ) : (
          <b>{name}</b>
        )}{' '}
        {status !== 'APPLIED' && (
          <Chip tone={status === 'UNDONE' ? undefined : 'warn'}>{text.status[status]}</Chip>
        )}
        <span className="block small faint-text">
          <When at={createdAt} /> · {requestedBy?.displayName ?? text.byPlayer}
          {reason && ` · ${reason}`}
        </span>
        <ActionFault fault={undo.fault} />
      </span>
      {status === 'APPLIED' && (
        <span className="right">
          <Button needs="MODERATE" busy={undo.busy} onClick={() => void run()}>
            {t.undo}
          </Button>
        </span>
      )}
    </li>
  );
}
