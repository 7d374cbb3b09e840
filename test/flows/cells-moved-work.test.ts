import pg from 'pg';
import { pino } from 'pino';
import { uuidOf } from '../../src/base/ids.js';
import { startCell, type TestCell, TestDirectory } from '../support/cells.js';
import type { Data } from '../support/http.js';
import { makeBoard, makeTemplate } from '../support/make.js';
import { makePlayed, moverOf, type PlayedAccount } from '../support/moves.js';
import { until } from '../support/wait.js';

// Background work on the former cell of an account. Both accounts have due work of each kind, the one that moved away always
// the older: it is first in every queue, and in one portion with the other's.

let directory: TestDirectory;
let east: TestCell;
let west: TestCell;
let watcher: pg.Client;
const logged: Data[] = [];

beforeAll(async () => {
  directory = await TestDirectory.make();
  const log = pino({ level: 'warn' }, { write: (line: string) => void logged.push(JSON.parse(line)) });
  east = await startCell(directory, 'east', {}, { log });
  west = await startCell(directory, 'west');
  watcher = new pg.Client(east.database.connectionString);
  await watcher.connect();
});
afterAll(async () => {
  await watcher.end();
  await east.close();
  await west.close();
  await directory.close();
});

/** Bare uuids of an account with work. */
interface Due {
  account: string;
  boards: string[];
  players: string[];
}

interface Played extends PlayedAccount {
  due: Due;
}

async function makeBusy(): Promise<Played> {
  const played = await makePlayed(east, 4, false);
  const { studio, players } = played;
  const { gameId } = played.boards[0]!;
  const counter = await makeBoard(studio, gameId, { boardType: 'COUNTER', keepStrategy: 'ALL' });
  const ratioConfig = { numeratorBoardId: played.boards[2]!.id, denominatorBoardId: counter.id };
  const ratio = await makeBoard(studio, gameId, { boardType: 'RATIO', ratioConfig });
  await makeTemplate(studio, gameId, { repeatInterval: '1 day' });
  const due = {
    account: played.account,
    boards: [...played.boards, ratio].map(({ id }) => uuidOf(id)),
    players: players.map(({ session }) => uuidOf(session.identityId)),
  };
  return { ...played, due };
}

/** Rows as they are before their work is done. Values of text only: they have no quotes. */
async function plant({ account, boards, players }: Due, year: number): Promise<void> {
  const [removed, tagged, erased, reviewed] = players;
  const [first, second, third, ratio] = boards;
  const at = `'${year}-01-01Z'::timestamptz`;
  await watcher.query(`
    update identities set deleted_at = ${at} where id = '${removed}';
    insert into identities_due values ('${removed}', 'exclude', null, gen_random_uuid(), null, ${at});
    insert into player_tags_due values ('${tagged}', gen_random_uuid(), ${at});
    insert into identity_erasures (identity_id, account_id, game_id, scores, status, leased_until, created_at)
      select '${erased}', account_id, game_id, 'keep', 'running', ${at}, ${at} from boards where id = '${first}';
    insert into identity_reviews (id, account_id, game_id, identity_id, upto, decision, ban_devices, status, leased_until,
      created_at, updated_at)
      select gen_random_uuid(), account_id, game_id, '${reviewed}', ${at}, 'dismissed', false, 'applying', ${at}, ${at}, ${at}
      from boards where id = '${first}';
    insert into score_imports (id, account_id, game_id, board_id, status, checked, has_rows, created_at, updated_at)
      select gen_random_uuid(), account_id, game_id, id, 'open', false, false, ${at}, ${at} from boards where id = '${first}';
    insert into generations_due values ('${first}', 99, ${at});
    update board_rankings set build = jsonb_build_object('phase', 'states', 'generation', generation, 'after',
      '00000000-0000-0000-0000-000000000000')
      where board_id = '${second}';
    update board_rankings set seq = 1 where board_id = '${third}';
    update board_rankings set numerator_seq = 0 where board_id = '${ratio}';
    insert into board_views (board_id, view_no, name, period, keep_periods, status, created_at, updated_at)
      values ('${second}', 90, 'dropped', null, null, 'dropping', ${at}, ${at}),
        ('${second}', 91, 'daily', 'day', null, 'live', ${at}, ${at}), ('${second}', 92, 'old', 'seasons', 0, 'live', ${at}, ${at});
    insert into view_periods values ('${second}', 92, 1, 'a', ${at}, ${at} + interval '1 day');
    insert into rankings (board_id, ranking_no, view_no, period_number, group_key, generation, status)
      values ('${second}', -90, 92, 1, '', -90, 'live');
    update boards set ends_at = ${at} where id = '${third}';
    update board_templates set next_run_at = ${at} where account_id = '${account}';
    update device_sessions set created_at = ${at}, ip_address = '192.0.2.1' where account_id = '${account}';
  `);
}

/** Kinds of work that are due. */
async function left({ account, boards, players }: Due): Promise<string[]> {
  const [first, second, third, ratio] = boards;
  const ofPlayer = `identity_id = any('{${players}}')`;
  const kinds: Record<string, string> = {
    removal: `from identities_due where ${ofPlayer}`,
    tags: `from player_tags_due where ${ofPlayer}`,
    erasure: `from identity_erasures where ${ofPlayer} and status = 'running'`,
    review: `from identity_reviews where ${ofPlayer} and status = 'applying'`,
    import: `from score_imports where board_id = '${first}' and status = 'open'`,
    generation: `from generations_due where board_id = '${first}'`,
    build: `from board_rankings where board_id = '${second}' and build is not null`,
    ratio: `from board_rankings where board_id = '${ratio}' and numerator_seq = 0`,
    dropping: `from board_views where board_id = '${second}' and status = 'dropping'`,
    retiring: `from rankings where board_id = '${second}' and view_no > 0 and status = 'live'`,
    periods: `where not exists (select from view_periods where board_id = '${second}' and view_no = 91)`,
    end: `from boards where id = '${third}' and is_active`,
    template: `from board_templates where account_id = '${account}' and boards_made = 0`,
    addresses: `from device_sessions where account_id = '${account}' and ip_address is not null`,
  };
  const parts = Object.entries(kinds).map(
    ([kind, sql]) => `select '${kind}' as kind where exists (select ${sql})`,
  );
  const { rows } = await watcher.query<{ kind: string }>(parts.join(' union all '));
  return rows.map(({ kind }) => kind);
}

test('the work of other accounts goes on, the rows of the moved one stay, and nothing fails', async () => {
  const gone = await makeBusy();
  const stays = await makeBusy();
  await moverOf(directory, {
    east: east.database.connectionString,
    west: west.database.connectionString,
  }).move(gone.account, 'west');

  await watcher.query('begin; set local session_replication_role = replica');
  await plant(gone.due, 2001);
  await plant(stays.due, 2002);
  await watcher.query('commit');
  const all = await left(gone.due);
  expect(all).toHaveLength(14);

  // Rankings of old periods are looked for once a minute.
  east.clock.advance(61_000);
  for (const { name } of east.app.jobs.all) await east.app.jobs.run(name);
  await until(async () => (await left(stays.due)).length === 0);
  expect(await left(gone.due)).toEqual(all);
  expect(logged).toEqual([]);
});
