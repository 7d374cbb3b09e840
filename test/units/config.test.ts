import path from 'node:path';
import { SetupError } from '../../src/base/errors.js';
import { readConfig, settings } from '../../src/config/table.js';

const SECRET = 'thirty-two-characters-or-more-it-is';
const EXTERNAL = {
  DATABASE_URL: 'postgres://user:hidden@db.example:5432/boards',
  JWT_SECRET: SECRET,
  KEY_SECRET: SECRET,
};

/** The sentences that stop the start. */
function problems(env: Record<string, string>): string[] {
  try {
    readConfig(env);
  } catch (error) {
    if (error instanceof SetupError) return error.message.split('\n');
    throw error;
  }
  return [];
}

test('every setting has a default or may be absent', () => {
  // Those that may be absent are undefined.
  expect(readConfig({})).toEqual({
    port: 3000,
    host: '0.0.0.0',
    dataDir: path.resolve('data'),
    databasePreparedStatements: true,
    databaseTimeoutSeconds: 30,
    superadminEmail: 'admin@localhost',
    keyPrefix: 'svc_',
    headerPrefix: 'service',
    logLevel: 'info',
    accessTokenSeconds: 86_400,
    refreshTokenSeconds: 2_592_000,
    nonceSeconds: 60,
    trustedProxies: [],
    corsOrigins: ['*'],
    maxBodyBytes: 65_536,
    maxAnswerBytes: 4_194_304,
    graphqlIntrospection: true,
    livePerDevice: 20,
    livePerAddress: 1_000,
    livePerAccount: 100_000,
    anonymousWritesPerMinute: 600,
    workers: 1,
    antiCheat: true,
    antiCheatDefaultTier: 'b',
    antiCheatRateLimitA: 100,
    antiCheatRateLimitB: 50,
    antiCheatRateLimitC: 20,
    antiCheatVelocitySecondsA: 2,
    antiCheatVelocitySecondsB: 2,
    antiCheatVelocitySecondsC: 2,
    antiCheatDuplicateSecondsA: 300,
    antiCheatDuplicateSecondsB: 300,
    antiCheatDuplicateSecondsC: 300,
    antiCheatProgressionPercentA: 1000,
    antiCheatProgressionPercentB: 500,
    antiCheatProgressionPercentC: 300,
    antiCheatProgressionMinValues: 3,
    antiCheatOutlierZA: 8,
    antiCheatOutlierZB: 6,
    antiCheatOutlierZC: 5,
    antiCheatOutlierMinEntries: 30,
    antiCheatOutlierMediumFactor: 2,
  });
});

test('thresholds of checks are numbers, or off', () => {
  expect(
    readConfig({
      ANTI_CHEAT: 'false',
      ANTI_CHEAT_DEFAULT_TIER: 'c',
      ANTI_CHEAT_RATE_LIMIT_A: '3600',
      ANTI_CHEAT_RATE_LIMIT_B: 'off',
      ANTI_CHEAT_VELOCITY_SECONDS_A: '0.25',
      ANTI_CHEAT_DUPLICATE_SECONDS_C: 'off',
      ANTI_CHEAT_PROGRESSION_PERCENT_B: 'off',
      ANTI_CHEAT_OUTLIER_Z_B: '7.5',
      ANTI_CHEAT_OUTLIER_MEDIUM_FACTOR: 'off',
    }),
  ).toMatchObject({
    antiCheat: false,
    antiCheatDefaultTier: 'c',
    antiCheatRateLimitA: 3600,
    antiCheatRateLimitB: Infinity,
    antiCheatVelocitySecondsA: 0.25,
    antiCheatDuplicateSecondsC: 0,
    antiCheatProgressionPercentB: Infinity,
    antiCheatOutlierZB: 7.5,
    antiCheatOutlierMediumFactor: Infinity,
  });
});

