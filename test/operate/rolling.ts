import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Knex } from 'knex';
import { openDatabase } from '../../src/db/pool.js';
import { SETTINGS_SINCE } from '../../src/db/schema/settings-since.js';
import { heldContract } from '../support/contract.js';
import type { Data } from '../support/http.js';
import { Program, superadminOf } from '../support/process.js';
import { Players } from '../writes/players.js';
import { cover, Daemon, DEPLOY, DIRECT_URL, GROUND, startPostgres } from './ground.js';
import { Viewers } from './viewers.js';

const PORTS = ['3000', '3001'];
const PROXY = 'http://127.0.0.1:8080';
const SECRET = 'thirty-two-characters-or-more-it-is';
const MAIN = 'src/main.ts';
const READERS = 4;
/** Half of them over sockets, half over server-sent events. */
const VIEWERS = 8;
/** Attempts of a reader, as those of a game client. */
const ATTEMPTS = 3;

/** A page of this version, and of 26 November, whose schema is another one. */
const PAGES = [
  'board(by: { id: $id }) { ranking { entries(first: 20) { nodes { rank value } } } }',
  'board(id: $id) { scores(first: 20) { nodes { rank value } } }',
].map((board) => `query ($id: ID!) { ${board} }`);

const SETTINGS = {
  HOST: '127.0.0.1',
  LOG_LEVEL: 'warn',
  DATABASE_URL: DIRECT_URL,
  JWT_SECRET: SECRET,
  KEY_SECRET: SECRET,
  SUPERADMIN_API_KEY: 'a-key-that-was-chosen-before-the-start',
  ANONYMOUS_WRITES_PER_MINUTE: 'off',
};

/**
 * Two processes are replaced one after the other under load, while viewers watch a board; `previous`: by those of this version.
 */
export async function replacedUnderLoad(thorough: boolean, previous = MAIN): Promise<void> {
  const enough = thorough ? 4_000 : 50;
  // Clients of the version before find all that they know, whichever process answers.
  if (previous !== MAIN) {
    const documents = ['../../', '../../../'].map((up) => path.resolve(previous, up, 'schema/openapi.json'));
    heldContract(documents.find(existsSync));
  }
  const postgres = await startPostgres();
  const processes = new Map(PORTS.map((port) => [port, start(previous, port)]));
  await Promise.all([...processes.values()].map(serves));
  const nginx = await startProxy();
  const players = new Players({ connectionString: DIRECT_URL });
  players.url = PROXY;
  players.admin = superadminOf(PROXY);
  players.database = openDatabase(DIRECT_URL, { records: 2, scores: 2 });
  await players.join();
  const readers = Array.from({ length: READERS }, (_, n) => new Reader(players, n));
  const viewers = new Viewers(PROXY, players.boards[0]!, await tokenOf(players), VIEWERS);
  await viewers.started();

  const under = async (title: string, steps: () => Promise<void>) => {
    const reading = readers.map((reader) => reader.run());
    players.play();
    await players.more(enough);
    await steps();
    await players.more(enough);
    await players.settle();
    for (const reader of readers) reader.stop();
    await Promise.all(reading);
    console.log(`${title}:\n  ${await players.check()}\n  ${await players.checkAnswers()}`);
    console.log(`  ${await viewers.check()}`);
  };

  const replace = async (port: string) => {
    const old = processes.get(port)!;
    const { code } = await old.kill('SIGTERM');
    assert.equal(code, 0, old.stderr);
    processes.set(port, await serves(start(MAIN, port)));
  };
  let excluded = false;
  if (previous !== MAIN) {
    await under('both processes of the previous version, the schema becomes the next one', async () => {
      console.log(await commanded('src/operator/migrate.ts'));
      excluded = await excludes(players.database!.knex, previous);
      if (!excluded) return;
      // They write nothing any more and do not start again, so they are replaced at once, while players try again.
      const count = async () => (await players.database!.knex('score_events').count().first())!.count;
      const written = await count();
      await delay(1_000);
      assert.equal(await count(), written);
      const [again] = PORTS as [string];
      await processes.get(again)!.kill('SIGTERM');
      const { code } = await start(previous, again).ended;
      assert.notEqual(code, 0);
      processes.set(again, await serves(start(MAIN, again)));
      for (const port of PORTS.slice(1)) await replace(port);
    });
  }
  // What processes of the version before would ignore: a ticket would be an invalid nonce, a recording's hash would be dropped.
  const opened: [member: 'tickets' | 'recordings', value: object][] = [
    ['tickets', { mode: 'asked', clock: {} }],
    ['recordings', {}],
  ];
  const lacking = opened.filter(
    ([member]) => previous !== MAIN && !excluded && !knows(previous, SETTINGS_SINCE[member]),
  );
  const set = async (port: string, setting: object) => {
    // The version before has no such member: its contract does not hold here.
    const { headers } = superadminOf(`http://127.0.0.1:${port}`);
    const answer = await fetch(`http://127.0.0.1:${port}/v1/boards/${players.boards[0]!}`, {
      ...{ method: 'PATCH', headers: { ...headers, 'content-type': 'application/json' } },
      body: JSON.stringify(setting),
    });
    return answer.status;
  };
  await under('the processes are replaced one after the other', async () => {
    for (const [n, port] of PORTS.entries()) {
      await replace(port);
      await players.more(enough);
      const isLast = n === PORTS.length - 1;
      for (const [member, value] of lacking) {
        assert.equal(await set(port, { [member]: value }), isLast ? 200 : 409);
        console.log(`  ${member} are ${isLast ? 'set' : 'refused while a process without them runs'}`);
      }
    }
  });
  if (lacking.length > 0) {
    const [again] = PORTS as [string];
    await processes.get(again)!.kill('SIGTERM');
    const { code } = await start(previous, again).ended;
    assert.notEqual(code, 0);
    console.log(
      `a process without ${lacking.map(([member]) => member).join(' and ')} does not start any more`,
    );
    processes.set(again, await serves(start(MAIN, again)));
  }
  const sums = (of: (reader: Reader) => number) => readers.reduce((sum, reader) => sum + of(reader), 0);
  const again = sums(({ retried }) => retried);
  console.log(
    `${sums(({ answered }) => answered)} reads and session starts, ${again} of them sent again, none failed`,
  );
  const refused = players.clients.flatMap(({ refusals }) =>
    refusals.map(({ status, code }) => `${status} ${code}`),
  );
  if (excluded) assert.ok(refused.some((refusal) => refusal.startsWith('503')));
  // A process of this version refuses nothing because it stops.
  if (previous === MAIN) assert.deepEqual(refused, []);
  console.log(
    `refusals of submissions that were sent again: ${JSON.stringify(Object.entries(counted(refused)))}`,
  );
  console.log(await commanded('src/operator/verify-ranks.ts'));

  await viewers.close();
  await players.leave();
  await players.database.close();
  await Promise.all([...processes.values()].map((process) => process.kill('SIGTERM')));
  await nginx.stop('SIGQUIT');
  await postgres.stop('SIGINT');
}

