import type { Player } from '../players.js';
import { type Cheat, Device, type DeviceParts, type SimulatedGame } from './device.js';
import { SuccessorSearch } from './successors.js';

/** Players who cheat, one after the other. */
export interface Cheating {
  players: Player[];
  /** Slug of the game that they play. */
  game: string;
  run: Cheat;
  /** False while enough flags wait for a reviewer. */
  wanted(): Promise<boolean>;
}

export interface SimulationParts extends Omit<DeviceParts, 'renew'> {
  games: SimulatedGame[];
  players: Player[];
  cheating: Cheating;
}

const SUBMISSIONS_A_SECOND = 20;
/** When answers take long, players wait instead of piling up. */
const MOST_AT_ONCE = 32;
const REPORT_MS = 60_000;
const CHEAT_MS = 20_000;

/** Players who submit through the service's REST API, for as long as it runs. */
export class Simulation {
  readonly #devices: Device[];
  readonly #cheaters: Device[];
  readonly #boards: SuccessorSearch;
  readonly #running = new Set<Promise<void>>();
  readonly #stopping = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #reports: NodeJS.Timeout | undefined;
  #cheating: NodeJS.Timeout | undefined;
  #next = 0;
  #cheats = 0;
  #accepted = 0;

  constructor(private readonly parts: SimulationParts) {
    this.#boards = new SuccessorSearch(parts.url);
    const { games, players, cheating } = parts;
    const own = { ...parts, renew: this.#boards.renew };
    this.#devices = players.map((player, i) => new Device(player, games[i % games.length]!, own));
    const cheated = games.find(({ slug }) => slug === cheating.game)!;
    this.#cheaters = cheating.players.map((player) => new Device(player, cheated, own));
  }

  start(): void {
    this.#timer = setInterval(() => this.#step(), 1_000 / SUBMISSIONS_A_SECOND);
    this.#reports = setInterval(() => {
      process.stdout.write(`  ${this.#accepted} simulated submissions so far\n`);
    }, REPORT_MS);
    this.#cheating = setInterval(() => void this.#cheat(), CHEAT_MS);
  }

  async #cheat(): Promise<void> {
    const { wanted, run } = this.parts.cheating;
    if (this.#stopping.signal.aborted || !(await wanted())) return;
    const device = this.#cheaters[this.#cheats % this.#cheaters.length]!;
    this.#cheats += 1;
    this.#run(device, run);
  }

  /** All in turn: with some hundred players, each submits every ten to twenty seconds. */
  #step(): void {
    if (this.#running.size >= MOST_AT_ONCE) return;
    const device = this.#devices[this.#next % this.#devices.length]!;
    this.#next += 1;
    this.#run(device);
  }

  #run(device: Device, cheat?: Cheat): void {
    const playing = device
      .play(this.#stopping.signal, cheat)
      .then((accepted) => {
        if (accepted) this.#accepted += 1;
      })
      .finally(() => this.#running.delete(playing));
    this.#running.add(playing);
  }

  /** Ends when what was sent is answered. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    clearInterval(this.#reports);
    clearInterval(this.#cheating);
    this.#stopping.abort();
    await Promise.allSettled(this.#running);
  }
}
