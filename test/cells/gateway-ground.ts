import { Caller, type Data } from '../support/http.js';
import {
  makeBoard,
  makeGame,
  makeKey,
  makeUser,
  type Player,
  type Studio,
  startSession,
  unique,
} from '../support/make.js';
import { type DataDir, type Program, startService } from '../support/process.js';
import { SilentProxy } from '../support/silent-proxy.js';
import { until } from '../support/wait.js';

const KEY = 'svc_the-key-of-the-superadmin-in-all-cells';

/** One account on its cell. */
export interface Settled {
  studio: Studio;
  game: Data;
  board: Data;
  player: Player;
}

/** A gateway as a process of its own, whose ways to the directory and to its cells can be cut. */
export class GatewayGround {
  program!: Program;
  url!: string;

  private constructor(
    readonly directory: SilentProxy,
    readonly cells: Record<string, SilentProxy>,
  ) {}

  /** @param targets connection strings of the cells, by their names */
  static async before(directory: string, targets: Record<string, string>): Promise<GatewayGround> {
    const cells: Record<string, SilentProxy> = {};
    for (const [name, target] of Object.entries(targets)) cells[name] = await SilentProxy.before(target);
    return new GatewayGround(await SilentProxy.before(directory), cells);
  }

  async start(dir: DataDir, more: Record<string, string> = {}): Promise<void> {
    const databases = Object.entries(this.cells).map(([name, { connectionString }]) => [
      `CELL_${name.toUpperCase()}_DATABASE_URL`,
      connectionString,
    ]);
    const started = await startService({
      DATA_DIR: dir.path,
      PORT: '0',
      HOST: '127.0.0.1',
      JWT_SECRET: 'a secret for tokens in tests, long enough',
      KEY_SECRET: 'a secret for hashes of keys in tests, long',
      SUPERADMIN_API_KEY: KEY,
      DIRECTORY_URL: this.directory.connectionString,
      CELLS: Object.keys(this.cells).join(','),
      ...Object.fromEntries(databases),
      ...more,
    });
    this.program = started.program;
    this.url = started.url;
  }

  get anyone(): Caller {
    return new Caller(this.url);
  }

  get superadmin(): Caller {
    return this.anyone.with({ 'service-api-key': KEY });
  }

  /** An account with a game, a board and a player on one cell. */
  async settle(cell: string): Promise<Settled> {
    const { anyone, superadmin } = this;
    const there = superadmin.with({ 'service-cell': cell });
    const { body: account } = await there.post('/v1/accounts', { name: `Studio of ${cell} ${unique()}` });
    const user = await makeUser(superadmin, account.id);
    const key = await makeKey(superadmin, account.id, user.id);
    const admin = anyone.with({ 'service-api-key': key.key });
    const studio = { accountId: account.id, userId: user.id, keyId: key.id, admin };
    const game = await makeGame(studio);
    const board = await makeBoard(studio, game.id, { isPublished: true });
    const player = await startSession({ anyone } as Parameters<typeof startSession>[0], game.id);
    return { studio, game, board, player };
  }

  /** Submits once. @returns the status, 201 when it counts */
  async play({ board, player: { client } }: Settled): Promise<number> {
    const nonce = await client.get('/v1/client/nonce');
    if (nonce.status !== 200) return nonce.status;
    const headers = { 'service-client-nonce': nonce.body.nonce_value };
    const score = { board_id: board.id, value: unique(), player_name: 'Ann' };
    return (await client.with(headers).post('/v1/client/scores', score)).status;
  }

  /** Status and words of /health/ready. */
  async ready(): Promise<[number, string, Record<string, string>]> {
    const { status, body } = await this.anyone.get('/health/ready');
    return [status, body.status, body.cells];
  }

  /** Waits until all cells respond. */
  async whole(): Promise<void> {
    await until(async () => (await this.ready())[1] === 'ok');
  }

  async close(): Promise<void> {
    await this.program?.kill('SIGTERM');
    for (const proxy of [this.directory, ...Object.values(this.cells)]) await proxy.close();
  }
}
