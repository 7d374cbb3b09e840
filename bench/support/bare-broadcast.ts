import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { WebSocketServer } from 'ws';
import { serveJobs } from './child.js';

export type BroadcastJob =
  | { kind: 'listen' }
  /** Sends the text to everybody, so many times a second. */
  | { kind: 'broadcast'; text: string; perSecond: number; seconds: number };

const sockets = new WebSocketServer({
  port: 0,
  host: '127.0.0.1',
  handleProtocols: () => 'graphql-transport-ws',
});

/** The least that telling everybody can cost: the library's `send` of the same bytes for each. Answers port or messages. */
serveJobs(async (job: BroadcastJob): Promise<number> => {
  if (job.kind === 'listen') {
    if (!sockets.address()) await new Promise((resolve) => sockets.once('listening', resolve));
    return (sockets.address() as AddressInfo).port;
  }
  const bytes = Buffer.from(job.text);
  const begun = performance.now();
  let messages = 0;
  for (let tick = 1; tick <= job.seconds * job.perSecond; tick += 1) {
    for (const socket of sockets.clients) {
      socket.send(bytes, { binary: false });
      messages += 1;
    }
    await delay(Math.max(0, begun + (tick * 1_000) / job.perSecond - performance.now()));
  }
  return messages;
});
