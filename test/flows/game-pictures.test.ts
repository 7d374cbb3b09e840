import { createHash, randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { Readable } from 'node:stream';
import { crc32, createDeflate, deflateSync, gzipSync } from 'node:zlib';
import { drawnPng } from '../../src/base/pictures/draw.js';
import { startApp, type TestApp } from '../support/app.js';
import { keyOf } from '../support/console.js';
import { type Caller, type Data, send } from '../support/http.js';
import { change, makeBoard, makeGame, makeStudio, type Studio } from '../support/make.js';
import { bytes, JPEG, PNG, WEBP } from '../support/pictures.js';
import { play } from '../support/public-studio.js';
import { rawAnswer } from '../support/raw-http.js';
import { Terminal } from '../support/terminal.js';

/** Of two frames. */
const MOVING_WEBP = bytes(
  'UklGRsYAAABXRUJQVlA4WAoAAAACAAAABwAAAwAAQU5JTQYAAAAAAAAAAABBTk1GSAAAAAAAAAAAAAcAAAMAAGQAAAJWUDggMAAAADABAJ0BKggABAABQCYloAADcAD+8MQL//7B3//nAf/84D+mD//8K1/Wh/bzk6AAAEFOTUZKAAAAAAAAAAAABwAAAwAAZAAAAFZQOCAyAAAANAEAnQEqCAAEAAAAJiWgAANwAP7y63//+bA/9vP/BHoB///S4P/+lwf/9Lg/9KQAAAA=',
);

/** A chunk of a PNG file, with its checksum. */
function pngChunk(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type), data]);
  const [length, checksum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  checksum.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, checksum]);
}

/** A PNG that says it is so wide and high, of 24 bits, with these chunks behind its header. */
function pngOf(width: number, height: number, ...chunks: Buffer[]): Buffer {
  const header = Buffer.from(PNG.subarray(16, 29));
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  const signature = PNG.subarray(0, 8);
  return Buffer.concat([signature, pngChunk('IHDR', header), ...chunks, pngChunk('IEND', Buffer.alloc(0))]);
}

/** Zeros, packed: 200 kB for 200 MB. */
async function packedZeros(megabytes: number): Promise<Buffer> {
  const zeros = Buffer.alloc(2 ** 20);
  const parts: Buffer[] = [];
  const deflate = Readable.from(Array.from({ length: megabytes }, () => zeros)).pipe(createDeflate());
  for await (const part of deflate) parts.push(part as Buffer);
  return Buffer.concat(parts);
}

/** Where the header of {@link JPEG} begins, its marker included, and where its scan does. */
const [FRAME, SCAN] = [JPEG.indexOf(Buffer.from([0xff, 0xc0])), JPEG.indexOf(Buffer.from([0xff, 0xda]))];

/** The header of {@link JPEG}, saying that it is so wide and high. */
function jpegFrame(width: number, height: number): Buffer {
  const frame = Buffer.from(JPEG.subarray(FRAME, FRAME + 2 + JPEG.readUInt16BE(FRAME + 2)));
  frame.writeUInt16BE(height, 5);
  frame.writeUInt16BE(width, 7);
  return frame;
}

/** {@link JPEG} with bytes before its header. */
const jpegWith = (before: Buffer) => Buffer.concat([JPEG.subarray(0, FRAME), before, JPEG.subarray(FRAME)]);

/** {@link JPEG} with its scan so many times. */
const jpegOfScans = (scans: number) =>
  Buffer.concat([
    JPEG.subarray(0, SCAN),
    ...Array.from({ length: scans }, () => JPEG.subarray(SCAN, -2)),
    JPEG.subarray(-2),
  ]);

let app: TestApp;
let studio: Studio;
let game: Data;
beforeAll(async () => {
  app = await startApp({ publicUiUrl: undefined });
  studio = await makeStudio(app);
  game = await makeGame(studio);
});
afterAll(() => app.close());

const put = (body: Buffer | undefined, type = 'image/png', of = game.id, more: RequestInit = {}) =>
  send(`${app.url}/v1/games/${of}/logo`, {
    method: 'PUT',
    ...more,
    headers: { ...studio.admin.headers, 'content-type': type, ...more.headers },
    body: body ?? null,
  });
const remove = (kind = 'logo', caller: Caller = studio.admin) =>
  send(`${app.url}/v1/games/${game.id}/${kind}`, { method: 'DELETE', headers: caller.headers });
