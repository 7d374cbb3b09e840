import { WebSocket } from 'ws';
import { uuidOf } from '../../src/base/ids.js';
import { cloneDatabase, type TestDatabase } from '../support/database.js';
import type { Data } from '../support/http.js';
import { LoadClient } from '../support/load.js';
import { DataDir, type Program, settingsOn, startService, superadminOf } from '../support/process.js';
import { until } from '../support/wait.js';

// Whole processes, as `npm start` runs them, on one database; killed as a machine kills them.

const WATCHERS = 12;
const PLAYERS = 8;

let clone: TestDatabase;
let dir: DataDir;
const programs: Program[] = [];

beforeAll(async () => {
  clone = await cloneDatabase();
  dir = new DataDir();
});
afterAll(async () => {
  await Promise.all(programs.map((program) => program.running && program.kill('SIGTERM')));
  await dir.remove();
  await clone.drop();
});

async function start(): Promise<{ program: Program; url: string }> {
  const service = await startService({
    ...settingsOn(clone, dir),
    LOG_LEVEL: 'warn',
  });
  programs.push(service.program);
  return service;
}

const WATCH = `subscription ($id: ID!) { boardChanged(boardId: $id, first: 100) {
  version entries { totalCount nodes { rank identityId value } } } }`;

/** A subscriber that knows the board from messages alone, and goes on elsewhere when its connection breaks. */
class Watcher {
  version = -1;
  board: string[] = [];
  messages = 0;
  reconnects = 0;
  #stopped = false;
  #socket: WebSocket | undefined;

  constructor(
    private readonly urls: string[],
    private readonly boardId: string,
  ) {
    this.#connect();
  }

  #connect(): void {
    if (this.#stopped) return;
    const url = this.urls[this.reconnects % this.urls.length]!;
    const socket = new WebSocket(`${url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws');
    this.#socket = socket;
    socket.on('open', () => socket.send('{"type":"connection_init"}'));
    socket.on('message', (data) => this.#heard(JSON.parse(String(data))));
    socket.on('error', () => undefined);
    socket.on('close', () => {
      this.reconnects += 1;
      setTimeout(() => this.#connect(), 20);
    });
  }

  #heard({ type, payload }: Data): void {
    if (type === 'connection_ack') {
      const subscribe = {
        type: 'subscribe',
        id: 'w',
        payload: { query: WATCH, variables: { id: this.boardId } },
      };
      this.#socket!.send(JSON.stringify(subscribe));
      return;
    }
    if (type !== 'next') throw new Error(JSON.stringify(payload));
    const { version, entries } = payload.data.boardChanged;
    if (version < this.version) throw new Error(`version ${version} came after ${this.version}`);
    this.messages += 1;
    this.version = version;
    this.board = entries.nodes.map(({ rank, identityId, value }: Data) => `${rank} ${identityId} ${value}`);
  }

  stop(): void {
    this.#stopped = true;
    this.#socket?.close();
  }
}

test('subscribers of a killed process go on at another and end with the newest state', async () => {
  const [victim, survivor] = await Promise.all([start(), start()]);
  const admin = superadminOf(survivor.url);
  const made = async (path: string, body: Data) => (await admin.post(path, body)).body as Data;
  const account = await made('/v1/accounts', { name: 'Live' });
  const game = await made('/v1/games', { account_id: account.id, name: 'Live', anti_cheat_enabled: false });
  const board = await made('/v1/boards', {
    account_id: account.id,
    game_id: game.id,
    name: 'Live',
    keep_strategy: 'last',
  });
  const homes = (n: number) => (n % 2 === 0 ? [victim.url, survivor.url] : [survivor.url]);
  const watchers = Array.from({ length: WATCHERS }, (_, n) => new Watcher(homes(n), board.id));
  await until(() => watchers.every(({ version }) => version === 0));

  // Half of the players play through each process; those of the killed one go on at the other.
  const players = await Promise.all(
    Array.from({ length: PLAYERS }, async (_, n) => {
      const url = () => (n % 2 === 0 && victim.program.running ? victim.url : survivor.url);
      const player = new LoadClient(url, [board.id], true, `player ${n}`);
      await player.open(game.id);
      return player;
    }),
  );
  const playing = Promise.all(players.map((player) => player.run()));
  await until(() => watchers.every(({ messages }) => messages > 5));
  await victim.program.kill('SIGKILL');
  const at = watchers.map(({ messages }) => messages);
  await until(() => watchers.every(({ messages }, n) => messages > at[n]! + 5));
  for (const player of players) player.stop();
  await playing;

  const { knex } = clone.open();
  const { version } = await knex('board_rankings').where('board_id', uuidOf(board.id)).first('version');
  await until(() => watchers.every((watcher) => watcher.version === version));
  const { rows } = await knex.raw<{ rows: { line: string }[] }>(
    `select concat_ws(' ', row_number() over (order by rank_key, seq), 'ide_' || identity_id, value) as line
     from entries where board_id = ? and ranked order by rank_key, seq`,
    [uuidOf(board.id)],
  );
  expect(rows).toHaveLength(PLAYERS);
  for (const watcher of watchers) expect(watcher.board).toEqual(rows.map(({ line }) => line));
  expect(watchers.filter(({ reconnects }) => reconnects > 0)).toHaveLength(WATCHERS / 2);
  for (const watcher of watchers) watcher.stop();
});
