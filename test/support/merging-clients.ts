import type { TestApp } from './app.js';
import type { Caller, Data } from './http.js';
import { type Player, type Studio, unique } from './make.js';
import { ownToken } from './own-tokens.js';
import { takeNonce } from './play.js';
import { until } from './wait.js';

/** Clients of a game with an own login, as they prove, link and merge players. */
export function mergingClients(app: TestApp, gameId: string) {
  const clientOf = ({ access_token }: Data) => app.anyone.with({ authorization: `Bearer ${access_token}` });
  const write = async (client: Caller, path: string, body: Data = {}) =>
    client.with({ 'service-client-nonce': await takeNonce(client) }).post(path, body);
  const startWith = (input: Data) =>
    app.anyone.post('/v1/client/sessions', {
      game_id: gameId,
      client_fingerprint: `device ${unique()}`,
      ...input,
    });
  return {
    clientOf,
    write,
    startWith,
    async start(input: Data = {}): Promise<Data> {
      const { status, body } = await startWith(input);
      if (status !== 201) throw new Error(JSON.stringify(body));
      return body;
    },
    proofOf: (sub: string, more: Data = {}): Data => ({
      ...{ provider: 'login', token: ownToken(sub, app.clock.now()), on_conflict: 'merge' },
      ...more,
    }),
    playing: (session: Data): Player => ({
      client: clientOf(session),
      session: { identityId: session.identity_id, id: session.id } as Player['session'],
    }),
    add: (session: Data, proof: Data) => write(clientOf(session), '/v1/client/proofs', proof),
    redeem: (session: Data, code: string, more: Data = {}) =>
      write(clientOf(session), '/v1/client/link-codes/redeem', { code, on_conflict: 'merge', ...more }),
    codeOf: async (session: Data): Promise<string> =>
      (await write(clientOf(session), '/v1/client/link-codes')).body.code,
    refresh: ({ refresh_token }: Data) => app.anyone.post('/v1/client/sessions/refresh', { refresh_token }),
  };
}

/** The merges of a player, once none is under way: an answer to a game client doesn't wait for boards. */
export async function settledMerges({ admin, accountId }: Studio, player: string): Promise<Data[]> {
  let merges: Data[] = [];
  await until(async () => {
    const { body } = await admin.get(`/v1/player-merges?account_id=${accountId}&identity_id=${player}`);
    merges = body.data;
    return merges.every(({ status }) => ['applied', 'undone'].includes(status));
  });
  return merges;
}
