import path from 'node:path';
import { z } from 'zod';
import { canonicalEmail } from '../base/email-address.js';
import { SetupError } from '../base/errors.js';
import { cellFaults, readCellDatabases } from './cells.js';
import { checkSettings } from './checks.js';
import { strangeNames } from './names.js';
import {
  type Definition,
  flag,
  isBoardName,
  isEmail,
  isMailbox,
  isNetwork,
  isOriginPattern,
  isPostgresUrl,
  isSmtpUrl,
  isWebRoot,
  list,
  matching,
  optional,
  type Setting,
  secret,
  that,
  whole,
  withDefault,
} from './types.js';

const perMinute = z
  .literal('off', 'off or a whole number from 1 to 1000000')
  .transform(() => undefined)
  .or(whole(1, 1_000_000));

const days = z
  .literal('off', 'off or a whole number from 1 to 36500')
  .transform(() => undefined)
  .or(whole(1, 36_500));

const table = {
  port: withDefault('PORT', '3000', whole(0, 65_535), {
    doc: 'Port for HTTP and WebSocket. 0: any free port.',
  }),
  host: withDefault('HOST', '0.0.0.0', matching(/^[\w.:-]+$/, 'an address or hostname of this machine'), {
    doc: 'Address to listen on. 127.0.0.1: only this machine can connect.',
  }),
  dataDir: withDefault(
    'DATA_DIR',
    './data',
    z.string().transform((dir) => path.resolve(dir)),
    { doc: 'Directory for the embedded database, the generated secrets and the first key.' },
  ),
  databaseUrl: optional(
    'DATABASE_URL',
    that(isPostgresUrl, 'a connection string like postgres://user:password@host:5432/database'),
    {
      doc: 'Connection string of your own Postgres, 14 or newer. Unset: the embedded Postgres.',
      secret: true,
    },
  ),
  postgresBinDir: optional(
    'POSTGRES_BIN_DIR',
    z.string().transform((dir) => path.resolve(dir)),
    {
      doc: 'Bin directory of an installed Postgres server, 14 or newer, to run the embedded database with (pg_config --bindir prints it). A data directory only works with the major version that created it. Unset: the bundled Postgres.',
    },
  ),
  databaseDirectUrl: optional(
    'DATABASE_DIRECT_URL',
    that(isPostgresUrl, 'a connection string like postgres://user:password@host:5432/database'),
    {
      doc: 'Direct connection string of Postgres, if DATABASE_URL points to a pooler in transaction mode (PgBouncer). Used for submissions, notifications, session locks, migrations and jobs. Unset: DATABASE_URL is used for everything.',
      secret: true,
    },
  ),
  databasePreparedStatements: withDefault('DATABASE_PREPARED_STATEMENTS', 'true', flag, {
    doc: 'Uses prepared statements on DATABASE_URL. Set to false behind a pooler that does not support them; DATABASE_DIRECT_URL always uses them.',
  }),
  directoryUrl: optional(
    'DIRECTORY_URL',
    that(isPostgresUrl, 'a connection string like postgres://user:password@host:5432/database'),
    {
      doc: 'Connection string of the directory, a small separate Postgres database that several installations (cells) share so that names of accounts, addresses, keys, games, boards and jam codes are unique across all of them. See docs/operations/cells.md. Unset: a single cell without a directory.',
      secret: true,
    },
  ),
  cell: optional('CELL', matching(/^[a-z0-9][a-z0-9-]{0,31}$/, 'up to 32 of a-z, 0-9 and -'), {
    doc: 'Name of this cell in the directory; required with DIRECTORY_URL. Use the same name for all processes on one database.',
  }),
  cells: optional(
    'CELLS',
    list(
      (text) => /^[a-z0-9][a-z0-9-]{0,31}$/.test(text),
      'a comma-separated list of names, each up to 32 of a-z, 0-9 and -',
    ),
    {
      doc: 'Makes this process a gateway for several cells. Lists their names in the directory; the connection string of each goes into CELL_<NAME>_DATABASE_URL (CELL_C1_DATABASE_URL for c1). Requires DIRECTORY_URL, JWT_SECRET, KEY_SECRET and SUPERADMIN_API_KEY; replaces DATABASE_URL and CELL. See docs/operations/cells.md.',
    },
  ),
  databaseTimeoutSeconds: withDefault('DATABASE_TIMEOUT_SECONDS', '30', whole(1, 3_600), {
    unit: 'seconds',
    doc: 'Maximum duration of a database statement or a step of background work, after which the database cancels it. If the connection does not respond within two more seconds, it is closed and the request gets 503.',
  }),
  superadminApiKey: optional(
    'SUPERADMIN_API_KEY',
    // The place of use refuses shorter ones: older installations have them set.
    matching(/^[\x21-\x7e]{20,200}$/, '32 to 200 printable characters without spaces'),
    {
      doc: 'API key of the first superadmin, at least 32 characters. Used at startup if no superadmin has a usable key without expiry. Unset: generated, shown once and stored in the data directory.',
      secret: true,
    },
  ),
  superadminEmail: withDefault(
    'SUPERADMIN_EMAIL',
    'admin@localhost',
    that(isEmail, 'an email address').transform((text) => canonicalEmail(text)!),
    {
      doc: 'Email address of the first superadmin. Used at startup if no superadmin has a usable key without expiry.',
    },
  ),
  jwtSecret: optional('JWT_SECRET', secret, {
    doc: 'Secret that signs game client tokens. Changing it ends all sessions. Unset: generated and stored in the data directory. Required with DATABASE_URL.',
    secret: true,
  }),
  keySecret: optional('KEY_SECRET', secret, {
    doc: 'Secret for the stored hashes of API keys. Changing it invalidates all keys. Unset: generated and stored in the data directory. Required with DATABASE_URL.',
    secret: true,
  }),
  keyPrefix: withDefault('KEY_PREFIX', 'svc_', matching(/^[\w-]{1,8}$/, '1 to 8 letters, digits, _ or -'), {
    doc: 'Prefix of new API keys.',
  }),
  headerPrefix: withDefault(
    'HEADER_PREFIX',
    'service',
    matching(/^(?=.{1,32}$)[a-z][a-z0-9]*(-[a-z0-9]+)*$/, 'a word of a-z and 0-9, with hyphens only inside'),
    { doc: 'Prefix of the header names, as in service-api-key and service-client-nonce.' },
  ),
  publicUiUrl: optional(
    'PUBLIC_UI_URL',
    that(isWebRoot, 'an http or https URL without a query string').transform((url) =>
      url.replace(/(?<!\/)\/+$/, ''),
    ),
    { doc: 'Base URL of the public pages, used for links to games and boards. Unset: no links.' },
  ),
  landingBoards: withDefault(
    'LANDING_BOARDS',
    '',
    list(isBoardName, 'up to 12 board short codes or ids, separated by commas').refine(
      (names) => names.length <= 12,
      'up to 12 board short codes or ids, separated by commas',
    ),
    {
      doc: 'Boards shown on the landing page, in this order: up to 12 short codes or ids, separated by commas. Boards that visitors cannot see are left out with a warning at startup. Unset: none.',
    },
  ),
  logLevel: withDefault(
    'LOG_LEVEL',
    'info',
    z.enum(
      ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'],
      'fatal, error, warn, info, debug, trace or silent',
    ),
    { doc: 'Minimum log level. At info, debug and trace, every request is logged.' },
  ),
  accessTokenSeconds: withDefault('ACCESS_TOKEN_SECONDS', '86400', whole(1, 31_536_000), {
    unit: 'seconds',
    doc: 'Lifetime of device access tokens.',
  }),
  refreshTokenSeconds: withDefault('REFRESH_TOKEN_SECONDS', '2592000', whole(1, 31_536_000), {
    unit: 'seconds',
    doc: 'Lifetime of device refresh tokens; at least as long as access tokens.',
  }),
  nonceSeconds: withDefault('NONCE_SECONDS', '60', whole(1, 3_600), {
    unit: 'seconds',
    doc: 'Lifetime of a nonce.',
  }),
  trustedProxies: withDefault(
    'TRUSTED_PROXIES',
    '',
    list(isNetwork, 'addresses or networks like 10.0.0.0/8, separated by commas'),
    { doc: 'Addresses or networks of proxies whose x-forwarded-for header is trusted, separated by commas.' },
  ),
  corsOrigins: withDefault(
    'CORS_ORIGINS',
    '*',
    list(
      (text) => text === '*' || isOriginPattern(text),
      '* or a comma-separated list of origins as browsers send them (lowercase, no path, no default port): https://example.com, https://*.example.com for direct subdomains, null for sandboxed frames',
    ),
    {
      doc: 'Origins allowed to call the service over HTTP and WebSocket, separated by commas, as browsers send them. https://*.example.com: all direct subdomains; null: sandboxed frames and files; *: all origins.',
    },
  ),
  maxBodyBytes: withDefault('MAX_BODY_BYTES', '65536', whole(16_384, 16_777_216), {
    unit: 'bytes',
    doc: 'Maximum size of request bodies and socket messages. Without a valid credential, at most 64 KiB. Score batches can always have 256 KiB and import chunks 4 MiB.',
  }),
  maxAnswerBytes: withDefault('MAX_ANSWER_BYTES', '4194304', whole(1_048_576, 268_435_456), {
    unit: 'bytes',
    doc: 'Maximum size of GraphQL and REST responses and of subscription messages; larger ones are replaced by a 400 error. Does not apply to server-sent events.',
  }),
  smtpUrl: optional(
    'SMTP_URL',
    that(isSmtpUrl, 'a connection string like smtps://user:password@mail.example.com or smtp://host:587'),
    {
      doc: 'Mail server for registrations and invitations. Unset: emails are written as .eml files to the folder mail in the data directory.',
      secret: true,
    },
  ),
  mailFrom: optional(
    'MAIL_FROM',
    that(isMailbox, 'an address, or a name and an address like Boards <boards@example.com>'),
    {
      doc: 'Sender of emails, like Boards <boards@example.com>; required with SMTP_URL.',
    },
  ),
  geoipDatabase: optional(
    'GEOIP_DATABASE',
    z.string().transform((file) => path.resolve(file)),
    {
      doc: "GeoIP database in MaxMind's .mmdb format, reloaded when the file changes. Unset: no city, country or time zone is added to accounts and scores.",
    },
  ),
  httpRateLimit: withDefault('HTTP_RATE_LIMIT', 'off', perMinute, {
    doc: 'Requests per minute for each API key, device, or IP address without a valid credential, including public pages and browser preflights. More get 429. Counted per process. off: no limit.',
  }),
  anonymousWritesPerMinute: withDefault('ANONYMOUS_WRITES_PER_MINUTE', '600', perMinute, {
    doc: 'Session starts of new devices and registration requests per minute for each IP address (IPv6: each /64 network) without an API key, with bursts of twice as many. More get 429. Counted per process. While TRUSTED_PROXIES is unset, all requests with x-forwarded-for share 20 times the limit, because their address may be a proxy’s. off: no limit.',
  }),
  graphqlIntrospection: withDefault('GRAPHQL_INTROSPECTION', 'true', flag, {
    doc: 'Allows GraphQL introspection for everyone, which the explorer needs. false also removes schema names from error messages.',
  }),
  ...checkSettings,
  livePerDevice: withDefault('LIVE_PER_DEVICE', '20', whole(1, 1_000_000), {
    doc: 'Open live subscriptions and streams allowed per device on one process.',
  }),
  livePerAddress: withDefault('LIVE_PER_ADDRESS', '1000', whole(1, 1_000_000), {
    doc: 'Open live subscriptions and streams allowed per IP address (IPv6: per /64 network) on one process, for visitors and callers from other accounts together. A school or company often shares one address.',
  }),
  livePerAccount: withDefault('LIVE_PER_ACCOUNT', '100000', whole(1, 10_000_000), {
    doc: 'Open live subscriptions and streams allowed per account on one process, for its own boards and callers with its credentials. Visitors are counted by IP address.',
  }),
  liveBytesPerCaller: withDefault('LIVE_BYTES_PER_CALLER', '67108864', whole(1_048_576, 68_719_476_736), {
    unit: 'bytes',
    doc: 'Memory allowed on one process for the live subscriptions and streams of one API key, one device, or the visitors from one IP address: about 8 kB each, plus documents, states and results that are not shared with others.',
  }),
  liveBytesPerAccount: withDefault(
    'LIVE_BYTES_PER_ACCOUNT',
    '1073741824',
    whole(1_048_576, 1_099_511_627_776),
    {
      unit: 'bytes',
      doc: 'The same limit for all callers with credentials of one account, for its own boards.',
    },
  ),
  sessionAddressDays: withDefault('SESSION_ADDRESS_DAYS', '90', days, {
    unit: 'days',
    doc: 'How long the IP address and user agent of a device session are kept, from its start. off: as long as the session.',
  }),
  sessionRetentionDays: withDefault('SESSION_RETENTION_DAYS', '30', days, {
    unit: 'days',
    doc: 'How long a device session is kept after its refresh token has expired. off: forever.',
  }),
  auditRetentionDays: withDefault('AUDIT_RETENTION_DAYS', '730', days, {
    unit: 'days',
    doc: 'How long audit log entries are kept. off: forever.',
  }),
  mailRetentionDays: withDefault('MAIL_RETENTION_DAYS', '30', days, {
    unit: 'days',
    doc: 'How long the recipient, time and result of an email are kept. Its content is kept only until it is sent. off: forever.',
  }),
  failedJobRetentionDays: withDefault('FAILED_JOB_RETENTION_DAYS', '7', days, {
    unit: 'days',
    doc: 'How long permanently failed job calls are kept. Completed calls are deleted right away. off: forever.',
  }),
  viewsPerBoard: withDefault('VIEWS_PER_BOARD', '8', whole(0, 32), {
    doc: 'Maximum number of views per board. Every submission is ranked in all of them.',
  }),
  viewsPerRunsBoard: withDefault('VIEWS_PER_RUNS_BOARD', '4', whole(0, 32), {
    doc: 'Maximum number of views on a board that ranks every run, where each run is a row in each view.',
  }),
  tagsPerView: withDefault('TAGS_PER_VIEW', '2', whole(0, 2), {
    doc: 'Maximum number of tags that a view can group by.',
  }),
  groupsPerView: withDefault('GROUPS_PER_VIEW', '10000', whole(1, 1_000_000), {
    doc: 'Maximum number of groups in each period of a view that groups by tags. Submissions for further groups are not ranked there until there is room. Groups without entries are freed after an hour. Applies to views declared afterwards.',
  }),
  workers: withDefault('WORKERS', '1', whole(1, 64), {
    doc: 'Number of processes that serve requests, all on PORT. More than one per core brings nothing.',
  }),
  hooksModule: optional(
    'HOOKS_MODULE',
    that((text) => text.trim() === text && text.length <= 1_000, 'a path or a package name'),
    {
      doc: 'Your own module with hooks that are called when games, boards, templates and scores are created and can refuse them. It can also add GraphQL fields. A path or an installed package. See docs/guides/extending.md. Unset: none.',
    },
  ),
  metricsPort: optional('METRICS_PORT', whole(0, 65_535), {
    doc: 'Separate port for /metrics, on HOST. 0: any free port. Unset: /metrics is served on PORT.',
  }),
  otelExporterOtlpEndpoint: optional(
    'OTEL_EXPORTER_OTLP_ENDPOINT',
    that(isWebRoot, 'a URL like http://collector:4318'),
    {
      doc: 'URL of an OpenTelemetry collector (OTLP over HTTP). Request traces are sent to its /v1/traces. Unset: no tracing.',
    },
  ),
  otelServiceName: withDefault('OTEL_SERVICE_NAME', 'leaderboard-service', z.string().max(100), {
    doc: 'Service name in traces.',
  }),
  otelTracesSamplerArg: withDefault(
    'OTEL_TRACES_SAMPLER_ARG',
    '1',
    matching(/^(?:0(?:[.]\d{1,6})?|1(?:[.]0+)?)$/, 'a number from 0 to 1').transform(Number),
    {
      doc: 'Share of requests that are traced, from 0 to 1. Requests with a `traceparent` header follow its sampling decision.',
    },
  ),
} satisfies Record<string, Definition<unknown>>;

