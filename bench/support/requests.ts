import { parse, print, separateOperations } from 'graphql';
import { operationsSource } from '../../src/rest/routes/rest-route.js';

export type Api = 'REST' | 'GraphQL';

/** Which scores of a board a page shows. */
export type Page = { limit: number } & ({ aroundScoreId: string } | { after: string } | object);

export interface SubmissionFields {
  boardId: string;
  name: string;
  value: number;
  token: string;
  nonce: string;
}

/** Whole HTTP/1.1 requests, as game clients send them. GraphQL sends the very operations that REST's routes run. */
export interface Requests {
  submission(fields: SubmissionFields): string;
  score(token: string, scoreId: string): string;
  page(token: string, boardId: string, page: Page): string;
  /** Every score in an answer's body. */
  scores(body: string): RankedScore[];
}

export interface RankedScore {
  id: string;
  rank: number;
  value: number;
}

const ranked = (scores: RankedScore[]) => scores.map(({ id, rank, value }) => ({ id, rank, value }));

/** Of a request that submits, by either interface; undefined: it reads. */
export function submittedValue(request: string): number | undefined {
  const value = /"value":(-?[\d.]+)/.exec(request)?.[1];
  return value === undefined ? undefined : Number(value);
}

function request(line: string, token: string, headers = '', body = ''): string {
  const length =
    body === '' ? '' : `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n`;
  return `${line} HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer ${token}\r\n${headers}${length}\r\n${body}`;
}

export const rest: Requests = {
  submission: ({ boardId, name, value, token, nonce }) =>
    request(
      'POST /v1/client/scores',
      token,
      `service-client-nonce: ${nonce}\r\n`,
      JSON.stringify({ board_id: boardId, player_name: name, value, metadata: { level: 7 } }),
    ),
  score: (token, scoreId) => request(`GET /v1/client/scores/${scoreId}`, token),
  page: (token, boardId, page) => {
    const query = new URLSearchParams({ board_id: boardId, limit: String(page.limit) });
    if ('aroundScoreId' in page) query.set('around_score_id', page.aroundScoreId);
    if ('after' in page) query.set('cursor', page.after);
    return request(`GET /v1/client/scores?${query}`, token);
  },
  scores: (body) => {
    const answer = JSON.parse(body) as RankedScore | { data: RankedScore[] };
    return ranked('data' in answer ? answer.data : [answer]);
  },
};

const operations = separateOperations(parse(operationsSource()));

function operation(name: string) {
  const query = print(operations[name]!);
  return (token: string, variables: object, headers?: string) =>
    request('POST /graphql', token, headers, JSON.stringify({ query, variables }));
}

const [submit, score, list] = ['SubmitScore', 'GetClientScore', 'ListClientScores'].map(operation);

interface GraphqlAnswer {
  data: {
    scores?: { nodes: RankedScore[] };
    score?: RankedScore;
    submitScore?: { score: RankedScore };
  };
}

export const graphql: Requests = {
  submission: ({ boardId, name: playerName, value, token, nonce }) =>
    submit!(
      token,
      { boardId, playerName, value, metadata: { level: 7 } },
      `service-client-nonce: ${nonce}\r\n`,
    ),
  score: (token, scoreId) => score!(token, { scoreId }),
  page: (token, boardId, { limit: first, ...where }) => list!(token, { boardId, first, ...where }),
  scores: (body) => {
    const { data } = JSON.parse(body) as GraphqlAnswer;
    return ranked(data.scores?.nodes ?? [data.score ?? data.submitScore!.score]);
  },
};

export const requestsOf: Readonly<Record<Api, Requests>> = { REST: rest, GraphQL: graphql };
