import { randomUUID } from 'node:crypto';
import net from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { serveJobs } from './child.js';
import { clientFrame, FrameReader } from './frame-reader.js';

/** Subscribers of one process of clients. */
export type LiveJob =
  | {
      kind: 'open';
      name: string;
      port: number;
      path: string;
      /** For each subscriber, the payload of `connection_init`. */
      greetings: Record<string, string>[];
      /** Each one's subscription; null: the server sends without one. */
      subscribe: object | null;
      /** One in this many is read, the others only counted. */
      sampleEach: number;
    }
  | { kind: 'watch'; name: string; seconds: number }
  | { kind: 'close'; name: string };

export interface Watching {
  messages: number;
  bytes: number;
  /** For each subscriber that is read, versions with their arrival times, epoch milliseconds. */
  samples: [version: number, at: number][][];
  /** For each subscriber that is read, the text of its last message. */
  texts: string[];
}

const NOTHING: Watching = { messages: 0, bytes: 0, samples: [], texts: [] };

const TEXT = 1;
const PONG = 10;
/** How many connections are opened at a time. */
const AT_ONCE = 200;

interface Crowd {
  sockets: net.Socket[];
  messages: number;
  bytes: number;
  samples: [number, number][][];
  /** By subscriber. */
  texts: Map<number, string>;
}

const crowds = new Map<string, Crowd>();
const now = () => performance.timeOrigin + performance.now();

function send(socket: net.Socket, frame: object): void {
  socket.write(clientFrame(TEXT, Buffer.from(JSON.stringify(frame))));
}

/** Resolves with the first message (without `subscribe`: with the connection). */
function open(job: LiveJob & { kind: 'open' }, crowd: Crowd, n: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = net.connect(job.port, '127.0.0.1');
    socket.setNoDelay(true);
    crowd.sockets.push(socket);
    const read = n % job.sampleEach === 0;
    const sample: [number, number][] = [];
    if (read) crowd.samples.push(sample);
    let shaken = false;
    let greeted = false;
    let answered = false;
    const reader: FrameReader = new FrameReader(
      {
        ping: () => socket.write(clientFrame(PONG, Buffer.alloc(0))),
        text: (payload) => {
          if (!greeted) {
            greeted = true;
            send(socket, { type: 'subscribe', id: randomUUID(), payload: job.subscribe });
            return;
          }
          crowd.messages += 1;
          if (!answered) {
            answered = true;
            reader.wanted = read;
            const text = String(payload);
            if (text.includes('"type":"next"')) resolve();
            else reject(new Error(text));
          }
          if (!read) return;
          const text = String(payload);
          crowd.texts.set(n, text);
          const version = /"version":(\d+)/.exec(text)?.[1];
          if (version !== undefined) sample.push([Number(version), now()]);
        },
      },
      true,
    );
    let head = '';
    socket.on('data', (bytes) => {
      if (shaken) {
        crowd.bytes += bytes.length;
        reader.take(bytes);
        return;
      }
      head += bytes.toString('latin1');
      const end = head.indexOf('\r\n\r\n');
      if (end < 0) return;
      if (!head.startsWith('HTTP/1.1 101')) return reject(new Error(head));
      shaken = true;
      if (job.subscribe) {
        send(socket, { type: 'connection_init', payload: job.greetings[n] });
      } else {
        greeted = true;
        answered = true;
        reader.wanted = read;
        resolve();
      }
    });
    socket.on('error', reject);
    socket.on('close', () => reject(new Error('The server closed the connection')));
    socket.write(
      `GET ${job.path} HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: Upgrade\r\nupgrade: websocket\r\n` +
        `sec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n` +
        `sec-websocket-protocol: graphql-transport-ws\r\n\r\n`,
    );
  });
}

serveJobs(async (job: LiveJob): Promise<Watching> => {
  if (job.kind === 'open') {
    const crowd: Crowd = { sockets: [], messages: 0, bytes: 0, samples: [], texts: new Map() };
    crowds.set(job.name, crowd);
    for (let at = 0; at < job.greetings.length; at += AT_ONCE) {
      const some = Array.from({ length: Math.min(AT_ONCE, job.greetings.length - at) }, (_, i) => at + i);
      await Promise.all(some.map((n) => open(job, crowd, n)));
    }
    return NOTHING;
  }
  const crowd = crowds.get(job.name)!;
  if (job.kind === 'close') {
    for (const socket of crowd.sockets) {
      socket.removeAllListeners('close');
      socket.destroy();
    }
    crowds.delete(job.name);
    return NOTHING;
  }
  const before = { messages: crowd.messages, bytes: crowd.bytes };
  for (const sample of crowd.samples) sample.length = 0;
  await delay(job.seconds * 1_000);
  return {
    messages: crowd.messages - before.messages,
    bytes: crowd.bytes - before.bytes,
    samples: crowd.samples.map((sample) => [...sample]),
    texts: [...crowd.texts.values()],
  };
});
