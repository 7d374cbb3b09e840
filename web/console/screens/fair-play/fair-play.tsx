import { useParams } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { useAct, useRead } from '../../api/hooks.js';
import { usePreview } from '../../api/use-preview.js';
import { graphql } from '../../generated/gql.js';
import type { FairPlayGameQuery } from '../../generated/graphql.js';
import { Card, Head } from '../../parts/card.js';
import { ActionFault, Button, Check, SelectField, TextField } from '../../parts/controls.js';
import { Editable } from '../../parts/may.js';
import { Loaded } from '../../parts/states.js';
import { say } from '../../parts/toast.js';
import { Page } from '../../shell/page.js';
import { Unsaved } from '../../shell/unsaved.js';
import { t } from '../../texts.js';
import { UpdateGameMutation } from '../games/operations.js';
import { Effect, EffectQuery } from './effect.js';
import {
  BY_TIER,
  type FairPlayForm,
  formOf,
  isReadable,
  NUMBERS,
  numberIn,
  settingsOf,
  TIERS,
  tierNames,
} from './settings.js';
import { FAIR_PLAY_TEXTS } from './texts.js';

const FairPlayGameText = graphql(`
  query FairPlayGame($slug: String!) {
    game(by: { slug: $slug }) {
      id
      name
      antiCheatEnabled
      antiCheatDefaults { ...Settings }
      antiCheatSettings { ...Settings }
    }
  }
  fragment Settings on AntiCheatSettings {
        defaultTier
        rateLimit { ...Tiers }
        velocitySeconds { ...Tiers }
        duplicateSeconds { ...Tiers }
        progressionPercent { ...Tiers }
        progressionMinValues
        outlierZ { ...Tiers }
        outlierMinEntries
        outlierMediumFactor { value }
  }
  fragment Tiers on TierThresholds { a { value } b { value } c { value } }
`);

const text = FAIR_PLAY_TEXTS;

export function FairPlay() {
  const { slug } = useParams({ from: '/games/$slug/fair-play' });
  const { data, fault, again } = useRead(FairPlayGameText, { slug });
  return (
    <Page title={t.nav.fairPlay} crumbs={[[data?.game.name ?? slug], [t.nav.fairPlay]]}>
      <Head title={t.nav.fairPlay} meta={text.hint} />
      <Loaded data={data?.game} fault={fault} again={again}>
        {(game) => (
          <Editable needs="CONFIGURE">
            <Form key={game.id} game={game} slug={slug} again={again} />
          </Editable>
        )}
      </Loaded>
    </Page>
  );
}

interface FormProps {
  game: FairPlayGameQuery['game'];
  slug: string;
  again(): void;
}

/** Thresholds, and on demand the effect of changed ones on past runs before they are saved. */
function Form({ game, slug, again }: FormProps) {
  const [enabled, setEnabled] = useState(game.antiCheatEnabled);
  const [form, setForm] = useState(() => formOf(game.antiCheatSettings));
  const update = useAct(UpdateGameMutation);
  const settings = settingsOf(form);
  const preview = usePreview(EffectQuery, { input: { gameId: game.id, settings } });
  const changed =
    JSON.stringify(settings) !== JSON.stringify(settingsOf(formOf(game.antiCheatSettings))) ||
    enabled !== game.antiCheatEnabled;
  const defaults = game.antiCheatDefaults;
  const errors = { ...update.fault?.fields, ...preview.fault?.fields };
  const errorOf = (path: string, name: string, typed: string) => {
    const error = errors[`antiCheatSettings.${path}`] ?? errors[`settings.${path}`];
    return error && (isReadable(name, typed) ? error.replace(/\bnull$/, '“off”') : text.unreadable);
  };
  const save = async (event: FormEvent) => {
    event.preventDefault();
    const input = { antiCheatEnabled: enabled, antiCheatSettings: settings };
    if (!(await update.run({ input: { id: game.id, ...input } }))) return;
    say(t.saved);
    again();
  };
  return (
    <>
      <Unsaved changed={changed} />
      <form className="form-grid" onSubmit={(event) => void save(event)}>
        <div className="card">
          <section className="section">
            <Check label={text.enabled} checked={enabled} onPick={setEnabled} />
            <SelectField<FairPlayForm['defaultTier']>
              label={text.defaultTier}
              value={form.defaultTier}
              options={tierNames(defaults?.defaultTier?.toUpperCase())}
              onPick={(defaultTier) => setForm({ ...form, defaultTier })}
              hint={text.defaultTierHint}
            />
            <p className="hint">{text.empty}</p>
          </section>
          {BY_TIER.map((name) => (
            <section className="section" key={name}>
              <header>
                <h2>{text.checks[name][0]}</h2>
                <p className="soft">{text.checks[name][1]}</p>
              </header>
              <div className="tiers">
                {TIERS.map((tier) => (
                  <TextField
                    key={tier}
                    label={text.tier(tier.toUpperCase())}
                    value={form.byTier[name][tier]}
                    placeholder={text.placeholder(defaults?.[name]?.[tier]?.value)}
                    error={errorOf(`${name}.${tier}.value`, name, form.byTier[name][tier])}
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
                  placeholder={text.placeholder(numberIn(defaults, name))}
                  value={form.numbers[name]}
                  error={errorOf(
                    name === 'outlierMediumFactor' ? `${name}.value` : name,
                    name,
                    form.numbers[name],
                  )}
                  onText={(value) => setForm({ ...form, numbers: { ...form.numbers, [name]: value } })}
                />
              ))}
            </div>
            {!enabled && <p className="hint">{text.off}</p>}
            <ActionFault fault={update.fault ?? preview.fault} />
            <div className="actions">
              <Button
                look="primary"
                type="submit"
                busy={update.busy}
                disabled={!changed}
                wait={update.fault?.retryAfter}
              >
                {t.save}
              </Button>
              {enabled && (
                <Button
                  busy={preview.busy}
                  wait={preview.fault?.retryAfter}
                  onClick={() => void preview.look()}
                >
                  {text.look}
                </Button>
              )}
            </div>
          </section>
        </div>
        <aside>
          <div className="stack" role="status">
            {enabled && preview.data ? (
              <Effect preview={preview.data.previewFairPlay} slug={slug} />
            ) : (
              <Card title={text.effect}>
                <p className="empty">{enabled ? text.effectHint : text.off}</p>
              </Card>
            )}
          </div>
        </aside>
      </form>
    </>
  );
}
