import createClient, { type Client } from 'openapi-fetch';
import { sendByEnvironment } from './proxy.js';
import { withinTime } from './time-limit.js';

// Types of a package of modules, which a CommonJS file may only name in this form.
type components = import('leaderboard-client/rest', { with: { 'resolution-mode': 'import' }}).components;
export type operations = import('leaderboard-client/rest', { with: {
  'resolution-mode': 'import',
}}).operations;
type paths = import('leaderboard-client/rest', { with: { 'resolution-mode': 'import' }}).paths;

/** Records and bodies as REST shows them, by their names in the OpenAPI document. */
export type Schemas = components['schemas'];

/** `GET`, `POST` and `PATCH` by path; parameters, bodies and responses are typed by the OpenAPI document. */
export type LeaderboardClient = Client<paths, 'application/json'>;

interface LeaderboardClientOptions {
  /** Base URL of the service, e.g. `https://scores.example.com`; a path in it is kept. */
  baseUrl: string;
  /** API key of an administrator. */
  apiKey?: string | undefined;
  /** Access token of a device's session. */
  accessToken?: string | undefined;
  /** The cell to which a gateway sends requests that name no account, game or board. */
  cell?: string | undefined;
  /** The service's setting HEADER_PREFIX; `service` by default. */
  headerPrefix?: string | undefined;
  /** Milliseconds for one request, reading of the body included; 30 seconds by default. */
  timeoutMs?: number | undefined;
  /** Replaces {@link sendByEnvironment}. */
  fetch?: (request: Request) => Promise<Response>;
}

/** The `user-agent` by which the service tells a person from a game server (src/graphql/author.ts). */
const TERMINAL_AGENT = 'leaderboard-terminal';

/** Prefix of the service's own headers in the OpenAPI document. */
const DOCUMENTED_PREFIX = 'service';

/**
 * A client of the service's REST interface. A call resolves to an object with `data` or `error`; `got` throws the error
 * instead. A redirect is an error, since the credential is meant for one address.
 */
export function leaderboardClient(options: LeaderboardClientOptions): LeaderboardClient {
  const {
    baseUrl,
    apiKey,
    accessToken,
    cell,
    headerPrefix = DOCUMENTED_PREFIX,
    timeoutMs = 30_000,
  } = options;
  const send = options.fetch ?? sendByEnvironment;
  const client = createClient<paths, 'application/json'>({
    baseUrl: baseUrl.replace(/(?<!\/)\/+$/, ''),
    redirect: 'error',
    headers: {
      'user-agent': TERMINAL_AGENT,
      ...(apiKey !== undefined && { [`${DOCUMENTED_PREFIX}-api-key`]: apiKey }),
      ...(cell !== undefined && { [`${DOCUMENTED_PREFIX}-cell`]: cell }),
      ...(accessToken !== undefined && { authorization: `Bearer ${accessToken}` }),
    },
    fetch: withinTime(send, timeoutMs),
  });
  if (headerPrefix !== DOCUMENTED_PREFIX) {
    client.use({ onRequest: ({ request }) => renameHeaders(request.headers, headerPrefix) });
  }
  return client;
}

function renameHeaders(headers: Headers, prefix: string): void {
  for (const [name, value] of [...headers]) {
    if (!name.startsWith(`${DOCUMENTED_PREFIX}-`)) continue;
    headers.delete(name);
    headers.set(prefix + name.slice(DOCUMENTED_PREFIX.length), value);
  }
}

/** One fault of an invalid request: its place (`loc`), message (`msg`) and kind (`type`). */
type FaultDetail = NonNullable<Schemas['Error']['details']>[number];

/** An error response. The message is the service's own sentence. */
export class ServiceError extends Error {
  override readonly name = 'ServiceError';

  constructor(
    message: string,
    /** HTTP status. */
    readonly status: number,
    /** The error code, e.g. `NOT_FOUND`; undefined: the response is not the service's. */
    readonly code?: string,
    /** Id of the request in the logs of the service. */
    readonly requestId?: string,
    readonly details: FaultDetail[] = [],
  ) {
    super(message);
  }
}

/** True for an error of the network: no response, or only a part of it. */
export function isUnreached(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  // `fetch` names the network's error as its cause.
  return error.name === 'TimeoutError' || error.cause !== undefined || 'syscall' in error;
}

function isEnvelope(error: unknown): error is Schemas['Error'] {
  return typeof error === 'object' && error !== null && 'error' in error && 'request_id' in error;
}

/**
 * The body of a response: `const game = await got(client.GET('/v1/games/{game_id}', …))`.
 * @throws ServiceError when it is an error
 */
export async function got<T>(call: Promise<{ data?: T; error?: unknown; response: Response }>): Promise<T> {
  const { data, error, response } = await call;
  if (data !== undefined && response.ok) return data;
  if (isEnvelope(error)) {
    throw new ServiceError(error.error, response.status, error.code, error.request_id, error.details);
  }
  throw new ServiceError(`${response.url} returned ${response.status}.`, response.status);
}

/** One page of a list. */
export interface ListPage<T> {
  data: T[];
  pagination: Schemas['Pagination'];
}

/**
 * The pages of a list, each requested when it is needed.
 * @param read requests the page at this cursor; undefined: the first one
 */
export async function* pagesOf<T>(
  read: (cursor: string | undefined) => Promise<ListPage<T>>,
): AsyncGenerator<ListPage<T>> {
  let cursor: string | undefined;
  do {
    const page = await read(cursor);
    yield page;
    cursor = page.pagination.next_cursor ?? undefined;
  } while (cursor !== undefined);
}
