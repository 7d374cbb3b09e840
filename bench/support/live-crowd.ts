import type { Disposal } from '../../src/process/shutdown.js';
import { Child } from './child.js';
import type { LiveJob, Watching } from './live-clients.js';

type Opening = Pick<LiveJob & { kind: 'open' }, 'path' | 'greetings' | 'subscribe'>;

/** Subscribers that are read one by one: enough for a p99, few enough to cost nothing. */
const SAMPLED = 200;

/** Subscribers in separate processes. */
export class LiveCrowd {
  private constructor(
    private readonly name: string,
    private readonly processes: Child<LiveJob, Watching>[],
  ) {}

  /** Resolves when every client has received a message. */
  static async open(
    name: string,
    processes: number,
    port: number,
    { greetings, ...how }: Opening,
    disposal: Disposal,
  ): Promise<LiveCrowd> {
    const sampleEach = Math.max(1, Math.floor(greetings.length / SAMPLED));
    const children = Array.from(
      { length: processes },
      () => new Child<LiveJob, Watching>('live-clients', disposal),
    );
    await Promise.all(
      children.map((child, k) => {
        const own = greetings.filter((_, i) => i % processes === k);
        return child.ask({ kind: 'open', name, port, ...how, greetings: own, sampleEach });
      }),
    );
    return new LiveCrowd(name, children);
  }

  async watch(seconds: number): Promise<Watching> {
    const parts = await Promise.all(
      this.processes.map((child) => child.ask({ kind: 'watch', name: this.name, seconds })),
    );
    return {
      messages: parts.reduce((sum, { messages }) => sum + messages, 0),
      bytes: parts.reduce((sum, { bytes }) => sum + bytes, 0),
      samples: parts.flatMap(({ samples }) => samples),
      texts: parts.flatMap(({ texts }) => texts),
    };
  }

  async close(): Promise<void> {
    await Promise.all(this.processes.map((child) => child.end()));
  }
}
