import type { Context } from 'koa';
import { type VisitLimit, visitOf } from '../admission.js';

export interface OriginSettings {
  /** Browser origins that may call; `*`: any. One label after `//` may be `*`. */
  corsOrigins: readonly string[];
  /** The setting HEADER_PREFIX. */
  headerPrefix: string;
}

const METHODS = 'GET, POST, PUT, PATCH, DELETE';
const PREFLIGHT_SECONDS = '600';

/** Headers that the service reads, besides its own and those that pages may always send. */
const READ = [
  'authorization',
  'content-encoding',
  'content-type',
  'idempotency-key',
  'if-modified-since',
  'if-none-match',
  'last-event-id',
  'traceparent',
  'tracestate',
];
/** Headers of responses, besides the service's own and those that pages may always read. */
const SENT = ['allow', 'content-disposition', 'etag', 'retry-after'];

const TOKEN = /^[!#$%&'*+.^_`|~\da-z-]+$/;

/** Matches the origins of an entry: `https://*.example.com` are those one label below. */
function matcherOf(entry: string): RegExp {
  const literal = entry.replace(/[.+^${}()|[\]\\/?]/g, '\\$&');
  return new RegExp(`^${literal.replace('*', '[a-z0-9_-]+')}$`);
}

/** True for a page of this service, which browsers name in the header `origin`. */
export function isOwnOrigin(origin: string | undefined, host: string | undefined): boolean {
  return origin === `https://${host}` || origin === `http://${host}`;
}

/**
 * Which pages of other origins may call, with which headers; for HTTP and for WebSockets. There
 * are no cookies, hence no credentials: with `*` nothing is at stake, whatever header a page sends.
 */
export class CrossOrigin {
  readonly #any: boolean;
  readonly #origins: RegExp[];
  readonly #known: ReadonlySet<string>;
  readonly #clientHeaders: string;
  readonly #exposed: string;

  constructor({ corsOrigins, headerPrefix }: OriginSettings) {
    this.#any = corsOrigins.includes('*');
    this.#origins = corsOrigins.map(matcherOf);
    const own = ['api-key', 'cell', 'request-id'].map((name) => `${headerPrefix}-${name}`);
    this.#known = new Set([...READ, ...own]);
    this.#clientHeaders = `${headerPrefix}-client`;
    this.#exposed = [...SENT, `${headerPrefix}-request-id`, `${headerPrefix}-replayed`].join(', ');
  }

  admits(origin: string): boolean {
    return this.#any || this.#origins.some((pattern) => pattern.test(origin));
  }

  /** Of responses to requests that could not be read, not even their origin. */
  get blindHeaders(): Record<string, string> {
    if (!this.#any) return {};
    return { 'access-control-allow-origin': '*', 'access-control-expose-headers': this.#exposed };
  }

  /**
   * Sets a request's headers.
   * @param limitVisit for preflights, which no other limit counts
   * @returns for a preflight, the whole answer
   */
  answer(ctx: Context, limitVisit: VisitLimit): Promise<void> | undefined {
    if (!this.#any) ctx.vary('Origin');
    const origin = ctx.get('origin');
    if (!origin || !this.admits(origin)) return undefined;
    ctx.set('access-control-allow-origin', this.#any ? '*' : origin);
    if (ctx.method === 'OPTIONS' && ctx.get('access-control-request-method')) {
      return this.#answerPreflight(ctx, limitVisit);
    }
    ctx.set('access-control-expose-headers', this.#exposed);
    return undefined;
  }

  async #answerPreflight(ctx: Context, limitVisit: VisitLimit): Promise<void> {
    await limitVisit(visitOf(ctx));
    const requested = ctx
      .get('access-control-request-headers')
      .toLowerCase()
      .split(',')
      .map((name) => name.trim());
    ctx.set('access-control-allow-methods', METHODS);
    ctx.set('access-control-allow-headers', requested.filter((name) => this.#allows(name)).join(', '));
    ctx.set('access-control-max-age', PREFLIGHT_SECONDS);
    ctx.status = 204;
  }

  #allows(header: string): boolean {
    if (this.#any) return TOKEN.test(header);
    return this.#known.has(header) || header.startsWith(this.#clientHeaders);
  }
}
