import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { launchBrowser, watchedPage } from '../support/browser.js';
import { signInWith } from '../support/console.js';
import type { Data } from '../support/http.js';
import { startService, superadminOf } from '../support/process.js';
import { Inbox } from '../support/wait.js';
import { cover, Daemon, GROUND, makeStudio, type Studio } from './ground.js';
import { Visitor } from './visitor.js';

const NAMES = ['leaderboard.example.com', 'www.example.com'];
const SUPERADMIN_KEY = 'a-key-that-was-chosen-before-the-start';
/** Session starts of an address a minute; twice as many in a burst. */
const WRITES = 2;

/** A certificate that signs itself, where the configurations name it. @returns it, for clients */
function makeCertificate(): string {
  cover('/etc/ssl/private');
  const [certificate, key] = ['crt', 'key'].map((end) => `/etc/ssl/private/leaderboard.${end}`) as [
    string,
    string,
  ];
  const names = NAMES.map((name) => `DNS:${name}`).join(',');
  const kind = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
  const subject = ['-subj', '/CN=leaderboard test', '-addext', `subjectAltName=${names}`];
  execFileSync('openssl', ['req', ...kind, ...subject, '-keyout', key, '-out', certificate], {
    stdio: 'pipe',
  });
  return readFileSync(certificate, 'utf8');
}

/** The service as the configurations expect it. */
async function startBehind(): Promise<{ studio: Studio }> {
  const { url } = await startService({
    PORT: '3000',
    DATA_DIR: path.join(GROUND, 'data'),
    SUPERADMIN_API_KEY: SUPERADMIN_KEY,
    TRUSTED_PROXIES: '127.0.0.1',
    ANONYMOUS_WRITES_PER_MINUTE: String(WRITES),
  });
  return { studio: await makeStudio(superadminOf(url)) };
}

export async function behindNginx(): Promise<void> {
  const ca = makeCertificate();
  const { studio } = await startBehind();
  for (const [file, url] of [
    ['leaderboard.conf', `https://${NAMES[0]}`],
    ['leaderboard-below-a-path.conf', `https://${NAMES[1]}/leaderboard`],
  ] as const) {
    cover('/etc/nginx/sites-enabled', { 'leaderboard.conf': { from: `nginx/${file}` } });
    cover('/var/log/nginx');
    const nginx = await new Daemon('nginx', 'nginx', ['-g', 'daemon off;']).listens(443);
    await checkVisits(new Visitor(url, ca), studio);
    await nginx.stop('SIGQUIT');
  }
}

export async function behindCaddy(): Promise<void> {
  const ca = makeCertificate();
  const { studio } = await startBehind();
  const tls = 'tls /etc/ssl/private/leaderboard.crt /etc/ssl/private/leaderboard.key\n';
  cover('/etc/caddy', { Caddyfile: { from: 'caddy/Caddyfile' }, 'tls/own.caddy': { text: tls } });
  const env = { PATH: process.env.PATH, HOME: GROUND };
  const args = ['run', '--config', '/etc/caddy/Caddyfile', '--adapter', 'caddyfile'];
  const caddy = await new Daemon('Caddy', 'caddy', args, { env }).listens(443);
  for (const url of [`https://${NAMES[0]}`, `https://${NAMES[1]}/leaderboard`]) {
    await checkVisits(new Visitor(url, ca), studio);
  }
  await caddy.stop();
}

/** Addresses of visitors, each used by one check. */
let addresses = 1;
function newAddress(): string {
  addresses += 1;
  return `127.0.0.${addresses}`;
}

async function checkVisits(visitor: Visitor, studio: Studio): Promise<void> {
  await checkRedirect(visitor);
  await checkHttp2(visitor, studio);
  await checkAddresses(visitor, studio);
  await checkLive(visitor, studio);
  await checkPages(visitor, studio);
  await checkConsole(visitor, studio);
  console.log(
    `${visitor.url}: TLS, HTTP/2, addresses, WebSocket, events, pages and the console are in order`,
  );
}

