import path from 'node:path';
import { Course } from './course.js';
import { Driver } from './driver.js';
import type { Scenario } from './scenario.js';

export type Fields = Record<string, unknown>;

/** The service under the scenarios, with a clock that they turn. */
export interface Ground {
  url: string;
  /** A game of its own. @returns ids of game and board */
  makeGame(game: Fields, board: Fields): Promise<{ game: string; board: string }>;
  /** A further board of a game. @returns its id */
  makeBoard(game: string, board: Fields): Promise<string>;
  /** Changes a record by REST, as its administrator. */
  patch(path: string, body: Fields): Promise<void>;
  /** Closes a board with a prize for the first rank in each of these lines. @returns ids of the rewards by line */
  award(board: string, lines: string[], expiresDays: number | null): Promise<Record<string, string>>;
  /** Revokes an open reward. */
  revoke(reward: string): Promise<void>;
  /** Scores of as many players of the game server: 10, 20, 30 and so on. @returns the players' ids by name, without blanks */
  crowd(game: string, board: string, count: number): Promise<Record<string, string>>;
  /** A session that the game server starts for its player of a name. @returns the service's answer */
  startSession(game: string, name: string): Promise<Fields>;
  /** A token of the studio's own login, whose provider has the slug `login`. @param name of the account */
  tokenOf(game: string, name: string): Promise<string>;
  /** Merges two players, and waits until all runs of the first one count for the second. @param source, target ids */
  merge(source: string, target: string): Promise<void>;
  /** Undoes the merge of a player, and waits until its runs count for it again. */
  undoMerge(source: string): Promise<void>;
  /** Ends all sessions of a player. */
  endSessions(player: string): Promise<void>;
  /** Stores the friends of the game's first player. @param friends ids */
  befriend(game: string, friends: string[]): Promise<void>;
  /** Tags of the board's events, in their order. */
  runTags(board: string): Promise<unknown[]>;
  /** Values of the board's events that count, in the order in which they were decided. */
  counted(board: string): Promise<number[]>;
  /** Runs with tickets, in the order of their events; times in seconds. */
  runs(board: string): Promise<Fields[]>;
  /** Hexadecimal contents of wanted recordings, in the order of their events; null: it isn't stored. */
  recordings(board: string): Promise<(string | null)[]>;
  /** Types of the flags on a board's events, in their order. */
  flags(board: string): Promise<string[]>;
  /** Number of the game's players. */
  players(game: string): Promise<number>;
  /** Turns the service's clock on, seconds. */
  advance(seconds: number): void;
  /** From now on that many submissions pass, the others are 429; undefined: all pass. */
  limit(items: number | undefined, retryAfter?: number): void;
}

/** How a language's driver is started. */
export interface Language {
  name: string;
  command: string[];
  /** Files that show that it is installed. */
  needs: string[];
}

const ROOT = path.resolve(__dirname, '../..');

/** Runs scenarios, one after the other, on one driver, which is restarted when a scenario kills it. */
export class Runner {
  #driver: Driver | undefined;

  constructor(
    private readonly language: Language,
    private readonly ground: Ground,
  ) {}

  get driver(): Driver {
    this.#driver ??= new Driver(this.language.command, ROOT);
    return this.#driver;
  }

  /** @throws an error that names the step */
  async run(scenario: Scenario): Promise<void> {
    const course = await Course.begin(scenario, this, this.ground);
    try {
      for (const [i, step] of scenario.steps.entries()) {
        await course.take(step).catch((error: Error) => {
          const at = `${this.language.name}, ${scenario.name}, step ${i + 1} ${JSON.stringify(step)}`;
          throw new Error(`${at}: ${error.message}\n${course.log()}`, { cause: error });
        });
      }
      await course.close();
    } catch (error) {
      await this.kill();
      throw error;
    } finally {
      await course.end();
    }
  }

  async kill(): Promise<void> {
    await this.#driver?.kill();
    this.#driver = undefined;
  }

  async end(): Promise<void> {
    await this.#driver?.end();
    this.#driver = undefined;
  }
}
