import { statusOf } from '../../../src/base/errors.js';
import type { TestApp } from '../app.js';
import type { OpenApiContract } from '../contract.js';
import type { WriteJournal } from '../journal.js';
import type { Wire, WireAnswer, WireRequest } from '../wire.js';
import { Dice } from './dice.js';

/** Any text, quoted for a shell. */
function quoted(text: string | Buffer): string {
  const bytes = Buffer.isBuffer(text) ? text : Buffer.from(text);
  if (/^[\x20-\x7e]*$/.test(bytes.toString('latin1')))
    return `'${bytes.toString().replaceAll("'", `'\\''`)}'`;
  const escaped = [...bytes].map((byte) =>
    byte >= 0x20 && byte < 0x7f && byte !== 0x27 && byte !== 0x5c
      ? String.fromCharCode(byte)
      : `\\x${byte.toString(16).padStart(2, '0')}`,
  );
  return `$'${escaped.join('')}'`;
}

/** A request as a shell command. Bodies with NUL go through a pipe, because arguments can't contain one. */
function curlOf(url: string, { method, path, headers, body }: WireRequest): string {
  const parts = ['curl', '-sS', '-i', '--path-as-is', '-g', '-X', method];
  for (const [name, value] of Object.entries(headers))
    parts.push('-H', quoted(Buffer.from(`${name}: ${value}`, 'latin1')));
  const pipe = body === undefined ? '' : `printf %b ${quoted(escapedForPrintf(body))} | `;
  if (body !== undefined) parts.push('--data-binary', '@-');
  return `${pipe}${[...parts, quoted(`${url}${path}`)].join(' ')}`;
}

function escapedForPrintf(body: string | Buffer): string {
  return [...Buffer.from(body as string)]
    .map((byte) =>
      byte >= 0x20 && byte < 0x7f && byte !== 0x5c
        ? String.fromCharCode(byte)
        : `\\0${byte.toString(8).padStart(3, '0')}`,
    )
    .join('');
}

/** Refusals that write something by design: the session of a replayed token is revoked. */
const WRITING_REFUSALS = ['INVALID_REFRESH_TOKEN', 'SCORE_REJECTED'];

const MOST_FAULTS = 20;

/** Sends requests one after another and checks every response against what was promised. */
export class Trial {
  /** The faults, each with its request as a command. */
  readonly faults: string[] = [];
  /** Responses by status and code. */
  readonly seen = new Map<string, number>();
  requests = 0;

  constructor(
    readonly app: TestApp,
    readonly wire: Wire,
    private readonly contract: OpenApiContract,
    private readonly journal: WriteJournal,
  ) {}

  /** @param seed of the whole run; every request has its own dice, so that it can be repeated */
  async run(count: number, seed: number, one: (dice: Dice, name: string) => Promise<void>): Promise<void> {
    for (let n = 0; n < count && this.faults.length < MOST_FAULTS; n += 1) {
      this.requests += 1;
      await one(new Dice(seed * 1_000_003 + n), `seed ${seed}, request ${n}`);
    }
  }

  async rest(request: WireRequest, name: string): Promise<void> {
    const answer = await this.#sent(request, name);
    if (!answer) return;
    const { status, headers, body } = answer;
    const code = status < 400 ? '' : String(body?.code ?? '');
    this.note(`${status} ${code}`);
    const wrong = status >= 500 ? ['a fault of the service'] : this.#promised(request, answer);
    if (headers.has('service-request-id') === false) wrong.push('no request id');
    // Only an export leaves an entry in the audit trail.
    const reads = /^(GET|HEAD)$/.test(request.method) && !(status === 200 && /\/export\b/.test(request.path));
    const written = await this.written();
    if ((status >= 400 && !WRITING_REFUSALS.includes(code)) || reads) wrong.push(...written);
    if (wrong.length > 0)
      this.fault(name, request, `${wrong.join('; ').slice(0, 500)}\n${status} ${answer.text.slice(0, 500)}`);
  }

  #promised({ method, path }: WireRequest, { status, headers, body }: WireAnswer): string[] {
    if (method !== 'HEAD') return this.contract.faultsOf(method, path, status, headers, body);
    const like = this.contract.document.paths[this.contract.templateOf(path) ?? '']?.get;
    return like?.responses[status] || [404, 405].includes(status) ? [] : [`HEAD answers ${status}`];
  }

  /** GraphQL over HTTP: few statuses, and errors only have codes of the closed set. */
  async graph(request: WireRequest, name: string): Promise<void> {
    const answer = await this.#sent(request, name);
    if (!answer) return;
    const { status, body } = answer;
    const wrong: string[] = [];
    // Of values alone, 422 is REST's: here it refuses a member of the body that names a prototype.
    const isMember = body?.errors?.[0]?.extensions?.details?.[0]?.type === 'member';
    const expected = isMember ? [422] : [200, 400, 405, 413, 415];
    if (!expected.includes(status)) wrong.push(`status ${status}`);
    wrong.push(...this.graphFaults(body));
    const code = String(body?.errors?.[0]?.extensions?.code);
    if (status > 400 && statusOf[code as keyof typeof statusOf] !== status)
      wrong.push(`${code} with ${status}`);
    const written = await this.written();
    if (nothingCame(body)) wrong.push(...written);
    if (wrong.length > 0)
      this.fault(name, request, `${wrong.join('; ').slice(0, 500)}\n${status} ${answer.text.slice(0, 500)}`);
  }

  /** The faults of an operation's result. */
  graphFaults(result: {
    data?: unknown;
    errors?: { message: string; extensions?: Record<string, unknown> }[];
  }): string[] {
    const wrong: string[] = [];
    if (typeof result !== 'object' || result === null) return ['no result'];
    if (!result.errors) this.note('ok');
    for (const { message, extensions } of result.errors ?? []) {
      const code = String(extensions?.code);
      this.note(code);
      if (!(code in statusOf) || code === 'INTERNAL' || code === 'UNAVAILABLE')
        wrong.push(`${code}: ${message}`);
      if (!extensions?.requestId) wrong.push('no request id');
    }
    return wrong;
  }

  /** What was written since the last call, as a sentence; empty: nothing. */
  async written(): Promise<string[]> {
    const news = await this.journal.news();
    return news.length > 0 ? [`it wrote: ${news.join(', ')}`] : [];
  }

  note(what: string): void {
    this.seen.set(what.trim(), (this.seen.get(what.trim()) ?? 0) + 1);
  }

  fault(name: string, request: WireRequest, what: string): void {
    this.faults.push(`${name}: ${what}\n${curlOf(this.wire.url, request)}`.slice(0, 4_000));
  }

  async #sent(request: WireRequest, name: string): Promise<WireAnswer | undefined> {
    try {
      return await this.wire.send(request);
    } catch (error) {
      this.fault(name, request, String(error));
      return undefined;
    }
  }

  /** One line: how many requests, and how often each response. */
  summary(): string {
    const seen = [...this.seen].toSorted(([, a], [, b]) => b - a).map(([what, count]) => `${what}: ${count}`);
    return `${this.requests} requests; ${seen.join(', ')}`;
  }
}

/** True if nothing of an operation was executed: none of its root fields, called a0, a1, …, but a first one that was refused. */
export function nothingCame(result: {
  data?: unknown;
  errors?: { path?: unknown[]; extensions?: Record<string, unknown> }[];
}): boolean {
  if (!result?.errors) return result?.data === undefined;
  const { data, errors } = result;
  const roots = typeof data === 'object' && data !== null ? Object.values(data) : [];
  const later = errors.some(({ path = [] }) => path.length > 1 || /^a[1-9]/.test(String(path[0])));
  const writing = errors.some(({ extensions }) => WRITING_REFUSALS.includes(String(extensions?.code)));
  return !later && !writing && roots.every((root) => root === null);
}
