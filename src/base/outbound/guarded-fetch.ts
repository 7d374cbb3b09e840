import dns from 'node:dns';
import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { urlToHttpOptions } from 'node:url';
import { RequestFilteringHttpAgent, RequestFilteringHttpsAgent } from 'request-filtering-agent';
import { isAllowed, isNever, networksOf } from './networks.js';

type OutboundFault =
  /** No valid address, or one of a scheme that is not allowed. */
  | 'address'
  /** Its network is private. */
  | 'network'
  /** No such name, no connection, no valid certificate, or no HTTP. */
  | 'unreachable'
  /** Request, headers or body are larger than allowed. */
  | 'size'
  /** The deadline has passed, or the caller aborted. */
  | 'timeout';

/**
 * A request to another server that got no response. The message is a sentence for whoever wrote the address, a tenant, and does
 * not tell a name that does not exist from one in a private network.
 */
export class OutboundError extends Error {
  constructor(
    readonly fault: OutboundFault,
    message: string,
    cause?: unknown,
  ) {
    super(message, { cause });
    this.name = 'OutboundError';
  }

  /** What the message does not tell, for the operator's log alone. */
  get detail(): string {
    return this.cause instanceof Error ? `${this.fault}: ${this.cause.message}` : this.fault;
  }
}

/** Resolves a name to all its addresses. */
export type Resolve = (host: string) => Promise<{ address: string; family: number }[]>;

interface OutboundRules {
  /** Private networks that may be reached: addresses or CIDRs. Link-local and metadata networks never are. */
  allowNetworks: readonly string[];
  /** True to reach http addresses, too. */
  allowHttp?: boolean;
  /** From resolving the name to the last byte of the body. */
  timeoutMs: number;
  mostRequestBytes: number;
  mostResponseBytes: number;
  /** Default: the system's resolver. */
  resolve?: Resolve;
}

interface OutboundRequest {
  method?: string;
  headers?: Record<string, string>;
  body?: string | Uint8Array | URLSearchParams | null | undefined;
  signal?: AbortSignal | undefined;
}

/** As `fetch`, for addresses that others wrote. @throws OutboundError */
export type GuardedFetch = (url: string | URL, request?: OutboundRequest) => Promise<Response>;

/** Bytes of the status line and all headers of a response. */
const MOST_HEADER_BYTES = 16_384;
/** Responses such as 103 before the real one. */
const MOST_INTERIM = 10;
/** Statuses whose responses have no body. */
const WITHOUT_BODY = new Set([204, 205, 304]);

const resolveAll: Resolve = (host) => dns.promises.lookup(host, { all: true });

/**
 * Sends requests to addresses that tenants chose. The address that was checked is the one that is connected: a name is
 * resolved once. Redirects are returned, not followed; proxies of the environment and cookies are not used; the whole
 * response is in memory, and bounded.
 */
export function guardedFetch(rules: OutboundRules): GuardedFetch {
  const allowed = networksOf(rules.allowNetworks);
  const resolve = rules.resolve ?? resolveAll;
  return async (address, request = {}) => {
    const url = checkedUrl(address, rules.allowHttp ?? false);
    const body = bytesOf(request.body);
    if (body.length > rules.mostRequestBytes) {
      throw new OutboundError('size', `The request is larger than ${rules.mostRequestBytes} bytes.`);
    }
    const deadline = deadlineOf(rules.timeoutMs, request.signal);
    let isHidden = false;
    try {
      const found = await deadline.race(addressesOf(url, resolve));
      const { connection, isInner } = pinned(url, found, (one) => isAllowed(one, allowed));
      isHidden = isInner;
      const connected = () => {
        isHidden = false;
      };
      const sending = { ...request, body, connected };
      return await deadline.race(
        exchange(url, sending, connection, deadline.signal, rules.mostResponseBytes),
      );
    } catch (error) {
      // An allowed network tells what is in it only by what accepts connections.
      throw isHidden && error instanceof OutboundError ? unreached(url, error.fault, error) : error;
    } finally {
      deadline.end();
    }
  };
}

function checkedUrl(address: string | URL, allowHttp: boolean): URL {
  const url = URL.canParse(String(address)) ? new URL(address) : undefined;
  if (!url || (url.protocol !== 'https:' && url.protocol !== 'http:')) {
    throw new OutboundError('address', 'This is not an https address.');
  }
  if (url.protocol === 'http:' && !allowHttp) {
    throw new OutboundError('address', 'Only https addresses are allowed.');
  }
  if (url.username || url.password) {
    throw new OutboundError('address', 'The address must not contain a user name or password.');
  }
  return url;
}

function bytesOf(body: OutboundRequest['body']): Uint8Array {
  if (body == null) return new Uint8Array();
  return body instanceof Uint8Array ? body : Buffer.from(String(body));
}

interface Deadline {
  signal: AbortSignal;
  race<T>(work: Promise<T>): Promise<T>;
  end(): void;
}

