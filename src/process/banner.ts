import { networkInterfaces } from 'node:os';
import { packageVersion } from '../base/package.js';
import type { SuperadminKey } from './superadmin.js';

interface BannerFacts {
  host: string;
  port: number;
  /** URL of /metrics, if it has its own port. */
  metricsPort?: number | undefined;
  /** Directory of the mails, if no mail server is set. */
  mails?: string | undefined;
  /** Number of processes that answer requests. */
  workers: number;
  /** Directory of the embedded database, or host and name of an external one. */
  data: string;
  superadmin: SuperadminKey;
  headerPrefix: string;
  /** A person reads it; other outputs are kept in logs and journals, where no key belongs. */
  onTerminal: boolean;
}

/** URL for people on this machine. */
export function localUrl(host: string, port: number): string {
  const everywhere = host === '0.0.0.0' || host === '::';
  const name = everywhere ? 'localhost' : host.includes(':') ? `[${host}]` : host;
  return `http://${name}:${port}`;
}

const UNUSED =
  'SUPERADMIN_API_KEY was not used: a superadmin already has another key. Unset it, or create keys with the other one';

/** Text for the operator once the service runs. */
export function banner(facts: BannerFacts): string {
  const { host, port, metricsPort, workers, data, mails, superadmin, headerPrefix } = facts;
  const url = localUrl(host, port);
  const rows: [string, string][] = [
    // In the order in which people need them.
    ['Start page', `${url}/`],
    ['Console', `${url}/console`],
    ['Guides', `${url}/guides`],
    ['REST', `${url}/v1   (reference: ${url}/docs)`],
    ['GraphQL', `${url}/graphql   (explorer: ${url}/explorer)`],
    ...(metricsPort === undefined ? [] : [metricsRow(host, metricsPort)]),
    ...outside(host).map((address): [string, string] => ['From elsewhere', localUrl(address, port)]),
    ...(workers === 1 ? [] : [workersRow(workers)]),
    ['Data', data],
    ...(mails === undefined
      ? []
      : [['Mails', `${mails}   (SMTP_URL is not set)`] satisfies [string, string]]),
    ['Superadmin key', keyText(superadmin)],
  ];
  if (superadmin.given === 'unused') rows.push(['', UNUSED]);
  if (superadmin.generated !== undefined && (facts.onTerminal || superadmin.file === undefined)) {
    rows.push(['', `${superadmin.generated}   (shown this once; send it as ${headerPrefix}-api-key)`]);
  }
  const width = Math.max(...rows.map(([name]) => name.length)) + 2;
  const lines = rows.map(([name, value]) => `  ${name.padEnd(width)}${value}`);
  return `\n  Leaderboard service ${packageVersion} is ready.\n\n${lines.join('\n')}\n\n`;
}

function metricsRow(host: string, port: number): [string, string] {
  return ['Metrics', `${localUrl(host, port)}/metrics`];
}

function workersRow(workers: number): [string, string] {
  return ['Workers', String(workers)];
}

function keyText({ file, generated, given }: SuperadminKey): string {
  if (given === 'works') return 'the one in SUPERADMIN_API_KEY';
  if (file) return file;
  return generated === undefined ? 'the one it was created with' : 'not stored in any file; save it now';
}

/** The first address by which other machines reach this one, if it listens on all interfaces. */
function outside(host: string): string[] {
  if (host !== '0.0.0.0' && host !== '::') return [];
  const addresses = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
  return addresses
    .filter(({ family, internal }) => family === 'IPv4' && !internal)
    .map(({ address }) => address)
    .slice(0, 1);
}