type Table = typeof table;

/** Values of all settings, by name in camelCase. */
export type Config = { [K in keyof Table]: Table[K] extends Definition<infer T> ? T : never } & {
  /** Connections to the databases of CELLS, by name. */
  cellDatabases?: Record<string, string>;
};

/** All settings of this version, in display order. */
export const settings: readonly Setting[] = Object.values(table);

/**
 * Reads the settings from the environment. An empty variable counts as unset.
 * @throws SetupError with one line for each fault: malformed and contradictory values, names that resemble a setting
 * and are none
 */
export function readConfig(env: Readonly<Record<string, string | undefined>>): Config {
  const given = new Map(Object.entries(env).filter((entry): entry is [string, string] => !!entry[1]));
  const problems: string[] = [];
  const names = settings.map(({ name }) => name);
  for (const { name, meant } of strangeNames([...given.keys()], names)) {
    problems.push(
      `Unknown setting ${name}. ${meant ? `Did you mean ${meant}? Otherwise unset it.` : 'Check the name, or unset it.'}`,
    );
  }
  const values = Object.entries<Definition<unknown>>(table).map(([key, definition]) => {
    const text = given.get(definition.name) ?? definition.fallback;
    if (!text) return [key, definition.fallback === '' ? [] : undefined];
    const { success, data, error } = definition.type.safeParse(text);
    if (!success) problems.push(wrongValue(definition, text, error.issues[0]?.message));
    return [key, data];
  });
  const config = Object.fromEntries(values) as Config;
  const cellDatabases = readCellDatabases(given, config.cells ?? [], problems);
  if (config.cells) config.cellDatabases = cellDatabases;
  if (problems.length === 0) problems.push(...contradictions(config));
  if (problems.length > 0) throw new SetupError(problems.join('\n'));
  return config;
}

