import path from 'node:path';
import { uuidOf } from '../../src/base/ids.js';
import { accountRows, readShapes } from '../../src/cells/move/shapes.js';
import { type TestCell, TestDirectory } from '../support/cells.js';
import { OpenApiContract } from '../support/contract.js';
import { startGateway, startGatewayCell, type TestGateway, through } from '../support/gateway.js';
import { send } from '../support/http.js';
import { change, startSession } from '../support/make.js';
import { type Cast, type Whole, wholeCallers } from '../support/roles/callers.js';
import { Asker, changesWhatIsThere } from '../support/roles/cells.js';
import { GRAPH_ROWS } from '../support/roles/graph-rows.js';
import { nameOf } from '../support/roles/matrix.js';
import type { Outcome, Target } from '../support/roles/policies.js';
import { BELOW, setBack, setDeleted } from '../support/roles/removals.js';
import { REST_ROWS } from '../support/roles/rest-rows.js';
import { namesIn, type Row } from '../support/roles/rows.js';
import { makeSubject } from '../support/roles/studio.js';
import { Wire } from '../support/wire.js';

/** Of the account whose records are named, and of one on the other cell. */
const OWN = ['visitor', 'player', 'admin', 'superadmin'] as const;
const FOREIGN = ['rival', 'stranger'] as const;

/** Kinds of records whose names are in the directory, each after what it lies in; with their tables. */
const NAMED = { Account: 'accounts', User: 'users', Game: 'games', Board: 'boards' };

/** The role matrix over two accounts on two cells, through one gateway: all that it says of accounts in good standing. */
class TwoCells {
  /** Requests so far. */
  requested = 0;

  private constructor(
    private readonly directory: TestDirectory,
    private readonly cells: Record<'east' | 'west', TestCell>,
    private readonly gateway: TestGateway,
    private readonly wire: Wire,
    private readonly cast: Cast,
    private readonly asking: Asker,
  ) {}

  static async open(settings: Parameters<typeof startGatewayCell>[3]): Promise<TwoCells> {
    const directory = await TestDirectory.make();
    const [east, west] = [
      await startGatewayCell(directory, 'east', {}, settings),
      await startGatewayCell(directory, 'west', {}, settings),
    ];
    const cells = { east, west };
    const gateway = await startGateway(directory.database.connectionString, cells, settings);
    const app = onCell(gateway, cells, 'east');
    const aurora = await makeSubject(app, 'aurora');
    const borealis = await makeSubject(onCell(gateway, cells, 'west'), 'borealis');
    for (const kind of ['Board', 'Game', 'User']) {
      await change(app.superadmin, kind, aurora.deleted[`${kind.toLowerCase()}_id`]!, { deleted: true });
    }
    await setDeleted(app, aurora.deleted, true, BELOW);
    const banned = await startSession(app, aurora.live.game_id!, {
      clientFingerprint: 'aurora-private banned_token',
    });
    await change(app.superadmin, 'Device', banned.session.deviceId, { status: 'BANNED' });
    const whole = wholeCallers(app, aurora, borealis);
    const cast = { aurora, borealis, suspended: borealis, buried: borealis, operator: '', whole, actors: [] };
    const { body } = await send(`${gateway.url}/openapi.json`);
    const wire = new Wire(gateway.url);
    const asking = new Asker(app, wire, new OpenApiContract(body), cast);
    return new TwoCells(directory, cells, gateway, wire, cast, asking);
  }

  /** Rows that need no record but those of an account in good standing. */
  get rows(): Row[] {
    const { live } = this.cast.aurora;
    return [...REST_ROWS, ...GRAPH_ROWS].filter(
      (row) => targetOf(row) && !row.chief && namesIn(row).every((name) => live[name] !== undefined),
    );
  }

