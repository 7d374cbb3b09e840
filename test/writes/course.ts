import { openDatabase } from '../../src/db/pool.js';
import { send } from '../support/http.js';
import { DataDir, type Program, startService } from '../support/process.js';
import { Players } from './players.js';

/** Two workers of the service on its embedded Postgres, with players. */
export class Course extends Players {
  readonly dataDir: DataDir;
  program!: Program;

  constructor() {
    const dataDir = new DataDir();
    super(dataDir);
    this.dataDir = dataDir;
  }

  async open(): Promise<void> {
    await this.start();
    await this.join();
  }

  async start(): Promise<void> {
    const settings = { DATA_DIR: this.dataDir.path, LOG_LEVEL: 'warn', WORKERS: '2' };
    ({ program: this.program, url: this.url } = await startService(settings));
    this.admin = this.dataDir.superadmin(this.url);
    await this.reconnect();
  }

  /** Before the death of Postgres. */
  async disconnect(): Promise<void> {
    await this.database?.close();
    this.database = undefined;
  }

  async reconnect(): Promise<void> {
    await this.disconnect();
    this.database = openDatabase(this.dataDir.connectionString, { records: 2, scores: 2 });
  }

  async close(): Promise<void> {
    for (const client of this.clients ?? []) client.abandon();
    if (this.program?.running) await this.program.kill('SIGTERM');
    await this.leave();
    await this.disconnect();
    await this.dataDir.remove();
  }

  async ready(): Promise<boolean> {
    return (await send(`${this.url}/health/ready`).catch(() => undefined))?.status === 200;
  }
}
