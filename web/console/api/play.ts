import { type AnyVariables, Client, CombinedError, fetchExchange, type TypedDocumentNode } from 'urql';
import { graphql } from '../generated/gql.js';
import { watched } from './connection.js';
import { type Fault, faultOf } from './fault.js';
import { GRAPHQL_URL } from './place.js';

const StartSessionMutation = graphql(`
  mutation StartSession($input: StartDeviceSessionInput!) {
    startDeviceSession(input: $input) { session { accessToken identityId } }
  }
`);

const NonceMutation = graphql(`
  mutation Nonce {
    issueNonces(input: {}) { nonces { value } }
  }
`);

const SubmitMutation = graphql(`
  mutation Submit($input: SubmitScoreInput!) {
    submitScore(input: $input) { submission { kept score { id rank identityId } } }
  }
`);

export interface Played {
  rank: number;
  identityId: string;
}

/** Runs a mutation as a game client does, without the key of this tab. @throws Fault */
async function asClient<T, V extends AnyVariables>(
  token: string | undefined,
  operation: TypedDocumentNode<T, V>,
  variables: V,
): Promise<T> {
  const headers: Record<string, string> = token ? { authorization: `Bearer ${token}` } : {};
  const client = new Client({
    url: GRAPHQL_URL,
    fetch: watched(fetch),
    fetchOptions: { headers },
    preferGetMethod: false,
    exchanges: [fetchExchange],
  });
  const { data, error } = await client.mutation(operation, variables).toPromise();
  if (error || !data) throw faultOf(error ?? new CombinedError({ networkError: new Error('no data') }));
  return data;
}

/** Submits a run from this page as a game would: a session, a nonce, the submission. @throws Fault */
export async function playRun(run: {
  gameId: string;
  boardId: string;
  playerName: string;
  value: number;
  testMode: boolean;
}): Promise<Played> {
  const { gameId, boardId, playerName, value, testMode } = run;
  const clientFingerprint = `console-${crypto.randomUUID()}`;
  const start = { input: { gameId, clientFingerprint, platform: 'console', testMode } };
  const { startDeviceSession } = await asClient(undefined, StartSessionMutation, start);
  const token = startDeviceSession.session.accessToken;
  const { issueNonces } = await asClient(token, NonceMutation, {});
  const input = { boardId, playerName, value, nonce: issueNonces.nonces[0]!.value };
  const { submitScore } = await asClient(token, SubmitMutation, { input });
  const { rank, identityId } = submitScore.submission.score;
  return { rank, identityId };
}

export type { Fault };
