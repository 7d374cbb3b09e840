import { useState } from 'react';
import { useAct, useRead } from '../../api/hooks.js';
import { useAccountId, useMe } from '../../api/me.js';
import { graphql } from '../../generated/gql.js';
import type { SingleSignOnQuery as Answer, IdentityProviderKind, UserRole } from '../../generated/graphql.js';
import { Card, Facts } from '../../parts/card.js';
import { Button, Check, Field, SelectField, TextField } from '../../parts/controls.js';
import { FormDialog } from '../../parts/form-dialog.js';
import { Empty, Failed } from '../../parts/states.js';
import { say } from '../../parts/toast.js';
import { t } from '../../texts.js';
import { SINGLE_SIGN_ON_TEXTS } from './texts.js';

const ProviderQuery = graphql(`
  query SingleSignOn($accountId: ID!) {
    identityProviders(accountId: $accountId, first: 1) {
      nodes {
        id kind name issuer clientId scopes groupsClaim domains defaultRole onlyProvider keyDays
        groupRoles { group role }
      }
    }
  }
`);

const AllowMutation = graphql(`
  mutation AllowSingleSignOn($input: CreateIdentityProviderInput!) {
    createIdentityProvider(input: $input) { identityProvider { id } }
  }
`);

const ChangeMutation = graphql(`
  mutation ChangeSingleSignOn($input: UpdateIdentityProviderInput!) {
    updateIdentityProvider(input: $input) { identityProvider { id } }
  }
`);

type Provider = Answer['identityProviders']['nodes'][number];
const text = { ...t.provider, ...SINGLE_SIGN_ON_TEXTS };
const ROLES: readonly (readonly [UserRole, string])[] = (
  ['VIEWER', 'MODERATOR', 'DEVELOPER', 'ADMIN'] as const
).map((role) => [role, text.roles[role]]);

/** Single sign-on of the account: a superadmin allows it, an administrator sets it up. */
export function SingleSignOn() {
  const { superAdmin } = useMe();
  const accountId = useAccountId();
  const { data, fault, again } = useRead(ProviderQuery, { accountId });
  const allow = useAct(AllowMutation);
  const [editing, setEditing] = useState(false);
  const provider = data?.identityProviders.nodes[0];
  // Who may not see it has no use for it.
  if (fault?.code === 'FORBIDDEN' || (!provider && !superAdmin)) return null;
  const give = async (kind: IdentityProviderKind) => {
    if (await allow.run({ input: { accountId, kind } })) again();
  };
  return (
    <Card
      title={text.title}
      padded
      side={provider && <Button onClick={() => setEditing(true)}>{text.change}</Button>}
    >
      {fault && <Failed fault={fault} again={again} />}
      {data && !provider && (
        <>
          <Empty>{text.notAllowed}</Empty>
          <div className="actions">
            <Button busy={allow.busy} onClick={() => void give('OWN')}>
              {text.allowOwn}
            </Button>
            <Button busy={allow.busy} onClick={() => void give('INSTALLATION')}>
              {text.allowInstallation}
            </Button>
          </div>
        </>
      )}
      {provider && (
        <Facts
          facts={[
            [text.issuer, provider.kind === 'OWN' ? (provider.issuer ?? text.notSet) : text.ofInstallation],
            [text.domains, provider.domains.join(', ') || text.noDomains],
            [text.groups, provider.groupRoles.length === 0 ? text.noGroups : rolesText(provider)],
            [text.only, provider.onlyProvider ? text.yes : text.no],
            [text.keyDays, provider.keyDays === null ? t.keys.never : String(provider.keyDays)],
          ]}
        />
      )}
      {provider && editing && (
        <Form
          provider={provider}
          onClose={(done) => {
            setEditing(false);
            if (done) again();
          }}
        />
      )}
    </Card>
  );
}

const rolesText = ({ groupRoles }: Provider) =>
  groupRoles.map(({ group, role }) => `${group}: ${text.roles[role]}`).join(', ');

/** One group a line: `moderators = moderator`. */
function groupRolesOf(lines: string): { group: string; role: UserRole }[] {
  return lines
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const at = line.lastIndexOf('=');
      return {
        group: line.slice(0, at).trim(),
        role: line
          .slice(at + 1)
          .trim()
          .toUpperCase() as UserRole,
      };
    });
}

