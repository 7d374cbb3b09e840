import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { UsageError } from './output/failure.js';
import { got, type LeaderboardClient, leaderboardClient, type Schemas } from './rest/client.js';

/** Options that every command has. */
export interface GlobalOptions {
  api?: string;
  profile: string;
  account?: string;
  cell?: string;
  json?: boolean;
  quiet?: boolean;
}

export const DEFAULT_API = 'http://localhost:3000';

/** The user's profiles. */
export function ownProfiles(): Profiles {
  return new Profiles(profilesPath(process.env, process.platform, os.homedir()));
}

function checkedAddress(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.search || url.hash) {
    throw new UsageError(`"${text}" is not a valid URL. Use one like ${DEFAULT_API}.`);
  }
  return url.href.replace(/(?<!\/)\/+$/, '');
}

/** The address from the command line or the environment. */
function namedApi(options: GlobalOptions): string | undefined {
  const text = options.api ?? (process.env.LEADERBOARD_API || undefined);
  return text === undefined ? undefined : checkedAddress(text);
}

/**
 * The service to log in to or register at: the given address, else the profile's, else this machine.
 * @throws UsageError when the given text is no address
 */
export function chosenApi(options: GlobalOptions): string {
  return namedApi(options) ?? ownProfiles().read(options.profile)?.api ?? DEFAULT_API;
}

/**
 * The credentials of the command. A key of the environment takes precedence over the profile's, which is sent only to
 * the service it belongs to.
 * @throws UsageError when there is no key
 */
export function currentProfile(options: GlobalOptions): Profile {
  const stored = ownProfiles().read(options.profile);
  const api = namedApi(options) ?? stored?.api ?? DEFAULT_API;
  const profile = stored?.api === api ? stored : undefined;
  const apiKey = process.env.LEADERBOARD_API_KEY || profile?.apiKey;
  if (!apiKey) {
    throw new UsageError(
      `No API key for ${api}. Run "leaderboard login" or "leaderboard register", or set LEADERBOARD_API_KEY.`,
    );
  }
  const headerPrefix = process.env.LEADERBOARD_HEADER_PREFIX || profile?.headerPrefix || 'service';
  const cell = chosenCell(options) ?? profile?.cell;
  return { api, apiKey, headerPrefix, cell };
}

/** The cell from the command line or the environment: a superadmin names it to a gateway (docs/operations/cells.md). */
export function chosenCell(options: GlobalOptions): string | undefined {
  return options.cell ?? (process.env.LEADERBOARD_CELL || undefined);
}

/**
 * The header prefix of the service at an address, from its OpenAPI document.
 * @throws Error when another program responds there
 */
export async function headerPrefixOf(api: string): Promise<string> {
  const document: {
    components?: { securitySchemes?: { apiKey?: { name?: string } } };
  } = await got(leaderboardClient({ baseUrl: api }).GET('/openapi.json'));
  const name = document.components?.securitySchemes?.apiKey?.name;
  if (!name?.endsWith('-api-key')) throw new Error(`${api} is not a leaderboard service.`);
  return name.slice(0, -'-api-key'.length);
}

/** @param timeoutMs of one request; 30 seconds by default */
export function profileClient({ api, ...profile }: Profile, timeoutMs?: number): LeaderboardClient {
  return leaderboardClient({ baseUrl: api, ...profile, timeoutMs });
}

/** A connection to the service with a key. */
export class Session {
  readonly client: LeaderboardClient;
  #me: Promise<Schemas['Me']> | undefined;

  constructor(readonly profile: Profile) {
    this.client = profileClient(profile);
  }

  /** The user of the key; requested once. */
  me(): Promise<Schemas['Me']> {
    this.#me ??= got(this.client.GET('/v1/me'));
    return this.#me;
  }
}

/** A service and the key to use there. */
interface Profile {
  /** Address of the service. */
  api: string;
  /** The service's HEADER_PREFIX, from its responses. */
  headerPrefix: string;
  apiKey: string;
  /** The cell for a superadmin's requests to a gateway that name no account, game or board. */
  cell?: string | undefined;
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
class Profiles {
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
    const existed = Object.hasOwn(profiles, name);
    delete profiles[name];
    if (existed) this.#write({ profiles });
    return existed;
  }

  #all(): ProfilesFile {
    let text: string;
    try {
      text = readFileSync(this.file, 'utf8');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { profiles: {} };
      throw error;
    }
    const damaged = new Error(`${this.file} is corrupt. Delete it and log in again.`);
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
    // Other processes may read the file at any moment: they must find the old one or the new one.
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