test('values are read in their form', () => {
  const config = readConfig({
    ...EXTERNAL,
    PORT: '0',
    DATA_DIR: '/var/lib/boards/',
    PUBLIC_UI_URL: 'https://play.example/boards/',
    TRUSTED_PROXIES: '10.0.0.0/8, ::1,fd00::/8',
    CORS_ORIGINS: 'https://a.example, http://localhost:5173',
    LOG_LEVEL: 'warn',
    GEOIP_DATABASE: '/var/lib/places.mmdb',
    HTTP_RATE_LIMIT: '600',
    ANONYMOUS_WRITES_PER_MINUTE: 'off',
  });
  expect(config).toMatchObject({
    port: 0,
    geoipDatabase: '/var/lib/places.mmdb',
    httpRateLimit: 600,
    anonymousWritesPerMinute: undefined,
    databaseUrl: EXTERNAL.DATABASE_URL,
    dataDir: path.resolve('/var/lib/boards'),
    publicUiUrl: 'https://play.example/boards',
    trustedProxies: ['10.0.0.0/8', '::1', 'fd00::/8'],
    corsOrigins: ['https://a.example', 'http://localhost:5173'],
    logLevel: 'warn',
  });
});

test('an empty variable counts as unset', () => {
  expect(readConfig({ PORT: '', DATABASE_URL: '', TRUSTED_PROXIES: '' })).toEqual(readConfig({}));
});

const REFUSED: Record<string, string[]> = {
  GRAPHQL_INTROSPECTION: ['off'],
  HOOKS_MODULE: [' ./hooks.mjs'],
  METRICS_PORT: ['70000'],
  WORKERS: ['0', 'auto'],
  PORT: ['65536', '3000.5', ' 3000', '0x10'],
  HOST: ['a b'],
  SUPERADMIN_EMAIL: ['nobody', '<root@example.com>'],
  KEY_PREFIX: ['longer-than-8'],
  HEADER_PREFIX: ['Service', 'service-'],
  PUBLIC_UI_URL: ['play.example', 'https://play.example/?a=b'],
  LOG_LEVEL: ['loud'],
  ACCESS_TOKEN_SECONDS: ['1h'],
  NONCE_SECONDS: ['0'],
  TRUSTED_PROXIES: ['10.0.0.0/33', '10.0.0.1,,10.0.0.2'],
  CORS_ORIGINS: ['https://a.example/'],
  MAX_BODY_BYTES: ['100'],
  MAX_ANSWER_BYTES: ['65536'],
  ANTI_CHEAT: ['on'],
  ANTI_CHEAT_DEFAULT_TIER: ['B'],
  ANTI_CHEAT_RATE_LIMIT_A: ['0', '1.5'],
  ANTI_CHEAT_RATE_LIMIT_B: ['3601'],
  ANTI_CHEAT_VELOCITY_SECONDS_C: ['-1'],
  ANTI_CHEAT_DUPLICATE_SECONDS_C: ['3601'],
  ANTI_CHEAT_OUTLIER_Z_A: ['0.5'],
  ANTI_CHEAT_OUTLIER_MIN_ENTRIES: ['2'],
  ANTI_CHEAT_PROGRESSION_MIN_VALUES: ['off'],
  HTTP_RATE_LIMIT: ['none', '0'],
  ANONYMOUS_WRITES_PER_MINUTE: ['0'],
  MAIL_FROM: ['nobody', 'Boards <boards@example.com'],
};

test.each(Object.entries(REFUSED).flatMap(([name, values]) => values.map((value) => [name, value] as const)))(
  '%s=%s is refused in a sentence that shows it',
  (name, value) => {
    const [sentence, ...others] = problems({ [name]: value });
    expect(sentence).toMatch(/^\S+ is ".*": it must be .+\.$/);
    expect(sentence).toContain(`${name} is "${value}"`);
    expect(others).toEqual([]);
  },
);

test.each([
  ['DATABASE_URL', 'mysql://root:hidden@db/x'],
  ['DATABASE_URL', 'postgres://user:hidden@db'],
  ['SUPERADMIN_API_KEY', 'hidden'],
  ['JWT_SECRET', 'hidden'],
  ['KEY_SECRET', 'hidden'],
  ['SMTP_URL', 'https://hidden@mail.example.com'],
  ['SMTP_URL', 'smtp://'],
])('a wrong %s is refused without showing it', (name, value) => {
  const sentences = problems({ ...EXTERNAL, [name]: value });
  expect(sentences).toEqual([expect.stringMatching(new RegExp(`^${name} is not usable: it must be .+\\.$`))]);
  expect(sentences.join()).not.toContain('hidden');
});

test('all faults are reported at once, a sentence a line', () => {
  expect(problems({ PORT: 'x', LOG_LEVEL: 'y', NONCE_SECONDS: 'z' })).toHaveLength(3);
});

