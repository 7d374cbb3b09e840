import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { ownProfiles } from '../session.js';

/** Remembers the import that a command started, so that running the same command again resumes it after a kill. */
export class Resume {
  readonly #file: string;

  /** @param words whatever makes two commands the same: service, board, file with size and time, options */
  constructor(words: readonly unknown[]) {
    const name = createHash('sha256').update(JSON.stringify(words)).digest('hex').slice(0, 32);
    this.#file = path.join(path.dirname(ownProfiles().file), 'imports', name);
  }

  /** Id of the import; undefined: none was begun. */
  read(): string | undefined {
    try {
      return readFileSync(this.#file, 'utf8').trim();
    } catch {
      return undefined;
    }
  }

  write(id: string): void {
    mkdirSync(path.dirname(this.#file), { recursive: true, mode: 0o700 });
    writeFileSync(this.#file, `${id}\n`, { mode: 0o600 });
  }

  forget(): void {
    rmSync(this.#file, { force: true });
  }
}
