import { once } from 'node:events';
import type { Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import Koa from 'koa';
import { DomainError } from '../../src/base/errors.js';
import type { ReceiveBody } from '../../src/graphql/context.js';
import { offerBody } from '../../src/server/http/body.js';
import { until } from '../support/wait.js';

// A file that is received in pieces: its pauses are bounded, not its time.

const PAUSE_MS = 300;
let server: Server;
const received: string[] = [];

beforeAll(async () => {
  const app = new Koa();
  app.use(async (ctx) => {
    offerBody(ctx, 1_000, PAUSE_MS);
    try {
      await (ctx.state.receive as ReceiveBody)(async (pieces) => {
        for await (const piece of pieces) received.push(String(piece));
      });
      ctx.body = received.join('');
    } catch (error) {
      ctx.status = 400;
      ctx.body = error instanceof DomainError ? `${error.code} ${error.message}` : String(error);
    }
  });
  server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(async () => {
  server.close();
  await once(server, 'close');
});

/** A request whose body is written by hand. */
function begin(length: number) {
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  let answer = '';
  socket.on('data', (part) => {
    answer += part;
  });
  received.length = 0;
  socket.write(`PUT / HTTP/1.1\r\nhost: x\r\ncontent-length: ${length}\r\n\r\n`);
  return { socket, answer: () => answer };
}

test('a body that stops is refused after the longest pause, and its connection closes', async () => {
  const { socket, answer } = begin(10);
  socket.write('some');
  await until(() => received.length === 1);
  const at = performance.now();
  await once(socket, 'close');
  expect(performance.now() - at).toBeGreaterThan(PAUSE_MS / 2);
  expect(answer()).toMatch(
    /^HTTP\/1\.1 400 [\s\S]*connection: close[\s\S]*BAD_REQUEST No byte of the body has arrived/i,
  );
});

test('a body that goes on, however slowly, is taken', async () => {
  const { socket, answer } = begin(6);
  const at = performance.now();
  for (const letter of 'slowly') {
    socket.write(letter);
    const count = received.length;
    await until(() => received.length > count);
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS / 3));
  }
  expect(performance.now() - at).toBeGreaterThan(PAUSE_MS);
  await until(() => answer().endsWith('slowly'));
  socket.destroy();
});
