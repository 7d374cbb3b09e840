import type { Config } from './config.js';
import type { CheckSettings } from './fairplay/thresholds.js';

/** The settings an app needs; both secrets are known by now. */
export type AppSettings = Pick<
  Config,
  | 'keyPrefix'
  | 'headerPrefix'
  | 'publicUiUrl'
  | 'accessTokenSeconds'
  | 'refreshTokenSeconds'
  | 'nonceSeconds'
  | 'trustedProxies'
  | 'corsOrigins'
  | 'maxBodyBytes'
  | 'maxAnswerBytes'
  | 'metricsPort'
  | 'dataDir'
  | 'smtpUrl'
  | 'mailFrom'
  | 'geoipDatabase'
  | 'httpRateLimit'
  | 'anonymousWritesPerMinute'
  | 'graphqlIntrospection'
  | 'livePerDevice'
  | 'livePerAddress'
  | 'livePerAccount'
> & { jwtSecret: string; keySecret: string } & CheckSettings;
