import { useParams } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { useAct, useRead } from '../../api/hooks.js';
import { graphql } from '../../generated/gql.js';
import type { FairPlayGameQuery } from '../../generated/graphql.js';
import { Head } from '../../parts/card.js';
import { ActionFault, Button, Check, SelectField, TextField } from '../../parts/controls.js';
import { Loaded } from '../../parts/states.js';
import { say } from '../../parts/toast.js';
import { Page } from '../../shell/page.js';
import { t } from '../../texts.js';
import { UpdateGameMutation } from '../games/operations.js';
import { BY_TIER, type FairPlayForm, formOf, NUMBERS, settingsOf, TIER_NAMES, TIERS } from './settings.js';

const FairPlayGameText = graphql(`
  query FairPlayGame($slug: String!) {
    game(slug: $slug) { id name antiCheatEnabled antiCheatSettings }
  }
`);

const text = t.fairPlay;

export function FairPlay() {
  const { slug } = useParams({ from: '/games/$slug/fair-play' });
  const { data, fault, again } = useRead(FairPlayGameText, { slug });
  return (
    <Page title={t.nav.fairPlay} crumbs={[[data?.game.name ?? slug], [t.nav.fairPlay]]}>
      <Head title={t.nav.fairPlay} meta={text.hint} />
      <Loaded data={data?.game} fault={fault} again={again}>
        {(game) => <Form key={game.id} game={game} again={again} />}
      </Loaded>
    </Page>
  );
}

function Form({ game, again }: { game: FairPlayGameQuery['game']; again(): void }) {
  const [enabled, setEnabled] = useState(game.antiCheatEnabled);
  const [form, setForm] = useState(() => formOf(game.antiCheatSettings));
  const update = useAct(UpdateGameMutation);
  const errors = update.fault?.fields ?? {};
  const save = async (event: FormEvent) => {
    event.preventDefault();
    const input = { antiCheatEnabled: enabled, antiCheatSettings: settingsOf(form) };
    if (!(await update.run({ id: game.id, input }))) return;
    say(t.saved);
    again();
  };
  return (
    <form className="form-grid" onSubmit={(event) => void save(event)}>
      <div className="card">
        <section className="section">
          <Check label={text.enabled} checked={enabled} onPick={setEnabled} />
          <SelectField<FairPlayForm['defaultTier']>
            label={text.defaultTier}
            value={form.defaultTier}
            options={TIER_NAMES}
            onPick={(defaultTier) => setForm({ ...form, defaultTier })}
            hint={text.defaultTierHint}
          />
        </section>
        {BY_TIER.map((name) => (
          <section className="section" key={name}>
            <header>
              <h2>{text.checks[name][0]}</h2>
              <p className="soft">{text.checks[name][1]}</p>
            </header>
            <div className="tiers">
              <span className="tier-name faint-text small">{text.empty}</span>
              {TIERS.map((tier) => (
                <TextField
                  key={tier}
                  label={text.tier(tier.toUpperCase())}
                  value={form.byTier[name][tier]}
                  placeholder={text.placeholder}
                  error={errors[`antiCheatSettings.${name}.${tier}`]}
                  onText={(value) =>
                    setForm({
                      ...form,
                      byTier: { ...form.byTier, [name]: { ...form.byTier[name], [tier]: value } },
                    })
                  }
                />
              ))}
            </div>
          </section>
        ))}
        <section className="section">
          <div className="pair-fields">
            {NUMBERS.map((name) => (
              <TextField
                key={name}
                label={text.numbers[name][0] ?? name}
                hint={text.numbers[name][1]}
                placeholder={text.placeholder}
                value={form.numbers[name]}
                error={errors[`antiCheatSettings.${name}`]}
                onText={(value) => setForm({ ...form, numbers: { ...form.numbers, [name]: value } })}
              />
            ))}
          </div>
          <ActionFault fault={update.fault} />
          <div className="actions">
            <Button look="primary" type="submit" busy={update.busy}>
              {t.save}
            </Button>
          </div>
        </section>
      </div>
    </form>
  );
}
