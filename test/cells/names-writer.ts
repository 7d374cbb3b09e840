import 'reflect-metadata';
import pg from 'pg';
import { insertKey } from '../../src/accounts/keys/save.js';
import { createAccount, updateAccount } from '../../src/accounts/save-account.js';
import { claimEmail } from '../../src/accounts/users/address.js';
import { insertUser } from '../../src/accounts/users/save.js';
import { makeLog } from '../../src/base/log.js';
import { createBoard, updateBoard } from '../../src/boards/board/save.js';
import { CellNames } from '../../src/cells/cell.js';
import { withNames } from '../../src/db/names.js';
import { openDatabase } from '../../src/db/pool.js';
import { createGame, updateGame } from '../../src/games/save.js';
import { auditedWrite } from '../../src/graphql/author.js';
import type { Context } from '../../src/graphql/context.js';
import { FiringHooks } from '../../src/hooks/firing.js';
import { createJamCode } from '../../src/registration/jam/save.js';

// Writes one record of each kind that has names, renames, deletes and restores some. Another process, or this one, does
// the same on another cell with the same names: any step may be refused.

export interface Writes {
  cell: string;
  cellUrl: string;
  directoryUrl: string;
  /** In all names. */
  tag: string;
}

const VIEWS = { viewsPerBoard: 8, viewsPerRunsBoard: 4, tagsPerView: 2, groupsPerView: 10_000 };
const KEYS = { keySecret: 'a secret for hashes of keys in tests', keyPrefix: 'svc_' };

/** @returns the errors of steps that failed otherwise than by a name that is taken */
export async function writeNames({ cell, cellUrl, directoryUrl, tag }: Writes): Promise<unknown[]> {
  const log = makeLog('silent');
  const own = openDatabase(cellUrl);
  const names = new CellNames({ cell, directoryUrl, pool: own.pool, log });
  const database = withNames(own, names);
  const db = database.knex;
  const caller = { kind: 'admin', superAdmin: true, games: null } as Context['caller'];
  const work = { by: 'operator', agent: 'test' };
  const context = { db, clock: Date.now, changed: () => undefined, caller, work } as unknown as Context;
  const hooks = new FiringHooks({}, { database, clock: Date.now, log });
  const faults: unknown[] = [];
  const step = async <T>(work: () => Promise<T>): Promise<T | undefined> => {
    try {
      return await work();
    } catch (error) {
      if ((error as { code?: string }).code !== '23505') faults.push(error);
      return undefined;
    }
  };
  const slug = tag.toLowerCase();
  const account =
    (await step(() => createAccount(context, { name: `Name ${tag}`, slug }))) ??
    (await createAccount(context, { name: `Other ${tag} of ${cell}` }));
  const { id: accountId } = account;
  const now = new Date();
  const rights = { superAdmin: false, status: 'active', emailVerifiedAt: null } as const;
  const user = (email: string) => ({ accountId, email, displayName: 'User', ...rights });
  const first = await step(() =>
    auditedWrite(context, (trx) => insertUser(trx, user(`${slug}@example.com`), now)),
  );
  await step(() =>
    auditedWrite(context, async (trx) => {
      await claimEmail(trx, `${slug}@example.com`, now);
      return insertUser(trx, user(`${slug}@example.com`), now);
    }),
  );
  if (first) {
    const key = { accountId, userId: first.id, name: 'key' };
    await step(() => auditedWrite(context, (trx) => insertKey(trx, KEYS, key, now)));
  }
  const game = await createGame(context, hooks, { accountId, name: `Game ${tag}` });
  const board = await step(() =>
    createBoard(context, hooks, VIEWS, {
      accountId,
      gameId: game.id,
      name: 'Board',
      shortCode: tag,
    } as never),
  );
  const writer = await auditedWrite(context, (trx) =>
    insertUser(trx, user(`writer.${slug}.${cell}@example.com`), now),
  );
  // The entry of a code is in its author's account.
  const author = { ...caller, accountId, userId: writer.id, keyId: writer.id };
  const people = { ...context, caller: author, work: undefined } as Context;
  await step(() => createJamCode(people, { code: tag, description: 'A jam' } as never));
  await step(() =>
    updateAccount(context, accountId, { name: `New ${tag}`, slug: `new-${slug}` } as never, false),
  );
  if (board) {
    await step(() => updateBoard(context, VIEWS, board.id, { shortCode: `${tag}X` } as never));
    await step(() => updateBoard(context, VIEWS, board.id, { deleted: true } as never));
  }
  await step(() => updateGame(context, game.id, { deleted: true } as never));
  await step(() => updateGame(context, game.id, { deleted: false } as never));
  await names.close();
  await own.close();
  return faults;
}

/** Kills this process as soon as so many statements, of cell and directory together, have been answered. */
function killAfter(statements: number): void {
  let answered = 0;
  const query = pg.Client.prototype.query as (...args: unknown[]) => unknown;
  const answer = () => {
    answered += 1;
    if (answered === statements) process.kill(process.pid, 'SIGKILL');
  };
  pg.Client.prototype.query = function counted(this: pg.Client, ...args: unknown[]) {
    const last = args.at(-1);
    if (typeof last === 'function') {
      args[args.length - 1] = (...results: unknown[]) => {
        answer();
        return last(...results);
      };
      return query.apply(this, args);
    }
    const result = query.apply(this, args);
    if (result instanceof Promise) result.then(answer, answer);
    return result;
  } as typeof pg.Client.prototype.query;
}

if (require.main === module) {
  const { killAfterStatements, ...writes } = JSON.parse(process.argv[2]!) as Writes & {
    killAfterStatements: number;
  };
  killAfter(killAfterStatements);
  writeNames(writes).then((faults) => {
    if (faults.length === 0) return;
    console.error(...faults);
    process.exitCode = 1;
  });
}
