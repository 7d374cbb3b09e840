import { useState } from 'react';
import { useGames } from '../../api/games.js';
import { useAct, useRead } from '../../api/hooks.js';
import { useAccountId, useMe } from '../../api/me.js';
import { graphql } from '../../generated/gql.js';
import type { KeyScope } from '../../generated/graphql.js';
import { ActionFault, Button, Check, SelectField, TextField } from '../../parts/controls.js';
import { CopyButton } from '../../parts/copy-button.js';
import { Dialog } from '../../parts/dialog.js';
import { fromLocalInput } from '../../parts/format.js';
import { t } from '../../texts.js';

const KeyUsersQuery = graphql(`
  query KeyUsers($accountId: ID!) {
    users(accountId: $accountId, first: 100) { nodes { id displayName status } }
  }
`);

const CreateKeyMutation = graphql(`
  mutation CreateKey($input: CreateApiKeyInput!) {
    createApiKey(input: $input) { apiKey { id name } key }
  }
`);

const SCOPES = Object.keys(t.keys.scopes) as KeyScope[];
const text = t.keys;

export function NewKey({ onClose }: { onClose(): void }) {
  const accountId = useAccountId();
  const me = useMe();
  const { data } = useRead(KeyUsersQuery, { accountId });
  const users = data?.users.nodes.filter((user) => user.status === 'ACTIVE') ?? [];
  const [name, setName] = useState('');
  const [chosen, setChosen] = useState('');
  const [ends, setEnds] = useState('');
  const [scopes, setScopes] = useState<readonly KeyScope[] | null>(null);
  const [gameId, setGameId] = useState('');
  const { games = [] } = useGames();
  const own = SCOPES.filter((scope) => me.rights.includes(scope));
  const create = useAct(CreateKeyMutation);
  const [made, setMade] = useState<string>();
  const userId = chosen || users.find((user) => user.id === me.user?.id)?.id || users[0]?.id || '';
  const submit = async () => {
    const input = {
      accountId,
      userId,
      name: name.trim(),
      expiresAt: fromLocalInput(ends),
      scopes: scopes && [...scopes],
      gameId: gameId || null,
    };
    const answer = await create.run({ input });
    if (answer) setMade(answer.createApiKey.key);
  };
  if (made) {
    return (
      <Dialog
        title={name}
        onSubmit={onClose}
        footer={
          <Button look="primary" type="submit">
            {text.noted}
          </Button>
        }
      >
        <p>{text.once}</p>
        <div className="secret">
          <code>{made}</code>
          <CopyButton text={made} />
        </div>
      </Dialog>
    );
  }
  return (
    <Dialog
      title={text.create}
      onClose={onClose}
      onSubmit={() => void submit()}
      footer={
        <>
          <Button look="quiet" onClick={onClose}>
            {t.cancel}
          </Button>
          <Button look="primary" type="submit" busy={create.busy} disabled={!userId}>
            {text.create}
          </Button>
        </>
      }
    >
      <TextField
        label={text.name}
        value={name}
        onText={setName}
        required
        maxLength={100}
        hint={text.nameHint}
        error={create.fault?.fields.name}
      />
      <SelectField
        label={text.of}
        value={userId}
        options={users.map(({ id, displayName }) => [id, displayName] as const)}
        onPick={setChosen}
        hint={data && users.length === 0 ? text.noUsers : undefined}
      />
      <SelectField<'' | 'some'>
        label={text.may}
        value={scopes ? 'some' : ''}
        options={[
          ['', text.wholeRole],
          ['some', text.limited],
        ]}
        onPick={(limit) => setScopes(limit ? [] : null)}
        hint={text.mayHint}
        error={create.fault?.fields.scopes}
      />
      {scopes && (
        <div className="games-of">
          {own.map((scope) => (
            <Check
              key={scope}
              label={text.scopes[scope]}
              checked={scopes.includes(scope)}
              onPick={(on) => setScopes(on ? [...scopes, scope] : scopes.filter((one) => one !== scope))}
            />
          ))}
        </div>
      )}
      <SelectField
        label={t.roles.games}
        value={gameId}
        options={[
          ['', me.gameIds ? t.roles.someGames : t.roles.allGames],
          ...games.map(({ id, name }) => [id, name] as const),
        ]}
        onPick={setGameId}
      />
      <TextField
        label={text.ends}
        type="datetime-local"
        value={ends}
        onText={setEnds}
        hint={text.endsHint}
        error={create.fault?.fields.expiresAt}
      />
      <ActionFault fault={create.fault} />
    </Dialog>
  );
}
