import { readdirSync, readFileSync } from 'node:fs';
import type pg from 'pg';

/** stat counts in hundredths of a second on every Linux, schedstat in nanoseconds. */
const TICK_MICROS = 10_000;
const NANOS_A_MICRO = 1_000;

interface ProcessTimes {
  parent: number;
  /** Of the process itself. */
  micros: number;
  /** Of its children that have ended. */
  ended: number;
}

/** man 5 proc: state, ppid, … utime, stime, cutime, cstime. */
function statOf(pid: number | string): string[] {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  // The name in parentheses may hold anything.
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}

function parentOf(pid: string): number | undefined {
  try {
    return Number(statOf(pid)[1]);
  } catch {
    return undefined; // it is gone
  }
}

function timesOf(pid: number | string): ProcessTimes | undefined {
  try {
    const fields = statOf(pid);
    const [user = 0, system = 0, endedUser = 0, endedSystem = 0] = fields.slice(11, 15).map(Number);
    return {
      parent: Number(fields[1]),
      // stat includes threads that have ended.
      micros: Math.max((user + system) * TICK_MICROS, microsOfThreads(pid)),
      ended: (endedUser + endedSystem) * TICK_MICROS,
    };
  } catch {
    return undefined; // another system, or it has ended
  }
}

/** By the scheduler's own counter; 0 on a kernel without it. */
function microsOfThreads(pid: number | string): number {
  let nanos = 0;
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    try {
      nanos += Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'latin1').split(' ')[0]);
    } catch {
      // It has ended, or there is no such file.
    }
  }
  return nanos / NANOS_A_MICRO;
}

/** A process and its children, on systems with /proc. */
export function memberPids(pid: number): number[] {
  const children = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && parentOf(name) === pid);
  return [pid, ...children.map(Number)];
}

/** The CPU time of a server on this machine: its first process and all its children. */
export class ServerCpu {
  private constructor(private readonly pid: number) {}

  /** @returns undefined if the system has no /proc */
  static of(pid: number): ServerCpu | undefined {
    return timesOf(pid) && new ServerCpu(pid);
  }

  /**
   * CPU time of a Postgres, including vacuum and log writer. @returns undefined if it runs elsewhere or the system
   * has no /proc
   */
  static async find(client: pg.Client): Promise<ServerCpu | undefined> {
    const local = client.host.startsWith('/') || ['localhost', '127.0.0.1', '::1'].includes(client.host);
    if (!local) return undefined;
    const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
    const backend = timesOf(rows[0]!.pid);
    // A server in a container behind a forwarded port has its own process ids, which belong to other processes
    // here.
    if (!backend || !commandOf(rows[0]!.pid).startsWith('postgres')) return undefined;
    return new ServerCpu(backend.parent);
  }

  /** Microseconds of the children of this process that have ended: load generators, for instance. */
  static ended(): number {
    return timesOf(process.pid)?.ended ?? Number.NaN;
  }

  /** Microseconds up to now. */
  used(): number {
    const times = memberPids(this.pid).map(timesOf);
    return times.reduce((sum, of) => sum + (of ? of.micros + of.ended : 0), 0);
  }
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'latin1');
  } catch {
    return '';
  }
}