/** True if the schema is one that the version cannot work with. @param main its entry file */
async function excludes(knex: Knex, main: string): Promise<boolean> {
  const oldest = await knex('migration_checksums').where('name', 'oldest-known').first('checksum');
  return oldest !== undefined && !knows(main, oldest.checksum);
}

/** @param main the version's entry file */
function knows(main: string, migration: string): boolean {
  const folders = ['../../migrations', '../../../migrations'].map((dir) => path.resolve(main, dir));
  return folders.some((dir) => existsSync(path.join(dir, migration)));
}

/** Access token of a game client. */
async function tokenOf({ gameId }: Players): Promise<string> {
  const session = { game_id: gameId, client_fingerprint: 'viewer', platform: 'test' };
  const response = await fetch(`${PROXY}/v1/client/sessions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(session),
  });
  return ((await response.json()) as Data).access_token;
}

function start(script: string, port: string): Program {
  return new Program(script, { ...SETTINGS, PORT: port, DATA_DIR: path.join(GROUND, `data-${port}`) });
}

async function serves(program: Program): Promise<Program> {
  await program.says(/REST +http/);
  return program;
}

/** Runs a command of this version. @returns its output */
async function commanded(script: string): Promise<string> {
  const program = new Program(script, { ...SETTINGS, DATA_DIR: path.join(GROUND, 'data-command') });
  const { code } = await program.ended;
  assert.equal(code, 0, program.stdout + program.stderr);
  return program.stdout.trim();
}

/** The deployed configuration with two processes, and without TLS. */
async function startProxy(): Promise<Daemon> {
  const deployed = readFileSync(path.join(DEPLOY, 'nginx/leaderboard.conf'), 'utf8');
  const text = deployed
    .replace('server 127.0.0.1:3000;', PORTS.map((port) => `server 127.0.0.1:${port} max_fails=0;`).join(' '))
    .replace('listen 443 ssl http2;', 'listen 127.0.0.1:8080;')
    .replace(/^ *(listen \[::\]:|ssl_).*$/gm, '')
    .replace('server_name leaderboard.example.com;\n  return', 'server_name redirected;\n  return');
  cover('/etc/nginx/sites-enabled', { 'leaderboard.conf': { text } });
  cover('/var/log/nginx');
  return new Daemon('nginx', 'nginx', ['-g', 'daemon off;']).listens(8080);
}

/** Reads a page by REST and by GraphQL, and starts a session, again and again. */
class Reader {
  answered = 0;
  retried = 0;
  #stopped = false;
  #page = 0;

  constructor(
    private readonly players: Players,
    private readonly number: number,
  ) {}

  async run(): Promise<void> {
    this.#stopped = false;
    const { boards, gameId } = this.players;
    const board = boards[this.number % boards.length]!;
    while (!this.#stopped) {
      const client_fingerprint = `reader ${this.number} ${this.answered}`;
      const session = { game_id: gameId, client_fingerprint, platform: 'test' };
      const { access_token } = await this.#ask('/v1/client/sessions', undefined, () => session);
      await this.#ask(`/v1/client/scores?board_id=${board}&limit=20`, access_token);
      const { errors } = await this.#ask('/graphql', access_token, () => {
        return { query: PAGES[this.#page], variables: { id: board } };
      });
      assert.equal(errors, undefined);
    }
  }

  stop(): void {
    this.#stopped = true;
  }

  async #ask(place: string, token: string | undefined, body?: () => object): Promise<Data> {
    const headers = {
      'content-type': 'application/json',
      ...(token && { authorization: `Bearer ${token}` }),
    };
    let found = '';
    for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
      try {
        const init = body && { method: 'POST', body: JSON.stringify(body()) };
        const response = await fetch(PROXY + place, { headers, ...init });
        const text = await response.text();
        if (response.ok) {
          this.answered += 1;
          if (attempt > 1) this.retried += 1;
          return JSON.parse(text);
        }
        found = `${response.status} ${text}`;
        if (response.status === 400) this.#page = 1 - this.#page;
      } catch (error) {
        found = String(error);
      }
      await delay(50);
    }
    throw new Error(`${place} failed ${ATTEMPTS} times, at last: ${found}`);
  }
}

function counted(names: string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}
