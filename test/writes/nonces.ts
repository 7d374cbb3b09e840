import { strict as assert } from 'node:assert';
import { type Data, send } from '../support/http.js';
import type { Course } from './course.js';

const ROUNDS = 200;

/**
 * Sends each nonce twice at once: to two boards, in half of the rounds in batches. One of both is stored.
 * @returns a line about it
 */
export async function clashWithNonces({ url, gameId, boards, database }: Course): Promise<string> {
  const post = (path: string, headers: Data, body: Data) =>
    send(url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
  const opened = await post('/v1/client/sessions', {}, { game_id: gameId, client_fingerprint: 'nonces' });
  const authorization = `Bearer ${opened.body.access_token}`;
  const run = { player_name: 'Nonces', metadata: { clash: true } };
  let stored = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    const { body: fresh } = await send(`${url}/v1/client/nonce`, { headers: { authorization } });
    const nonce: string = fresh.nonce_value;
    const answers = await Promise.all(
      boards.slice(0, 2).map(async (board_id) => {
        const item = { ...run, board_id, value: round };
        if (round % 2 === 0) {
          const alone = await post(
            '/v1/client/scores',
            { authorization, 'service-client-nonce': nonce },
            item,
          );
          return `${alone.status} ${alone.body.code ?? ''}`;
        }
        const items = [{ ...item, nonce }];
        const [result] = (await post('/v1/client/scores/batch', { authorization }, { items })).body.results;
        return `${result.status} ${result.error?.code ?? ''}`;
      }),
    );
    assert.deepEqual(answers.toSorted(), ['201 ', '412 NONCE_USED']);
    stored += 1;
  }
  const { rows } = await database!.pool.query<{ n: string }>(
    `select count(*) as n from score_events where metadata ? 'clash'`,
  );
  assert.equal(Number(rows[0]!.n), stored);
  return `${ROUNDS} nonces, each stored once and refused once`;
}
