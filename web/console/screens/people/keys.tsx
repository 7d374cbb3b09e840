import { useMemo, useState } from 'react';
import { useAct, useList } from '../../api/hooks.js';
import { useAccountId, useMe } from '../../api/me.js';
import { graphql } from '../../generated/gql.js';
import type { KeyListQuery } from '../../generated/graphql.js';
import { Chip } from '../../parts/card.js';
import { Button } from '../../parts/controls.js';
import type { Column } from '../../parts/data-table.js';
import { FormDialog } from '../../parts/form-dialog.js';
import { ListCard } from '../../parts/list-card.js';
import { Ago, When } from '../../parts/time.js';
import { say } from '../../parts/toast.js';
import { t } from '../../texts.js';
import { NewKey } from './new-key.js';

const KeyListText = graphql(`
  query KeyList($accountId: ID!, $after: String) {
    apiKeys(accountId: $accountId, first: 50, after: $after) {
      nodes {
        id name prefix status expiresAt lastUsedAt lastUsedFrom createdAt scopes
        user { displayName }
        game { name }
      }
      pageInfo { hasNextPage endCursor }
    }
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
        id: 'may',
        title: text.may,
        by: (row) => row.scopes?.join() ?? '',
        cell: (row) => (
          <>
            {row.scopes?.map((scope) => text.scopes[scope]).join(', ') ?? (
              <span className="faint-text">{text.wholeRole}</span>
            )}
            {row.game && <div className="small faint-text">{row.game.name}</div>}
          </>
        ),
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
          row.lastUsedAt ? (
            <span className="soft">
              <Ago at={row.lastUsedAt} />
              {row.lastUsedFrom && (
                <span className="block small faint-text">{text.from(row.lastUsedFrom)}</span>
              )}
            </span>
          ) : (
            text.never
          ),
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
        side={
          <Button needs="CONFIGURE" onClick={() => setMaking(true)}>
            {text.create}
          </Button>
        }
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
