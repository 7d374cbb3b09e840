import { strict as assert } from 'node:assert';
import pg from 'pg';
import { uuidOf } from '../../src/base/ids.js';
import { DataDir, type Program, startService } from '../../test/support/process.js';
import type { Fields } from './run.js';

/** A start on a machine that is busy with players takes its time. */
const STARTS = 5;

/** A service on its embedded Postgres, which is killed and stopped by turns. */
export class SoakService {
  readonly dir = new DataDir();
  #program!: Program;
  #database!: pg.Pool;
  url = '';

  async open(): Promise<void> {
    await this.start();
    this.#connect();
  }

  /** A game with a board that keeps every run. */
  async makeGame(name: string): Promise<{ game: string; board: string }> {
    const admin = this.dir.superadmin(this.url);
    const created = async (place: string, body: Fields) => {
      const answer = await admin.post(place, body);
      assert.equal(answer.status, 201, JSON.stringify(answer.body));
      return answer.body.id as string;
    };
    const account = await created('/v1/accounts', { name });
    const game = await created('/v1/games', { account_id: account, name, anti_cheat_enabled: false });
    const rules = { account_id: account, game_id: game, name: 'Runs', keep_strategy: 'all' };
    return { game, board: await created('/v1/boards', rules) };
  }

  async start(): Promise<void> {
    const settings = { DATA_DIR: this.dir.path, LOG_LEVEL: 'fatal' };
    for (let attempt = 1; ; attempt += 1) {
      try {
        ({ program: this.#program, url: this.url } = await startService(settings));
        return;
      } catch (error) {
        if (attempt === STARTS) throw error;
      }
    }
  }

  async restart(signal: NodeJS.Signals): Promise<void> {
    await this.#program.kill(signal);
    await this.start();
  }

  /** Values of a board's events. */
  async values(board: string): Promise<number[]> {
    const read = () =>
      this.#database.query<{ amount: number }>('select amount from score_events where board_id = $1', [
        uuidOf(board),
      ]);
    const { rows } = await read().catch(() => {
      // The connection has ended with the service that had started the database.
      this.#connect();
      return read();
    });
    return rows.map(({ amount }) => Number(amount));
  }

  #connect(): void {
    void this.#database?.end().catch(() => undefined);
    this.#database = new pg.Pool({ connectionString: this.dir.connectionString, max: 1 });
    this.#database.on('error', () => undefined);
  }

  async close(): Promise<void> {
    await this.#database?.end();
    await this.#program?.kill('SIGTERM');
    await this.dir.remove();
  }
}
