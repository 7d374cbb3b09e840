import { Link, useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import { type List, useAct, useList, useRead } from '../../api/hooks.js';
import { useAccountId, useMay } from '../../api/me.js';
import { RestoreMutation } from '../../api/removal.js';
import { Head } from '../../parts/card.js';
import { ActionFault, Button } from '../../parts/controls.js';
import type { Column } from '../../parts/data-table.js';
import { ListCard } from '../../parts/list-card.js';
import { When } from '../../parts/time.js';
import { say } from '../../parts/toast.js';
import { Page } from '../../shell/page.js';
import { t } from '../../texts.js';
import {
  DeletedBoardsQuery,
  DeletedDevicesQuery,
  DeletedGamesQuery,
  DeletedPlayersQuery,
  DeletedTemplatesQuery,
  DeletionsQuery,
} from './operations.js';

type Kind = keyof typeof t.deleted.kinds;
const KINDS = Object.keys(t.deleted.kinds) as Kind[];
const text = t.deleted;

/** A deleted record as its row shows it. */
interface Gone {
  id: string;
  name: string;
  game?: string | undefined;
}

/** Deleted records of an account, each with the way back. */
export function Deleted() {
  const { kind: wanted } = useSearch({ from: '/deleted' });
  const may = useMay();
  const kinds = may('CONFIGURE') ? KINDS : OF_PLAYERS;
  const kind = kinds.find((known) => known === wanted) ?? kinds[0]!;
  const Rows = LISTS[kind];
  return (
    <Page title={text.title} crumbs={[[text.title]]} needs="MODERATE">
      <Head title={text.title} meta={text.hint} />
      <nav className="tabs" aria-label={text.kind}>
        {kinds.map((each) => (
          <Link
            key={each}
            to="/deleted"
            search={{ kind: each }}
            aria-current={each === kind ? 'page' : undefined}
          >
            {text.kinds[each]}
          </Link>
        ))}
      </nav>
      <Rows key={kind} />
    </Page>
  );
}

function Boards() {
  const list = useList(DeletedBoardsQuery, { accountId: useAccountId() }, (data) => data.boards);
  return <Records list={list} rowOf={({ id, name, game }) => ({ id, name, game: game?.name })} />;
}

function Games() {
  const list = useList(DeletedGamesQuery, { accountId: useAccountId() }, (data) => data.games);
  return <Records list={list} rowOf={({ id, name }) => ({ id, name })} />;
}

function Templates() {
  const list = useList(DeletedTemplatesQuery, { accountId: useAccountId() }, (data) => data.boardTemplates);
  return <Records list={list} rowOf={({ id, name, game }) => ({ id, name, game: game?.name })} />;
}

function Players() {
  const list = useList(DeletedPlayersQuery, { accountId: useAccountId() }, (data) => data.identities);
  return (
    <Records
      list={list}
      rowOf={({ id, displayName, externalKey, game }) => ({
        id,
        name: displayName || externalKey || id,
        game: game?.name,
      })}
    />
  );
}

function Devices() {
  const list = useList(DeletedDevicesQuery, { accountId: useAccountId() }, (data) => data.devices);
  return (
    <Records
      list={list}
      rowOf={({ id, platform, identity, game }) => ({
        id,
        name: identity ? `${identity.displayName}, ${platform}` : platform,
        game: game?.name,
      })}
    />
  );
}

/** Kinds that moderators restore, too. */
const OF_PLAYERS: readonly Kind[] = ['players', 'devices'];

const LISTS: Record<Kind, () => React.ReactNode> = {
  boards: Boards,
  games: Games,
  templates: Templates,
  players: Players,
  devices: Devices,
};

interface RecordsProps<N> {
  list: List<N>;
  rowOf(node: N): Gone;
}

function Records<N>({ list, rowOf }: RecordsProps<N>) {
  const { data } = useRead(DeletionsQuery, { accountId: useAccountId() });
  const restore = useAct(RestoreMutation);
  const { run, busy } = restore;
  const { reload } = list;
  const rows = list.rows.map(rowOf);
  const columns = useMemo((): Column<Gone>[] => {
    const deletionOf = ({ id }: Gone) => data?.auditEntries.nodes.find((entry) => entry.subjectId === id);
    const bringBack = async ({ id, name }: Gone) => {
      if (!(await run({ id }))) return;
      say(text.restored(name));
      reload();
    };
    return [
      {
        id: 'name',
        title: text.name,
        by: (row) => row.name.toLowerCase(),
        cell: (row) => (
          <>
            <span className="name">{row.name}</span>
            {row.game && <div className="small faint-text name">{row.game}</div>}
          </>
        ),
      },
      {
        id: 'when',
        title: text.when,
        wide: true,
        by: (row) => deletionOf(row)?.createdAt ?? '',
        cell: (row) => {
          const at = deletionOf(row)?.createdAt;
          return at && <When at={at} className="soft" />;
        },
      },
      {
        id: 'by',
        title: text.by,
        wide: true,
        cell: (row) => {
          const entry = deletionOf(row);
          return entry && (entry.userName ?? (entry.userId ? t.audit.someone : t.audit.service));
        },
      },
      {
        id: 'act',
        title: '',
        number: true,
        cell: (row) => (
          <Button disabled={busy} onClick={() => void bringBack(row)}>
            {text.restore}
          </Button>
        ),
      },
    ];
  }, [data, run, busy, reload]);
  return (
    <>
      <ActionFault fault={restore.fault} />
      <ListCard
        label={text.title}
        list={{ ...list, rows }}
        columns={columns}
        keyOf={(row) => row.id}
        empty={text.empty}
      />
    </>
  );
}
