import { useMemo, useState } from 'react';
import { useAct, useRead } from '../../api/hooks.js';
import { graphql } from '../../generated/gql.js';
import type { PasskeysQuery as Answer } from '../../generated/graphql.js';
import { Card, Chip } from '../../parts/card.js';
import { ActionFault, Button, TextField } from '../../parts/controls.js';
import { type Column, DataTable } from '../../parts/data-table.js';
import { FormDialog } from '../../parts/form-dialog.js';
import { Menu } from '../../parts/menu.js';
import { Empty, Failed, Waiting } from '../../parts/states.js';
import { Ago, When } from '../../parts/time.js';
import { say } from '../../parts/toast.js';
import { t } from '../../texts.js';
import { useNewPasskey } from './new-passkey.js';

const PasskeysQuery = graphql(`
  query Passkeys {
    me { user { id passkeys { id name isSynced lastUsedAt createdAt } } }
  }
`);

const RenameMutation = graphql(`
  mutation RenamePasskey($input: UpdatePasskeyInput!) {
    updatePasskey(input: $input) { passkey { id name } }
  }
`);

const RemoveMutation = graphql(`
  mutation RemovePasskey($id: ID!) {
    removePasskey(input: { id: $id }) { passkey { id } }
  }
`);

type PasskeyRow = NonNullable<NonNullable<Answer['me']['user']>['passkeys']>[number];
type Naming = { row: PasskeyRow | null };
const text = t.passkeys;

/** The caller's own passkeys. */
export function PasskeyList() {
  const { data, fault, loading, again } = useRead(PasskeysQuery, {});
  const [naming, setNaming] = useState<Naming>();
  const [removing, setRemoving] = useState<PasskeyRow>();
  const removal = useAct(RemoveMutation);
  const rows = data?.me.user?.passkeys ?? [];
  const columns = useMemo(
    (): Column<PasskeyRow>[] => [
      {
        id: 'name',
        title: text.name,
        cell: (row) => (
          <>
            <span className="name">{row.name}</span> {row.isSynced && <Chip>{text.synced}</Chip>}
          </>
        ),
      },
      {
        id: 'added',
        title: text.added,
        wide: true,
        cell: (row) => <When at={row.createdAt} className="soft" />,
      },
      {
        id: 'used',
        title: t.keys.lastUse,
        wide: true,
        cell: (row) => (row.lastUsedAt ? <Ago at={row.lastUsedAt} className="soft" /> : t.keys.never),
      },
      {
        id: 'act',
        title: '',
        number: true,
        cell: (row) => (
          <Menu
            label={t.accounts.actionsOf(row.name)}
            items={[
              { text: text.rename, onPick: () => setNaming({ row }) },
              { text: text.remove, danger: true, onPick: () => setRemoving(row) },
            ]}
          />
        ),
      },
    ],
    [],
  );
  const remove = async () => {
    if (!removing || !(await removal.run({ id: removing.id }))) return;
    say(text.removed(removing.name));
    setRemoving(undefined);
    again();
  };
  return (
    <Card title={text.title} side={<Button onClick={() => setNaming({ row: null })}>{text.add}</Button>}>
      <ActionFault fault={removing ? undefined : removal.fault} />
      {fault && <Failed fault={fault} again={again} />}
      {loading && <Waiting />}
      {data && rows.length === 0 && <Empty>{text.none}</Empty>}
      {rows.length > 0 && (
        <DataTable label={text.title} rows={rows} columns={columns} keyOf={(row) => row.id} />
      )}
      {naming && (
        <NameForm
          row={naming.row}
          onClose={(done) => {
            setNaming(undefined);
            if (done) again();
          }}
        />
      )}
      {removing && (
        <FormDialog
          title={text.removeOf(removing.name)}
          action={text.remove}
          look="danger"
          act={removal}
          onClose={() => setRemoving(undefined)}
          onSubmit={() => void remove()}
        >
          <p>{text.removeHint}</p>
        </FormDialog>
      )}
    </Card>
  );
}

/** Names a passkey, and makes it where there is none yet. */
function NameForm({ row, onClose }: { row: PasskeyRow | null; onClose(done: boolean): void }) {
  const [name, setName] = useState(row?.name ?? '');
  const making = useNewPasskey();
  const renaming = useAct(RenameMutation);
  const act = row ? renaming : making;
  const submit = async () => {
    const given = name.trim();
    const done = row ? await renaming.run({ input: { id: row.id, name: given } }) : await making.run(given);
    if (!done) return;
    say(row ? t.saved : text.addedNow(given));
    onClose(true);
  };
  return (
    <FormDialog
      title={row ? text.rename : text.add}
      action={row ? t.save : text.add}
      act={act}
      onClose={() => onClose(false)}
      onSubmit={() => void submit()}
    >
      <TextField
        label={text.name}
        value={name}
        onText={setName}
        required
        maxLength={64}
        hint={text.nameHint}
        error={act.fault?.fields.name}
      />
    </FormDialog>
  );
}
