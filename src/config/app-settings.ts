import type { CheckSettings } from '../fairplay/checks/thresholds.js';
import type { Config } from './table.js';

/** The settings of an app; both secrets are defined. */
export type AppSettings = Pick<
  Config,
  | 'keyPrefix'
  | 'headerPrefix'
  | 'publicUiUrl'
  | 'landingBoards'
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
  | 'sessionAddressDays'
  | 'sessionRetentionDays'
  | 'auditRetentionDays'
  | 'mailRetentionDays'
  | 'failedJobRetentionDays'
  | 'otelExporterOtlpEndpoint'
  | 'otelServiceName'
  | 'otelTracesSamplerArg'
> & { jwtSecret: string; keySecret: string } & CheckSettings;
