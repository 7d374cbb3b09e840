import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** A service and the key to use there. */
export interface Profile {
  /** Address of the service. */
  api: string;
  /** The service's HEADER_PREFIX, from its answers. */
  headerPrefix: string;
  apiKey: string;
}

interface ProfilesFile {
  profiles: Record<string, Profile>;
}

type Env = Record<string, string | undefined>;

/** The file of the profiles: below XDG_CONFIG_HOME if that is set, below APPDATA on Windows, else below ~/.config. */
export function profilesPath(env: Env, platform: NodeJS.Platform, home: string): string {
  const join = platform === 'win32' ? path.win32.join : path.posix.join;
  const appData = platform === 'win32' ? env.APPDATA : undefined;
  return join(env.XDG_CONFIG_HOME || appData || join(home, '.config'), 'leaderboard', 'profiles.json');
}

/** Profiles by name in a file that only its owner can read. */
export class Profiles {
  constructor(readonly file: string) {}

  /** @throws Error when the file cannot be read or is not one of these */
  read(name: string): Profile | undefined {
    const { profiles } = this.#all();
    return Object.hasOwn(profiles, name) ? profiles[name] : undefined;
  }

  save(name: string, profile: Profile): void {
    const { profiles } = this.#all();
    this.#write({ profiles: { ...profiles, [name]: profile } });
  }

  /** @returns true if it existed */
  remove(name: string): boolean {
    const { profiles } = this.#all();
    const known = Object.hasOwn(profiles, name);
    delete profiles[name];
    if (known) this.#write({ profiles });
    return known;
  }

  #all(): ProfilesFile {
    let text: string;
    try {
      text = readFileSync(this.file, 'utf8');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { profiles: {} };
      throw error;
    }
    const damaged = new Error(`${this.file} is damaged: remove it and log in again.`);
    try {
      const content = JSON.parse(text) as ProfilesFile | null;
      if (typeof content?.profiles !== 'object' || content.profiles === null) throw damaged;
      return content;
    } catch {
      throw damaged;
    }
  }

  #write(content: ProfilesFile): void {
    mkdirSync(path.dirname(this.file), { recursive: true, mode: 0o700 });
    // Another process may read it at any moment: it must find the old file or the new one.
    const draft = `${this.file}.${process.pid}`;
    rmSync(draft, { force: true });
    try {
      writeFileSync(draft, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600, flag: 'wx' });
      chmodSync(draft, 0o600);
      renameSync(draft, this.file);
    } finally {
      rmSync(draft, { force: true });
    }
  }
}
