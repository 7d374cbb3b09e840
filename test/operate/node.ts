import { execFileSync } from 'node:child_process';
import { readdirSync, readlinkSync } from 'node:fs';
import path from 'node:path';
import { until } from '../support/wait.js';
import { Daemon } from './ground.js';

const REST_PORT = 8008;
const ANSWER_MS = 1_000;

/** The network that a process is in; undefined: it has ended. */
function networkOf(pid: number | string): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/ns/net`);
  } catch {
    return undefined;
  }
}

/** Patroni with its Postgres on a machine of its own: a network namespace with a cable to this one. */
export class ClusterNode {
  readonly name: string;
  readonly address: string;
  readonly #cable: string;
  readonly #gateway: string;
  #machine!: Daemon;
  patroni!: Daemon;

  /** @param folder the deployed files; data lies beside it */
  constructor(
    number: number,
    private readonly folder: string,
  ) {
    this.name = `node${number}`;
    this.#cable = `cable${number}`;
    [this.#gateway, this.address] = [`10.77.${number}.1`, `10.77.${number}.2`];
  }

  /** Makes the machine. */
  async plugIn(): Promise<void> {
    const machine = new Daemon(`the machine of ${this.name}`, 'unshare', ['--net', 'sleep', 'infinity']);
    this.#machine = machine;
    const { pid } = machine.child;
    await until(() => ![undefined, networkOf('self')].includes(networkOf(pid!)), 10, machine.name);
    const ip = (...args: string[]) => execFileSync('ip', args);
    const within = (...args: string[]) => execFileSync('nsenter', ['-t', `${pid}`, '-n', 'ip', ...args]);
    ip('link', 'add', this.#cable, 'type', 'veth', 'peer', 'name', 'plug', 'netns', `${pid}`);
    ip('addr', 'add', `${this.#gateway}/24`, 'dev', this.#cable);
    ip('link', 'set', this.#cable, 'up');
    within('link', 'set', 'lo', 'up');
    within('addr', 'add', `${this.address}/24`, 'dev', 'plug');
    within('link', 'set', 'plug', 'up');
    within('route', 'add', 'default', 'via', this.#gateway);
  }

  start(): void {
    const run = path.join(this.folder, 'run.sh');
    const HA_DIR = path.join(this.folder, 'data');
    const enter = ['-t', `${this.#machine.child.pid}`, '-n', run, this.name];
    this.patroni = new Daemon(this.name, 'nsenter', enter, { env: { ...process.env, HA_DIR } });
  }

  /** Processes of the machine but the one that holds it. */
  get #processes(): number[] {
    const holder = this.#machine.child.pid!;
    const network = networkOf(holder);
    const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
    return pids.map(Number).filter((pid) => pid !== holder && networkOf(pid) === network);
  }

  #signal(signal: NodeJS.Signals): void {
    for (const pid of this.#processes) {
      try {
        process.kill(pid, signal);
      } catch {
        // It has ended meanwhile.
      }
    }
  }

  /** As a machine without power. */
  async kill(): Promise<void> {
    this.#signal('SIGKILL');
    await this.patroni.ended;
  }

  /** Kills Postgres alone: its first process, without which the others end. */
  killPostgres(): void {
    const [postgres] = this.#processes.filter((pid) => pid !== this.patroni.child.pid);
    process.kill(postgres!, 'SIGKILL');
  }

  /** All its processes stand still, as those of a machine that swaps or is moved. */
  freeze(): void {
    this.#signal('SIGSTOP');
  }

  thaw(): void {
    this.#signal('SIGCONT');
  }

  cutOff(): void {
    execFileSync('ip', ['link', 'set', this.#cable, 'down']);
  }

  reconnect(): void {
    execFileSync('ip', ['link', 'set', this.#cable, 'up']);
  }

  /** Patroni's answer; undefined: none in time. */
  async ask(place: string): Promise<Response | undefined> {
    const signal = AbortSignal.timeout(ANSWER_MS);
    return fetch(`http://${this.address}:${REST_PORT}${place}`, { signal }).catch(() => undefined);
  }
}
