import type { Leaderboard } from 'leaderboard-client';
import type { operations } from 'leaderboard-client/rest';
import { Replay } from './inputs.js';
import { service } from './setup.js';

const NAME = 'arcade:ghost';

type Answer = operations['listGhosts']['responses'][200]['content']['application/json'];

/** A run of another player beside the present one. */
export interface Ghost {
  replay: Replay;
  playerName: string;
}

interface Recorded {
  playerName: string;
  seed: number;
  file: Uint8Array;
}

/** The run to race: the nearest recorded one above the player, otherwise the best. Good without a connection. */
export class Ghosts {
  #recorded: Recorded | undefined;
  #isOn = localStorage.getItem(NAME) !== 'off';

  constructor(
    private readonly leaderboard: Leaderboard,
    private readonly boardId: string,
    private readonly fetch: typeof globalThis.fetch,
  ) {}

  get isOn(): boolean {
    return this.#isOn;
  }

  set isOn(isOn: boolean) {
    this.#isOn = isOn;
    localStorage.setItem(NAME, isOn ? 'on' : 'off');
  }

  /** Name of the player whose run was found last. */
  get playerName(): string | undefined {
    return this.#recorded?.playerName;
  }

  /** Finds the one for the next run; the last one stays while there is no connection. */
  async read(): Promise<void> {
    this.#recorded = (await this.#find('above')) ?? (await this.#find('first'));
  }

  /** Undefined: there is none on the course of this seed, or the player wants none. */
  begin(seed: number): Ghost | undefined {
    const recorded = this.#recorded;
    if (!this.#isOn || recorded?.seed !== seed) return undefined;
    const replay = Replay.of(seed, recorded.file);
    return replay && { replay, playerName: recorded.playerName };
  }

  async #find(pick: 'above' | 'first'): Promise<Recorded | undefined> {
    const path = `/v1/client/boards/${encodeURIComponent(this.boardId)}/ghosts`;
    const { ghosts } = await this.leaderboard.read<Answer>(path, { pick });
    const ghost = ghosts.find(({ recording }) => recording.seed !== null);
    if (!ghost) return undefined;
    const { url, seed } = ghost.recording;
    const response = await this.fetch(new URL(url.replace(/^\//, ''), service));
    if (!response.ok) return undefined;
    const file = new Uint8Array(await response.arrayBuffer());
    return { playerName: ghost.entry.player_name, seed: seed!, file };
  }
}