const shown = (name: string) => fetch(app.url + name);
const codeOf = async (answer: Promise<Data>) => {
  const { status, body } = await answer;
  return `${status} ${body.code}`;
};

test('a picture is served as it was uploaded, under an address of its content, until it is replaced or removed', async () => {
  const urls: string[] = [];
  for (const [file, type, named] of [
    [PNG, 'image/png'],
    [JPEG, 'image/jpeg'],
    [WEBP, 'image/webp'],
    [PNG, 'image/png', 'application/octet-stream'],
    [JPEG, 'image/jpeg', 'application/octet-stream'],
    [WEBP, 'image/webp', 'application/octet-stream'],
  ] as const) {
    const { status, body } = await put(file, named ?? type);
    expect([status, body.id, body.cover_url]).toEqual([200, game.id, null]);
    urls.push(body.logo_url);
    const picture = await shown(body.logo_url);
    expect(Buffer.from(await picture.arrayBuffer())).toEqual(file);
    expect(Object.fromEntries(picture.headers)).toMatchObject({
      'content-type': type,
      'content-length': String(file.length),
      'x-content-type-options': 'nosniff',
      'cache-control': 'public, max-age=31536000, immutable',
      'content-security-policy': expect.stringContaining("default-src 'none'"),
    });
    // Fetch adds a header of its own to conditional requests.
    const again = `GET ${body.logo_url} HTTP/1.1\r\nhost: x\r\nconnection: close\r\nif-none-match: ${picture.headers.get('etag')}\r\n\r\n`;
    expect(await rawAnswer(app.url, again)).toMatch(/^HTTP\/1\.1 304 .+\r\n\r\n$/s);
  }
  expect(urls.map((url) => /^\/pictures\/[0-9a-f]{64}\.(\w+)$/.exec(url)?.[1])).toEqual([
    ...['png', 'jpg', 'webp'],
    ...['png', 'jpg', 'webp'],
  ]);
  // Sent again, packed, with an account, as a cover: the file is the same.
  const cover = await send(`${app.url}/v1/games/${game.id}/cover?account_id=${studio.accountId}`, {
    method: 'PUT',
    headers: { ...studio.admin.headers, 'content-type': 'image/webp; x=y', 'content-encoding': 'gzip' },
    body: gzipSync(WEBP),
  });
  expect(cover.body.cover_url).toBe(urls[2]);
  const { game: seen } = await studio.admin.data(`{ game(by: { id: "${game.id}" }) { logoUrl coverUrl } }`);
  expect(seen).toEqual({ logoUrl: urls[2], coverUrl: urls[2] });

  for (const [deleted, status] of [
    [true, 404],
    [false, 200],
  ]) {
    await change(studio.admin, 'Game', game.id, { deleted });
    expect((await shown(urls[2]!)).status).toBe(status);
  }
  expect((await remove()).body.logo_url).toBeNull();
  expect((await remove()).status).toBe(200);
  await remove('cover');
  expect((await shown(urls[2]!)).status).toBe(404);
  const { body } = await studio.admin.get(
    `/v1/audit-entries?subject_id=${game.id}&action=game_picture_changed`,
  );
  expect(body.data.map(({ before, after }: Data) => [before, after])).toContainEqual([
    { logo: null },
    { logo: path.basename(urls[0]!) },
  ]);
  expect(body.pagination.count).toBe(9);
});

