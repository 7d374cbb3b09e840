import type { Socket } from 'node:net';
import type { Metrics } from '../../base/metrics.js';

export interface PeerLimits {
  /** Most bytes that wait for all peers of the process together. */
  mostBytes: number;
  /** Longest time in which a peer takes none of the bytes that wait for it, milliseconds. */
  stuckMs: number;
  /** Interval between checks of all connections, milliseconds. */
  lookMs: number;
}

/**
 * Readers at 20 kB/s showed gaps of 71 s, because the system's buffers take megabytes at a time; an import from another
 * service pauses for 60 s.
 */
const PEER_LIMITS: PeerLimits = { mostBytes: 64 * 1_024 * 1_024, stuckMs: 300_000, lookMs: 1_000 };

/** Node's own counts of a connection: `writableLength` stays the same until a whole write is taken. */
interface Counts {
  /** Handed over to the system's queue. */
  bytesWritten: number;
  /** Those of them that the system has not taken yet. */
  writeQueueSize: number;
}

const countsOf = (socket: Socket) => (socket as unknown as { _handle: Counts | null })._handle ?? undefined;

interface Peer {
  waiting: number;
  /** Bytes that the system has taken since the connection began. */
  taken: number;
  /** When it took the last ones, by performance.now(). */
  takenAt: number;
}

/**
 * Counts the bytes that wait in this process for the peers of all its connections, whatever is written to them. Closes
 * the peer that has been stuck longest where they are too many, and each one that takes nothing for minutes.
 */
export class Peers {
  readonly #open = new Set<Socket>();
  readonly #waiting = new Map<Socket, Peer>();
  #looking: NodeJS.Timeout | undefined;
  #bytes = 0;
  readonly #closed = { crowded: 0, stuck: 0 };

  constructor(private readonly limits: PeerLimits = PEER_LIMITS) {}

  /** Bytes that wait, as of the last look. */
  get bytes(): number {
    return this.#bytes;
  }

  report(metrics: Metrics): void {
    metrics.gauge('peer_bytes_waiting', 'Bytes buffered for slow clients.', () => this.#bytes);
    metrics.counters(
      'peers_closed_total',
      'Connections closed because the client did not read: crowded, when too many bytes were buffered for ' +
        'all clients together; stuck, when the client read nothing for minutes.',
      ['reason'],
      () => [
        [{ reason: 'crowded' }, this.#closed.crowded],
        [{ reason: 'stuck' }, this.#closed.stuck],
      ],
    );
  }

  /** Looks at the connection until it closes. */
  enter(socket: Socket): void {
    this.#looking ??= setInterval(() => this.#lookAtAll(), this.limits.lookMs).unref();
    this.#open.add(socket);
    socket.once('close', () => {
      this.#open.delete(socket);
      this.#forget(socket);
    });
  }

  /** To be called after writes that no room of the peer bounds. */
  wrote(socket: Socket): void {
    this.#look(socket);
    if (this.#bytes > this.limits.mostBytes) this.#relieve();
  }

  close(): void {
    clearInterval(this.#looking);
  }

  #lookAtAll(): void {
    for (const socket of this.#open) if (socket.writableLength > 0) this.#look(socket);
    const since = performance.now() - this.limits.stuckMs;
    for (const [socket, { takenAt }] of this.#waiting) if (takenAt < since) this.#end(socket, 'stuck');
    if (this.#bytes > this.limits.mostBytes) this.#relieve();
  }

  #look(socket: Socket): void {
    const counts = countsOf(socket);
    // Until its next turn, the stream also counts bytes that the system accepted immediately.
    if (!counts || counts.writeQueueSize === 0) {
      this.#forget(socket);
      return;
    }
    const waiting = Math.max(socket.writableLength, counts.writeQueueSize);
    const taken = counts.bytesWritten - counts.writeQueueSize;
    const peer = this.#waiting.get(socket);
    this.#bytes += waiting - (peer?.waiting ?? 0);
    if (!peer) {
      this.#waiting.set(socket, { waiting, taken, takenAt: performance.now() });
      return;
    }
    peer.waiting = waiting;
    if (peer.taken === taken) return;
    peer.taken = taken;
    peer.takenAt = performance.now();
  }

  #forget(socket: Socket): void {
    const peer = this.#waiting.get(socket);
    if (!peer) return;
    this.#bytes -= peer.waiting;
    this.#waiting.delete(socket);
  }

  #relieve(): void {
    for (const socket of this.#waiting.keys()) this.#look(socket);
    const { mostBytes } = this.limits;
    if (this.#bytes <= mostBytes) return;
    const longest = [...this.#waiting].sort(([, one], [, other]) => one.takenAt - other.takenAt);
    for (const [socket] of longest) {
      if (this.#bytes <= mostBytes) return;
      this.#end(socket, 'crowded');
    }
  }

  #end(socket: Socket, reason: 'crowded' | 'stuck'): void {
    this.#closed[reason] += 1;
    this.#forget(socket);
    this.#open.delete(socket);
    // The system's own buffers are freed, too.
    socket.resetAndDestroy();
  }
}