/** One span for everything: resolvers cannot be aborted, so their callers stop waiting instead. */
function deadlineOf(ms: number, outer: AbortSignal | undefined): Deadline {
  const controller = new AbortController();
  const { signal } = controller;
  const timer = setTimeout(() => controller.abort(), ms);
  const abort = () => controller.abort();
  outer?.addEventListener('abort', abort, { once: true });
  if (outer?.aborted) abort();
  const ended = new Promise<never>((_, reject) => {
    const late = () => reject(new OutboundError('timeout', `No complete response within ${ms / 1_000} s.`));
    if (signal.aborted) late();
    else signal.addEventListener('abort', late, { once: true });
  });
  ended.catch(() => undefined);
  return {
    signal,
    race: (work) => Promise.race([work, ended]),
    end: () => {
      clearTimeout(timer);
      outer?.removeEventListener('abort', abort);
    },
  };
}

type Resolved = Awaited<ReturnType<Resolve>>;

async function addressesOf(url: URL, resolve: Resolve): Promise<Resolved> {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const family = isIP(host);
  if (family !== 0) return [{ address: host, family }];
  const found = await resolve(host).catch((error: unknown) => {
    throw unreached(url, 'unreachable', error);
  });
  if (found.length === 0) throw unreached(url, 'unreachable');
  return found;
}

/**
 * An agent for one connection, to one of these addresses. The agent refuses private ones that are not in its list.
 * @throws OutboundError when one of them is never reached
 */
function pinned(url: URL, found: Resolved, isAllowedHere: (address: string) => boolean) {
  if (found.some(({ address }) => isNever(address))) throw unreached(url, 'network');
  const allowIPAddressList = found.map(({ address }) => address).filter(isAllowedHere);
  const lookup: LookupFunction = (_host, options, callback) => {
    if (options.all) callback(null, found);
    else callback(null, found[0]!.address, found[0]!.family);
  };
  const agent =
    url.protocol === 'https:'
      ? new RequestFilteringHttpsAgent({ allowIPAddressList, keepAlive: false })
      : new RequestFilteringHttpAgent({ allowIPAddressList, keepAlive: false });
  return { connection: { agent, lookup }, isInner: allowIPAddressList.length > 0 };
}

/** One sentence for a name without an address, a refused network and an allowed one where nothing accepts the connection. */
function unreached({ hostname }: URL, fault: OutboundFault, cause?: unknown): OutboundError {
  const sentence = `${hostname} could not be reached. Check that the name exists and that this server can connect to its address.`;
  return new OutboundError(fault, sentence, cause);
}

interface Sending extends OutboundRequest {
  body: Uint8Array;
  /** Called once the server has accepted the connection. */
  connected(): void;
}

function exchange(
  url: URL,
  { method = 'GET', headers = {}, body, connected }: Sending,
  connection: ReturnType<typeof pinned>['connection'],
  signal: AbortSignal,
  mostBytes: number,
): Promise<Response> {
  const { promise, resolve, reject } = deferred<Response>();
  const options = {
    ...urlToHttpOptions(url),
    ...connection,
    method,
    signal,
    maxHeaderSize: MOST_HEADER_BYTES,
  };
  const length = body.length > 0 || method !== 'GET' ? { 'content-length': String(body.length) } : {};
  const whole = { 'accept-encoding': 'identity', ...headers, ...length };
  const request = (url.protocol === 'https:' ? https : http).request({ ...options, headers: whole });
  const fail = (error: unknown) => {
    reject(faultOf(url, error));
    request.destroy();
  };
  request.on('socket', (socket) => socket.once('connect', connected));
  let interim = 0;
  request.on('information', () => {
    if (++interim > MOST_INTERIM) fail(tooLarge('There are too many interim responses.'));
  });
  request.on('error', fail);
  request.on('upgrade', (_response, socket) => {
    socket.destroy();
    fail(new Error('unexpected upgrade'));
  });
  request.on('response', (response) => {
    read(response, mostBytes).then(resolve, fail);
  });
  request.end(body);
  return promise;
}

async function read(response: IncomingMessage, mostBytes: number): Promise<Response> {
  const announced = Number(response.headers['content-length'] ?? 0);
  const over = () => tooLarge(`The response is larger than ${mostBytes} bytes.`);
  if (announced > mostBytes) throw over();
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > mostBytes) throw over();
    chunks.push(chunk);
  }
  const status = response.statusCode ?? 0;
  const headers = new Headers();
  for (let at = 0; at + 1 < response.rawHeaders.length; at += 2) {
    headers.append(response.rawHeaders[at]!, response.rawHeaders[at + 1]!);
  }
  return new Response(WITHOUT_BODY.has(status) ? null : Buffer.concat(chunks), { status, headers });
}

function tooLarge(sentence: string): OutboundError {
  return new OutboundError('size', sentence);
}

function faultOf(url: URL, error: unknown): OutboundError {
  if (error instanceof OutboundError) return error;
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'HPE_HEADER_OVERFLOW') return tooLarge('The headers of the response are too large.');
  if (/^DNS lookup .* is not allowed/.test(message)) return unreached(url, 'network', error);
  return new OutboundError('unreachable', `${url.hostname} could not be reached: ${code ?? message}`, error);
}

function deferred<T>() {
  let resolve!: (value: T) => void;
  let reject!: (error: unknown) => void;
  const promise = new Promise<T>((one, other) => {
    resolve = one;
    reject = other;
  });
  return { promise, resolve, reject };
}
