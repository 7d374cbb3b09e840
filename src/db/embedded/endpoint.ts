import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { SetupError } from '../../base/errors.js';
import { blockedAt, giveTo, type PidFile, type ServerUser } from './server-process.js';

/** The address of the server: the directory of its socket, or the loopback address with a password. */
export interface Endpoint {
  readonly host: string;
  readonly port: number;
  readonly password?: string;
}

/** The server's superuser; trusted on the socket, because only its own user and root can pass the socket's directory. */
export const SERVER_ROLE = 'postgres';

const SOCKET_DIR = 'leaderboard-pg-';
const SOCKET_FILE = '/.s.PGSQL.5432';
/** sun_path holds 104 bytes on macOS, 108 on Linux, the closing NUL included. */
const LONGEST_SOCKET = 103;

export function makePassword(): string {
  return randomBytes(24).toString('base64url');
}

/**
 * A new endpoint: with `password` a free loopback port, without one a new directory for the socket.
 * @throws SetupError when no temporary directory is short enough and open to the server's user.
 */
export async function newEndpoint(user: ServerUser, password: string | undefined): Promise<Endpoint> {
  if (password !== undefined) return { host: '127.0.0.1', port: await freePort(), password };
  const roots = [os.tmpdir(), '/tmp'].map((root) => path.resolve(root));
  const root = roots.find((dir) => {
    const length = Buffer.byteLength(path.join(dir, `${SOCKET_DIR}XXXXXX`, SOCKET_FILE));
    return length <= LONGEST_SOCKET && !blockedAt(dir, user);
  });
  if (!root) {
    throw new SetupError(
      `The embedded Postgres cannot create its socket (${roots.join(' and ')}: the path is too long, or its user ` +
        `has no access). Set TMPDIR to a directory with a short path that all users can write to.`,
    );
  }
  const host = mkdtempSync(path.join(root, SOCKET_DIR));
  giveTo(host, user);
  return { host, port: 5432 };
}

/** Returns the endpoint of the server that wrote this postmaster.pid; undefined if it ended before it opened one. */
export function endpointOf(file: PidFile | undefined, password: string | undefined): Endpoint | undefined {
  if (!file?.port) return undefined;
  if (password !== undefined) return { host: '127.0.0.1', port: file.port, password };
  return file.socketDir ? { host: file.socketDir, port: file.port } : undefined;
}

/** Called before every launch: the temporary directory may have been emptied since the last one. */
export function prepareEndpoint(endpoint: Endpoint, user: ServerUser): void {
  if (!isSocket(endpoint)) return;
  mkdirSync(endpoint.host, { recursive: true, mode: 0o700 });
  giveTo(endpoint.host, user);
}

/** Removes the socket's directory if `newEndpoint` made it. */
export function dropEndpoint(endpoint: Endpoint): void {
  if (isSocket(endpoint) && path.basename(endpoint.host).startsWith(SOCKET_DIR)) {
    rmSync(endpoint.host, { recursive: true, force: true });
  }
}

/** Returns the server settings that make it listen at the endpoint only. */
export function endpointSettings(endpoint: Endpoint): Record<string, string> {
  const port = String(endpoint.port);
  if (!isSocket(endpoint)) return { listen_addresses: endpoint.host, port, unix_socket_directories: '' };
  return {
    listen_addresses: '',
    port, // only part of the socket's name: TCP is not opened
    unix_socket_directories: `"${endpoint.host}"`,
    unix_socket_permissions: '0700',
  };
}

/** Returns a string for pg and knex that ignores all PG* variables of the environment. */
export function connectionString(endpoint: Endpoint, database: string): string {
  const { host, port, password } = endpoint;
  const name = encodeURIComponent(database);
  return isSocket(endpoint)
    ? `postgres://${SERVER_ROLE}@localhost/${name}?host=${encodeURIComponent(host)}&port=${port}&sslmode=disable`
    : `postgres://${SERVER_ROLE}:${password}@${host}:${port}/${name}?sslmode=disable`;
}

function isSocket(endpoint: Endpoint): boolean {
  return endpoint.password === undefined;
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => {
        if (address && typeof address === 'object') resolve(address.port);
        else reject(new Error('the system has no free port'));
      });
    });
  });
}