function wrongValue({ name, secret }: Setting, text: string, must: string | undefined): string {
  return `${name} is ${secret ? 'not valid' : `"${text}"`}: it must be ${must ?? 'in another format'}.`;
}

function contradictions(config: Config): string[] {
  const problems = cellFaults(config);
  if (config.databaseUrl !== undefined) {
    const missing = [
      config.jwtSecret === undefined && 'JWT_SECRET',
      config.keySecret === undefined && 'KEY_SECRET',
    ].filter((name) => name !== false);
    if (missing.length > 0) {
      problems.push(
        `With DATABASE_URL, ${missing.join(' and ')} must be set too: at least 32 random characters, kept for the lifetime of the database (generate one with openssl rand -hex 32).`,
      );
    }
  }
  if (config.databaseUrl !== undefined && config.postgresBinDir !== undefined) {
    problems.push(
      'POSTGRES_BIN_DIR is for the embedded database, which is not used when DATABASE_URL is set. Unset one of them.',
    );
  }
  if (config.databaseDirectUrl !== undefined && config.databaseUrl === undefined) {
    problems.push(
      'DATABASE_DIRECT_URL is set without DATABASE_URL. For a Postgres without a pooler, set only DATABASE_URL.',
    );
  }
  if (config.refreshTokenSeconds < config.accessTokenSeconds) {
    problems.push(
      `REFRESH_TOKEN_SECONDS (${config.refreshTokenSeconds}) is less than ACCESS_TOKEN_SECONDS (${config.accessTokenSeconds}), so no session could ever be refreshed. Raise the former or lower the latter.`,
    );
  }
  if (config.metricsPort !== undefined && config.metricsPort !== 0 && config.metricsPort === config.port) {
    problems.push(
      'METRICS_PORT and PORT are the same. Choose another port, or unset METRICS_PORT to serve /metrics on PORT.',
    );
  }
  if (config.smtpUrl !== undefined && config.mailFrom === undefined) {
    problems.push(
      'With SMTP_URL, MAIL_FROM must be set too: the sender address, like Boards <boards@example.com>.',
    );
  }
  if (config.corsOrigins.length > 1 && config.corsOrigins.includes('*')) {
    problems.push('CORS_ORIGINS lists * together with single origins. Use either * or a list.');
  }
  return problems;
}
