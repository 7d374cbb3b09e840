import { uuidOf } from '../../src/base/ids.js';
import { startApp, type TestApp } from './app.js';
import { SECOND } from './clock.js';
import type { Answer, Data } from './http.js';
import {
  antiCheat,
  change,
  makeBoard,
  makeGame,
  makeStudio,
  type Player,
  type Studio,
  startSession,
} from './make.js';
import { post } from './play.js';

/** A row of `score_flags`. */
interface StoredFlag {
  id: string;
  event_id: string;
  event_seq: number;
  identity_id: string;
  device_id: string | null;
  is_test: boolean;
  flag_type: string;
  confidence: string;
  status: string;
  metadata: Data;
  compared_events: string[];
}

interface StoredEvent {
  id: string;
  seq: number;
  amount: number;
  disposition: string;
}

/** A game whose submissions are checked, in one service for all tests of the file. */
export function checkedGame() {
  const on = {} as { app: TestApp; studio: Studio; game: Data };
  beforeAll(async () => {
    on.app = await startApp();
    on.studio = await makeStudio(on.app);
    on.game = await makeGame(on.studio);
  });
  afterAll(() => on.app.close());

  const query = async <T>(sql: string, boardId: string): Promise<T[]> =>
    (await on.app.database.pool.query(sql, [uuidOf(boardId)])).rows;
  /** In order of events; those of one event in the order in which checks are listed. */
  const flags = (boardId: string) =>
    query<StoredFlag>(
      `select * from score_flags where board_id = $1
       order by event_seq, array_position(array['rate_limit', 'velocity', 'duplicate', 'progression', 'outlier'], flag_type)`,
      boardId,
    );

  return {
    on,
    flags,
    events: (boardId: string) =>
      query<StoredEvent>(
        'select id, seq, amount, disposition from score_events where board_id = $1 order by seq',
        boardId,
      ),
    session: (gameId = on.game.id, input: Data = {}) => startSession(on.app, gameId, input),
    board: (input: Data = {}, gameId = on.game.id) =>
      makeBoard(on.studio, gameId, { keepStrategy: 'BEST', ...input }),
    tier: (player: Player, trustTier: string | null) =>
      change(on.studio.admin, 'Identity', player.session.identityId, { trustTier }),
    settings: (stored: Data | null) =>
      change(on.studio.admin, 'Game', on.game.id, { antiCheatSettings: stored && antiCheat(stored) }),

    /** Submits after a pause. @returns the status or the code, and the flags that were raised: `status check/confidence…` */
    plays: async (player: Player, boardId: string, value: number, pause = 10 * SECOND): Promise<string> => {
      on.app.clock.advance(pause);
      const before = await flags(boardId);
      const { status, body } = await post(player, { board_id: boardId, value });
      const raised = (await flags(boardId)).slice(before.length);
      const names = raised.map(({ flag_type, confidence }) => `${flag_type}/${confidence}`);
      return [status === 201 ? body.status : body.code, ...names].join(' ');
    },

    /** Submits a score that must be rejected. */
    reject: async (player: Player, body: Data, headers = {}): Promise<Answer<Data>> => {
      const answer = await post(player, body, headers);
      expect([answer.status, answer.body.code]).toEqual([403, 'SCORE_REJECTED']);
      return answer;
    },

    metadataOf: async (boardId: string): Promise<Data> => {
      const admin = on.studio.admin;
      return (await admin.got(admin.get(`/v1/score-submission-metadata?board_id=${boardId}`))).data[0];
    },
  };
}
