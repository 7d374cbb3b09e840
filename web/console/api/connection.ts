import { GRAPHQL_URL } from './place.js';
import { Store } from './store.js';

export interface Connection {
  live: boolean;
  /** The moment since which the service has not answered. */
  since: number;
  /** Rises with every return and {@link readAgain}: what is shown is read again. */
  epoch: number;
}

export const connection = new Store<Connection>({ live: true, since: Date.now(), epoch: 0 });

/** Reads again what is shown, after a change that no answer names: what a background job did. */
export function readAgain(): void {
  const now = connection.get();
  connection.set({ ...now, epoch: now.epoch + 1 });
}

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 5_000;
let probing = false;

/** Notes that a request did not reach the service, and tries until one does. */
export function lost(): void {
  const now = connection.get();
  if (now.live) connection.set({ ...now, live: false, since: Date.now() });
  if (!probing) void probe();
}

function found(): void {
  const now = connection.get();
  if (!now.live) connection.set({ live: true, since: Date.now(), epoch: now.epoch + 1 });
}

async function probe(): Promise<void> {
  probing = true;
  for (let wait = FIRST_WAIT_MS; ; wait = Math.min(2 * wait, LONGEST_WAIT_MS)) {
    await new Promise((done) => setTimeout(done, wait));
    const body = JSON.stringify({ query: '{ __typename }' });
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(GRAPHQL_URL, { method: 'POST', body, headers }).catch(() => undefined);
    if (answer && !isGateway(answer)) break;
  }
  probing = false;
  found();
}

/** True for the answer of a proxy whose service is away: not JSON of the service. */
function isGateway(answer: Response): boolean {
  return (
    answer.status >= 502 && answer.status <= 504 && !/json/.test(answer.headers.get('content-type') ?? '')
  );
}

/** A `fetch` that keeps the state of the connection. */
export function watched(send: typeof fetch): typeof fetch {
  return async (input, init) => {
    let answer: Response;
    try {
      answer = await send(input, init);
    } catch (error) {
      if (!init?.signal?.aborted) lost();
      throw error;
    }
    if (isGateway(answer)) {
      lost();
      throw new TypeError('The service is away');
    }
    return answer;
  };
}
