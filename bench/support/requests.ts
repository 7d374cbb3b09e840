export type Api = 'REST' | 'GraphQL';

/** Which scores of a board a page shows. */
export type Page = { limit: number } & ({ aroundScoreId: string } | { after: string } | object);

export interface SubmissionFields {
  boardId: string;
  name: string;
  value: number;
  token: string;
  nonce: string;
  /** Idempotency key. */
  key?: string;
}

/** Many submissions of one player to one board in one request. */
export interface BatchFields extends Pick<SubmissionFields, 'boardId' | 'name' | 'token'> {
  items: Pick<SubmissionFields, 'value' | 'nonce'>[];
}

/** Whole HTTP/1.1 requests, as game clients send them. GraphQL sends the operations that REST's routes run, and pages of rankings. */
export interface Requests {
  submission(fields: SubmissionFields): string;
  batch?(fields: BatchFields): string;
  session(gameId: string, fingerprint: string): string;
  score(token: string, scoreId: string): string;
  page(token: string, boardId: string, page: Page): string;
}

/** Every score in a response's body. */
export type ReadScores = (body: string) => RankedScore[];

export interface RankedScore {
  id: string;
  rank: number;
  value: number;
}

const ranked = (scores: RankedScore[]) => scores.map(({ id, rank, value }) => ({ id, rank, value }));

/** Values in a submitting request, over either interface, in order; none: it reads. */
export function submittedValues(request: string): number[] {
  return [...request.matchAll(/"value":(-?[\d.]+)/g)].map(([, value]) => Number(value));
}

function request(line: string, token: string | undefined, headers = '', body = ''): string {
  const length =
    body === '' ? '' : `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n`;
  const bearer = token === undefined ? '' : `authorization: Bearer ${token}\r\n`;
  return `${line} HTTP/1.1\r\nhost: 127.0.0.1\r\n${bearer}${headers}${length}\r\n${body}`;
}

function submissionHeaders({ nonce, key }: Pick<SubmissionFields, 'nonce' | 'key'>): string {
  return `service-client-nonce: ${nonce}\r\n${key === undefined ? '' : `idempotency-key: ${key}\r\n`}`;
}

export const rest: Requests = {
  submission: ({ boardId, name, value, token, ...fields }) =>
    request(
      'POST /v1/client/scores',
      token,
      submissionHeaders(fields),
      JSON.stringify({ board_id: boardId, player_name: name, value, metadata: { level: 7 } }),
    ),
  batch: ({ boardId, name, token, items }) => {
    const common = { board_id: boardId, player_name: name, metadata: { level: 7 } };
    const body = JSON.stringify({ items: items.map((item) => ({ ...common, ...item })) });
    return request('POST /v1/client/scores/batch', token, '', body);
  },
  session: (gameId, fingerprint) => {
    const body = JSON.stringify({ game_id: gameId, client_fingerprint: fingerprint, platform: 'linux' });
    return request('POST /v1/client/sessions', undefined, '', body);
  },
  score: (token, scoreId) => request(`GET /v1/client/scores/${scoreId}`, token),
  page: (token, boardId, page) => {
    const query = new URLSearchParams({ board_id: boardId, limit: String(page.limit) });
    if ('aroundScoreId' in page) query.set('around_score_id', page.aroundScoreId);
    if ('after' in page) query.set('cursor', page.after);
    return request(`GET /v1/client/scores?${query}`, token);
  },
};

function scoresOfRest(body: string): RankedScore[] {
  const answer = JSON.parse(body) as
    | RankedScore
    | { data: RankedScore[] }
    | { results: { score: RankedScore }[] };
  if ('results' in answer) return ranked(answer.results.map((result) => result.score));
  return ranked('data' in answer ? answer.data : [answer]);
}

interface GraphqlAnswer {
  data: {
    board?: { ranking: { entries: { nodes: RankedScore[] } } };
    score?: RankedScore;
    submitScore?: { submission: { score: RankedScore } };
  };
}

const SUBMIT = `mutation ($boardId: ID!, $playerName: String!, $value: Float!, $metadata: JSONObject) {
  submitScore(input: { boardId: $boardId, playerName: $playerName, value: $value, metadata: $metadata }) { submission {
    score {
      id accountId gameId boardId identityId playerName value valueDisplay metadata rank displayRank status isTest
      createdAt updatedAt
    }
  } }
}`;

const PAGE = `query ($boardId: ID!, $first: Int!, $after: String, $around: AroundInput) {
  board(by: { id: $boardId }) { ranking { entries(first: $first, after: $after, around: $around) {
    nodes {
      id: scoreId identityId playerName value valueDisplay metadata rank displayRank percentile status isTest createdAt
      updatedAt
    }
    pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
  } } }
}`;

const SCORE = `query ($scoreId: ID!) {
  score(id: $scoreId) {
    id accountId gameId boardId identityId playerName value valueDisplay metadata rank displayRank percentile status isTest
    createdAt updatedAt
  }
}`;

const START = `mutation ($input: StartDeviceSessionInput!) {
  startDeviceSession(input: $input) { session { identityId displayName accessToken refreshToken expiresIn } }
}`;

const sending = (query: string) => (token: string | undefined, variables: object, headers?: string) =>
  request('POST /graphql', token, headers, JSON.stringify({ query, variables }));

export function requestsOf(): Readonly<Record<Api, Requests>> {
  const [start, score, submit, list] = [sending(START), sending(SCORE), sending(SUBMIT), sending(PAGE)];
  return {
    REST: rest,
    GraphQL: {
      submission: ({ boardId, name: playerName, value, token, ...fields }) =>
        submit(token, { boardId, playerName, value, metadata: { level: 7 } }, submissionHeaders(fields)),
      session: (gameId, clientFingerprint) =>
        start(undefined, { input: { gameId, clientFingerprint, platform: 'linux' } }),
      score: (token, scoreId) => score(token, { scoreId }),
      page: (token, boardId, { limit: first, ...where }) => {
        const around = 'aroundScoreId' in where ? { scoreId: where.aroundScoreId } : undefined;
        return list(token, { boardId, first, around, after: 'after' in where ? where.after : undefined });
      },
    },
  };
}

function scoresOfGraphql(body: string): RankedScore[] {
  const { data } = JSON.parse(body) as GraphqlAnswer;
  return ranked(data.board?.ranking.entries.nodes ?? [data.score ?? data.submitScore!.submission.score]);
}

export const scoresOf: Readonly<Record<Api, ReadScores>> = { REST: scoresOfRest, GraphQL: scoresOfGraphql };
