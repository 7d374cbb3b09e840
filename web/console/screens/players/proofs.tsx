import { useState } from 'react';
import { useAct } from '../../api/hooks.js';
import { Card } from '../../parts/card.js';
import { Button } from '../../parts/controls.js';
import { FormDialog } from '../../parts/form-dialog.js';
import { When } from '../../parts/time.js';
import { say } from '../../parts/toast.js';
import { PROVIDER_TEXTS } from '../providers/texts.js';
import { type PlayerDetails, RemoveProofMutation } from './operations.js';
import { LINK_TEXTS } from './texts.js';

const text = LINK_TEXTS;

interface ProofsProps {
  player: { id: string };
  proofs: NonNullable<PlayerDetails['proofs']>;
  again(): void;
}

/** The accounts that prove who the player is; nothing for a player without one. */
export function Proofs({ player, proofs, again }: ProofsProps) {
  const removal = useAct(RemoveProofMutation);
  const [removing, setRemoving] = useState<string>();
  if (proofs.length === 0) return null;
  const remove = async (provider: string) => {
    if (!(await removal.run({ input: { id: player.id, provider } }))) return;
    setRemoving(undefined);
    again();
    say(text.removed);
  };
  return (
    <Card title={text.proofs}>
      <ul className="rows">
        {proofs.map(({ provider, kind, subject, provenAt, lastProvenAt }) => (
          <li key={provider}>
            <span>
              {PROVIDER_TEXTS.kinds[kind]} <span className="mono">{subject}</span>
              <span className="block small faint-text">
                {text.proven} <When at={provenAt} /> · {text.lastProven} <When at={lastProvenAt} />
              </span>
            </span>
            <span className="right">
              <span className="mono faint-text">{provider}</span>
              <Button needs="MODERATE" onClick={() => setRemoving(provider)}>
                {text.remove}
              </Button>
            </span>
          </li>
        ))}
      </ul>
      {removing && (
        <FormDialog
          title={text.removeOf(removing)}
          action={text.remove}
          look="danger"
          act={removal}
          onClose={() => setRemoving(undefined)}
          onSubmit={() => void remove(removing)}
        >
          <p>{text.removeHint}</p>
        </FormDialog>
      )}
    </Card>
  );
}
