import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import path from 'node:path';
import { startEmbeddedPostgres } from '../../src/db/embedded/embedded.js';
import { openDatabase } from '../../src/db/pool.js';
import { migrate } from '../../src/db/schema/migrate.js';
import { MIGRATIONS } from '../support/database.js';
import { SCRATCH } from '../support/scratch.js';
import { ClaimGround } from './killed-claims.js';
import { proveApart, proveFlows } from './prove-flows.js';
import { proveGateway } from './prove-gateway.js';
import { proveMoves } from './prove-moves.js';

// npm run prove:cells: all three parts. With -- <first statement> <last>, names alone: a writer is killed with SIGKILL after every
// one of its statements in turn, on three Postgres servers: a directory and two cells. With -- gateway: a gateway whose cells and
// directory stop. With -- moves [<entries>]: moves of an account. With -- doors, -- whole and
// -- flows [<name>…]: requests through a gateway; these three run by themselves only.

async function prove(): Promise<void> {
  const dir = mkdtempSync(path.join(SCRATCH, `leaderboard-test-${process.pid}-`));
  // Started by root, Postgres runs as another user.
  chmodSync(dir, 0o755);
  const places = ['directory', 'first', 'second'].map((name) => path.join(dir, name));
  const servers = await Promise.all(
    places.map((place) => startEmbeddedPostgres(place, { log: () => undefined })),
  );
  try {
    const [directory, first, second] = servers.map((server) => server.connectionString());
    for (const cell of [first!, second!]) {
      const database = openDatabase(cell);
      await migrate(database.knex, cell, MIGRATIONS);
      await database.close();
    }
    const ground = new ClaimGround(directory!, { first: first!, second: second! });
    await ground.open();
    let wrong = 0;
    const [from = 1, to = Number.POSITIVE_INFINITY] = process.argv.slice(2).map(Number);
    let rounds = 0;
    for (let statements = from; statements <= to; statements += 1) {
      const round = await ground.round(statements);
      if (round.wrong !== undefined) {
        wrong += 1;
        console.log(`killed after statement ${statements}:`, JSON.stringify(round.wrong));
      }
      // A writer that contends for its names is refused some, and has fewer statements.
      if (round.finished && statements % 2 === 0) break;
      if (!round.finished) rounds += 1;
    }
    await ground.close();
    console.log(
      `killed ${rounds} times, after each statement from ${from} on: ${wrong} times something was wrong`,
    );
    if (wrong > 0) process.exitCode = 1;
  } finally {
    await Promise.all(servers.map((server) => server.stop()));
    rmSync(dir, { recursive: true, force: true });
  }
}

const [part, entries] = process.argv.slice(2);
const moves = () => proveMoves(Number(entries ?? 20_000));
const PARTS: Record<string, () => void | Promise<void>> = {
  gateway: proveGateway,
  moves,
  doors: () => proveApart('doors'),
  whole: () => proveApart('whole-account'),
  flows: () => proveFlows(process.argv.slice(3)),
};
void (part === undefined ? prove().then(proveGateway).then(moves) : (PARTS[part] ?? prove)());