test('nothing is stored that is no sound picture of its type and size, nor by others', async () => {
  const other = await makeStudio(app);
  const large = Buffer.concat([PNG, randomBytes(512 * 1_024)]);
  const unknown = 'gam_00000000-0000-7000-8000-000000000000';
  const faults: [string, Promise<Data>][] = [
    ['422 VALIDATION_FAILED', put(undefined)],
    ['422 VALIDATION_FAILED', put(Buffer.alloc(0))],
    ['422 VALIDATION_FAILED', put(PNG, 'image/jpeg')],
    ['422 VALIDATION_FAILED', put(PNG.subarray(0, 50))],
    ['422 VALIDATION_FAILED', put(JPEG.subarray(0, 260), 'image/jpeg')],
    ['422 VALIDATION_FAILED', put(WEBP.subarray(0, 40), 'image/webp')],
    ['422 VALIDATION_FAILED', put(MOVING_WEBP, 'image/webp')],
    ['422 VALIDATION_FAILED', put(Buffer.from('<svg onload="alert(1)"/>'))],
    ['422 VALIDATION_FAILED', put(randomBytes(1_000))],
    // Said to be gigabytes when it is unpacked; wider than it is; without a side.
    ['422 VALIDATION_FAILED', put(pngOf(60_000, 60_000))],
    ['422 VALIDATION_FAILED', put(pngOf(2_048, 2_048, pngChunk('IDAT', deflateSync(Buffer.alloc(100)))))],
    ['422 VALIDATION_FAILED', put(pngOf(0, 4))],
    ['422 VALIDATION_FAILED', put(Buffer.concat([PNG, Buffer.from('<script>')]))],
    ['422 VALIDATION_FAILED', put(PNG, 'image/png', 'gam_1')],
    ['422 VALIDATION_FAILED', put(Buffer.from('GIF89a'), 'application/octet-stream')],
    ['415 UNSUPPORTED_MEDIA_TYPE', put(PNG, 'image/gif')],
    ['415 UNSUPPORTED_MEDIA_TYPE', put(PNG, 'application/json')],
    [
      '415 UNSUPPORTED_MEDIA_TYPE',
      put(PNG, 'image/png', game.id, { headers: { 'content-encoding': 'zip' } }),
    ],
    ['413 BODY_TOO_LARGE', put(large)],
    [
      '413 BODY_TOO_LARGE',
      put(gzipSync(Buffer.alloc(1e6)), 'image/png', game.id, { headers: { 'content-encoding': 'gzip' } }),
    ],
    ['404 NOT_FOUND', put(PNG, 'image/png', unknown)],
    ['403 FORBIDDEN', put(PNG, 'image/png', game.id, { headers: other.admin.headers })],
    ['401 INVALID_API_KEY', put(PNG, 'image/png', game.id, { headers: { 'service-api-key': 'svc_no' } })],
    ['403 FORBIDDEN', remove('logo', other.admin)],
  ];
  for (const [n, [expected, answer]] of faults.entries())
    expect([n, await codeOf(answer)]).toEqual([n, expected]);
  const { rows } = await app.database.knex.raw('select from game_pictures');
  expect(rows.length).toBe(0);
  for (const at of ['', `/${'0'.repeat(64)}.png`, '/..%2f..%2fetc%2fpasswd', `/${'0'.repeat(64)}.svg`])
    expect((await shown(`/pictures${at}`)).status).toBe(404);
});

test('a small file that unpacks to a large picture is refused in bounded memory, whatever its decoder would read', async () => {
  const rows = deflateSync(Buffer.alloc(4 * 25));
  const bomb = await packedZeros(200);
  const text = (type: string, ...more: number[]) =>
    pngOf(
      8,
      4,
      pngChunk(type, Buffer.concat([Buffer.from([0x78, 0, ...more]), bomb])),
      pngChunk('IDAT', rows),
    );
  const bombs: [string, Buffer, string][] = [
    ['image/png', pngOf(8, 4, pngChunk('IDAT', bomb)), 'the size of its pixel data'],
    ['image/png', text('zTXt', 0), 'too large once decompressed'],
    ['image/png', text('iCCP', 0), 'too large once decompressed'],
    ['image/png', text('iTXt', 1, 0, 0, 0), 'too large once decompressed'],
    ['image/png', pngOf(8, 4, pngChunk('acTL', Buffer.alloc(8)), pngChunk('IDAT', rows)), 'it is animated'],
    [
      'image/png',
      pngOf(8, 4, ...Array.from({ length: 1_100 }, () => pngChunk('IDAT', Buffer.alloc(0)))),
      'more than 1024 parts',
    ],
    ['image/jpeg', jpegWith(jpegFrame(60_000, 60_000)), 'this one is 60000 by 60000'],
    ['image/jpeg', jpegWith(jpegFrame(8, 4)), 'it has more than one header'],
    // A segment that one reader jumps over by its length, and in which another one finds a header.
    ['image/jpeg', jpegWith(Buffer.from([0xff, 0xc8, 0, 3, 0])), 'an unknown segment type'],
    ['image/jpeg', jpegOfScans(33), 'it has more than 32 scans'],
    ['image/jpeg', Buffer.concat([JPEG, JPEG]), 'extra data after the end'],
  ];
  const rss = () => process.memoryUsage.rss();
  const before = rss();
  let most = before;
  const sampling = setInterval(() => {
    most = Math.max(most, rss());
  }, 5);
  try {
    for (const [type, file, reason] of bombs) {
      expect(file.length).toBeLessThan(512 * 1_024);
      const { status, body } = await put(file, type);
      expect([status, body.details[0].msg]).toEqual([422, expect.stringContaining(reason)]);
    }
  } finally {
    clearInterval(sampling);
  }
  expect((most - before) / 2 ** 20).toBeLessThan(100);
  // As unusual, and sound.
  for (const [type, file] of [
    ['image/png', pngOf(8, 4, pngChunk('tEXt', Buffer.from('a\0b')), pngChunk('IDAT', rows))],
    ['image/jpeg', jpegOfScans(32)],
  ] as const)
    expect((await put(file, type)).status).toBe(200);
  // One that was stored by another release's rules is served as before.
  const digest = createHash('sha256').update(MOVING_WEBP).digest('hex');
  await app.database
    .knex('game_pictures')
    .update({ digest, type: 'image/webp', size: MOVING_WEBP.length, bytes: MOVING_WEBP });
  const old = await shown(`/pictures/${digest}.webp`);
  expect(Buffer.from(await old.arrayBuffer())).toEqual(MOVING_WEBP);
  expect((await remove()).status).toBe(200);
});

