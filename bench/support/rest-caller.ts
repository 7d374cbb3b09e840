import type { ServiceProcess } from './service-process.js';

/** Members of the responses that are used. */
interface Answer {
  id: string;
  access_token: string;
  nonce_value: string;
}

export type Call = (method: string, route: string, body?: object) => Promise<Answer>;

/** A request with a JSON body. @throws Error for a response that is not 2xx */
export async function send<T>(
  url: string,
  method: string,
  headers: Record<string, string>,
  body?: object,
): Promise<T> {
  const answer = await fetch(url, {
    method,
    headers: { 'content-type': 'application/json', ...headers },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${url}: ${answer.status} ${text}`);
  return JSON.parse(text) as T;
}

/** Requests to a service. @throws Error for a response that is not 2xx */
export function caller({ port }: ServiceProcess, headers: Record<string, string>): Call {
  return (method, route, body) => send(`http://127.0.0.1:${port}${route}`, method, headers, body);
}

/** A game and a board of best runs, highest first, made over REST. Ids prefixed. @param key of a superadmin */
export async function makeBoard(
  service: ServiceProcess,
  key: string,
): Promise<{ accountId: string; gameId: string; boardId: string }> {
  const call = caller(service, { 'service-api-key': key });
  const account = await call('POST', '/v1/accounts', { name: 'Bench' });
  const owner = { account_id: account.id };
  const game = await call('POST', '/v1/games', { ...owner, name: 'Bench', anti_cheat_enabled: false });
  const board = await call('POST', '/v1/boards', {
    ...owner,
    game_id: game.id,
    name: 'Bench',
    board_type: 'run_identity',
    keep_strategy: 'best',
    sort_direction: 'desc',
  });
  return { accountId: account.id, gameId: game.id, boardId: board.id };
}
