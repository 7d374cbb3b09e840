import type { Answer, Caller, Data } from './http.js';
import type { Player } from './make.js';

export const SCORE = `id accountId gameId boardId identityId deviceId scoreEventId playerName value valueDisplay metadata
  rank status isTest createdAt updatedAt`;

const SUBMIT = `mutation ($input: SubmitScoreInput!) {
  submitScore(input: $input) { submission { kept previousRank replayed score { ${SCORE} } scoreEvent { id value valueDisplay metadata } } }
}`;

export const ISSUE_NONCE = 'mutation { issueNonces(input: {}) { nonces { value } } }';

export async function takeNonce(client: Caller): Promise<string> {
  const { issueNonces } = await client.data(ISSUE_NONCE);
  return issueNonces.nonces[0].value;
}

/** Tags as GraphQL has them. */
export const tagsOf = (values: Data = {}) => Object.entries(values).map(([name, value]) => ({ name, value }));

/** Submits with a fresh nonce through GraphQL. Must succeed. */
export async function submit(player: Player, boardId: string, value: number, more: Data = {}): Promise<Data> {
  const nonce = await takeNonce(player.client);
  const input = { boardId, value, playerName: 'Ann', nonce, ...more, tags: tagsOf(more.tags) };
  return (await player.client.data(SUBMIT, { input })).submitScore.submission;
}

/** The code with which a submission through GraphQL is refused. A fresh nonce unless one (or null) is given. */
export async function submitFault(
  player: Player,
  boardId: string,
  value: number,
  more: Data = {},
): Promise<string> {
  const nonce = 'nonce' in more ? more.nonce : await takeNonce(player.client);
  const input = { boardId, value, playerName: 'Ann', ...more, nonce, tags: tagsOf(more.tags) };
  return player.client.code(SUBMIT, { input });
}

/** Submits through REST, with a fresh nonce unless headers give one. */
export async function post(
  player: Player,
  body: Data,
  headers: Record<string, string> = {},
): Promise<Answer<Data>> {
  const nonce = headers['service-client-nonce'] ?? (await takeNonce(player.client));
  const sent = { player_name: 'Ann', ...body };
  return player.client.with({ ...headers, 'service-client-nonce': nonce }).post('/v1/client/scores', sent);
}

/** Names of a board's scores from rank 1 on. */
export async function standings(caller: Caller, boardId: string): Promise<string[]> {
  const { board } = await caller.data(
    'query ($id: ID!) { board(by: { id: $id }) { ranking { entries(first: 100) { nodes { rank playerName value } } } } }',
    { id: boardId },
  );
  return board.ranking.entries.nodes.map(
    ({ rank, playerName, value }: Data) => `${rank} ${playerName} ${value}`,
  );
}
