import type { Agent, IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { getProxyForUrl } from 'proxy-from-env';

/** Addresses of this machine are reached directly, whatever the environment says. */
const LOOPBACK = /^(?:localhost|.+\.localhost|127(?:\.\d+){3}|\[::1\])$/;

/** Statuses whose responses have no body. */
const EMPTY = [204, 205, 304];

/** Agents by the address of their proxy, so that the requests of one command share connections. */
const agents = new Map<string, Agent>();

/**
 * Sends a request through the proxy that HTTPS_PROXY, HTTP_PROXY and NO_PROXY (or their lowercase forms) name for its address. Node's
 * own `fetch` reads them from version 22.21 on, and only when told to.
 */
export async function sendByEnvironment(request: Request): Promise<Response> {
  const url = new URL(request.url);
  const proxy = LOOPBACK.test(url.hostname) ? '' : getProxyForUrl(request.url);
  if (!proxy) return fetch(request);
  try {
    return await sendBy(await agentOf(proxy), url, request);
  } catch (error) {
    if (request.signal.aborted) throw error;
    throw new Error(
      `Cannot reach ${url.host} by the proxy of HTTPS_PROXY or HTTP_PROXY: ${(error as Error).message}. ` +
        'To go without it, add the host to NO_PROXY.',
      { cause: error },
    );
  }
}

async function agentOf(proxy: string): Promise<Agent> {
  const { HttpsProxyAgent } = await import('https-proxy-agent');
  const agent = agents.get(proxy) ?? new HttpsProxyAgent(proxy, { keepAlive: true });
  agents.set(proxy, agent);
  return agent;
}

async function sendBy(agent: Agent, url: URL, request: Request): Promise<Response> {
  const { request: open } =
    url.protocol === 'https:' ? await import('node:https') : await import('node:http');
  const { method, headers, signal } = request;
  const body = request.body && Buffer.from(await request.arrayBuffer());
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const sent = open(url, { agent, method, headers: Object.fromEntries(headers), signal }, resolve);
    sent.on('error', reject);
    sent.end(body ?? undefined);
  });
  const status = response.statusCode!;
  // Redirects are refused, as by `fetch` with `redirect: 'error'`: a credential is meant for one address.
  if (status >= 300 && status < 400 && response.headers.location) throw new Error('unexpected redirect');
  const headerLines = Object.entries(response.headersDistinct).flatMap(([name, values = []]) =>
    values.map((value): [string, string] => [name, value]),
  );
  const isEmpty = EMPTY.includes(status) || method === 'HEAD';
  const stream = isEmpty ? null : (Readable.toWeb(response) as ReadableStream<Uint8Array>);
  if (isEmpty) response.resume();
  return new Response(stream, { status, headers: headerLines });
}
