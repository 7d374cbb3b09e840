import { useMemo, useState } from 'react';
import { useAct, useList, useRead } from '../../api/hooks.js';
import { useAccountId, useMe } from '../../api/me.js';
import { graphql } from '../../generated/gql.js';
import type { KeyListQuery } from '../../generated/graphql.js';
import { Chip } from '../../parts/card.js';
import { ActionFault, Button, SelectField, TextField } from '../../parts/controls.js';
import { CopyButton } from '../../parts/copy-button.js';
import type { Column } from '../../parts/data-table.js';
import { Dialog } from '../../parts/dialog.js';
import { FormDialog } from '../../parts/form-dialog.js';
import { fromLocalInput } from '../../parts/format.js';
import { ListCard } from '../../parts/list-card.js';
import { Ago, When } from '../../parts/time.js';
import { say } from '../../parts/toast.js';
import { t } from '../../texts.js';

const KeyListText = graphql(`
  query KeyList($accountId: ID!, $after: String) {
    apiKeys(accountId: $accountId, first: 50, after: $after) {
      nodes { id name prefix status expiresAt lastUsedAt createdAt user { displayName } }
      pageInfo { hasNextPage endCursor }
    }
  }
`);

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

const UpdateKeyMutation = graphql(`
  mutation UpdateKey($input: UpdateApiKeyInput!) {
    updateApiKey(input: $input) { apiKey { id status } }
  }
`);

type KeyRow = KeyListQuery['apiKeys']['nodes'][number];
const text = t.keys;

/** Keys of the account with their last use. A new one is shown once. */
export function Keys() {
  const me = useMe();
  const [making, setMaking] = useState(false);
  const [revoking, setRevoking] = useState<KeyRow>();
  const list = useList(KeyListText, { accountId: useAccountId() }, (data) => data.apiKeys);
  const update = useAct(UpdateKeyMutation);
  const own = me.apiKey?.id;
  const columns = useMemo(
    (): Column<KeyRow>[] => [
      {
        id: 'name',
        title: text.key,
        by: (row) => row.name.toLowerCase(),
        cell: (row) => (
          <>
            <span className="name">{row.name}</span> {row.id === own && <Chip>{text.thisOne}</Chip>}
            <div className="small faint-text mono">{row.prefix}…</div>
          </>
        ),
      },
      {
        id: 'user',
        title: text.of,
        wide: true,
        by: (row) => row.user?.displayName ?? '',
        cell: (row) => row.user?.displayName,
      },
      {
        id: 'status',
        title: t.boards.state,
        by: (row) => row.status,
        cell: (row) => (
          <Chip tone={row.status === 'ACTIVE' ? 'good' : 'plain'}>{text.status[row.status]}</Chip>
        ),
      },
      {
        id: 'used',
        title: text.lastUse,
        wide: true,
        by: (row) => row.lastUsedAt ?? '',
        cell: (row) =>
          row.lastUsedAt ? <span className="soft">{<Ago at={row.lastUsedAt} />}</span> : text.never,
      },
      {
        id: 'ends',
        title: text.ends,
        wide: true,
        by: (row) => row.expiresAt ?? '',
        cell: (row) =>
          row.expiresAt ? (
            <When at={row.expiresAt} className="soft" />
          ) : (
            <span className="faint-text">{t.overview.noEnd}</span>
          ),
      },
      {
        id: 'act',
        title: '',
        number: true,
        cell: (row) =>
          row.status === 'ACTIVE' && (
            <Button look="quiet" aria-label={text.revokeOf(row.name)} onClick={() => setRevoking(row)}>
              {text.revoke}
            </Button>
          ),
      },
    ],
    [own],
  );
  const revoke = async () => {
    if (!revoking || !(await update.run({ input: { id: revoking.id, status: 'REVOKED' } }))) return;
    say(text.revoked(revoking.name));
    setRevoking(undefined);
    list.reload();
  };
  return (
    <>
      <ListCard
        title={text.keys}
        label={text.keys}
        side={<Button onClick={() => setMaking(true)}>{text.create}</Button>}
        list={list}
        columns={columns}
        keyOf={(row) => row.id}
        empty={text.empty}
      />
      {making && (
        <NewKey
          onClose={() => {
            setMaking(false);
            list.reload();
          }}
        />
      )}
      {revoking && (
        <FormDialog
          title={text.revokeOf(revoking.name)}
          action={text.revoke}
          look="danger"
          act={update}
          onClose={() => setRevoking(undefined)}
          onSubmit={() => void revoke()}
        >
          <p>{revoking.id === own ? text.revokeOwn : text.revokeHint}</p>
        </FormDialog>
      )}
    </>
  );
}

function NewKey({ onClose }: { onClose(): void }) {
  const accountId = useAccountId();
  const me = useMe();
  const { data } = useRead(KeyUsersQuery, { accountId });
  const users = data?.users.nodes.filter((user) => user.status === 'ACTIVE') ?? [];
  const [name, setName] = useState('');
  const [chosen, setChosen] = useState('');
  const [ends, setEnds] = useState('');
  const create = useAct(CreateKeyMutation);
  const [made, setMade] = useState<string>();
  const userId = chosen || users.find((user) => user.id === me.user?.id)?.id || users[0]?.id || '';
  const submit = async () => {
    const input = { accountId, userId, name: name.trim(), expiresAt: fromLocalInput(ends) };
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
