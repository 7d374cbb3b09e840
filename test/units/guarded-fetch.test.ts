import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import net, { type AddressInfo, type Socket } from 'node:net';
import {
  type GuardedFetch,
  guardedFetch,
  OutboundError,
  type Resolve,
} from '../../src/base/outbound/guarded-fetch.js';

const LOOPBACK = ['127.0.0.1/32'];
const LIMITS = { timeoutMs: 2_000, mostRequestBytes: 10_000, mostResponseBytes: 100_000, allowHttp: true };

const open: (Server | net.Server)[] = [];
const sockets = new Set<Socket>();
afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  await Promise.all(open.splice(0).map((server) => new Promise((done) => server.close(done))));
});

async function listening(server: Server | net.Server, host = '127.0.0.1'): Promise<number> {
  open.push(server);
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
  });
  server.listen(0, host);
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

const serve = async (listener: RequestListener) =>
  `http://127.0.0.1:${await listening(createServer(listener))}/`;

/** A server that writes these bytes to every connection. */
const raw = async (write: (socket: Socket) => void) =>
  `http://127.0.0.1:${await listening(net.createServer((socket) => socket.once('data', () => write(socket))))}/`;

const fetching = (rules: Partial<Parameters<typeof guardedFetch>[0]> = {}) =>
  guardedFetch({ ...LIMITS, allowNetworks: LOOPBACK, ...rules });

const errorOfFetch = (sent: ReturnType<GuardedFetch>): Promise<unknown> =>
  sent.then(
    () => undefined,
    (error: unknown) => error,
  );

async function faultOfFetch(sent: ReturnType<GuardedFetch>): Promise<string> {
  const error = await errorOfFetch(sent);
  return error instanceof OutboundError ? error.fault : `none: ${String(error)}`;
}

test('sends method, headers and body, and returns status, headers and body', async () => {
  const url = await serve((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      response.writeHead(201, { 'x-method': request.method, 'set-cookie': ['a=1', 'b=2'] });
      response.end(`${request.headers['content-type']} ${Buffer.concat(chunks)} ${request.headers['x-own']}`);
    });
  });
  const send = fetching();
  const headers = { 'content-type': 'text/plain', 'x-own': 'yes' };
  const response = await send(url, { method: 'POST', headers, body: 'grüße' });
  expect(response.status).toBe(201);
  expect(response.headers.get('x-method')).toBe('POST');
  expect(response.headers.getSetCookie()).toEqual(['a=1', 'b=2']);
  expect(await response.text()).toBe('text/plain grüße yes');
  const form = await send(url, { method: 'PUT', body: new URLSearchParams({ a: 'b c' }) });
  expect(await form.text()).toContain('a=b+c');
  const empty = await fetching()(await serve((_request, response) => response.writeHead(204).end()));
  expect([empty.status, await empty.text()]).toEqual([204, '']);
});

