import { execFile, spawnSync } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { packageRoot } from '../../src/base/package.js';
import type { Disposal } from '../../src/process/shutdown.js';
import { Child } from './child.js';
import type { Detail } from './load-generator.js';
import type { Traffic } from './traffic.js';

/** The result of a load. */
export interface Load {
  /** Answers of 2xx. */
  perSecond: number;
  /** All other responses, and requests without one. */
  errors: number;
  /** Responses that took more than two seconds; they don't count as errors. */
  late: number;
  requests: number;
  /** Milliseconds. */
  p50: number;
  p95: number;
  p99: number;
}

export interface LoadWanted {
  port: number;
  connections: number;
  seconds: number;
  traffic: Traffic;
  /**
   * Requests per second. Each has its scheduled moment, from which its time is measured, whether a connection was
   * free or not. Absent: on each connection the next one as soon as the response arrives.
   */
  rate?: number | undefined;
}

/** Sends requests over this many connections, one at a time on each. */
export interface Generator {
  name: string;
  run(wanted: LoadWanted): Promise<Load>;
}

const run = promisify(execFile);
const SCRIPT = path.join(packageRoot, 'bench', 'support', 'wrk.lua');

interface Figures {
  requests: number;
  micros: number;
  refused: number;
  broken: number;
  late: number;
  p50: number;
  p95: number;
  p99: number;
}

/** With one thread, because the service and its database need the rest of the machine. */
function wrk(version: string): Generator {
  return {
    name: version,
    run: async ({ port, connections, seconds, traffic: { file, again } }) => {
      const options = ['-t', '1', '-c', String(connections), '-d', `${seconds}s`];
      const given = again ? [file, 'again'] : [file];
      const { stdout } = await run('wrk', [...options, '-s', SCRIPT, `http://127.0.0.1:${port}`, ...given]);
      const text = /^FIGURES (.*)$/m.exec(stdout)?.[1];
      if (text === undefined) throw new Error(`wrk failed: ${stdout}`);
      const figures = JSON.parse(text) as Figures;
      return {
        perSecond: (figures.requests - figures.refused) / (figures.micros / 1e6),
        errors: figures.refused + figures.broken,
        late: figures.late,
        requests: figures.requests,
        p50: figures.p50 / 1_000,
        p95: figures.p95 / 1_000,
        p99: figures.p99 / 1_000,
      };
    },
  };
}

/**
 * The generator of this folder, in its own process on raw sockets. It can also keep a rate, and reports every
 * status.
 */
export class OwnGenerator implements Generator {
  readonly name = 'the bench’s own client on bare sockets';
  readonly #child: Child<LoadWanted, Detail>;

  constructor(disposal: Disposal) {
    this.#child = new Child('load-generator', disposal);
  }

  run(wanted: LoadWanted): Promise<Detail> {
    return this.#child.ask(wanted);
  }
}

/** wrk if it is on the PATH, otherwise the bench's own, which is also for rates and for parts of a second. */
export function findGenerator(own: OwnGenerator): Generator {
  const { stdout, error } = spawnSync('wrk', ['--version'], { encoding: 'utf8' });
  if (error) return own;
  const found = wrk(stdout.split('\n')[0]!.replace(/ Copyright.*/, ''));
  const isFor = ({ rate, seconds }: LoadWanted) => rate === undefined && Number.isInteger(seconds);
  return { name: found.name, run: (wanted) => (isFor(wanted) ? found : own).run(wanted) };
}
