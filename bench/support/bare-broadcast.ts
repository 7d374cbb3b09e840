import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { WebSocketServer } from 'ws';
import { serveJobs } from './child.js';

export type BroadcastJob =
  | { kind: 'listen' }
  /** Sends everyone a text, this many times a second: the same text, or if there are several, each their own. */
  | { kind: 'broadcast'; texts: string[]; perSecond: number; seconds: number };

const sockets = new WebSocketServer({
  port: 0,
  host: '127.0.0.1',
  handleProtocols: () => 'graphql-transport-ws',
});

/**
 * The least that a broadcast can cost: the library's `send` of the same bytes, ready-made. A text that is the same
 * for all is one buffer; different texts must be encoded one by one. Returns port or messages.
 */
serveJobs(async (job: BroadcastJob): Promise<number> => {
  if (job.kind === 'listen') {
    if (!sockets.address()) await new Promise((resolve) => sockets.once('listening', resolve));
    return (sockets.address() as AddressInfo).port;
  }
  const [first = '', ...others] = job.texts;
  const shared = others.length === 0 ? Buffer.from(first) : undefined;
  const textOf = (n: number) => shared ?? job.texts[n % job.texts.length]!;
  const begun = performance.now();
  let messages = 0;
  for (let tick = 1; tick <= job.seconds * job.perSecond; tick += 1) {
    for (const socket of sockets.clients) {
      socket.send(textOf(messages), { binary: false });
      messages += 1;
    }
    await delay(Math.max(0, begun + (tick * 1_000) / job.perSecond - performance.now()));
  }
  return messages;
});
