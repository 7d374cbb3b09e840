import { Link, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { useAct, useRead } from '../../api/hooks.js';
import { useMay } from '../../api/me.js';
import { useRemoval } from '../../api/removal.js';
import { Card, Head } from '../../parts/card.js';
import { ActionFault, Button, Check } from '../../parts/controls.js';
import { type Column, DataTable } from '../../parts/data-table.js';
import { Editable, Reason } from '../../parts/may.js';
import { Menu } from '../../parts/menu.js';
import { Empty, Loaded } from '../../parts/states.js';
import { Ago } from '../../parts/time.js';
import { say } from '../../parts/toast.js';
import { Page } from '../../shell/page.js';
import { t } from '../../texts.js';
import { UpdateGameMutation } from '../games/operations.js';
import { PlayerProvidersQuery, type ProviderRow } from './operations.js';
import { EditProvider, NewProvider } from './provider-form.js';
import { TestProvider } from './test-provider.js';
import { PROVIDER_TEXTS } from './texts.js';

const text = PROVIDER_TEXTS;

/** Who vouches for the players of a game. */
export function Providers() {
  const { slug } = useParams({ from: '/games/$slug/providers' });
  const may = useMay();
  const { data, fault, again } = useRead(PlayerProvidersQuery, { slug });
  const [adding, setAdding] = useState(false);
  const game = data?.game;
  const rows = game?.playerProviders?.nodes ?? [];
  return (
    <Page
      title={text.title}
      crumbs={[
        [
          game?.name ?? slug,
          (shown) => (
            <Link to="/games/$slug/boards" params={{ slug }}>
              {shown}
            </Link>
          ),
        ],
        [text.title],
      ]}
    >
      <Head
        title={text.title}
        meta={<span>{text.lead}</span>}
        actions={
          <Button look="primary" needs="PLAYERS" onClick={() => setAdding(true)}>
            {text.create}
          </Button>
        }
      />
      {!may('PLAYERS') && <Reason needs="PLAYERS" />}
      <Loaded data={data} fault={fault} again={again}>
        {() => (
          <Card>
            {rows.length === 0 ? (
              <Empty>{text.empty}</Empty>
            ) : (
              <DataTable label={text.title} rows={rows} columns={columnsOf(again)} keyOf={({ id }) => id} />
            )}
          </Card>
        )}
      </Loaded>
      {game && <PlayersMerge game={game} again={again} />}
      {adding && game && <NewProvider game={game} again={again} onClose={() => setAdding(false)} />}
    </Page>
  );
}

/** Whether players may merge themselves when they sign in on a second device. */
function PlayersMerge({ game, again }: { game: { id: string; playersMerge: boolean }; again(): void }) {
  const update = useAct(UpdateGameMutation);
  const set = async (playersMerge: boolean) => {
    if (!(await update.run({ input: { id: game.id, playersMerge } }))) return;
    again();
    say(t.saved);
  };
  return (
    <Card title={text.playersMerge} padded>
      <Editable needs="CONFIGURE">
        <Check
          label={text.playersMergeHint}
          checked={game.playersMerge}
          onPick={(checked) => void set(checked)}
        />
      </Editable>
      <ActionFault fault={update.fault} />
    </Card>
  );
}

function columnsOf(again: () => void): Column<ProviderRow>[] {
  return [
    { id: 'slug', title: text.slug, cell: ({ slug }) => <b className="mono">{slug}</b> },
    { id: 'kind', title: text.kind, cell: ({ kind }) => text.kinds[kind] },
    {
      id: 'refused',
      title: text.refused,
      cell: ({ lastRefusal, lastRefusedAt }) =>
        lastRefusal && lastRefusedAt ? (
          <>
            {lastRefusal} <Ago at={lastRefusedAt} className="soft" />
          </>
        ) : (
          <span className="soft">{text.noRefusal}</span>
        ),
    },
    {
      id: 'actions',
      title: t.actions,
      cell: (row) => <ProviderActions row={row} again={again} />,
    },
  ];
}

function ProviderActions({ row, again }: { row: ProviderRow; again(): void }) {
  const [shown, setShown] = useState<'edit' | 'test'>();
  const { remove, restore, fault } = useRemoval('PlayerProvider');
  const close = () => setShown(undefined);
  const drop = async () => {
    if (!(await remove({ id: row.id }))) return;
    again();
    say(text.deleted(row.slug), () => void restore({ id: row.id }).then(again));
  };
  return (
    <span className="actions">
      <Button needs="PLAYERS" onClick={() => setShown('test')}>
        {text.test}
      </Button>
      <Menu
        label={text.actionsOf(row.slug)}
        items={[
          { text: text.edit, needs: 'PLAYERS', onPick: () => setShown('edit') },
          { text: text.delete, danger: true, needs: 'PLAYERS', onPick: () => void drop() },
        ]}
      />
      <ActionFault fault={fault} />
      {shown === 'test' && <TestProvider row={row} onClose={close} />}
      {shown === 'edit' && <EditProvider row={row} again={again} onClose={close} />}
    </span>
  );
}