test('with an external database the secrets must be given', () => {
  expect(problems({ ...EXTERNAL, JWT_SECRET: '' })).toEqual([
    expect.stringMatching(/^With DATABASE_URL, JWT_SECRET must be set/),
  ]);
  expect(problems({ DATABASE_URL: EXTERNAL.DATABASE_URL })).toEqual([
    expect.stringMatching(/^With DATABASE_URL, JWT_SECRET and KEY_SECRET must be set/),
  ]);
  expect(problems(EXTERNAL)).toEqual([]);
});

test('contradictory settings are refused', () => {
  expect(problems({ ...EXTERNAL, POSTGRES_BIN_DIR: '/usr/lib/postgresql/15/bin' })).toEqual([
    expect.stringMatching(/^POSTGRES_BIN_DIR names programs.* DATABASE_URL replaces/),
  ]);
  expect(problems({ ACCESS_TOKEN_SECONDS: '60', REFRESH_TOKEN_SECONDS: '59' })).toEqual([
    expect.stringContaining('REFRESH_TOKEN_SECONDS (59) is less than ACCESS_TOKEN_SECONDS (60)'),
  ]);
  expect(problems({ ACCESS_TOKEN_SECONDS: '60', REFRESH_TOKEN_SECONDS: '60' })).toEqual([]);
  expect(problems({ CORS_ORIGINS: '*,https://a.example' })).toEqual([expect.stringContaining('either *')]);
  expect(problems({ SMTP_URL: 'smtp://localhost:2525' })).toEqual([
    expect.stringMatching(/^With SMTP_URL, MAIL_FROM must be set/),
  ]);
  expect(problems({ SMTP_URL: 'smtp://localhost:2525', MAIL_FROM: 'a@b' })).toEqual([]);
  expect(problems({ PORT: '9100', METRICS_PORT: '9100' })).toEqual([expect.stringContaining('METRICS_PORT')]);
  expect(problems({ PORT: '0', METRICS_PORT: '0' })).toEqual([]);
});

test.each([
  ['ACCESS_TOKEN_SECOND', 'ACCESS_TOKEN_SECONDS'],
  ['ACESS_TOKEN_SECODNS', 'ACCESS_TOKEN_SECONDS'],
  ['DATABASE_URI', 'DATABASE_URL'],
  ['DATADIR', 'DATA_DIR'],
  ['database_url', 'DATABASE_URL'],
  ['ANTI_CHEAT_RATE_LIMIT', 'ANTI_CHEAT_RATE_LIMIT_A'],
])('%s is taken for a misspelt %s', (name, meant) => {
  expect(problems({ [name]: 'x' })).toEqual([`There is no setting ${name}: write ${meant}, or unset it.`]);
});

test('unknown names of our own families are refused', () => {
  const names = 'SUPERADMIN_PASSWORD CORS_ALLOWED NONCE_TTL_MINUTES TRUSTED_PROXY_HOPS ANTI_CHEAT_STRICT';
  for (const name of names.split(' ')) {
    const sentence = `There is no setting ${name}: correct the name, or unset it.`;
    expect(problems({ [name]: 'x' })).toEqual([sentence]);
  }
});

test('variables of other programs are ignored', () => {
  const foreign = 'HOME HOSTNAME PATH PORTS NODE_ENV npm_config_prefix XDG_DATA_DIRS PGHOST'.split(' ');
  expect(problems(Object.fromEntries(foreign.map((name) => [name, 'x'])))).toEqual([]);
});

test('each setting has a name, a description and a unit', () => {
  expect(new Set(settings.map(({ name }) => name)).size).toBe(settings.length);
  for (const { name, doc, unit } of settings) {
    expect(name).toMatch(/^[A-Z]+(_[A-Z]+)*$/);
    expect(doc).toMatch(/^[A-Z].{10,}\.$/);
    // A duration or a size carries its unit in its name, before the trust tier where it has one.
    const [, named] = /_(SECONDS|BYTES|PERCENT)(_[ABC])?$/.exec(name) ?? [];
    expect(unit).toBe(named?.toLowerCase() ?? null);
  }
});

test('the defaults that are shown are the defaults that hold', () => {
  const shown = settings.filter(({ fallback }) => fallback !== null);
  const defaults = Object.fromEntries(shown.map(({ name, fallback }) => [name, fallback ?? '']));
  expect(readConfig(defaults)).toEqual(readConfig({}));
});
