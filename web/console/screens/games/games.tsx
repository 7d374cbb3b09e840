import { Link, useNavigate } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { useAct, useList } from '../../api/hooks.js';
import { useAccountId } from '../../api/me.js';
import { SERVICE_PATH } from '../../api/place.js';
import { useRemoval } from '../../api/removal.js';
import { graphql } from '../../generated/gql.js';
import type { GameListQuery } from '../../generated/graphql.js';
import { Chip, Head } from '../../parts/card.js';
import { ActionFault, Button } from '../../parts/controls.js';
import type { Column } from '../../parts/data-table.js';
import { Environment } from '../../parts/environment.js';
import { ListCard } from '../../parts/list-card.js';
import { May } from '../../parts/may.js';
import { Menu } from '../../parts/menu.js';
import { NameDialog } from '../../parts/name-dialog.js';
import { When } from '../../parts/time.js';
import { say } from '../../parts/toast.js';
import { Page } from '../../shell/page.js';
import { t } from '../../texts.js';
import { CreateGameMutation } from './operations.js';

const GameListText = graphql(`
  query GameList($accountId: ID!, $after: String) {
    games(accountId: $accountId, orderBy: {field: NAME}, first: 50, after: $after) {
      nodes { id name slug environment antiCheatEnabled createdAt defaultBoard { id name } }
      pageInfo { hasNextPage endCursor }
    }
  }
`);

type GameRow = GameListQuery['games']['nodes'][number];
const text = t.games;

export function Games() {
  const navigate = useNavigate();
  const [making, setMaking] = useState(false);
  const list = useList(GameListText, { accountId: useAccountId() }, (data) => data.games);
  const removal = useRemoval('Game');
  const { remove: erase, restore } = removal;
  const { reload } = list;
  const columns = useMemo((): Column<GameRow>[] => {
    const remove = async (row: GameRow) => {
      if (!(await erase({ id: row.id }))) return;
      say(text.deleted(row.name), () => void restore({ id: row.id }).then(reload));
      reload();
    };
    return [
      {
        id: 'name',
        title: text.game,
        by: (row) => row.name.toLowerCase(),
        cell: (row) => (
          <>
            <Link className="name" to="/games/$slug/boards" params={{ slug: row.slug }}>
              {row.name}
            </Link>{' '}
            <Environment of={row.environment} />
            <div className="small faint-text">{row.slug}</div>
          </>
        ),
      },
      {
        id: 'checks',
        title: t.nav.fairPlay,
        by: (row) => Number(row.antiCheatEnabled),
        cell: (row) => (
          <Chip tone={row.antiCheatEnabled ? 'good' : 'plain'}>
            {row.antiCheatEnabled ? text.checked : text.unchecked}
          </Chip>
        ),
      },
      { id: 'first', title: text.firstBoard, wide: true, cell: (row) => row.defaultBoard?.name ?? '' },
      {
        id: 'made',
        title: t.accounts.since,
        wide: true,
        by: (row) => row.createdAt,
        cell: (row) => <When at={row.createdAt} className="soft" />,
      },
      {
        id: 'act',
        title: '',
        number: true,
        cell: (row) => (
          <Menu
            label={t.accounts.actionsOf(row.name)}
            items={[
              {
                text: t.board.tabNames.settings,
                onPick: () => void navigate({ to: '/games/$slug/settings', params: { slug: row.slug } }),
              },
              {
                text: t.board.publicPage,
                onPick: () => void open(`${SERVICE_PATH}/games/${row.slug}`, '_blank', 'noreferrer'),
              },
              { text: t.delete, danger: true, needs: 'CONFIGURE', onPick: () => void remove(row) },
            ]}
          />
        ),
      },
    ];
  }, [erase, restore, reload, navigate]);
  return (
    <Page title={t.nav.games} crumbs={[[t.nav.games]]}>
      <Head
        title={t.nav.games}
        actions={
          <>
            <May needs="CONFIGURE">
              <Link className="button quiet" to="/deleted" search={{ kind: 'games' }}>
                {t.deleted.show}
              </Link>
            </May>
            <Button look="primary" needs="CONFIGURE_ACCOUNT" onClick={() => setMaking(true)}>
              {text.create}
            </Button>
          </>
        }
      />
      <ActionFault fault={removal.fault} />
      <ListCard
        label={t.nav.games}
        list={list}
        columns={columns}
        keyOf={(row) => row.id}
        empty={text.empty}
      />
      {making && (
        <NewGame
          onClose={(made) => {
            setMaking(false);
            if (made) list.reload();
          }}
        />
      )}
    </Page>
  );
}

function NewGame({ onClose }: { onClose(made: boolean): void }) {
  const accountId = useAccountId();
  const creation = useAct(CreateGameMutation);
  const create = (name: string) => creation.run({ input: { accountId, name } });
  return <NameDialog text={text} act={creation} create={create} onClose={onClose} />;
}
