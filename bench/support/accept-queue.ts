import { readFileSync } from 'node:fs';

const LOOK_MS = 50;
const LISTENING = '0A';

/**
 * Watches connections that the system has opened for a port but its process has not accepted. Node accepts one per
 * turn of its event loop, so while a turn handles hundreds of requests, new connections wait for many turns, which
 * the process's log doesn't show.
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

  /** @returns the longest time in seconds during which connections were waiting; 0 on systems without /proc */
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
