import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { CryptoKey, JWK, JWTPayload } from 'jose';

/** An issuer of tokens whose keys and answers a test changes. */
export interface KeyServer {
  url: string;
  /** Requests for its keys so far. */
  reads: number;
  /** Answers in place of its own; undefined: its own. */
  answer: ((request: IncomingMessage, response: ServerResponse) => void) | undefined;
  /** Makes a key that signs from now on; the ones before leave the set. @returns its id */
  rotate(alg?: string): Promise<string>;
  /** A token of the issuer. @param header what differs of it */
  sign(claims: JWTPayload, header?: Record<string, unknown>): Promise<string>;
  publicKey(): Promise<string>;
  close(): Promise<void>;
}

export async function openKeyServer(): Promise<KeyServer> {
  const jose = await import('jose');
  let current: { kid: string; alg: string; privateKey: CryptoKey; publicKey: CryptoKey; jwk: JWK };
  let made = 0;
  const server: Server = createServer((request, response) => {
    if (keys.answer) return keys.answer(request, response);
    const isMetadata = request.url === '/.well-known/openid-configuration';
    if (!isMetadata) keys.reads += 1;
    const own = isMetadata ? { issuer: url, jwks_uri: `${url}/keys` } : { keys: [current.jwk] };
    response.setHeader('content-type', 'application/json').end(JSON.stringify(own));
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const url = `http://localhost:${(server.address() as AddressInfo).port}`;
  const keys: KeyServer = {
    url,
    reads: 0,
    answer: undefined,
    rotate: async (alg = 'ES256') => {
      const pair = await jose.generateKeyPair(alg, { extractable: true });
      made += 1;
      const kid = `key ${made}`;
      current = { ...pair, kid, alg, jwk: { ...(await jose.exportJWK(pair.publicKey)), kid, alg } };
      return kid;
    },
    sign: (claims, header = {}) =>
      new jose.SignJWT(claims)
        .setProtectedHeader({ alg: current.alg, kid: current.kid, ...header })
        .sign(current.privateKey),
    publicKey: () => jose.exportSPKI(current.publicKey),
    close: async () => {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
  await keys.rotate();
  return keys;
}
