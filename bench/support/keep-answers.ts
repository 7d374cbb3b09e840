import { HttpConnection } from './http-connection.js';

/** A 2xx response, and the start and end of its request (by performance.now()). */
export interface KeptAnswer {
  request: string;
  body: string;
  sent: number;
  answered: number;
}

export interface WatchedWrites {
  port: number;
  connections: number;
  seconds: number;
  /** Each is sent once. */
  requests: readonly string[];
  /** Pages that two more connections read so often that the service has the previous version in memory. */
  pages: readonly string[];
}

const READERS = 2;

/**
 * A load like a generator's, whose responses are kept in order of request. It runs in this process, so that one
 * clock decides which request was sent after which response. Ends when every request has its response.
 */
export async function keepAnswers(wanted: WatchedWrites): Promise<KeptAnswer[]> {
  const open = (count: number) =>
    Promise.all(Array.from({ length: count }, () => HttpConnection.open(wanted.port)));
  const [writers, readers] = [await open(wanted.connections), await open(READERS)];
  const kept: KeptAnswer[] = [];
  const end = performance.now() + wanted.seconds * 1_000;
  const ask = async (connection: HttpConnection, requests: Iterator<string, void>) => {
    while (performance.now() < end) {
      const request = requests.next().value;
      if (request === undefined) break;
      const sent = performance.now();
      const { status, body } = await connection.request(request);
      if (status < 200 || status > 299) continue;
      kept.push({ request, body: body.toString(), sent, answered: performance.now() });
    }
    connection.close();
  };
  const once = wanted.requests.values();
  await Promise.all([
    ...writers.map((connection) => ask(connection, once)),
    ...readers.map((connection) => ask(connection, endlessly(wanted.pages))),
  ]);
  return kept.sort((one, other) => one.sent - other.sent);
}

function* endlessly(requests: readonly string[]): Generator<string, void> {
  while (requests.length > 0) yield* requests;
}
