import path from 'node:path';
import { z } from 'zod';
import { canonicalEmail } from '../base/email-address.js';
import { SetupError } from '../base/errors.js';
import { cellFaults, readCellDatabases } from './cells.js';
import { checkSettings } from './checks.js';
import { strangeNames } from './names.js';
import { oidcFaults, oidcSettings } from './single-sign-on.js';
import {
  type Definition,
  flag,
  isBoardName,
  isBucketUrl,
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
    doc: 'Port of HTTP and WebSocket; 0: any free port.',
  }),
  host: withDefault('HOST', '0.0.0.0', matching(/^[\w.:-]+$/, 'an address or hostname of this machine'), {
    doc: 'Address to listen on; 127.0.0.1: only this machine can connect.',
  }),
  dataDir: withDefault(
    'DATA_DIR',
    './data',
    z.string().transform((dir) => path.resolve(dir)),
    { doc: 'Directory of the embedded database, the generated secrets and the first key.' },
  ),
  databaseUrl: optional(
    'DATABASE_URL',
    that(isPostgresUrl, 'a connection string like postgres://user:password@host:5432/database'),
    { doc: 'Connection to your own Postgres, 14 or newer. Unset: the embedded Postgres.', secret: true },
  ),
  postgresBinDir: optional(
    'POSTGRES_BIN_DIR',
    z.string().transform((dir) => path.resolve(dir)),
    {
      doc:
        'Folder with the programs of an installed Postgres server, 14 or newer, to run the embedded database ' +
        'with (pg_config --bindir prints it). A data directory stays with the major version that created it. ' +
        'Unset: the bundled Postgres.',
    },
  ),
  databaseDirectUrl: optional(
    'DATABASE_DIRECT_URL',
    that(isPostgresUrl, 'a connection string like postgres://user:password@host:5432/database'),
    {
      doc:
        'Direct connection to Postgres, if DATABASE_URL leads to a pooler in transaction mode (PgBouncer). ' +
        'Submissions, announcements, session locks, migrations and jobs use it. Unset: DATABASE_URL is used ' +
        'for everything.',
      secret: true,
    },
  ),
  databasePreparedStatements: withDefault('DATABASE_PREPARED_STATEMENTS', 'true', flag, {
    doc:
      'Names the statements of DATABASE_URL, so that the database plans them once per connection. false: ' +
      'for a pooler that keeps no named statements; connections of DATABASE_DIRECT_URL still name theirs.',
  }),
  directoryUrl: optional(
    'DIRECTORY_URL',
    that(isPostgresUrl, 'a connection string like postgres://user:password@host:5432/database'),
    {
      doc:
        'Connection to the directory, a small separate Postgres database shared by several installations ' +
        '(cells): names of accounts, addresses, keys, games, boards and jam codes are unique across all of ' +
        'them. See docs/operations/cells.md. Unset: one cell, no directory.',
      secret: true,
    },
  ),
  cell: optional('CELL', matching(/^[a-z0-9][a-z0-9-]{0,31}$/, 'up to 32 of a-z, 0-9 and -'), {
    doc: 'Name of this installation in the directory; required with DIRECTORY_URL and the same for all processes on one database.',
  }),
  cells: optional(
    'CELLS',
    list(
      (text) => /^[a-z0-9][a-z0-9-]{0,31}$/.test(text),
      'a comma-separated list of names, each up to 32 of a-z, 0-9 and -',
    ),
    {
      doc:
        'Makes the process a gateway of several cells: their names in the directory, each with the connection ' +
        'to its database in CELL_<NAME>_DATABASE_URL (CELL_C1_DATABASE_URL for c1). Requires DIRECTORY_URL, ' +
        'JWT_SECRET, KEY_SECRET and SUPERADMIN_API_KEY; replaces DATABASE_URL and CELL. See docs/operations/cells.md.',
    },
  ),
  databaseTimeoutSeconds: withDefault('DATABASE_TIMEOUT_SECONDS', '30', whole(1, 3_600), {
    unit: 'seconds',
    doc:
      'Longest duration of a request’s statement or a step of background work; the database then cancels ' +
      'it. A connection that has not responded two seconds later is closed, and its request gets 503.',
  }),
  superadminApiKey: optional(
    'SUPERADMIN_API_KEY',
    // The place of use refuses shorter ones: older installations have them set.
    matching(/^[\x21-\x7e]{20,200}$/, '32 to 200 printable characters without spaces'),
    {
      doc:
        'Key of the first superadmin, at least 32 characters; used at startup if no superadmin has a usable ' +
        'key without expiry. Unset: generated, shown once, and stored in the data directory.',
      secret: true,
    },
  ),
  superadminEmail: withDefault(
    'SUPERADMIN_EMAIL',
    'admin@localhost',
    that(isEmail, 'an email address').transform((text) => canonicalEmail(text)!),
    {
      doc: 'Email address of the first superadmin, used at startup if no superadmin has a usable key without expiry.',
    },
  ),
  jwtSecret: optional('JWT_SECRET', secret, {
    doc:
      'Secret that signs the tokens of game clients; a new one ends all sessions. Unset: generated and ' +
      'stored in the data directory; with DATABASE_URL it must be set.',
    secret: true,
  }),
  keySecret: optional('KEY_SECRET', secret, {
    doc:
      'Secret for the stored hashes of API keys; a new one voids all keys. Unset: generated and stored in ' +
      'the data directory; with DATABASE_URL it must be set.',
    secret: true,
  }),
  keyPrefix: withDefault('KEY_PREFIX', 'svc_', matching(/^[\w-]{1,8}$/, '1 to 8 letters, digits, _ or -'), {
    doc: 'Prefix of new API keys.',
  }),
  headerPrefix: withDefault(
    'HEADER_PREFIX',
    'service',
    matching(/^(?=.{1,32}$)[a-z][a-z0-9]*(-[a-z0-9]+)*$/, 'a word of a-z and 0-9, with hyphens only inside'),
    { doc: 'First word of the headers, as in service-api-key and service-client-nonce.' },
  ),
  publicUiUrl: optional(
    'PUBLIC_UI_URL',
    that(isWebRoot, 'an http or https URL without a query string').transform((url) =>
      url.replace(/(?<!\/)\/+$/, ''),
    ),
    {
      doc: 'Address of the public pages and the console, for links to games and boards and in emails. Unset: no links.',
    },
  ),
  consoleUrl: optional('CONSOLE_URL', that(isWebRoot, 'an http or https URL without a query string'), {
    doc:
      'Address of the console in browsers, which links in mails lead to and passkeys are bound to: its host ' +
      'name; single sign-on returns to it. Unset: PUBLIC_UI_URL. Where both are unset or an IP address, ' +
      'passkeys and single sign-on are off. A changed host name makes existing passkeys useless: reset them ' +
      'with `leaderboard reset-passkeys`.',
  }),
  landingBoards: withDefault(
    'LANDING_BOARDS',
    '',
    list(isBoardName, 'up to 12 board short codes or ids, separated by commas').refine(
      (names) => names.length <= 12,
      'up to 12 board short codes or ids, separated by commas',
    ),
    {
      doc:
        'Boards shown on the first page /, in this order: up to 12 short codes or ids, separated by commas. ' +
        'Boards that visitors can’t see are left out, with a warning at startup. Unset: none.',
    },
  ),
  logLevel: withDefault(
    'LOG_LEVEL',
    'info',
    z.enum(
      ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'],
      'fatal, error, warn, info, debug, trace or silent',
    ),
    { doc: 'Lowest level to log. At info, debug and trace each request has a line.' },
  ),
  accessTokenSeconds: withDefault('ACCESS_TOKEN_SECONDS', '86400', whole(1, 31_536_000), {
    unit: 'seconds',
    doc: 'Lifetime of the access token of a device session.',
  }),
  refreshTokenSeconds: withDefault('REFRESH_TOKEN_SECONDS', '2592000', whole(1, 31_536_000), {
    unit: 'seconds',
    doc: 'Lifetime of the refresh token of a device session, at least that of the access token.',
  }),
  nonceSeconds: withDefault('NONCE_SECONDS', '60', whole(1, 3_600), {
    unit: 'seconds',
    doc: 'Lifetime of a nonce.',
  }),
  trustedProxies: withDefault(
    'TRUSTED_PROXIES',
    '',
    list(isNetwork, 'addresses or networks like 10.0.0.0/8, separated by commas'),
    { doc: 'Addresses or networks of proxies whose x-forwarded-for is trusted, separated by commas.' },
  ),
  corsOrigins: withDefault(
    'CORS_ORIGINS',
    '*',
    list(
      (text) => text === '*' || isOriginPattern(text),
      '* or a comma-separated list of origins as browsers send them (lowercase, no path, no default port): ' +
        'https://example.com, https://*.example.com for direct subdomains, null for sandboxed frames',
    ),
    {
      doc:
        'Origins of pages that may call the service over HTTP and WebSocket, separated by commas, as browsers ' +
        'send them. https://*.example.com: all origins one label below; null: sandboxed frames and files; *: ' +
        'all origins.',
    },
  ),
  maxBodyBytes: withDefault('MAX_BODY_BYTES', '65536', whole(16_384, 16_777_216), {
    unit: 'bytes',
    doc:
      'Largest request body and largest message on a socket. Without a valid credential at most 64 KiB; ' +
      'batches of scores may have 256 KiB, chunks of imports 4 MiB if that is more.',
  }),
  maxAnswerBytes: withDefault('MAX_ANSWER_BYTES', '4194304', whole(1_048_576, 268_435_456), {
    unit: 'bytes',
    doc:
      'Largest response of GraphQL and REST, and largest message of a subscription; a larger one becomes a ' +
      '400. Server-sent events are exempt.',
  }),
  smtpUrl: optional(
    'SMTP_URL',
    that(isSmtpUrl, 'a connection string like smtps://user:password@mail.example.com or smtp://host:587'),
    {
      doc:
        'Mail server for registrations, invitations and digests of flags. Unset: mails are written as .eml ' +
        'files into the folder mail of the data directory.',
      secret: true,
    },
  ),
  mailFrom: optional(
    'MAIL_FROM',
    that(isMailbox, 'an address, or a name and an address like Boards <boards@example.com>'),
    {
      doc: 'Sender of mails, like Boards <boards@example.com>; required with SMTP_URL.',
    },
  ),
  registration: withDefault(
    'REGISTRATION',
    'open',
    z.enum(['open', 'invited', 'closed'], 'open, invited or closed'),
    {
      doc:
        'Who can register: everyone (open), only people whom an account has invited (invited), or nobody ' +
        '(closed, which also ends invitations). Signing in always works.',
    },
  ),
  geoipDatabase: optional(
    'GEOIP_DATABASE',
    z.string().transform((file) => path.resolve(file)),
    {
      doc:
        "Location database in MaxMind's .mmdb format, reloaded when the file changes. Unset: accounts and " +
        'scores get no city, country or time zone from the service.',
    },
  ),
  httpRateLimit: withDefault('HTTP_RATE_LIMIT', 'off', perMinute, {
    doc:
      'Requests a minute per API key, per device, or per address without a valid credential, including ' +
      'public pages and preflights of browsers; more get 429. Each process counts separately. off: no limit.',
  }),
  anonymousWritesPerMinute: withDefault('ANONYMOUS_WRITES_PER_MINUTE', '600', perMinute, {
    doc:
      'Session starts of new devices and registration requests a minute per address (IPv6: /64 network) ' +
      'without an API key, twice as many in a burst; more get 429. As many GraphQL documents with errors, ' +
      'and a tenth of them per API key or device. Each process counts separately. While TRUSTED_PROXIES is ' +
      'unset, requests with x-forwarded-for share 20 times the limit, because their address may be a ' +
      'proxy’s. off: no limit.',
  }),
  newDevicesPerHour: withDefault('NEW_DEVICES_PER_HOUR', '600', perMinute, {
    doc:
      'Sessions of new devices an hour per game and address (IPv6: /64 network) without an API key, four ' +
      'times as many per network (/24, IPv6: /48); more get 429, while known devices and other networks go ' +
      'on. A school, a hall or a mobile provider is often one address: raise it for events there. Each ' +
      'process counts separately. Requests behind an unknown proxy share 20 times the limit, as above. off, ' +
      'or ANONYMOUS_WRITES_PER_MINUTE=off: no limit.',
  }),
  graphqlIntrospection: withDefault('GRAPHQL_INTROSPECTION', 'true', flag, {
    doc: 'Lets every caller read the GraphQL schema, as the explorer does; false also keeps its names out of error messages.',
  }),
  ...checkSettings,
  livePerDevice: withDefault('LIVE_PER_DEVICE', '20', whole(1, 1_000_000), {
    doc: 'Live subscriptions and streams a device may have open on one process.',
  }),
  livePerAddress: withDefault('LIVE_PER_ADDRESS', '1000', whole(1, 1_000_000), {
    doc:
      'Live subscriptions and streams one address (IPv6: /64 network) may have open on one process, ' +
      'visitors and callers of other accounts together; a school or a company is often one address.',
  }),
  livePerAccount: withDefault('LIVE_PER_ACCOUNT', '100000', whole(1, 10_000_000), {
    doc:
      'Live subscriptions and streams that callers with a credential of one account may have open on its ' +
      'boards, on one process; visitors count by address.',
  }),
  liveBytesPerCaller: withDefault('LIVE_BYTES_PER_CALLER', '67108864', whole(1_048_576, 68_719_476_736), {
    unit: 'bytes',
    doc:
      'Memory on one process for the live subscriptions and streams of one API key, one device, or the ' +
      'visitors of one address: about 8 kB each, plus documents, states and responses that aren’t shared.',
  }),
  liveBytesPerAccount: withDefault(
    'LIVE_BYTES_PER_ACCOUNT',
    '1073741824',
    whole(1_048_576, 1_099_511_627_776),
    {
      unit: 'bytes',
      doc: 'The same for all callers with a credential of one account, on its own boards.',
    },
  ),
  sessionAddressDays: withDefault('SESSION_ADDRESS_DAYS', '90', days, {
    unit: 'days',
    doc:
      'Retention of the address and user agent of a device session or a sign-in to the console, from its ' +
      'start, and of addresses in the audit log. off: as long as the session or the entry.',
  }),
  sessionRetentionDays: withDefault('SESSION_RETENTION_DAYS', '30', days, {
    unit: 'days',
    doc: 'Retention of a device session after its refresh token expires. off: unlimited.',
  }),
  auditRetentionDays: withDefault('AUDIT_RETENTION_DAYS', '730', days, {
    unit: 'days',
    doc: 'Retention of audit entries. off: unlimited.',
  }),
  mailRetentionDays: withDefault('MAIL_RETENTION_DAYS', '30', days, {
    unit: 'days',
    doc: 'Retention of recipient, time and result of a mail. Its content is kept until it is sent. off: unlimited.',
  }),
  failedJobRetentionDays: withDefault('FAILED_JOB_RETENTION_DAYS', '7', days, {
    unit: 'days',
    doc: 'Retention of job calls that failed for good. Finished calls are deleted immediately. off: unlimited.',
  }),
  webhooks: withDefault(
    'WEBHOOKS',
    'on',
    z.enum(['on', 'off'], 'on or off').transform((text) => text === 'on'),
    {
      doc: 'Sends webhooks. With off, for copies and drills, nothing is sent to endpoints; what happens is kept for WEBHOOK_LOG_DAYS.',
    },
  ),
  webhookAllowHttp: withDefault('WEBHOOK_ALLOW_HTTP', 'false', flag, {
    doc: 'Accepts webhook endpoints with http:// addresses, too; for development.',
  }),
  webhookAllowNetworks: withDefault(
    'WEBHOOK_ALLOW_NETWORKS',
    '',
    list(isNetwork, 'addresses or networks like 10.0.0.0/8, separated by commas'),
    {
      doc:
        'Private networks that webhook endpoints may be in, separated by commas. The log then has no texts of ' +
        'responses. Link-local, metadata and translated addresses (such as 64:ff9b::/96) stay refused. Unset: ' +
        'public addresses only.',
    },
  ),
  webhookLogDays: withDefault('WEBHOOK_LOG_DAYS', '30', whole(4, 365), {
    unit: 'days',
    doc: 'Retention of webhook events and deliveries; within it they can be sent again.',
  }),
  ...oidcSettings,
  viewsPerBoard: withDefault('VIEWS_PER_BOARD', '8', whole(0, 32), {
    doc: 'Views a board may have. A submission is ranked in all of them.',
  }),
  viewsPerRunsBoard: withDefault('VIEWS_PER_RUNS_BOARD', '4', whole(0, 32), {
    doc: 'Views a board that ranks every run may have; each run is a row in each view.',
  }),
  tagsPerView: withDefault('TAGS_PER_VIEW', '2', whole(0, 2), {
    doc: 'Tags a view may combine.',
  }),
  groupsPerView: withDefault('GROUPS_PER_VIEW', '10000', whole(1, 1_000_000), {
    doc:
      'Groups of a view by tags in each of its periods; submissions for more groups aren’t ranked there ' +
      'until there is room. Groups without entries are freed after an hour. Applies to views declared from then on.',
  }),
  grantsPerClosing: withDefault('GRANTS_PER_CLOSING', '1000000', whole(1, 1_000_000), {
    doc:
      'Rewards that one closing of a ranking grants. If its prizes say more, it waits until the studio ' +
      'releases it, and then grants so many, from the first rank on.',
  }),
  recordingsStore: optional(
    'RECORDINGS_STORE',
    that(isBucketUrl, 'an address like s3://key:secret@s3.example.com/bucket?region=eu-central-1'),
    {
      doc:
        'Bucket for recordings of runs, of S3 or a compatible store: s3://<key>:<secret>@<host>/<bucket>/<folder>, with ' +
        'special characters of key and secret percent-encoded; region (default us-east-1) and tls=off in the query. All ' +
        'processes and cells need the same one. Unset: Postgres stores them, up to 256 KiB each.',
      secret: true,
    },
  ),
  recordingsAccountMb: withDefault('RECORDINGS_ACCOUNT_MB', '1024', whole(1, 1_048_576), {
    doc: 'Storage of an account for recordings of runs, in MiB. When it is full, only those that a board demands are taken.',
  }),
  recordingsBytesPerSecond: withDefault(
    'RECORDINGS_BYTES_PER_SECOND',
    '2000000',
    whole(16_384, 1_000_000_000),
    {
      unit: 'bytes',
      doc:
        'Bytes of recordings that a process stores in Postgres in a second; beyond it, uploads get 429. Every byte is also in the ' +
        'write-ahead log, in replicas and in backups.',
    },
  ),
  workers: withDefault('WORKERS', '1', whole(1, 64), {
    doc: 'Processes that serve requests, all on PORT; more than one per core isn’t useful.',
  }),
  hooksModule: optional(
    'HOOKS_MODULE',
    that((text) => text.trim() === text && text.length <= 1_000, 'a path or a package name'),
    {
      doc:
        'Your own module, whose functions are called when games, boards, templates and scores are created, ' +
        'and can refuse them; it can also add GraphQL fields. A path or an installed package. See ' +
        'docs/guides/extending.md. Unset: none.',
    },
  ),
  metricsPort: optional('METRICS_PORT', whole(0, 65_535), {
    doc: 'Separate port for /metrics, at HOST; 0: any free port. Unset: /metrics is served on PORT.',
  }),
  otelExporterOtlpEndpoint: optional(
    'OTEL_EXPORTER_OTLP_ENDPOINT',
    that(isWebRoot, 'a URL like http://collector:4318'),
    {
      doc: 'Address of an OpenTelemetry collector (OTLP over HTTP) that receives traces at /v1/traces. Unset: no traces are recorded.',
    },
  ),
  otelServiceName: withDefault('OTEL_SERVICE_NAME', 'leaderboard-service', z.string().max(100), {
    doc: 'Name of the service in traces.',
  }),
  otelTracesSamplerArg: withDefault(
    'OTEL_TRACES_SAMPLER_ARG',
    '1',
    matching(/^(?:0(?:[.]\d{1,6})?|1(?:[.]0+)?)$/, 'a number from 0 to 1').transform(Number),
    {
      doc: 'Share of requests to trace, from 0 to 1. Requests with a `traceparent` follow its decision.',
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
  // Where it is off, addresses are hidden or of no use to the operator.
  if (config.anonymousWritesPerMinute === undefined) config.newDevicesPerHour = undefined;
  if (problems.length === 0) problems.push(...contradictions(config));
  if (problems.length > 0) throw new SetupError(problems.join('\n'));
  return config;
}

function wrongValue({ name, secret }: Setting, text: string, must: string | undefined): string {
  return `${name} is ${secret ? 'not valid' : `"${text}"`}: it must be ${must ?? 'in another format'}.`;
}

function contradictions(config: Config): string[] {
  const problems = [...cellFaults(config), ...oidcFaults(config)];
  if (config.databaseUrl !== undefined) {
    const missing = [
      config.jwtSecret === undefined && 'JWT_SECRET',
      config.keySecret === undefined && 'KEY_SECRET',
    ].filter((name) => name !== false);
    if (missing.length > 0) {
      problems.push(
        `With DATABASE_URL, ${missing.join(' and ')} must be set too: at least 32 random characters, kept for ` +
          `the lifetime of the database (generate one with openssl rand -hex 32).`,
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
      `REFRESH_TOKEN_SECONDS (${config.refreshTokenSeconds}) is less than ACCESS_TOKEN_SECONDS ` +
        `(${config.accessTokenSeconds}), so no session could ever be refreshed: raise the one or lower the other.`,
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
