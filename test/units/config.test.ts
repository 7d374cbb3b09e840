import path from 'node:path';
import { readConfig, settings } from '../../src/config/table.js';

const SECRET = 'thirty-two-characters-or-more-it-is';
const EXTERNAL = {
  DATABASE_URL: 'postgres://user:hidden@db.example:5432/boards',
  JWT_SECRET: SECRET,
  KEY_SECRET: SECRET,
};

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
    landingBoards: [],
    maxBodyBytes: 65_536,
    maxAnswerBytes: 4_194_304,
    graphqlIntrospection: true,
    livePerDevice: 20,
    livePerAddress: 1_000,
    livePerAccount: 100_000,
    liveBytesPerCaller: 67_108_864,
    liveBytesPerAccount: 1_073_741_824,
    sessionAddressDays: 90,
    sessionRetentionDays: 30,
    auditRetentionDays: 730,
    mailRetentionDays: 30,
    registration: 'open',
    failedJobRetentionDays: 7,
    anonymousWritesPerMinute: 600,
    newDevicesPerHour: 600,
    otelServiceName: 'leaderboard-service',
    otelTracesSamplerArg: 1,
    workers: 1,
    viewsPerBoard: 8,
    viewsPerRunsBoard: 4,
    groupsPerView: 10_000,
    grantsPerClosing: 1_000_000,
    recordingsStore: undefined,
    recordingsAccountMb: 1_024,
    recordingsBytesPerSecond: 2_000_000,
    tagsPerView: 2,
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
    webhooks: true,
    webhookAllowHttp: false,
    webhookAllowNetworks: [],
    webhookLogDays: 30,
    oidcName: 'single sign-on',
    oidcScopes: 'openid email profile',
    oidcGroupsClaim: 'groups',
    oidcAllowHttp: false,
    oidcAllowNetworks: [],
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
    CORS_ORIGINS: 'https://a.example, http://localhost:5173, https://*.itch.zone,null, capacitor://localhost',
    LOG_LEVEL: 'warn',
    GEOIP_DATABASE: '/var/lib/places.mmdb',
    HTTP_RATE_LIMIT: '600',
    ANONYMOUS_WRITES_PER_MINUTE: 'off',
    NEW_DEVICES_PER_HOUR: '2500',
  });
  expect(config).toMatchObject({
    port: 0,
    geoipDatabase: '/var/lib/places.mmdb',
    httpRateLimit: 600,
    anonymousWritesPerMinute: undefined,
    // Without the limit by the minute, this one is off, too.
    newDevicesPerHour: undefined,
    databaseUrl: EXTERNAL.DATABASE_URL,
    dataDir: path.resolve('/var/lib/boards'),
    publicUiUrl: 'https://play.example/boards',
    trustedProxies: ['10.0.0.0/8', '::1', 'fd00::/8'],
    corsOrigins: [
      'https://a.example',
      'http://localhost:5173',
      'https://*.itch.zone',
      'null',
      'capacitor://localhost',
    ],
    logLevel: 'warn',
  });
});

test('an empty variable counts as unset', () => {
  expect(readConfig({ PORT: '', DATABASE_URL: '', TRUSTED_PROXIES: '' })).toEqual(readConfig({}));
});

test('each setting has a name, a description and a unit', () => {
  expect(new Set(settings.map(({ name }) => name)).size).toBe(settings.length);
  for (const { name, doc, unit } of settings) {
    expect(name).toMatch(/^[A-Z]+(_[A-Z]+)*$/);
    expect(doc).toMatch(/^[A-Z].{10,}\.$/);
    // A duration or a size carries its unit in its name, before the trust tier or the owner where it has one.
    const [, named] = /_(SECONDS|BYTES|PERCENT|DAYS)(_[ABC]|_PER_[A-Z]+)?$/.exec(name) ?? [];
    expect(unit).toBe(named?.toLowerCase() ?? null);
  }
});

test('the defaults that are shown are the defaults that hold', () => {
  const shown = settings.filter(({ fallback }) => fallback !== null);
  const defaults = Object.fromEntries(shown.map(({ name, fallback }) => [name, fallback ?? '']));
  expect(readConfig(defaults)).toEqual(readConfig({}));
});
