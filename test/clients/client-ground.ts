import type { Ground } from '../../clients/conformance/run.js';
import { uuidOf } from '../../src/base/ids.js';
import type { Hooks } from '../../src/hooks/hooks.js';
import { startApp, type TestApp } from '../support/app.js';
import { DAY } from '../support/clock.js';
import { makeBoard, makeGame, makeStudio, unique } from '../support/make.js';
import { makeLogin, ownToken } from '../support/own-tokens.js';

/** Score events of one request. */
const BATCH = 100;

type Fields = Record<string, unknown>;

/** The service under the conformance scenarios, with every call of an administrator through REST. */
export async function clientGround(): Promise<{ ground: Ground; app: TestApp; close(): Promise<void> }> {
  const limits: { left: number | undefined; retryAfter: number } = { left: undefined, retryAfter: 1 };
  /** The provider of each game whose players prove themselves. */
  const logins = new Map<string, Promise<string>>();
  const hooks: Hooks = {
    rateLimit: ({ method, route }, _caller, tools) => {
      if (limits.left === undefined || method !== 'POST' || route !== '/v1/client/scores') return;
      if (limits.left === 0) {
        tools.refuse('RATE_LIMITED', 'Too many submissions', { retryAfterSeconds: limits.retryAfter });
      }
      limits.left -= 1;
    },
  };
  const app = await startApp({}, { hooks });
  const studio = await makeStudio(app);
  const rest = async (path: string, method: string, body: Fields): Promise<Fields> => {
    const headers = { 'content-type': 'application/json', ...studio.admin.headers };
    const answer = await fetch(app.url + path, { method, headers, body: JSON.stringify(body) });
    const content = (await answer.json()) as Fields;
    if (!answer.ok) throw new Error(`${method} ${path}: ${JSON.stringify(content)}`);
    return content;
  };
  const texts = async (text: string, id: string) => {
    const { rows } = await app.database.pool.query<{ value: string }>(text, [uuidOf(id)]);
    return rows.map(({ value }) => value);
  };
  const rows = async (text: string, id: string) => (await texts(text, id)).map(Number);
  const boardOf = async (game: string, board: Fields): Promise<string> => {
    const camel = Object.entries(board).map(([name, value]) => [
      name.replace(/_(\w)/g, (_all, letter: string) => letter.toUpperCase()),
      typeof value === 'string' ? value.toUpperCase() : value,
    ]);
    return (await makeBoard(studio, game, Object.fromEntries(camel))).id;
  };
  const ground: Ground = {
    url: app.url,
    makeGame: async ({ settings, ...game }, board) => {
      const { id } = await makeGame(studio, game);
      if (settings) await rest(`/v1/games/${id}`, 'PATCH', { anti_cheat_settings: settings });
      return { game: id, board: await boardOf(id, board) };
    },
    makeBoard: boardOf,
    patch: async (path, body) => void (await rest(path, 'PATCH', body)),
    award: async (board, lines, expiresDays) => {
      const prizes = {
        expires_days: expiresDays,
        lines: lines.map((name) => ({ name, title: name, grant: { item: name }, first_rank: 1 })),
      };
      await rest(`/v1/boards/${board}`, 'PATCH', { closing_rules: [{ prizes }] });
      await rest(`/v1/boards/${board}/close`, 'POST', {});
      await app.app.jobs.run('close-rankings');
      const { rows } = await app.database.pool.query<{ line: string; id: string }>(
        'select line, id from rewards where board_id = $1',
        [uuidOf(board)],
      );
      return Object.fromEntries(rows.map(({ line, id }) => [line, `rwd_${id}`]));
    },
    revoke: async (reward) =>
      void (await rest(`/v1/rewards/${reward}/revoke`, 'POST', { reason: 'Cheated' })),
    crowd: async (game, board, count) => {
      const items: Fields[] = [];
      const ids: Record<string, string> = {};
      for (let i = 1; i <= count; i += 1) {
        const identity = { kind: 'custom', external_key: `player ${unique()}`, display_name: `Player ${i}` };
        const { id } = await rest('/v1/identities', 'POST', { game_id: game, ...identity });
        ids[`Player${i}`] = id as string;
        items.push({ board_id: board, identity_id: id, value: 10 * i });
      }
      for (let i = 0; i < count; i += BATCH) {
        await rest('/v1/score-events/batch', 'POST', { items: items.slice(i, i + BATCH) });
      }
      return ids;
    },
    befriend: async (game, friends) => {
      const [player] = await texts(
        'select id as value from identities where game_id = $1 order by created_at, id limit 1',
        game,
      );
      await rest(`/v1/identities/ide_${player}/friends`, 'PATCH', { ids: friends });
    },
    startSession: async (game, name) => {
      const key = { game_id: game, kind: 'custom', external_key: name };
      const [known] = await texts(
        `select id as value from identities where game_id = $1 and kind = 'custom' and external_key = '${name}'`,
        game,
      );
      const id = known ? `ide_${known}` : (await rest('/v1/identities', 'POST', key)).id;
      return rest(`/v1/identities/${id}/sessions`, 'POST', { client_fingerprint: 'phone' });
    },
    tokenOf: async (game, name) => {
      if (!logins.has(game)) logins.set(game, makeLogin(studio, game));
      await logins.get(game);
      // Scenarios advance the clock between the start of a client and its next session.
      return ownToken(name, app.clock.now() + 5 * DAY);
    },
    merge: async (source_id, target_id) => {
      const { merge } = await rest('/v1/player-merges', 'POST', { source_id, target_id });
      const { status } = merge as Fields;
      if (status !== 'applied') throw new Error(`The merge is ${status}.`);
    },
    undoMerge: async (source) => {
      const [id] = await texts(
        "select id as value from player_merges where source_id = $1 and status = 'applied'",
        source,
      );
      const { status } = await rest(`/v1/player-merges/mrg_${id}`, 'PATCH', { undone: true });
      if (status !== 'undone') throw new Error(`The merge is ${status}.`);
    },
    endSessions: async (player) => void (await rest(`/v1/identities/${player}/sessions/end`, 'POST', {})),
    runTags: (board) =>
      texts('select tags as value from score_events where board_id = $1 order by seq', board),
    counted: (board) =>
      rows(
        `select amount as value from score_events
         where board_id = $1 and disposition not in ('held', 'rejected') order by seq`,
        board,
      ),
    runs: async (board) => {
      const { rows } = await app.database.pool.query<Record<string, number>>(
        'select * from runs where board_id = $1 order by event_seq',
        [uuidOf(board)],
      );
      // Real time passes in the clients while the service's clock stands still.
      const seconds = (ms: number | null) => ms && Math.round(ms / 10_000) * 10;
      return rows.map(({ elapsed_ms, idle_ms, run_ms, splits, ...run }) => ({
        ...{ elapsed_s: seconds(elapsed_ms!), idle_s: seconds(idle_ms!), run_s: seconds(run_ms!) },
        ...{ ...run, splits_s: (splits as unknown as number[] | null)?.map(seconds) },
      }));
    },
    recordings: (board) =>
      texts(
        "select encode(content, 'hex') as value from recordings where board_id = $1 order by event_seq",
        board,
      ),
    flags: (board) =>
      texts('select flag_type as value from score_flags where board_id = $1 order by event_seq', board),
    players: async (game) =>
      (await rows('select count(*) as value from identities where game_id = $1', game))[0]!,
    advance: (seconds) => app.clock.advance(seconds * 1_000),
    limit: (items, retryAfter = 1) => Object.assign(limits, { left: items, retryAfter }),
  };
  return { ground, app, close: () => app.close() };
}