test('refuses private networks in every spelling, unless they are allowed', async () => {
  let reached = 0;
  const port = await listening(createServer((_request, response) => response.end(String(++reached))));
  const spellings = [
    ...['127.0.0.1', 'localhost', '0x7f.1', '0x7f000001', '2130706433', '0177.0.0.1', '127.1', '127.0.0.1.'],
    ...['[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '[::127.0.0.1]', '[64:ff9b::7f00:1]', '0.0.0.0', '[::]'],
    ...['10.0.0.1', '192.168.1.1', '172.16.0.1', '100.64.0.1', '[fd00::1]', '[fe80::1]', '169.254.169.254'],
  ];
  const closed = fetching({ allowNetworks: [] });
  for (const host of spellings) {
    expect([host, await faultOfFetch(closed(`http://${host}:${port}/`))]).toEqual([host, 'network']);
  }
  expect(reached).toBe(0);
  for (const host of ['127.0.0.1', '0x7f.1', '2130706433']) {
    expect((await fetching()(`http://${host}:${port}/`)).status).toBe(200);
  }
  expect(reached).toBe(3);
});

test('never reaches link-local and metadata addresses, nor translated ones, whatever is allowed', async () => {
  const translated = ['::ffff:0:0/96', '::ffff:0:0:0/96', '64:ff9b::/96', '2001::/32', '2002::/16', '::/96'];
  const everything = fetching({ allowNetworks: ['0.0.0.0/0', '::/0', ...translated] });
  const hosts = [
    ...['169.254.169.254', '0xa9fea9fe', '[::ffff:169.254.169.254]', '[::ffff:a9fe:a9fe]', '[fe80::1]'],
    ...['[fd00:ec2::254]', '100.100.100.200', '168.63.129.16', '[64:ff9b::a9fe:a9fe]', '[::ffff:127.0.0.1]'],
    ...['[::ffff:7f00:1]', '0.0.0.0', '[::]', '[2002:7f00:1::]', '[::ffff:0:127.0.0.1]', '[::ffff:0:7f00:1]'],
    ...['[64:ff9b:1::7f00:1]', '[2001::7f00:1]', '[2001:0:1:2:3:4:80ff:fffe]', '192.88.99.1'],
  ];
  for (const host of hosts)
    expect([host, await faultOfFetch(everything(`http://${host}/`))]).toEqual([host, 'network']);
  // A network of IPv6 admits no address of IPv4.
  for (const network of ['::/0', ...translated]) {
    const send = fetching({ allowNetworks: [network] });
    expect([network, await faultOfFetch(send('http://127.0.0.1/'))]).toEqual([network, 'network']);
  }
});

test('texts say nothing about which names and hosts exist in private networks', async () => {
  const nobody = await serve(() => undefined);
  await new Promise((done) => open.pop()!.close(done));
  const { port } = new URL(nobody);
  const silent: RequestListener = () => undefined;
  const listens = await listening(createServer(silent));
  const details = new Set<string>();
  const textOf = async (resolve: Resolve, at: number | string = port, rules = {}) => {
    const error = await errorOfFetch(fetching({ resolve, ...rules })(`http://inner.test:${at}/`));
    expect(error).toBeInstanceOf(OutboundError);
    details.add((error as OutboundError).detail);
    return (error as OutboundError).message;
  };
  const to =
    (address: string): Resolve =>
    async () => [{ address, family: address.includes(':') ? 6 : 4 }];
  const missing = await textOf(async () => Promise.reject(new Error('ENOTFOUND')));
  const others = [
    await textOf(async () => Promise.reject(new Error('EAI_AGAIN'))),
    await textOf(async () => []),
    // Private; never reached; translated; of several one that is private.
    ...(await Promise.all(
      ['10.0.0.1', '169.254.169.254', '::ffff:0:a00:1', 'fd00::1'].map((one) => textOf(to(one))),
    )),
    await textOf(async () => [...(await to('198.51.100.1')('')), ...(await to('10.0.0.1')(''))]),
    // Allowed, and nothing accepts the connection.
    await textOf(to('127.0.0.1')),
  ];
  expect(new Set(others)).toEqual(new Set([missing]));
  expect(missing).not.toMatch(/resolv|private|ENOTFOUND/);
  // The operator's log tells them apart.
  expect([...details].map((detail) => detail.split(':')[0])).toEqual(
    expect.arrayContaining(['unreachable', 'network']),
  );
  expect([...details].join()).toMatch(/ENOTFOUND.*EAI_AGAIN.*ECONNREFUSED/);
  // What accepts connections in an allowed network is known to its tenants, and may say what is wrong.
  expect(await textOf(to('127.0.0.1'), listens, { timeoutMs: 300 })).toMatch(/No complete response/);
});

test('a name is resolved once, so that another answer after the check reaches nothing', async () => {
  let reached = 0;
  const port = await listening(createServer((_request, response) => response.end(String(++reached))));
  const asked: string[] = [];
  // The first answer is an address that may be reached and where nobody listens; later ones are private.
  const rebinding: Resolve = async (host) => {
    asked.push(host);
    return [{ address: asked.length === 1 ? '127.0.0.2' : '127.0.0.1', family: 4 }];
  };
  const send = fetching({ allowNetworks: ['127.0.0.2/32'], resolve: rebinding });
  expect(await faultOfFetch(send(`http://rebind.test:${port}/`))).toBe('unreachable');
  expect(asked).toEqual(['rebind.test']);
  expect(await faultOfFetch(send(`http://rebind.test:${port}/`))).toBe('network');
  expect(asked.length).toBe(2);
  expect(reached).toBe(0);
});

test('of a name with several addresses one that is refused refuses the name', async () => {
  const both =
    (...addresses: string[]): Resolve =>
    async () =>
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
  for (const inner of ['127.0.0.1', '10.1.2.3', '::1', '169.254.169.254', '::ffff:127.0.0.1', 'fe80::1%lo']) {
    const send = fetching({ allowNetworks: ['127.0.0.2/32'], resolve: both('127.0.0.2', inner) });
    expect([inner, await faultOfFetch(send('http://both.test/'))]).toEqual([inner, 'network']);
  }
});

test('a resolved name is connected at the address that was checked', async () => {
  const port = await listening(createServer((request, response) => response.end(request.headers.host)));
  const send = fetching({ resolve: async () => [{ address: '127.0.0.1', family: 4 }] });
  expect(await (await send(`http://own.test:${port}/`)).text()).toBe(`own.test:${port}`);
});

test('redirects are returned and not followed; proxies of the environment are not used', async () => {
  let reached = 0;
  const inner = await serve((_request, response) => response.end(String(++reached)));
  const url = await serve((_request, response) => response.writeHead(302, { location: inner }).end('moved'));
  const before = { ...process.env };
  Object.assign(process.env, {
    HTTP_PROXY: inner,
    http_proxy: inner,
    ALL_PROXY: inner,
    NODE_USE_ENV_PROXY: '1',
  });
  try {
    const response = await fetching()(url);
    expect([response.status, response.headers.get('location')]).toEqual([302, inner]);
  } finally {
    process.env = before;
  }
  expect(reached).toBe(0);
});

test('bodies of gigabytes, announced or not, end at the limit', async () => {
  let written = 0;
  const endless = await serve((request, response) => {
    const length = request.url === '/announced' ? { 'content-length': String(2 ** 31) } : {};
    response.writeHead(200, length);
    const chunk = Buffer.alloc(65_536);
    const more = () => {
      while (!response.destroyed && written < 2 ** 31) {
        written += chunk.length;
        if (!response.write(chunk)) return void response.once('drain', more);
      }
    };
    more();
  });
  expect(await faultOfFetch(fetching({ timeoutMs: 10_000 })(endless))).toBe('size');
  expect(await faultOfFetch(fetching({ timeoutMs: 10_000 })(`${endless}announced`))).toBe('size');
  // What the buffers of both sockets take.
  expect(written).toBeLessThan(64 * 2 ** 20);
  expect(await faultOfFetch(fetching()(endless, { method: 'POST', body: 'x'.repeat(10_001) }))).toBe('size');
});

test('endless headers, interim responses and chunk extensions end', async () => {
  const repeat = (socket: Socket, text: string) => {
    const more = () => {
      while (!socket.destroyed && socket.write(text.repeat(100)));
      if (!socket.destroyed) socket.once('drain', more);
    };
    more();
  };
  const headers = await raw((socket) => {
    socket.write('HTTP/1.1 200 OK\r\n');
    repeat(socket, 'x-more: yes\r\n');
  });
  expect(await faultOfFetch(fetching()(headers))).toBe('size');
  const interim = await raw((socket) => repeat(socket, 'HTTP/1.1 103 Early Hints\r\n\r\n'));
  expect(await faultOfFetch(fetching()(interim))).toBe('size');
  const extensions = await raw((socket) => {
    socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5;');
    repeat(socket, 'a=b;');
  });
  expect(await faultOfFetch(fetching({ timeoutMs: 1_000 })(extensions))).toMatch(
    /^(size|timeout|unreachable)$/,
  );
});

test('one deadline covers resolving, connecting, headers and a dripping body', async () => {
  const silent = await raw(() => undefined);
  const dripping = await raw((socket) => {
    socket.write('HTTP/1.1 200 OK\r\n\r\n');
    const drip = setInterval(() => socket.write('.'), 50);
    socket.on('close', () => clearInterval(drip));
  });
  const never: Resolve = () => new Promise(() => undefined);
  const started = Date.now();
  const results = await Promise.all([
    faultOfFetch(fetching({ timeoutMs: 400 })(silent)),
    faultOfFetch(fetching({ timeoutMs: 400 })(dripping)),
    faultOfFetch(fetching({ timeoutMs: 400, resolve: never })('http://slow.test/')),
    faultOfFetch(fetching({ timeoutMs: 60_000 })(silent, { signal: AbortSignal.timeout(400) })),
    faultOfFetch(fetching({ timeoutMs: 60_000 })(silent, { signal: AbortSignal.abort() })),
  ]);
  expect(results).toEqual(['timeout', 'timeout', 'timeout', 'timeout', 'timeout']);
  expect(Date.now() - started).toBeLessThan(20_000);
});

test('other schemes, http, user names and what is no HTTP are refused', async () => {
  const send = fetching({ allowHttp: false });
  for (const url of [
    'http://127.0.0.1/',
    'file:///etc/passwd',
    'ftp://x.test/',
    'nonsense',
    'https://a:b@x.test/',
  ]) {
    expect([url, await faultOfFetch(send(url))]).toEqual([url, 'address']);
  }
  for (const text of [
    'nonsense\r\n\r\n',
    'HTTP/1.1 999 Odd\r\n\r\n',
    'HTTP/1.1 101 Switching\r\nupgrade: x\r\n\r\n',
  ]) {
    const url = await raw((socket) => socket.end(text));
    expect([text, await faultOfFetch(fetching()(url))]).toEqual([text, 'unreachable']);
  }
  const nobody = await serve(() => undefined);
  await new Promise((done) => open.pop()!.close(done));
  expect(await faultOfFetch(fetching()(nobody))).toBe('unreachable');
  const missing: Resolve = async () => Promise.reject(new Error('ENOTFOUND'));
  expect(await faultOfFetch(fetching({ resolve: missing })('http://missing.test/'))).toBe('unreachable');
});
