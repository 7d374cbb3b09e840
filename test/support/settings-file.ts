import { settings } from '../../src/config/table.js';

/** Settings that compose.yaml and the image set themselves. */
const OF_COMPOSE = new Set([
  ...['DATABASE_URL', 'JWT_SECRET', 'KEY_SECRET', 'SUPERADMIN_API_KEY', 'TRUSTED_PROXIES', 'PUBLIC_UI_URL'],
  ...['PORT', 'HOST', 'DATA_DIR', 'METRICS_PORT'],
]);

/** The env_file of compose.yaml, with every setting at its default. */
export function settingsFile(): string {
  const shown = settings.filter(({ name }) => !OF_COMPOSE.has(name));
  const entries = shown.map(({ name, fallback, doc }) => `# ${doc}\n#${name}=${fallback ?? ''}\n`);
  return `# Settings of the service in compose.yaml: copy this file to leaderboard.env, and take away the # of what you change.\n\n${entries.join('\n')}`;
}