/** Plain HTTP leads to TLS. */
async function checkRedirect(visitor: Visitor): Promise<void> {
  const { host } = new URL(visitor.url);
  const answer = await fetchPlain('/explorer?a=b', host);
  assert.equal(answer.status, 308);
  assert.equal(answer.location, `https://${host}/explorer?a=b`);
}

function fetchPlain(place: string, host: string) {
  return new Promise<{ status: number; location: string | undefined }>((resolve, reject) => {
    request({ host: '127.0.0.1', port: 80, path: place, headers: { host } }, (answer) => {
      answer.resume();
      resolve({ status: answer.statusCode!, location: answer.headers.location });
    })
      .on('error', reject)
      .end();
  });
}

async function checkHttp2(visitor: Visitor, { board }: Studio): Promise<void> {
  await visitor.overHttp2(async (ask) => {
    const body = { query: 'query ($id: ID!) { board(by: { id: $id }) { id } }', variables: { id: board.id } };
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_none, i) =>
        i % 2 ? ask('/graphql', { method: 'POST', body }) : ask('/v1/health'),
      ),
    );
    for (const answer of answers) {
      assert.equal(answer.status, 200);
      assert.match(String(answer.headers['service-request-id']), /./);
      JSON.parse(await text(answer.body));
    }
    const large = await ask('/graphql', { method: 'POST', body: { query: `{ ${'a'.repeat(70_000)} }` } });
    assert.equal(large.status, 413);
    assert.equal(JSON.parse(await text(large.body)).errors[0].extensions.code, 'BODY_TOO_LARGE');
    assert.equal((await ask('/metrics')).status, 404);
  });
}

/** The limit of an address holds for the visitor's own, however it dresses up. */
async function checkAddresses(visitor: Visitor, { game }: Studio): Promise<void> {
  const start = async (from: string, headers: Record<string, string> = {}) => {
    const body = { game_id: game.id, client_fingerprint: `visitor ${Math.random()}`, platform: 'test' };
    return (await visitor.json('/v1/client/sessions', { method: 'POST', body, from, headers })).status;
  };
  const [first, second] = [newAddress(), newAddress()];
  const allowed = await Promise.all(Array.from({ length: 2 * WRITES }, () => start(first)));
  assert.deepEqual(new Set(allowed), new Set([201]));
  assert.equal(await start(first), 429);
  assert.equal(await start(first, { 'x-forwarded-for': second }), 429);
  assert.equal(await start(second), 201);
}

/** Changes arrive by socket and by server-sent events, over both versions of HTTP, as they happen. */
async function checkLive(visitor: Visitor, { game, board }: Studio): Promise<void> {
  const socket = visitor.socket();
  const frames = new Inbox<Data>('a frame of a socket');
  socket.on('message', (data) => frames.put(JSON.parse(String(data))));
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
  const say = (frame: Data) => socket.send(JSON.stringify(frame));
  say({ type: 'connection_init' });
  assert.equal((await frames.next()).type, 'connection_ack');
  const query = 'subscription ($id: ID!) { boardChanged(boardId: $id) { entries { totalCount } version } }';
  say({ type: 'subscribe', id: 'watch', payload: { query, variables: { id: board.id } } });
  const before = (await frames.next()).payload.data.boardChanged;

  const place = `/v1/boards/${board.id}/live`;
  const stream = await visitor.ask(place);
  assert.equal(stream.headers['content-type'], 'text/event-stream; charset=utf-8');
  const events = new Events(stream.body);
  await events.next();
  await visitor.overHttp2(async (ask) => {
    const other = new Events((await ask(place)).body);
    await other.next();
    const began = performance.now();
    await submit(visitor, game.id, board.id);
    const inTime = () => assert.ok(performance.now() - began < 5_000, 'changes wait in a buffer');
    assert.equal(
      (await frames.next()).payload.data.boardChanged.entries.totalCount,
      before.entries.totalCount + 1,
    );
    for (const reader of [events, other]) assert.match(await reader.next(), /entry_count/);
    inTime();
  });
  stream.body.destroy();
  socket.close();
}

