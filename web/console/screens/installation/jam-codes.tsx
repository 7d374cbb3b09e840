import { useMemo, useState } from 'react';
import { useAct, useList } from '../../api/hooks.js';
import { graphql } from '../../generated/gql.js';
import type { JamCodeListQuery } from '../../generated/graphql.js';
import { Chip, Head } from '../../parts/card.js';
import { ActionFault, Button, TextField } from '../../parts/controls.js';
import type { Column } from '../../parts/data-table.js';
import { FormDialog } from '../../parts/form-dialog.js';

import { fromLocalInput } from '../../parts/format.js';
import { ListCard } from '../../parts/list-card.js';
import { When } from '../../parts/time.js';
import { say } from '../../parts/toast.js';
import { Page } from '../../shell/page.js';
import { t } from '../../texts.js';

const JamCodeListText = graphql(`
  query JamCodeList($after: String) {
    jamCodes(first: 50, after: $after) {
      nodes { id code description active expiresAt maxUses currentUses lastRedeemedAt }
      pageInfo { hasNextPage endCursor }
    }
  }
`);

const CreateJamCodeMutation = graphql(`
  mutation CreateJamCode($input: CreateJamCodeInput!) {
    createJamCode(input: $input) { jamCode { id code } }
  }
`);

const UpdateJamCodeMutation = graphql(`
  mutation UpdateJamCode($input: UpdateJamCodeInput!) {
    updateJamCode(input: $input) { jamCode { id active } }
  }
`);

type JamRow = JamCodeListQuery['jamCodes']['nodes'][number];
const text = t.jam;

/** Codes with which studios register, for superadmins. */
export function JamCodes() {
  const [making, setMaking] = useState(false);
  const list = useList(JamCodeListText, {}, (data) => data.jamCodes);
  const update = useAct(UpdateJamCodeMutation);
  const { run, busy } = update;
  const { reload } = list;
  const columns = useMemo((): Column<JamRow>[] => {
    const set = async (row: JamRow, active: boolean) => {
      if (!(await run({ input: { id: row.id, active } }))) return;
      say(active ? text.nowOn(row.code) : text.nowOff(row.code), () => void set(row, !active));
      reload();
    };
    return [
      {
        id: 'code',
        title: text.code,
        by: (row) => row.code,
        cell: (row) => (
          <>
            <span className="mono strong">{row.code}</span>
            <div className="small soft">{row.description}</div>
          </>
        ),
      },
      {
        id: 'active',
        title: t.boards.state,
        by: (row) => Number(row.active),
        cell: (row) => <Chip tone={row.active ? 'good' : 'plain'}>{row.active ? text.on : text.off}</Chip>,
      },
      {
        id: 'uses',
        title: text.uses,
        number: true,
        by: (row) => row.currentUses,
        cell: (row) => text.of(row.currentUses, row.maxUses ?? undefined),
      },
      {
        id: 'ends',
        title: text.ends,
        wide: true,
        by: (row) => row.expiresAt ?? '',
        cell: (row) => (row.expiresAt ? <When at={row.expiresAt} /> : t.overview.noEnd),
      },
      {
        id: 'act',
        title: '',
        number: true,
        cell: (row) => (
          <Button disabled={busy} onClick={() => void set(row, !row.active)}>
            {row.active ? text.turnOff : text.turnOn}
          </Button>
        ),
      },
    ];
  }, [run, busy, reload]);
  return (
    <Page title={t.nav.jamCodes} crumbs={[[t.nav.installation], [t.nav.jamCodes]]} needs="SUPERADMIN">
      <Head
        title={t.nav.jamCodes}
        actions={
          <Button look="primary" onClick={() => setMaking(true)}>
            {text.create}
          </Button>
        }
      />
      <ActionFault fault={update.fault} />
      <ListCard
        label={t.nav.jamCodes}
        list={list}
        columns={columns}
        keyOf={(row) => row.id}
        empty={text.empty}
      />
      {making && (
        <NewCode
          onClose={(made) => {
            setMaking(false);
            if (made) list.reload();
          }}
        />
      )}
    </Page>
  );
}

function NewCode({ onClose }: { onClose(made: boolean): void }) {
  const [code, setCode] = useState('');
  const [description, setDescription] = useState('');
  const [uses, setUses] = useState('');
  const [ends, setEnds] = useState('');
  const create = useAct(CreateJamCodeMutation);
  const errors = create.fault?.fields ?? {};
  const submit = async () => {
    const expiresAt = fromLocalInput(ends);
    const input = {
      code: code.trim(),
      description: description.trim(),
      expiresAt,
      maxUses: uses ? Number(uses) : null,
    };
    if (!(await create.run({ input }))) return;
    say(text.made(code.trim()));
    onClose(true);
  };
  return (
    <FormDialog
      title={text.create}
      action={text.create}
      act={create}
      onClose={() => onClose(false)}
      onSubmit={() => void submit()}
    >
      <TextField
        label={text.code}
        value={code}
        onText={setCode}
        className="mono"
        required
        error={errors.code}
      />
      <TextField
        label={text.purpose}
        value={description}
        onText={setDescription}
        required
        error={errors.description}
      />
      <div className="pair-fields">
        <TextField
          label={text.most}
          type="number"
          min={1}
          value={uses}
          onText={setUses}
          hint={text.mostHint}
          error={errors.maxUses}
        />
        <TextField
          label={text.ends}
          type="datetime-local"
          value={ends}
          onText={setEnds}
          error={errors.expiresAt}
        />
      </div>
    </FormDialog>
  );
}
