import { once } from 'node:events';
import { type IncomingMessage, request as overHttp } from 'node:http';
import { request as overHttps } from 'node:https';
import type { Readable } from 'node:stream';
import { AwsV4Signer } from 'aws4fetch';
import { unavailable } from '../../base/errors.js';

/** A store that doesn't answer for longer has failed. */
const PATIENCE_MS = 30_000;
/** SHA-256 of nothing. */
const NOTHING = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';
/** Of an error that a log quotes. */
const QUOTED_BYTES = 300;

/** A file as it is sent. */
interface SentFile {
  /** Hexadecimal. */
  sha256: string;
  bytes: number;
  /** Rejects where the file turns out to be another one. */
  pieces: AsyncIterable<Buffer>;
}

/**
 * A bucket of S3 or a compatible store, addressed by paths. Every call fails with DomainError UNAVAILABLE when the store does not answer
 * or refuses it; the reason is the error's cause.
 */
export class Bucket {
  readonly #base: URL;
  readonly #credential: { accessKeyId: string; secretAccessKey: string; region: string; service: 's3' };

  /** @param address RECORDINGS_STORE: `s3://<key>:<secret>@<host>/<bucket>[/<folder>][?region=…&tls=off]` */
  constructor(address: string) {
    const { host, pathname, username, password, searchParams } = new URL(address);
    const scheme = searchParams.get('tls') === 'off' ? 'http' : 'https';
    this.#base = new URL(`${scheme}://${host}${pathname.replace(/\/?$/, '/')}`);
    this.#credential = {
      accessKeyId: decodeURIComponent(username),
      secretAccessKey: decodeURIComponent(password),
      region: searchParams.get('region') ?? 'us-east-1',
      service: 's3',
    };
  }

  /** Stores an object. A file that turns out to be another one, or ends early, leaves none. */
  async put(name: string, { sha256, bytes, pieces }: SentFile): Promise<void> {
    const { answer, send } = await this.#open('PUT', name, sha256, bytes);
    try {
      for await (const piece of pieces) {
        if (!send.write(piece)) await Promise.race([once(send, 'drain'), answer]);
      }
    } catch (error) {
      // Less than its length: the store drops it.
      send.destroy();
      await answer.catch(() => undefined);
      throw error;
    }
    send.end();
    await finished(await answer, [200]);
  }

  /** An object's content; undefined: there is none. */
  async get(name: string): Promise<Readable | undefined> {
    const { answer, send } = await this.#open('GET', name, NOTHING);
    send.end();
    const response = await answer;
    if (response.statusCode === 200) return response;
    await finished(response, [404]);
    return undefined;
  }

  /** The size of an object in bytes; undefined: there is none. */
  async sizeOf(name: string): Promise<number | undefined> {
    const { answer, send } = await this.#open('HEAD', name, NOTHING);
    send.end();
    const response = await answer;
    await finished(response, [200, 404]);
    return response.statusCode === 200 ? Number(response.headers['content-length']) : undefined;
  }

  /** Deletes an object, if there is one. */
  async delete(name: string): Promise<void> {
    const { answer, send } = await this.#open('DELETE', name, NOTHING);
    send.end();
    await finished(await answer, [200, 204, 404]);
  }

  async #open(method: string, name: string, sha256: string, bytes?: number) {
    const url = new URL(name, this.#base);
    const signed = await new AwsV4Signer({
      ...this.#credential,
      ...{ method, url: url.href, headers: { 'x-amz-content-sha256': sha256 } },
    }).sign();
    const headers: Record<string, string | number> = { ...Object.fromEntries(signed.headers) };
    if (bytes !== undefined) headers['content-length'] = bytes;
    const send = (url.protocol === 'http:' ? overHttp : overHttps)(url, { method, headers });
    // Also after the answer's promise has settled.
    send.on('error', () => undefined);
    send.setTimeout(PATIENCE_MS, () => send.destroy(new Error('The store of recordings does not answer')));
    const answer = once(send, 'response').then(
      ([response]) => response as IncomingMessage,
      (error: unknown) => {
        throw failed(error);
      },
    );
    // It may fail while the file is still being sent.
    answer.catch(() => undefined);
    return { send, answer };
  }
}

function failed(cause: unknown): Error {
  return Object.assign(unavailable('The store of recordings does not answer. Try again in a moment.'), {
    cause,
  });
}

/** Reads a response to its end. @throws DomainError UNAVAILABLE for other statuses */
async function finished(response: IncomingMessage, statuses: readonly number[]): Promise<void> {
  const { statusCode = 0 } = response;
  let text = '';
  try {
    for await (const piece of response) text += String(piece).slice(0, QUOTED_BYTES - text.length);
  } catch (error) {
    throw failed(error);
  }
  if (!statuses.includes(statusCode))
    throw failed(new Error(`The store of recordings: ${statusCode} ${text}`));
}