async function submit(visitor: Visitor, gameId: string, boardId: string): Promise<void> {
  const started = { game_id: gameId, client_fingerprint: `player ${Math.random()}`, platform: 'test' };
  const { body: session } = await visitor.json('/v1/client/sessions', {
    method: 'POST',
    body: started,
    from: newAddress(),
  });
  const headers = { authorization: `Bearer ${session.access_token}` };
  const { body: nonce } = await visitor.json('/v1/client/nonce', { headers });
  const answer = await visitor.json('/v1/client/scores', {
    method: 'POST',
    headers: { ...headers, 'service-client-nonce': nonce.nonce_value },
    body: { board_id: boardId, player_name: 'Ann', value: 7 },
  });
  assert.equal(answer.status, 201, JSON.stringify(answer.body));
}

/** Events of a stream, heartbeats left out. */
class Events {
  readonly #inbox = new Inbox<string>('an event of a stream');

  constructor(stream: Readable) {
    let rest = '';
    stream.setEncoding('utf8').on('error', () => undefined);
    stream.on('data', (chunk) => {
      const parts = (rest + chunk).split('\n\n');
      rest = parts.pop()!;
      for (const part of parts) if (/^data:/m.test(part)) this.#inbox.put(part);
    });
  }

  next(): Promise<string> {
    return this.#inbox.next();
  }
}

/** A person signs in to the console, which finds its files, the interface and the socket wherever the service lies. */
async function checkConsole(visitor: Visitor, { game, board }: Studio): Promise<void> {
  const browser = await launchBrowser(NAMES);
  try {
    const size = { width: 1280, height: 800 };
    const watched = await watchedPage(browser, visitor.url, size, { ignoreHTTPSErrors: true });
    const { page, foreign, complaints } = watched;
    page.setDefaultTimeout(30_000);
    await page.goto(`${visitor.url}/console/installation/jobs`);
    await signInWith(page, SUPERADMIN_KEY);
    await page.getByRole('row', { name: /expire-boards/ }).waitFor();
    await page.getByText('Live', { exact: true }).first().waitFor();
    await page.goto(`${visitor.url}/console/games/${game.slug}/boards/${board.short_code}/live`);
    await page.getByRole('heading', { level: 1, name: 'Board' }).waitFor();
    await page.locator('.ranking button').first().waitFor();
    await submit(visitor, game.id, board.id);
    await page.locator('.ranking button').nth(1).waitFor();
    assert.deepEqual([foreign, complaints], [[], []]);
  } finally {
    await browser.close();
  }
}

/** Every page finds its files, wherever the service lies. */
async function checkPages(visitor: Visitor, { game, board }: Studio): Promise<void> {
  const places = ['/explorer', '/docs', `/games/${game.slug}`, `/games/${game.slug}/boards/${board.slug}`];
  for (const place of places) {
    const page = await visitor.ask(place);
    assert.equal(page.status, 200, place);
    const names = [...(await text(page.body)).matchAll(/<(?:script|link)\b[^>]*?(?:src|href)="([^"#]+)"/g)];
    const files = names.map(([, name]) => new URL(name!, visitor.url + place));
    const own = files.filter((file) => file.href.startsWith(`${visitor.url}/`));
    assert.deepEqual(own.length, files.filter(({ protocol }) => protocol !== 'data:').length, place);
    assert.ok(own.length > 0, place);
    for (const file of own) {
      const answer = await visitor.ask(file.href.slice(visitor.url.length));
      answer.body.resume();
      assert.equal(answer.status, 200, file.href);
    }
  }
}
