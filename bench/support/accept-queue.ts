import { readFileSync } from 'node:fs';

const LOOK_MS = 50;
const LISTENING = '0A';

/**
 * Watches the connections that the system has opened for a port and its process has not accepted yet. Node accepts one in
 * each turn of its event loop, so that while a turn answers hundreds of requests, new connections wait for many turns,
 * which no log of the process shows.
 */
export class AcceptQueue {
  readonly #started = performance.now();
  readonly #timer: NodeJS.Timeout;
  #since: number | undefined;
  #longest = 0;

  private constructor(private readonly port: number) {
    this.#timer = setInterval(() => this.#look(), LOOK_MS);
  }

  static watch(port: number): AcceptQueue {
    return new AcceptQueue(port);
  }

  /** @returns longest time in seconds in which connections waited without a pause; 0 on systems without /proc */
  end(): number {
    clearInterval(this.#timer);
    return this.#longest / 1_000;
  }

  #look(): void {
    const now = performance.now() - this.#started;
    if (waiting(this.port) === 0) {
      this.#since = undefined;
      return;
    }
    this.#since ??= now;
    this.#longest = Math.max(this.#longest, now - this.#since);
  }
}

/** man 5 proc: sl, local address, remote address, state, transmit:receive queue, … in hexadecimal. */
function waiting(port: number): number {
  let text: string;
  try {
    text = readFileSync('/proc/net/tcp', 'latin1');
  } catch {
    return 0;
  }
  const local = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  for (const line of text.split('\n')) {
    const [, address, , state, queues] = line.trim().split(/\s+/);
    if (state === LISTENING && address?.endsWith(local)) return Number.parseInt(queues!.split(':')[1]!, 16);
  }
  return 0;
}
