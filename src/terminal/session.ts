import os from 'node:os';
import { got, type LeaderboardClient, leaderboardClient, type Schemas } from '../client/client.js';
import { UsageError } from './input/usage-error.js';
import { type Profile, Profiles, profilesPath } from './profile.js';

/** Options that every command has. */
export interface GlobalOptions {
  api?: string;
  profile: string;
  account?: string;
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
    throw new UsageError(`"${text}" is not the address of a service; one is ${DEFAULT_API}.`);
  }
  return url.href.replace(/(?<!\/)\/+$/, '');
}

/** The address that the command line or the environment names. */
function namedApi(options: GlobalOptions): string | undefined {
  const text = options.api ?? (process.env.LEADERBOARD_API || undefined);
  return text === undefined ? undefined : checkedAddress(text);
}

/**
 * Where to log in or register: what is named, else where the profile was, else this machine.
 * @throws UsageError when what is named is no address
 */
export function chosenApi(options: GlobalOptions): string {
  return namedApi(options) ?? ownProfiles().read(options.profile)?.api ?? DEFAULT_API;
}

/**
 * What the command works with. A key of the environment goes before the profile's, which is told to no service but the
 * one it is for.
 * @throws UsageError when there is no key
 */
export function currentProfile(options: GlobalOptions): Profile {
  const stored = ownProfiles().read(options.profile);
  const api = namedApi(options) ?? stored?.api ?? DEFAULT_API;
  const known = stored?.api === api ? stored : undefined;
  const apiKey = process.env.LEADERBOARD_API_KEY || known?.apiKey;
  if (!apiKey) {
    throw new UsageError(
      `There is no key for ${api}: run "leaderboard login" or "leaderboard register", or set LEADERBOARD_API_KEY.`,
    );
  }
  const headerPrefix = process.env.LEADERBOARD_HEADER_PREFIX || known?.headerPrefix || 'service';
  return { api, apiKey, headerPrefix };
}

/**
 * The header prefix of the service at an address, as its OpenAPI document tells it.
 * @throws Error when something else is there
 */
export async function headerPrefixOf(api: string): Promise<string> {
  const document: {
    components?: { securitySchemes?: { apiKey?: { name?: string } } };
  } = await got(leaderboardClient({ baseUrl: api }).GET('/openapi.json'));
  const name = document.components?.securitySchemes?.apiKey?.name;
  if (!name?.endsWith('-api-key')) throw new Error(`${api} is not a leaderboard service.`);
  return name.slice(0, -'-api-key'.length);
}

/** The service as somebody with a key uses it. */
export class Session {
  readonly client: LeaderboardClient;
  #me: Promise<Schemas['Me']> | undefined;

  constructor(readonly profile: Profile) {
    const { api, apiKey, headerPrefix } = profile;
    this.client = leaderboardClient({ baseUrl: api, apiKey, headerPrefix });
  }

  /** Who the key is; asked for once. */
  me(): Promise<Schemas['Me']> {
    this.#me ??= got(this.client.GET('/v1/me'));
    return this.#me;
  }
}
