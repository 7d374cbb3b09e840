import { SetupError } from '../../src/base/errors.js';
import { readConfig } from '../../src/config/table.js';

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

const REFUSED: Record<string, string[]> = {
  GRAPHQL_INTROSPECTION: ['off'],
  HOOKS_MODULE: [' ./hooks.mjs'],
  METRICS_PORT: ['70000'],
  WORKERS: ['0', 'auto'],
  PORT: ['65536', '3000.5', ' 3000', '0x10'],
  HOST: ['a b'],
  SUPERADMIN_EMAIL: ['nameless', '<root@example.com>'],
  KEY_PREFIX: ['longer-than-8'],
  HEADER_PREFIX: ['Service', 'service-'],
  PUBLIC_UI_URL: ['play.example', 'https://play.example/?a=b'],
  LOG_LEVEL: ['loud'],
  ACCESS_TOKEN_SECONDS: ['1h'],
  NONCE_SECONDS: ['0'],
  TRUSTED_PROXIES: ['10.0.0.0/33', '10.0.0.1,,10.0.0.2'],
  CORS_ORIGINS: [
    'https://a.example/',
    'https://A.example',
    'https://a.example:443',
    'https://ä.example',
    'a.example',
    '*.a.example',
    'https://*',
    'https://a.*.example',
    'https://*.*.example',
    'https://*.a.example/',
    'wss://a.example',
    'NULL',
  ],
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
  NEW_DEVICES_PER_HOUR: ['0', '1.5'],
  MAIL_FROM: ['nameless', 'Boards <boards@example.com'],
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
  expect(sentences).toEqual([expect.stringMatching(new RegExp(`^${name} is not valid: it must be .+\\.$`))]);
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
    expect.stringMatching(/^POSTGRES_BIN_DIR .* DATABASE_URL /),
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
  expect(problems({ [name]: 'x' })).toEqual([
    expect.stringMatching(`Unknown setting ${name}\\. .*\\b${meant}\\?`),
  ]);
});

test('unknown names of our own families are refused', () => {
  const names = 'SUPERADMIN_PASSWORD CORS_ALLOWED NONCE_TTL_MINUTES TRUSTED_PROXY_HOPS ANTI_CHEAT_STRICT';
  for (const name of names.split(' ')) {
    const sentence = expect.stringMatching(`Unknown setting ${name}\\.`);
    expect(problems({ [name]: 'x' })).toEqual([sentence]);
  }
});

test('variables of other programs are ignored', () => {
  const foreign = 'HOME HOSTNAME PATH PORTS NODE_ENV npm_config_prefix XDG_DATA_DIRS PGHOST'.split(' ');
  expect(problems(Object.fromEntries(foreign.map((name) => [name, 'x'])))).toEqual([]);
});
