import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { makeLog } from '../../src/base/log.js';
import { adoptCell } from '../../src/cells/adopt.js';
import { CellNames } from '../../src/cells/cell.js';
import { Directory } from '../../src/cells/directory.js';
import { ALL_NAMES, compareNames } from '../../src/cells/held-names.js';
import { type Database, openDatabase } from '../../src/db/pool.js';
import { until } from '../support/wait.js';
import { writeNames } from './names-writer.js';

const REQUIRE = path.join(__dirname, '../support/ts-require.cjs');
const WRITER = path.join(__dirname, 'names-writer.ts');
/** Much shorter than in operation, so that the sweeper also meets writers that live. */
const CLAIM_MS = 500;
const SWEEP_MS = 50;

/** A directory and two cells, with their sweepers. Migrated. */
export class ClaimGround {
  readonly directory: Directory;
  readonly #cells: { cell: string; url: string; database: Database; names: CellNames }[];

  constructor(
    private readonly directoryUrl: string,
    cells: Record<string, string>,
  ) {
    this.directory = new Directory(directoryUrl);
    const log = makeLog('silent');
    this.#cells = Object.entries(cells).map(([cell, url]) => {
      const database = openDatabase(url);
      const options = { claimMillis: CLAIM_MS, sweepMillis: SWEEP_MS };
      return {
        cell,
        url,
        database,
        names: new CellNames({ cell, directoryUrl, pool: database.pool, log, ...options }),
      };
    });
  }

  async open(): Promise<void> {
    await this.directory.migrate();
    for (const { cell, database, names } of this.#cells) {
      await adoptCell(this.directory, cell, database.pool);
      names.start();
    }
  }

  /**
   * A process writes on the first cell and kills itself after so many statements, while this one writes the same names
   * on the second. Then the sweepers settle what is left.
   * @returns all that is wrong, and whether the writer came to its end before
   */
  async round(statements: number): Promise<{ finished: boolean; wrong: unknown }> {
    const [first, second] = this.#cells;
    const tag = `T${statements}X`;
    const writes = ({ cell, url }: { cell: string; url: string }) => ({
      cell,
      cellUrl: url,
      directoryUrl: this.directoryUrl,
      tag,
    });
    const orders = JSON.stringify({ ...writes(first!), killAfterStatements: statements });
    const child = spawn(process.execPath, ['-r', REQUIRE, WRITER, orders], {
      stdio: ['ignore', 'inherit', 'inherit'],
    });
    const ended = once(child, 'exit') as Promise<[number | null, string | null]>;
    // Half of the rounds contend for the names, the other half have them for the killed writer alone until it is dead.
    const contends = statements % 2 === 1;
    const contended = contends ? writeNames(writes(second!)) : undefined;
    const [code, signal] = await ended;
    const faults = await (contended ?? writeNames(writes(second!)));
    await until(async () => (await this.#open()) === 0);
    const wrong = { code, faults, ...(await this.#disagreement()) };
    const right = {
      code: signal === 'SIGKILL' ? null : 0,
      faults: [],
      twice: [],
      withoutName: [],
      withoutRecord: [],
    };
    return {
      finished: signal !== 'SIGKILL',
      wrong: JSON.stringify(wrong) === JSON.stringify(right) ? undefined : wrong,
    };
  }

  async #open(): Promise<number> {
    const { rows } = await this.directory.database.pool.query<{ count: number }>(
      `select count(*) from names where state <> 'held'`,
    );
    return rows[0]!.count;
  }

  /** Names that records of both cells have, records without their name, names without their record. */
  async #disagreement() {
    const seen = new Set<string>();
    const twice: string[] = [];
    const lists = [];
    for (const { cell, database } of this.#cells) {
      lists.push(await compareNames(this.directory, cell, database.pool));
      for (const [kind, sql] of Object.entries(ALL_NAMES)) {
        const { rows } = await database.pool.query<{ name: string }>(sql);
        for (const { name } of rows) {
          if (seen.has(`${kind} ${name}`)) twice.push(`${kind} ${name}`);
          seen.add(`${kind} ${name}`);
        }
      }
    }
    return {
      twice,
      withoutName: lists.flatMap((list) => list.withoutName),
      withoutRecord: lists.flatMap((list) => list.withoutRecord),
    };
  }

  async close(): Promise<void> {
    for (const { names, database } of this.#cells) {
      await names.close();
      await database.close();
    }
    await this.directory.close();
  }
}