function Form({ provider, onClose }: { provider: Provider; onClose(done: boolean): void }) {
  const { superAdmin } = useMe();
  const isOwn = provider.kind === 'OWN';
  const change = useAct(ChangeMutation);
  const errors = change.fault?.fields ?? {};
  const [name, setName] = useState(provider.name);
  const [issuer, setIssuer] = useState(provider.issuer ?? '');
  const [clientId, setClientId] = useState(provider.clientId ?? '');
  const [secret, setSecret] = useState('');
  const [scopes, setScopes] = useState(provider.scopes);
  const [claim, setClaim] = useState(provider.groupsClaim);
  const [domains, setDomains] = useState(provider.domains.join(', '));
  const [groups, setGroups] = useState(
    provider.groupRoles.map(({ group, role }) => `${group} = ${role.toLowerCase()}`).join('\n'),
  );
  const [role, setRole] = useState(provider.defaultRole);
  const [only, setOnly] = useState(provider.onlyProvider);
  const [days, setDays] = useState(provider.keyDays === null ? '' : String(provider.keyDays));
  const [wrong, setWrong] = useState(false);
  const submit = async () => {
    const groupRoles = groupRolesOf(groups);
    const isWrong = groupRoles.some(({ group, role }) => group === '' || !(role in text.roles));
    setWrong(isWrong);
    if (isWrong) return;
    const own = {
      issuer: issuer.trim() || undefined,
      clientId: clientId.trim() || undefined,
      clientSecret: secret.trim() || undefined,
      scopes: scopes.trim(),
      groupsClaim: claim.trim(),
    };
    const list = domains.split(/[\s,]+/).filter((one) => one !== '');
    const input = {
      id: provider.id,
      name: name.trim(),
      ...(isOwn && own),
      ...((isOwn || superAdmin) && { domains: list }),
      groupRoles,
      defaultRole: role,
      onlyProvider: only,
      keyDays: days.trim() === '' ? null : Number(days),
    };
    if (!(await change.run({ input }))) return;
    say(t.saved);
    onClose(true);
  };
  return (
    <FormDialog
      title={text.title}
      action={t.save}
      act={change}
      onClose={() => onClose(false)}
      onSubmit={() => void submit()}
    >
      {isOwn && (
        <>
          <TextField
            label={text.name}
            value={name}
            onText={setName}
            required
            maxLength={50}
            error={errors.name}
          />
          <TextField
            label={text.issuer}
            type="url"
            value={issuer}
            onText={setIssuer}
            hint={text.issuerHint(location.origin)}
            error={errors.issuer}
          />
          <TextField label={text.clientId} value={clientId} onText={setClientId} error={errors.clientId} />
          <TextField
            label={text.secret}
            type="password"
            value={secret}
            onText={setSecret}
            hint={text.secretHint}
            error={errors.clientSecret}
          />
          <TextField label={text.scopes} value={scopes} onText={setScopes} error={errors.scopes} />
          <TextField label={text.claim} value={claim} onText={setClaim} error={errors.groupsClaim} />
        </>
      )}
      {(isOwn || superAdmin) && (
        <TextField
          label={text.domains}
          value={domains}
          onText={setDomains}
          hint={text.domainsHint}
          error={errors.domains}
        />
      )}
      <Field label={text.groups} hint={text.groupsHint} error={wrong ? text.groupsWrong : errors.groupRoles}>
        {(ids) => (
          <textarea
            {...ids}
            className="input"
            rows={4}
            value={groups}
            onChange={(event) => setGroups(event.target.value)}
          />
        )}
      </Field>
      <SelectField<UserRole> label={text.defaultRole} value={role} options={ROLES} onPick={setRole} />
      <Check label={text.onlyLong} checked={only} onPick={setOnly} />
      <TextField
        label={text.keyDays}
        type="number"
        min={1}
        max={365}
        value={days}
        onText={setDays}
        hint={text.keyDaysHint}
        error={errors.keyDays}
      />
    </FormDialog>
  );
}
