import { readdirSync, readFileSync } from 'node:fs';
import type pg from 'pg';

/** /proc counts in hundredths of a second on every Linux. */
const TICK_MICROS = 10_000;

interface ProcessTimes {
  parent: number;
  /** Of the process itself. */
  micros: number;
  /** Of its children that have ended. */
  ended: number;
}

function timesOf(pid: number | string): ProcessTimes | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The name in parentheses may hold anything; man 5 proc: state, ppid, … utime, stime, cutime, cstime.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const [user = 0, system = 0, endedUser = 0, endedSystem = 0] = fields.slice(11, 15).map(Number);
    return {
      parent: Number(fields[1]),
      micros: (user + system) * TICK_MICROS,
      ended: (endedUser + endedSystem) * TICK_MICROS,
    };
  } catch {
    return undefined; // another system, or it is gone
  }
}

/** A process and those it has started, on systems with /proc. */
export function memberPids(pid: number): number[] {
  const children = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && timesOf(name)?.parent === pid);
  return [pid, ...children.map(Number)];
}

/** What a server on this machine costs: its first process and all that it has started. */
export class ServerCpu {
  private constructor(private readonly pid: number) {}

  /** @returns undefined where the system has no /proc */
  static of(pid: number): ServerCpu | undefined {
    return timesOf(pid) && new ServerCpu(pid);
  }

  /** Of a Postgres, vacuum and log writer included. @returns undefined where it is elsewhere or the system has no /proc */
  static async find(client: pg.Client): Promise<ServerCpu | undefined> {
    const local = client.host.startsWith('/') || ['localhost', '127.0.0.1', '::1'].includes(client.host);
    if (!local) return undefined;
    const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
    const backend = timesOf(rows[0]!.pid);
    // A server in a container behind a forwarded port has numbers of its own: those of strangers here.
    if (!backend || !commandOf(rows[0]!.pid).startsWith('postgres')) return undefined;
    return new ServerCpu(backend.parent);
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
