/** Addresses of this machine are reached directly, whatever the environment says. */
const LOOPBACK = /^(?:localhost|.+\.localhost|127(?:\.\d+){3}|\[::1\])$/;

type Env = Record<string, string | undefined>;
type Library = typeof import('undici', { with: { 'resolution-mode': 'import' }});
type Agent = InstanceType<Library['EnvHttpProxyAgent']>;

let loaded: Promise<{ library: Library; agent: Agent }> | undefined;

const namesProxy = (env: Env) =>
  [env.https_proxy, env.HTTPS_PROXY, env.http_proxy, env.HTTP_PROXY].some(Boolean);

/**
 * Sends a request by the proxy that HTTPS_PROXY, HTTP_PROXY and NO_PROXY (or their small letters) name for its address. Node's own `fetch`
 * reads them from version 22.21 on, and only when it is told to.
 */
export async function sendByEnvironment(request: Request): Promise<Response> {
  const { url, method, headers, body, redirect, signal } = request;
  if (!namesProxy(process.env) || LOOPBACK.test(new URL(url).hostname)) return fetch(request);
  loaded ??= import('undici').then((library) => ({ library, agent: new library.EnvHttpProxyAgent() }));
  const { library, agent } = await loaded;
  const init = { method, headers: [...headers], body, redirect, signal, duplex: 'half', dispatcher: agent };
  try {
    return (await library.fetch(url, init as never)) as unknown as Response;
  } catch (error) {
    if (signal.aborted) throw error;
    const { cause = error } = error as Error;
    throw new Error(
      `Cannot reach ${new URL(url).host} by the proxy of HTTPS_PROXY or HTTP_PROXY: ${(cause as Error).message}. To go without it, add the host to NO_PROXY.`,
      { cause },
    );
  }
}
