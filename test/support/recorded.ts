import { createHash } from 'node:crypto';
import { uuidOf } from '../../src/base/ids.js';
import type { TestApp } from './app.js';
import { MINUTE } from './clock.js';
import { type Caller, type Data, send } from './http.js';
import { makeKey, type Player, type Studio } from './make.js';
import { post, takeNonce } from './play.js';

const FILE = 'left left jump';
const HASH = createHash('sha256').update(FILE).digest('hex');

/** Runs with recordings, and a verifier's key. */
export function recordedRuns(on: { app: TestApp; studio: Studio }) {
  /** Submits a run that announces its recording. */
  const play = async (player: Player, boardId: string, value: number): Promise<Data> => {
    on.app.clock.advance(MINUTE);
    return (await post(player, { board_id: boardId, value, recording_hash: HASH })).body;
  };
  /** Sends its recording. */
  const put = async (player: Player, { recording }: Data): Promise<string> => {
    const { status, body } = await send(
      `${on.app.url}/v1/client/score-events/${recording.score_event_id}/recording`,
      {
        method: 'PUT',
        headers: { ...player.client.headers, 'service-client-nonce': await takeNonce(player.client) },
        body: FILE,
      },
    );
    return `${status} ${body.code ?? 'stored'}`;
  };
  return {
    play,
    put,
    /** @returns the id of the event */
    record: async (player: Player, boardId: string, value: number): Promise<string> => {
      const run = await play(player, boardId, value);
      expect(await put(player, run)).toBe('200 stored');
      return run.recording.score_event_id;
    },
    /** A caller with the scope `verify` alone. */
    verifier: async (): Promise<Caller> => {
      const { key } = await makeKey(on.app.superadmin, on.studio.accountId, on.studio.userId, {
        scopes: ['VERIFY'],
      });
      return on.app.anyone.with({ 'service-api-key': key });
    },
    /** @returns status and verdict or code */
    give: async (by: Caller, eventId: string, verdict: string, more: Data = {}): Promise<string> => {
      const { status, body } = await by.post(`/v1/score-events/${eventId}/verdicts`, {
        ...{ verdict, verifier: 'arcade' },
        ...more,
      });
      return `${status} ${body.code ?? body.verdict}`;
    },
    /** Flags of the board: event, type and status. */
    raised: async (boardId: string): Promise<string[]> => {
      const { rows } = await on.app.database.pool.query<Data>(
        'select * from score_flags where board_id = $1 and deleted_at is null order by event_seq, flag_type',
        [uuidOf(boardId)],
      );
      return rows.map(({ event_seq, flag_type, status }) => `${event_seq} ${flag_type} ${status}`);
    },
    /** The queue of people: what each flag says. */
    queued: async (boardId: string): Promise<string[]> => {
      const { flaggedPlayers } = await on.studio.admin.data(
        'query ($id: ID!) { flaggedPlayers(filter: { boardId: $id }) { nodes { flags { explanation } } } }',
        { id: boardId },
      );
      return flaggedPlayers.nodes.flatMap(({ flags }: Data) =>
        flags.map(({ explanation }: Data) => explanation),
      );
    },
  };
}
