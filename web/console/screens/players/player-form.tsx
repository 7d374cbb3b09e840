import { type FormEvent, useState } from 'react';
import { useAct } from '../../api/hooks.js';
import type { TrustTier } from '../../generated/graphql.js';
import { ActionFault, Button, SelectField, TextField } from '../../parts/controls.js';
import { say } from '../../parts/toast.js';
import { t } from '../../texts.js';
import { type PlayerDetails, UpdatePlayerMutation } from './operations.js';

const text = t.player;

/** Trust tier and name. */
export function PlayerForm({ player, again }: { player: PlayerDetails; again(): void }) {
  const [name, setName] = useState(player.displayName);
  const update = useAct(UpdatePlayerMutation);
  const setTier = async (tier: TrustTier | '') => {
    if (!(await update.run({ input: { id: player.id, trustTier: tier || null } }))) return;
    say(text.tierSet(player.displayName));
    again();
  };
  const rename = async (event: FormEvent) => {
    event.preventDefault();
    if (!(await update.run({ input: { id: player.id, displayName: name.trim() } }))) return;
    say(t.saved);
    again();
  };
  return (
    <section className="card">
      <form className="section" onSubmit={(event) => void rename(event)}>
        <SelectField<TrustTier | ''>
          label={text.tier}
          value={player.trustTier ?? ''}
          options={text.tiers}
          onPick={(tier) => void setTier(tier)}
          hint={player.trustTierReason ?? text.tierHint}
        />
        <TextField
          label={text.name}
          value={name}
          onText={setName}
          required
          maxLength={256}
          hint={text.nameHint}
          error={update.fault?.fields.displayName}
        />
        {name !== player.displayName && (
          <Button look="primary" type="submit" busy={update.busy}>
            {t.save}
          </Button>
        )}
        <ActionFault fault={update.fault} />
      </form>
    </section>
  );
}
