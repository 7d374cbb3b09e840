import { useState } from 'react';
import { useAct } from '../../api/hooks.js';
import type { PlayerProviderKind, TrustTier } from '../../generated/graphql.js';
import { Check, Field, SelectField, TextField } from '../../parts/controls.js';
import { FormDialog } from '../../parts/form-dialog.js';
import { say } from '../../parts/toast.js';
import { t } from '../../texts.js';
import {
  CreatePlayerProviderMutation,
  type ProviderRow,
  UpdatePlayerProviderMutation,
} from './operations.js';
import { PROVIDER_TEXTS } from './texts.js';

const text = PROVIDER_TEXTS;
const KINDS = Object.entries(text.kinds) as [PlayerProviderKind, string][];
const TIERS: (readonly [TrustTier | '', string])[] = [
  ['', text.noTier],
  ['A', 'A'],
  ['B', 'B'],
  ['C', 'C'],
];

type Setting =
  | 'issuer'
  | 'keysUrl'
  | 'publicKey'
  | 'audiences'
  | 'clientId'
  | 'secret'
  | 'redirectUrl'
  | 'steamIdentity';

/** What each kind is made of; the service refuses the rest. */
const SETTINGS: Record<PlayerProviderKind, Setting[]> = {
  OIDC: ['issuer', 'audiences', 'keysUrl'],
  SIGNED: ['audiences', 'issuer', 'publicKey', 'secret'],
  STEAM: ['clientId', 'secret', 'steamIdentity'],
  GAME_CENTER: ['audiences'],
  PLAY_GAMES: ['clientId', 'secret', 'redirectUrl'],
  DISCORD: ['clientId', 'secret', 'redirectUrl'],
};
/** These can't be left empty. */
const REQUIRED: Setting[] = ['audiences', 'clientId', 'steamIdentity'];

type Written = Record<Setting, string> & { allowBorrowed: boolean; trustTier: TrustTier | '' };

function writtenOf(row?: ProviderRow): Written {
  return {
    ...{ issuer: row?.issuer ?? '', keysUrl: row?.keysUrl ?? '', publicKey: row?.publicKey ?? '' },
    ...{ audiences: row?.audiences.join(', ') ?? '', clientId: row?.clientId ?? '', secret: '' },
    ...{ redirectUrl: row?.redirectUrl ?? '', steamIdentity: row?.steamIdentity ?? '' },
    ...{ allowBorrowed: row?.allowBorrowed ?? true, trustTier: row?.trustTier ?? '' },
  };
}

/** Members of the input. @param isNew an empty secret of one that is there stays as it is */
function inputOf(kind: PlayerProviderKind, written: Written, isNew: boolean) {
  const given = SETTINGS[kind].flatMap((name): [Setting, string | string[] | null][] => {
    const value = written[name].trim();
    if (name === 'secret' && value === '' && !isNew) return [];
    if (name === 'audiences') return [[name, value.split(/[\s,]+/).filter(Boolean)]];
    return [[name, value || null]];
  });
  return {
    ...Object.fromEntries(given),
    ...(kind === 'STEAM' && { allowBorrowed: written.allowBorrowed }),
    trustTier: written.trustTier || null,
  };
}

interface FieldsProps {
  kind: PlayerProviderKind;
  written: Written;
  isNew: boolean;
  set(changed: Partial<Written>): void;
  errors: Record<string, string | undefined>;
}

