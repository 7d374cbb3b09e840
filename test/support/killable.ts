import type { Database } from '../../src/db/pool.js';
import { cloneDatabase, type TestDatabase } from './database.js';
import type { Caller, Data } from './http.js';
import { DataDir, type Program, settingsOn, startService, superadminOf } from './process.js';
import { until } from './wait.js';

/** The awaited state may only last a few milliseconds. */
const POLL_INTERVAL_MS = 2;

/**
 * A real process on its own database, for tests that kill it in the middle of its work. One per file: starts and
 * ends with it.
 */
export class KillableService {
  readonly #dataDir = new DataDir();
  #clone!: TestDatabase;
  program!: Program;
  /** Stays open, however often the process dies. */
  database!: Database;
  admin!: Caller;

  #settings: Record<string, string> = {};

  /** @param prepare called once, for settings of the process */
  constructor(prepare: () => Promise<Record<string, string>> = async () => ({})) {
    beforeAll(async () => {
      this.#settings = await prepare();
      this.#clone = await cloneDatabase();
      this.database = this.#clone.open();
      await this.start();
    });
    afterAll(async () => {
      if (this.program.running) await this.program.kill('SIGTERM');
      await this.#clone.drop();
      await this.#dataDir.remove();
    });
  }

  async start(): Promise<void> {
    const service = await startService({
      ...{ ...settingsOn(this.#clone, this.#dataDir), LOG_LEVEL: 'warn' },
      ...this.#settings,
    });
    this.program = service.program;
    this.admin = superadminOf(service.url);
  }

  /** Kills it as soon as a condition is true. */
  async killWhen(holds: () => Promise<boolean>): Promise<void> {
    await until(holds, POLL_INTERVAL_MS);
    expect(await this.program.kill('SIGKILL')).toEqual({ code: null, signal: 'SIGKILL' });
  }

  async expectToStop(): Promise<void> {
    expect(await this.program.kill('SIGTERM')).toEqual({ code: 0, signal: null });
  }

  async created(path: string, body: Data): Promise<Data> {
    const answer = await this.admin.post(path, body);
    if (answer.status !== 201) throw new Error(`${path}: ${JSON.stringify(answer.body)}`);
    return answer.body;
  }

  /** An account with a game without checks. */
  async game(): Promise<{ accountId: string; gameId: string }> {
    const accountId = (await this.created('/v1/accounts', { name: 'Killed' })).id;
    const game = { account_id: accountId, name: 'Killed', anti_cheat_enabled: false };
    return { accountId, gameId: (await this.created('/v1/games', game)).id };
  }
}
