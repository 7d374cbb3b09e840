import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { until } from './wait.js';

const BUCKET = 'runs';

/** An S3 server with one bucket. It knows keys, but doesn't compute signatures of version 4. */
export class S3Server {
  #process: ChildProcess | undefined;

  private constructor(
    readonly port: number,
    private readonly folder: string,
  ) {}

  static async start(): Promise<S3Server> {
    const probe = createServer().listen(0, '127.0.0.1');
    await once(probe, 'listening');
    const { port } = probe.address() as { port: number };
    probe.close();
    await once(probe, 'close');
    const server = new S3Server(port, mkdtempSync(path.join(os.tmpdir(), 'leaderboard-s3-')));
    await server.run();
    return server;
  }

  /** For RECORDINGS_STORE. */
  address(key = 'S3RVER'): string {
    return `s3://${key}:S3RVER@127.0.0.1:${this.port}/${BUCKET}/files?tls=off`;
  }

  async run(): Promise<void> {
    const program = require.resolve('s3rver/bin/s3rver.js');
    const options = ['-d', this.folder, '-a', '127.0.0.1', '-p', String(this.port), '--silent'];
    this.#process = spawn(process.execPath, [program, ...options, '--configure-bucket', BUCKET], {
      stdio: 'ignore',
    });
    await until(() =>
      fetch(`http://127.0.0.1:${this.port}/`).then(
        () => true,
        () => false,
      ),
    );
  }

  async stop(): Promise<void> {
    if (this.#process!.exitCode !== null) return;
    const ended = once(this.#process!, 'exit');
    // It would wait for connections that are kept open.
    this.#process!.kill('SIGKILL');
    await ended;
  }

  /** Sizes of the objects in bytes. */
  sizes(): number[] {
    return readdirSync(this.folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('._S3rver_object'))
      .map((name) => statSync(path.join(this.folder, name)).size)
      .toSorted((a, b) => a - b);
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}