function Fields({ kind, written, isNew, set, errors }: FieldsProps) {
  const labels: Record<Setting, string> = {
    ...{
      issuer: text.issuer,
      keysUrl: text.keysUrl,
      publicKey: text.publicKey,
      redirectUrl: text.redirectUrl,
    },
    ...{ steamIdentity: text.steamIdentity, audiences: text.audiences[kind] ?? '' },
    ...{ clientId: text.clientId[kind] ?? '', secret: text.secret[kind] ?? '' },
  };
  const hints: Partial<Record<Setting, string>> = {
    ...{ issuer: text.issuerHint[kind === 'OIDC' ? 'OIDC' : 'SIGNED'], keysUrl: text.keysUrlHint },
    ...{ audiences: text.audiencesHint, publicKey: text.publicKeyHint, redirectUrl: text.redirectUrlHint },
    ...{ steamIdentity: text.steamIdentityHint },
    secret: isNew ? text.secretHint : `${text.secretHint} ${text.secretKept}`,
  };
  return (
    <>
      {SETTINGS[kind].map((name) =>
        name === 'publicKey' ? (
          <Field key={name} label={labels[name]} hint={hints[name]} error={errors[name]}>
            {(ids) => (
              <textarea
                {...ids}
                className="input mono"
                rows={4}
                spellCheck={false}
                value={written[name]}
                onChange={(event) => set({ [name]: event.target.value })}
              />
            )}
          </Field>
        ) : (
          <TextField
            key={name}
            label={labels[name]}
            hint={hints[name]}
            error={errors[name]}
            type={name === 'secret' ? 'password' : 'text'}
            required={REQUIRED.includes(name) || (name === 'issuer' && kind === 'OIDC')}
            value={written[name]}
            onText={(value) => set({ [name]: value })}
          />
        ),
      )}
      {kind === 'STEAM' && (
        <Check
          label={text.allowBorrowed}
          checked={written.allowBorrowed}
          onPick={(allowBorrowed) => set({ allowBorrowed })}
        />
      )}
      <SelectField<TrustTier | ''>
        label={text.trustTier}
        value={written.trustTier}
        options={TIERS}
        onPick={(trustTier) => set({ trustTier })}
      />
    </>
  );
}

interface NewProviderProps {
  game: { id: string; accountId: string };
  again(): void;
  onClose(): void;
}

export function NewProvider({ game, again, onClose }: NewProviderProps) {
  const [kind, setKind] = useState<PlayerProviderKind>('OIDC');
  const [slug, setSlug] = useState('');
  const [written, setWritten] = useState(writtenOf());
  const create = useAct(CreatePlayerProviderMutation);
  const errors = create.fault?.fields ?? {};
  const submit = async () => {
    const of = { accountId: game.accountId, gameId: game.id, kind, slug: slug.trim() };
    if (!(await create.run({ input: { ...of, ...inputOf(kind, written, true) } }))) return;
    say(text.created(of.slug));
    again();
    onClose();
  };
  return (
    <FormDialog
      title={text.create}
      action={text.create}
      act={create}
      onClose={onClose}
      onSubmit={() => void submit()}
    >
      <SelectField<PlayerProviderKind>
        label={text.kind}
        value={kind}
        options={KINDS}
        hint={text.kindHints[kind]}
        onPick={setKind}
      />
      <TextField
        label={text.slug}
        value={slug}
        onText={setSlug}
        hint={text.slugHint}
        error={errors.slug}
        required
        maxLength={50}
      />
      <Fields
        kind={kind}
        written={written}
        isNew
        errors={errors}
        set={(changed) => setWritten((last) => ({ ...last, ...changed }))}
      />
    </FormDialog>
  );
}

export function EditProvider({ row, again, onClose }: { row: ProviderRow; again(): void; onClose(): void }) {
  const [written, setWritten] = useState(writtenOf(row));
  const update = useAct(UpdatePlayerProviderMutation);
  const submit = async () => {
    if (!(await update.run({ input: { id: row.id, ...inputOf(row.kind, written, false) } }))) return;
    say(text.saved);
    again();
    onClose();
  };
  return (
    <FormDialog
      title={row.slug}
      action={t.save}
      act={update}
      onClose={onClose}
      onSubmit={() => void submit()}
    >
      <Fields
        kind={row.kind}
        written={written}
        isNew={false}
        errors={update.fault?.fields ?? {}}
        set={(changed) => setWritten((last) => ({ ...last, ...changed }))}
      />
    </FormDialog>
  );
}