  /** @returns what was answered otherwise than without cells */
  async play(row: Row): Promise<string[]> {
    const target = targetOf(row)!;
    const faults: string[] = [];
    const outcomes = row.policy.cells.get(target)!;
    // A caller who is let in may change what others meet.
    const callers = [...FOREIGN, ...OWN].toSorted(
      (a, b) => Number(outcomes[a] === 'ok') - Number(outcomes[b] === 'ok'),
    );
    for (const name of callers) {
      const expected = outcomes[name];
      this.requested += 1;
      const actor = { name, caller: this.cast.whole[name] };
      const { outcome, text } = await this.asking.ask(row, { actor, target, expected });
      if (!allowed(row, name, expected).includes(outcome)) {
        faults.push(`${name}: ${outcome} instead of ${expected} ${text.slice(0, 300)}`);
      }
      if (changesWhatIsThere(row)) {
        await this.#restore();
        await setBack(this.#app, this.cast, target);
      }
    }
    return faults;
  }

  /** By requests, so that the directory has the names again that a deletion gave up. */
  async #restore(): Promise<void> {
    const { live } = this.cast.aurora;
    for (const [kind, table] of Object.entries(NAMED)) {
      const id = live[`${kind.toLowerCase()}_id`]!;
      const row = await this.#app.database.knex(table).where('id', uuidOf(id)).first('deleted_at');
      if (row.deleted_at !== null) await change(this.#app.superadmin, kind, id, { deleted: false });
    }
  }

  get #app() {
    return onCell(this.gateway, this.cells, 'east');
  }

  /** Rows of an account on the cell that does not have it, by table. */
  async strays(): Promise<string[]> {
    const found: string[] = [];
    for (const [{ live }, cell] of [
      [this.cast.aurora, 'west'],
      [this.cast.borealis, 'east'],
    ] as const) {
      const { pool } = this.cells[cell].database;
      const account = uuidOf(live.account_id!);
      for (const shape of await readShapes(pool)) {
        const rows =
          shape.way === 'nonce'
            ? `${shape.name} t where t.account_id = '${account}'`
            : accountRows(shape, account);
        const { rowCount } = await pool.query(`select from ${rows}`);
        if (rowCount! > 0) found.push(`${cell} has ${rowCount} of ${shape.name}`);
      }
    }
    return found;
  }

  async close(): Promise<void> {
    this.wire.close();
    await this.gateway.close();
    for (const cell of Object.values(this.cells)) {
      expect(await cell.disagreement()).toEqual({ withoutName: [], withoutRecord: [] });
      await cell.close();
    }
    await this.directory.close();
  }
}

/** Everybody's requests go through the gateway; the superadmin's name the cell. */
function onCell(gateway: TestGateway, cells: Record<'east' | 'west', TestCell>, name: 'east' | 'west') {
  return {
    ...through(gateway, cells[name]),
    superadmin: gateway.superadmin.with({ 'service-cell': name }),
  };
}

function targetOf({ policy }: Row): Target | undefined {
  return (['live', 'none'] as const).find((target) => policy.cells.has(target));
}

/**
 * The outcomes that are right. A request goes to the cell of its credential: there, records of an account on another cell are
 * not found, be they forbidden or published, and its refresh tokens are none.
 */
function allowed(row: Row, name: Whole, expected: Outcome): Outcome[] {
  const isForeign = (FOREIGN as readonly Whole[]).includes(name);
  if (isForeign && row.refresh) return ['INVALID_REFRESH_TOKEN'];
  return isForeign && /^(FORBIDDEN|BOARD_NOT_IN_GAME|DEVICE_BLOCKED|ok)$/.test(expected)
    ? [expected, 'NOT_FOUND', 'null']
    : [expected];
}

// Routes of REST and root fields of GraphQL for two accounts on two cells, by the role matrix:
// npm run prove:cells -- doors.

let cells: TwoCells;
beforeAll(async () => {
  cells = await TwoCells.open({
    geoipDatabase: path.resolve(__dirname, '../fixtures/place/GeoIP2-City-Test.mmdb'),
    trustedProxies: ['127.0.0.1'],
  });
});
afterAll(() => cells.close());

test('callers meet at each door what they meet without cells, and no row strays', async () => {
  const { rows } = cells;
  const faults: Record<string, string[]> = {};
  for (const row of rows) {
    const found = await cells.play(row);
    if (found.length > 0) faults[nameOf(row)] = found;
  }
  expect(faults).toEqual({});
  expect(cells.requested).toBeGreaterThan(rows.length * 5);
  expect(await cells.strays()).toEqual([]);
  process.stderr.write(`doors of two cells: ${rows.length} rows, ${cells.requested} requests\n`);
});
