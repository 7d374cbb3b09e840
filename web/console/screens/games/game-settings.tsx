import { Link, useParams } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { useAct, useRead } from '../../api/hooks.js';
import { graphql } from '../../generated/gql.js';
import type { GameEnvironment, GameFormQuery } from '../../generated/graphql.js';
import { Head } from '../../parts/card.js';
import { ActionFault, Button, Field, SelectField, TextField } from '../../parts/controls.js';
import { Editable } from '../../parts/may.js';
import { Loaded } from '../../parts/states.js';
import { say } from '../../parts/toast.js';
import { Page } from '../../shell/page.js';
import { t } from '../../texts.js';
import { UpdateGameMutation } from './operations.js';
import { Pictures } from './pictures.js';

const GameFormText = graphql(`
  query GameForm($slug: String!) {
    game(by: { slug: $slug }) { id name slug description pageUrl accentColour environment overlayOrigins logoUrl coverUrl
      platformAppId tags defaultBoardId }
    boards(filter: {gameSlug: $slug}, orderBy: {field: NAME}, first: 100) { nodes { id name } }
  }
`);

const ENVIRONMENTS = Object.entries(t.games.environments) as [GameEnvironment, string][];
const text = t.gameForm;

export function GameSettings() {
  const { slug } = useParams({ from: '/games/$slug/settings' });
  const { data, fault, again } = useRead(GameFormText, { slug });
  const name = data?.game.name ?? slug;
  return (
    <Page title={name} crumbs={[[t.nav.games, (shown) => <Link to="/games">{shown}</Link>], [name]]}>
      <Head
        title={name}
        actions={
          <Link className="button plain" to="/audit" search={{ game: slug }}>
            {t.audit.ofThis}
          </Link>
        }
      />
      <Loaded data={data} fault={fault} again={again}>
        {(data) => (
          <Editable needs="CONFIGURE">
            <Form key={data.game.id} {...data} again={again} />
            <Pictures game={data.game} again={again} />
          </Editable>
        )}
      </Loaded>
    </Page>
  );
}

/** The hint of the colour, with the colour itself. */
function ColourHint({ colour }: { colour: string }) {
  return (
    <>
      {/^#[0-9a-f]{6}$/i.test(colour) && (
        <svg className="swatch" viewBox="0 0 1 1" aria-hidden="true">
          <rect width="1" height="1" fill={colour} />
        </svg>
      )}
      {text.colourHint}
    </>
  );
}

/** What a field lists, separated by commas. */
function listOf(shown: string): string[] {
  return shown
    .split(',')
    .map((item) => item.trim())
    .filter(Boolean);
}

function Form({ game, boards, again }: GameFormQuery & { again(): void }) {
  const [name, setName] = useState(game.name);
  const [description, setDescription] = useState(game.description ?? '');
  const [pageUrl, setPageUrl] = useState(game.pageUrl ?? '');
  const [colour, setColour] = useState(game.accentColour ?? '');
  const [app, setApp] = useState(game.platformAppId ?? '');
  const [overlays, setOverlays] = useState(game.overlayOrigins.join(', '));
  const [tags, setTags] = useState(game.tags.join(', '));
  const [first, setFirst] = useState(game.defaultBoardId ?? '');
  const [environment, setEnvironment] = useState(game.environment);
  const update = useAct(UpdateGameMutation);
  const errors = update.fault?.fields ?? {};
  const save = async (event: FormEvent) => {
    event.preventDefault();
    const input = {
      name: name.trim(),
      description: description || null,
      pageUrl: pageUrl.trim() || null,
      accentColour: colour.trim() || null,
      environment,
      platformAppId: app.trim() || null,
      overlayOrigins: listOf(overlays),
      tags: listOf(tags),
      defaultBoardId: first || null,
    };
    if (!(await update.run({ input: { id: game.id, ...input } }))) return;
    say(t.saved);
    again();
  };
  return (
    <form className="form-grid" onSubmit={(event) => void save(event)}>
      <div className="card">
        <section className="section">
          <TextField
            label={t.games.name}
            value={name}
            onText={setName}
            required
            maxLength={100}
            error={errors.name}
          />
          <Field label={t.settings.description} error={errors.description}>
            {(ids) => (
              <textarea
                {...ids}
                className="input"
                rows={3}
                value={description}
                onChange={(event) => setDescription(event.target.value)}
              />
            )}
          </Field>
          <div className="pair-fields">
            <TextField
              label={text.pageUrl}
              type="url"
              value={pageUrl}
              onText={setPageUrl}
              error={errors.pageUrl}
            />
            <TextField
              label={text.colour}
              value={colour}
              onText={setColour}
              hint={<ColourHint colour={colour.trim()} />}
              error={errors.accentColour}
              maxLength={7}
            />
            <TextField label={text.app} value={app} onText={setApp} error={errors.platformAppId} />
            <TextField
              label={t.settings.tags}
              value={tags}
              onText={setTags}
              hint={t.settings.tagsHint}
              error={errors.tags}
            />
            <TextField
              label={text.overlays}
              value={overlays}
              onText={setOverlays}
              hint={text.overlaysHint}
              error={errors.overlayOrigins}
            />
            <SelectField<GameEnvironment>
              label={t.games.environment}
              value={environment}
              options={ENVIRONMENTS}
              onPick={setEnvironment}
            />
            <SelectField
              label={t.games.firstBoard}
              value={first}
              options={[['', t.none], ...boards.nodes.map(({ id, name }) => [id, name] as const)]}
              onPick={setFirst}
            />
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
