import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

const MODULES = path.resolve(__dirname, '../../node_modules');

/**
 * A package of the repository as a release makes it, installed outside the repository: its packed files, and the packages of the
 * repository that its manifest names.
 */
export class PackedPackage {
  readonly home = mkdtempSync(path.join(os.tmpdir(), `leaderboard-test-${process.pid}-packed-`));
  readonly folder: string;
  readonly manifest: { name: string; version: string; bin: Record<string, string>; dependencies: object };

  /** @param source folder of the compiled package @param options of `npm pack` */
  constructor(source: string, ...options: string[]) {
    const pack = ['pack', '--pack-destination', this.home, ...options];
    execFileSync('npm', pack, { cwd: source, stdio: 'ignore' });
    const archive = readdirSync(this.home).find((name) => name.endsWith('.tgz'))!;
    this.manifest = JSON.parse(readFileSync(path.join(source, 'package.json'), 'utf8'));
    const modules = path.join(this.home, 'node_modules');
    this.folder = path.join(modules, this.manifest.name);
    mkdirSync(this.folder, { recursive: true });
    const into = ['--strip-components', '1', '--directory', this.folder];
    execFileSync('tar', ['--extract', '--file', path.join(this.home, archive), ...into]);
    for (const name of Object.keys(this.manifest.dependencies)) {
      mkdirSync(path.dirname(path.join(modules, name)), { recursive: true });
      symlinkSync(path.join(MODULES, name), path.join(modules, name));
    }
  }

  /** Runs the command `leaderboard` of the package in an empty home. */
  run(args: string[], program = path.join(this.folder, this.manifest.bin.leaderboard!)) {
    const env = { PATH: process.env.PATH, HOME: this.home, DATA_DIR: path.join(this.home, 'data') };
    return spawnSync(process.execPath, [program, ...args], { cwd: this.home, env, encoding: 'utf8' });
  }

  remove(): void {
    rmSync(this.home, { recursive: true });
  }
}
