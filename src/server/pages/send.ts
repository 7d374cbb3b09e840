import { createHash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Context } from 'koa';
import { type TurnLimits, Turns } from '../../base/limits.js';
import type { PageVariant } from './address.js';

// Everything from this service, no inline code; connect-src 'self' covers the WebSocket of the same host and port.
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
];

/** Visitors share a response for a moment; a shared cache serves it while it revalidates. */
export const SHORTLY = 'public, max-age=2, stale-while-revalidate=10';

export function redirectTo(ctx: Context, location: string): void {
  ctx.status = 303;
  ctx.set({ location, 'cache-control': SHORTLY });
  ctx.body = '';
}

const QUALITY = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } };
type Encoding = 'br' | 'gzip';
/** Encodings, the smallest first: browsers name gzip first and mean no order by it. */
const packers: Record<Encoding, (text: string) => Promise<Buffer>> = {
  br: (text) => promisify(brotliCompress)(text, QUALITY),
  gzip: (text) => promisify(gzip)(text),
};

/** Who may frame a page: everyone the embeddable variant, this service its overlays. */
const FRAMED_BY: Record<PageVariant, string> = { embed: '*', overlay: "'self'", page: "'none'" };

/** Sets the browser rules of a page. @param frames true if it shows other pages of this service */
export function setRules(ctx: Context, variant: PageVariant, frames = false): void {
  const framing = [...(frames ? ["frame-src 'self'"] : []), `frame-ancestors ${FRAMED_BY[variant]}`];
  ctx.set('content-security-policy', [...POLICY, ...framing].join('; '));
  if (variant === 'page') return;
  // Cross-origin isolated pages, like games that use threads, show no frame without it.
  ctx.set('cross-origin-embedder-policy', 'require-corp');
  if (variant === 'overlay') ctx.set('x-frame-options', 'SAMEORIGIN');
  else ctx.remove('x-frame-options');
}

/** Origins that a page's studio has chosen. */
interface ChosenOrigins {
  /** Of pictures that it shows. */
  pictures?: string[];
  /** Of pages that may frame it, an overlay. */
  framers?: string[];
}

function allowOrigins(ctx: Context, { pictures = [], framers = [] }: ChosenOrigins): void {
  if (pictures.length + framers.length === 0) return;
  let policy = String(ctx.response.get('content-security-policy'));
  for (const [rule, origins] of [
    ["img-src 'self'", pictures] as const,
    ["frame-ancestors 'self'", framers] as const,
  ])
    policy = policy.replace(rule, [rule, ...origins].join(' '));
  ctx.set('content-security-policy', policy);
  // This older header knows no list of origins.
  if (framers.length > 0) ctx.remove('x-frame-options');
}

/** Responds with 304 and returns true if the visitor has this version of the page already. */
function answeredBy(ctx: Context, etag: string): boolean {
  ctx.set({ etag, 'cache-control': SHORTLY });
  ctx.vary('accept-encoding');
  ctx.status = 200;
  if (!ctx.fresh) return false;
  ctx.status = 304;
  return true;
}

/** A page that several visitors get; it is compressed once for all of them. */
class MadePage {
  readonly #packed = new Map<Encoding, Promise<Buffer>>();

  constructor(readonly text: string) {}

  packed(encoding: Encoding): Promise<Buffer> {
    const packed = this.#packed.get(encoding) ?? packers[encoding](this.text);
    this.#packed.set(encoding, packed);
    return packed;
  }
}

/** One shared read for all visitors who request the same page at the same time. */
interface SharedVisit {
  /** The same for the same page. */
  id: string;
  /** The board, as its address names it. */
  board: string;
  ctx: Context;
  /** Reads the tag of the page, then the page. @throws DomainError */
  make(): Promise<{ etag: string; page: () => Promise<string> } & ChosenOrigins>;
}

type Made = { page: MadePage | undefined } | { fault: unknown };

/** Per process: visitors do not displace submissions, and a board whose pages take long holds up its own ones only. */
const PAGES: TurnLimits = { atATime: 8, ofOwner: 2, waiting: 1_000, patienceMs: 10_000 };

/**
 * Renders pages for visitors: those who arrive before a rendering begins share it, so no page is older than its request. Boards take turns.
 */
export class SharedPages {
  readonly #turns = new Turns(PAGES);
  /** Visits of pages that have not begun, with what becomes of them. */
  readonly #coming = new Map<string, { visits: SharedVisit[]; made: Promise<Map<SharedVisit, Made>> }>();

  /** @throws DomainError */
  async send(visit: SharedVisit): Promise<void> {
    const made = (await this.#made(visit)).get(visit)!;
    if ('fault' in made) throw made.fault;
    if (made.page) await sendPage(visit.ctx, 200, made.page);
  }

  #made(visit: SharedVisit): Promise<Map<SharedVisit, Made>> {
    const { id, board } = visit;
    const known = this.#coming.get(id);
    if (known) {
      known.visits.push(visit);
      return known.made;
    }
    const visits = [visit];
    const work = async () => {
      // Requests of one turn of the event loop share a page.
      await nextTurn();
      this.#coming.delete(id);
      const made = await madePage(visits);
      return new Map(visits.map((one, n) => [one, made[n]!]));
    };
    const made = this.#turns.run(work, board);
    this.#coming.set(id, { visits, made });
    // One that was refused has not begun.
    made.catch(() => this.#coming.delete(id));
    return made;
  }
}

async function madePage(group: SharedVisit[]): Promise<Made[]> {
  try {
    const { etag, page, ...chosen } = await group[0]!.make();
    for (const { ctx } of group) allowOrigins(ctx, chosen);
    const missing = group.map(({ ctx }) => !answeredBy(ctx, etag));
    const made = missing.includes(true) ? new MadePage(await page()) : undefined;
    return missing.map((isMissing) => ({ page: isMissing ? made : undefined }));
  } catch (fault) {
    return group.map(() => ({ fault }));
  }
}

/** Sends a page with the best compression that the visitor accepts. */
export async function sendPage(ctx: Context, status: number, page: string | MadePage): Promise<void> {
  const encoding = (Object.keys(packers) as Encoding[]).find((name) => ctx.acceptsEncodings(name));
  const made = typeof page === 'string' ? new MadePage(page) : page;
  ctx.status = status;
  ctx.type = 'html';
  ctx.vary('accept-encoding');
  if (encoding) ctx.set('content-encoding', encoding);
  ctx.body = encoding ? await made.packed(encoding) : made.text;
}

export function hashOf(...parts: unknown[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url').slice(0, 22);
}

/** Sends a page whose tag is a hash of all of it. */
export async function sendWhole(ctx: Context, page: string): Promise<void> {
  if (!answeredBy(ctx, `W/"${hashOf(page)}"`)) await sendPage(ctx, 200, page);
}
