import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { packageRoot } from '../../src/base/package.js';
import type { Disposal } from '../../src/process/shutdown.js';
import { type Memory, MemoryCurve } from './memory-curve.js';
import { caller, makeBoard } from './rest-caller.js';
import type { ServiceProcess } from './service-process.js';
import { say } from './table.js';

const PROGRAM = path.join(packageRoot, 'clients/terminal/dist/main.js');
const LIVE_PAUSE_MS = 50;

/** A terminal command, from start to end. */
export interface Run {
  seconds: number;
  service: Memory;
  terminal: Memory;
}

/** A studio with a board, and the terminal with its key. */
export class Studio {
  private constructor(
    private readonly service: ServiceProcess,
    private readonly key: string,
    private readonly home: string,
    private readonly disposal: Disposal,
    private readonly gameId: string,
    readonly boardId: string,
  ) {}

  static async make(service: ServiceProcess, key: string, home: string, disposal: Disposal): Promise<Studio> {
    const { gameId, boardId } = await makeBoard(service, key);
    return new Studio(service, key, home, disposal, gameId, boardId);
  }

  get #url(): string {
    return `http://127.0.0.1:${this.service.port}`;
  }

  /** Submits to the board, one score after another, until the returned function is called. */
  play(): () => Promise<{ latencies: number[]; failed: number }> {
    const latencies: number[] = [];
    let [failed, ended] = [0, false];
    const playing = (async () => {
      const session = await caller(this.service, {})('POST', '/v1/client/sessions', {
        game_id: this.gameId,
        client_fingerprint: 'bench',
      });
      const call = caller(this.service, { authorization: `Bearer ${session.access_token}` });
      for (let value = 1; !ended; value += 1) {
        try {
          const nonce = await call('GET', '/v1/client/nonce');
          const started = performance.now();
          await caller(this.service, {
            authorization: `Bearer ${session.access_token}`,
            'service-client-nonce': nonce.nonce_value,
          })('POST', '/v1/client/scores', { board_id: this.boardId, player_name: 'Live', value });
          latencies.push(performance.now() - started);
        } catch (error) {
          failed += 1;
          if (failed === 1) say(`A submission failed: ${(error as Error).message}`);
        }
        await delay(LIVE_PAUSE_MS);
      }
    })();
    return async () => {
      ended = true;
      await playing;
      return { latencies, failed };
    };
  }

  /** Runs a command of the terminal. @param output file for its standard output */
  async terminal(args: string[], output?: string): Promise<Run> {
    const memory = new MemoryCurve(this.service.pid);
    const started = performance.now();
    const child: ChildProcess = spawn(process.execPath, [PROGRAM, ...args], {
      stdio: ['ignore', output ? openSync(output, 'w') : 'ignore', 'inherit'],
      env: {
        PATH: process.env.PATH,
        HOME: this.home,
        LEADERBOARD_API: this.#url,
        LEADERBOARD_API_KEY: this.key,
      },
    });
    this.disposal.add(async () => {
      child.kill();
    });
    const own = new MemoryCurve(child.pid!);
    const [code] = await once(child, 'exit');
    if (code !== 0) throw new Error(`leaderboard ${args[0]} ended with ${code}`);
    const seconds = (performance.now() - started) / 1_000;
    return { seconds, service: memory.end(), terminal: own.end() };
  }
}
