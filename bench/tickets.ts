import 'reflect-metadata';
import { randomBytes } from 'node:crypto';
import { bootstrap } from '../src/accounts/keys/bootstrap.js';
import { type App, makeApp } from '../src/app.js';
import { uuidOf } from '../src/base/ids.js';
import { readConfig } from '../src/config/table.js';
import type { Database } from '../src/db/pool.js';
import { arcadeRuns } from './support/arcade-runs.js';
import { log } from './support/log.js';
import { runBench } from './support/run.js';
import { count, say, sayTable } from './support/table.js';

const SECRET = randomBytes(32).toString('hex');
/** Longer than all runs take. */
const SESSION_SECONDS = 30 * 86_400;
/** Requests under way while players begin. */
const AT_A_TIME = 8;

interface Answer {
  id: string;
  access_token: string;
  tickets: { ticket: string }[];
}
type Call = (route: string, body: object, headers?: Record<string, string>) => Promise<Answer>;

runBench({
  title:
    'Runs of the arcade as the service sees them: 1,000 real ones, also late and through an outage, and forged ones of each kind. ' +
    'Each starts with a ticket and is submitted by its own player when it arrives, on a clock that the script turns.',
  duration: 'two to four minutes',
  options: {},
  async run(scratch, _args, disposal) {
    const made = await scratch.create();
    const database = made.open();
    let now = Date.now();
    const { app, call, admin } = await serve(database, () => now);
    disposal.add(() => app.close());
    const { maxPerSecond, kinds, verdicts } = arcadeRuns();
    const account = await admin('/v1/accounts', { name: 'Bench' });
    const owner = { account_id: account.id };
    const game = await admin('/v1/games', { ...owner, name: 'Arcade' });
    const clock = { min_seconds: 2, max_per_second: maxPerSecond, slack_seconds: 3, pauses: false };
    const most = Math.max(...kinds.map(({ runs }) => runs.length));
    const players = await inPortions(Array.from({ length: most }), async (_one, n) => {
      const session = { game_id: game.id, client_fingerprint: `player ${n}` };
      const { access_token: token } = await call('/v1/client/sessions', session);
      return { authorization: `Bearer ${token}` };
    });
    const rows: string[][] = [];
    for (const { name, isReal, runs } of kinds) {
      const tickets = { mode: 'required', seed: 'run', clock };
      const rules = { keep_strategy: 'best', tickets };
      const board = await admin('/v1/boards', { ...owner, game_id: game.id, name, ...rules });
      const started = await inPortions(runs, (_run, n) =>
        call('/v1/client/tickets', { board_id: board.id }, players[n]),
      );
      const since = now;
      const order = [...runs.keys()].sort((a, b) => runs[a]!.elapsedMs - runs[b]!.elapsedMs);
      for (const n of order) {
        const { value, elapsedMs, idleMs, runMs } = runs[n]!;
        now = since + elapsedMs;
        const body = { board_id: board.id, player_name: `Player ${n}`, value, idle_ms: Math.round(idleMs) };
        const nonce = { 'service-client-nonce': started[n]!.tickets[0]!.ticket };
        await call(
          '/v1/client/scores',
          { ...body, ...(runMs !== null && { run_ms: runMs }) },
          { ...players[n], ...nonce },
        );
      }
      const { flagged, faults } = await foundOn(database, board.id);
      rows.push([name, count(runs.length), count(flagged), faults]);
      if (isReal && flagged > 0) {
        say(`${name}: ${flagged} real runs were flagged, which must not be.`);
        process.exitCode = 1;
      }
    }
    sayTable(['kind of run', 'runs', 'flagged', 'faults'], rows);
    sayTable(
      ['what the verifier of examples/verifier says', 'verified', 'rejected'],
      verdicts.map(({ name, verified, rejected }) => [name, count(verified), count(rejected)]),
    );
    if (verdicts[0]!.rejected > 0) {
      say(`${verdicts[0]!.rejected} real runs were rejected, which must not be.`);
      process.exitCode = 1;
    }
  },
});

/** The whole service in this process. */
async function serve(
  database: Database,
  clock: () => number,
): Promise<{ app: App; call: Call; admin: Call }> {
  const secrets = { keySecret: SECRET, jwtSecret: SECRET };
  const unlimited = {
    httpRateLimit: undefined,
    newDevicesPerHour: undefined,
    anonymousWritesPerMinute: undefined,
  };
  const settings = { ...readConfig({}), ...secrets, ...unlimited, accessTokenSeconds: SESSION_SECONDS };
  const key = await bootstrap(database.knex, settings, { email: 'root@example.com' }, new Date(clock()));
  const app = await makeApp({ settings, database, clock, log, wakeJobs: false });
  const port = await app.listen(0, '127.0.0.1');
  const call: Call = async (route, body, headers = {}) => {
    const answer = await fetch(`http://127.0.0.1:${port}${route}`, {
      ...{ method: 'POST', body: JSON.stringify(body) },
      headers: { 'content-type': 'application/json', ...headers },
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${route}: ${answer.status} ${text}`);
    return JSON.parse(text);
  };
  return { app, call, admin: (route, body) => call(route, body, { 'service-api-key': key! }) };
}

async function inPortions<T, R>(items: readonly T[], work: (item: T, n: number) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (let i = 0; i < items.length; i += AT_A_TIME)
    results.push(...(await Promise.all(items.slice(i, i + AT_A_TIME).map((item, n) => work(item, i + n)))));
  return results;
}

/** Flags of the clock check on a board, and its faults with their numbers. */
async function foundOn({ pool }: Database, boardId: string): Promise<{ flagged: number; faults: string }> {
  const { rows } = await pool.query<{ flagged: number; faults: string | null }>(
    `select (select count(*)::int from score_flags f where f.board_id = $1 and f.flag_type = 'clock') as flagged,
       (select string_agg(r.fault || ' ' || r.runs, ', ' order by r.fault) from (select fault, count(*)::int as runs from runs
         where board_id = $1 and fault is not null group by fault) r) as faults`,
    [uuidOf(boardId)],
  );
  const { flagged, faults } = rows[0]!;
  return { flagged, faults: faults ?? '–' };
}