test('a page of another origin may upload, and so may the terminal', async () => {
  const asked = await fetch(`${app.url}/v1/games/${game.id}/logo`, {
    method: 'OPTIONS',
    headers: { origin: 'https://studio.example', 'access-control-request-method': 'PUT' },
  });
  expect(asked.headers.get('access-control-allow-methods')).toContain('PUT');
  const terminal = new Terminal({ LEADERBOARD_API: app.url, LEADERBOARD_API_KEY: keyOf(studio.admin) });
  const file = path.join(terminal.home, 'cover.PNG');
  writeFileSync(file, PNG);
  const set = JSON.parse(await terminal.out('games', 'cover', game.slug, file, '--json'));
  expect(set.cover_url).toMatch(/^\/pictures\//);
  expect(await terminal.run(['games', 'cover', game.slug])).toMatchObject({ code: 2 });
  const gone = JSON.parse(await terminal.out('games', 'cover', game.slug, '--remove', '--json'));
  expect(gone.cover_url).toBeNull();
});

test('drawings of one game hold up none of another', async () => {
  const drawing = { width: 8, height: 8, ground: '', texts: [] };
  await drawnPng(drawing, 'a');
  const drawn: string[] = [];
  const all = [...'aaaaab'].map((game) => drawnPng(drawing, game).then(() => drawn.push(game)));
  await Promise.all(all);
  expect(drawn.join('')).toBe('abaaaa');
});

test('a board has a picture of its podium for previews, whatever its names are', async () => {
  const hostile = ['</text><script>alert(1)</script>', '\u202Egnp.exe', '\uFDFD'.repeat(64)];
  const board = await makeBoard(studio, game.id, { name: '&amp; <b> ]]>', unit: '"', keepStrategy: 'BEST' });
  for (const [n, name] of hostile.entries()) await play(studio, board, name, 100 - n);
  const address = `/b/${board.shortCode}/preview.png`;
  const answers = await Promise.all(Array.from({ length: 8 }, () => shown(address)));
  const [first, ...others] = await Promise.all(
    answers.map(async (answer) => Buffer.from(await answer.arrayBuffer())),
  );
  for (const other of others) expect(other).toEqual(first);
  const [width, height] = [first!.readUInt32BE(16), first!.readUInt32BE(20)];
  expect([width, height, answers[0]!.headers.get('content-type')]).toEqual([1_200, 630, 'image/png']);
  if (process.env.PAGE_SHOTS) writeFileSync(path.join(process.env.PAGE_SHOTS, 'preview.png'), first!);
  // The board has changed, and is not drawn again so soon.
  await play(studio, board, 'Ann', 500);
  const etag = answers[0]!.headers.get('etag')!;
  expect((await shown(address)).headers.get('etag')).toBe(etag);
  const again = `GET ${address} HTTP/1.1\r\nhost: x\r\nconnection: close\r\nif-none-match: ${etag}\r\n\r\n`;
  expect(await rawAnswer(app.url, again)).toMatch(/^HTTP\/1\.1 304 /);
  // No address of its own is known here, so no page can name it.
  expect(await (await shown(`/b/${board.shortCode}`)).text()).not.toContain('og:image');
  await change(studio.admin, 'Board', board.id, { isPublished: false });
  expect((await shown(address)).status).toBe(404);
});
