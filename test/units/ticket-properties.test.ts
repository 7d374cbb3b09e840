import fc from 'fast-check';
import { type App, makeApp } from '../../src/app.js';
import { uuidOf } from '../../src/base/ids.js';
import { makeLog } from '../../src/base/log.js';
import { SETTINGS, startApp, type TestApp } from '../support/app.js';
import { DAY, HOUR, SECOND } from '../support/clock.js';
import { Caller, type Data } from '../support/http.js';
import { runsOf } from '../support/lane.js';
import { change, makeBoard, makeGame, makeStudio, type Studio, startSession } from '../support/make.js';

// Random histories of starts and submissions on one board, by two services whose clocks are ten seconds off in either direction, compared
// with a plain model of attempts, periods, terms, keys, lives and uses. The secret is replaced now and then, and so are the settings.

const LONG = 100_000_000;
const SECRETS = ['a secret of thirty-two characters', 'another secret of thirty-two chars'];
const OFFSETS = [10 * SECOND, -10 * SECOND];
const ADVANCE = 5;

let app: TestApp;
let studio: Studio;
let game: Data;
/** By secret and process. */
const services: App[][] = [];
const urls: string[][] = [];

beforeAll(async () => {
  app = await startApp({ accessTokenSeconds: LONG, refreshTokenSeconds: LONG });
  studio = await makeStudio(app);
  game = await makeGame(studio, { antiCheatEnabled: false });
  for (const keySecret of SECRETS) {
    const [made, at]: [App[], string[]] = [[], []];
    for (const offset of OFFSETS) {
      const service = await makeApp({
        settings: { ...SETTINGS, keySecret, accessTokenSeconds: LONG, refreshTokenSeconds: LONG },
        ...{ database: app.database, clock: () => app.clock.now() + offset },
        ...{ log: makeLog('fatal'), wakeJobs: false },
      });
      made.push(service);
      at.push(`http://127.0.0.1:${await service.listen(0, '127.0.0.1')}`);
    }
    services.push(made);
    urls.push(at);
  }
});
afterAll(async () => {
  await Promise.all(services.flat().map((service) => service.close()));
  await app.close();
});

const step = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('start' as const),
      process: fc.nat(1),
      player: fc.nat(1),
      key: fc.constantFrom(undefined, 'a', 'b'),
      count: fc.constantFrom(1, 1, 1, 2, 3),
      version: fc.constantFrom(undefined, '1.4', '1.5'),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('submit' as const),
      process: fc.nat(1),
      player: fc.nat(1),
      /** Counted from the newest ticket. */
      back: fc.nat(5),
      isOwn: fc.boolean(),
      key: fc.constantFrom(undefined, 'x', 'y'),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('wait' as const),
      millis: fc.constantFrom(1_500, 19_000, 21_000, 40 * 60_000, HOUR, 9 * HOUR),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('set' as const),
      attempts: fc.constantFrom(null, 1, 2, 4),
      content: fc.constantFrom('map 1', 'map 2'),
      hours: fc.constantFrom(1, 24),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('rotate' as const) }) },
);
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

interface Rules {
  attempts: number | null;
  content: string;
  hours: number;
}

interface Issued {
  text: string;
  secret: number;
  player: number;
  issuedAt: number;
  expiresAt: number;
  content: string;
  attempt: number | null;
  version: string | null;
}

/** A request that took attempts. */
interface Taken {
  key: string | undefined;
  request: string;
  tickets: Issued[];
}

interface Run {
  elapsed: number;
  attempt: number;
  version: string | null;
}

class World {
  readonly #issued: Issued[] = [];
  readonly #used = new Set<string>();
  /** By player and day. */
  readonly #attempts = new Map<string, Taken[]>();
  /** By player and key: the number of the ticket, which the value is. */
  readonly #keys = new Map<string, number>();
  readonly runs: Run[] = [];
  #secret = 0;
  #rules: Rules = { attempts: 2, content: 'map 1', hours: 24 };

  constructor(
    readonly boardId: string,
    private readonly tokens: string[],
  ) {}

  async play(one: Step): Promise<void> {
    if (one.kind === 'wait') app.clock.advance(one.millis);
    else if (one.kind === 'rotate') this.#secret = 1 - this.#secret;
    else if (one.kind === 'set') await this.#set(one);
    else if (one.kind === 'start') await this.#start(one);
    else await this.#submit(one);
  }

  async #set({ attempts, content, hours }: Rules): Promise<void> {
    this.#rules = { attempts, content, hours };
    await change(studio.admin, 'Board', this.boardId, { tickets: settingsOf(this.#rules) });
  }

  #caller(process: number, player: number): Caller {
    return new Caller(urls[this.#secret]![process]!, { authorization: `Bearer ${this.tokens[player]}` });
  }

  async #start({ process, player, key, count, version }: Extract<Step, { kind: 'start' }>): Promise<void> {
    const { attempts, content, hours } = this.#rules;
    const now = app.clock.now() + OFFSETS[process]!;
    const { status, body } = await this.#caller(process, player).post('/v1/client/tickets', {
      ...{ board_id: this.boardId, count },
      ...(key && { idempotency_key: key }),
      ...(version && { game_version: version }),
    });
    const end = Math.min(now + hours * HOUR, (Math.floor(now / DAY) + 1) * DAY);
    const day = `${player} ${Math.floor(now / DAY)}`;
    const before = this.#attempts.get(day) ?? [];
    const used = before.reduce((sum, { tickets }) => sum + tickets.length, 0);
    const request = JSON.stringify([count, version]);
    const earlier = attempts !== null && key ? before.find((taken) => taken.key === key) : undefined;
    const room = attempts === null ? count : Math.min(count, attempts - used);
    if (earlier && earlier.request !== request) return expect(body.code).toBe('CONFLICT');
    if (!earlier && room <= 0) return expect(body.code).toBe('ATTEMPTS_USED_UP');
    expect([status, body]).toEqual([200, body]);
    const fresh = { player, issuedAt: now, expiresAt: end, content, version: version ?? null };
    const expected: Omit<Issued, 'text' | 'secret'>[] =
      earlier?.tickets ??
      Array.from({ length: room }, (_, n) => ({
        ...fresh,
        attempt: attempts === null ? null : used + n + 1,
      }));
    expect(body.tickets.map(({ attempt, expires_at }: Data) => [attempt, Date.parse(expires_at)])).toEqual(
      expected.map(({ attempt, expiresAt }) => [attempt, expiresAt]),
    );
    const taken = used + (earlier ? 0 : room);
    expect(body.attempts_left).toBe(attempts === null ? null : Math.max(0, attempts - taken));
    const tickets = expected.map(
      (one, n): Issued => ({
        ...one,
        ...{ text: body.tickets[n].ticket, secret: this.#secret },
      }),
    );
    if (earlier?.tickets.every(({ secret }) => secret === this.#secret))
      expect(tickets.map(({ text }) => text)).toEqual(earlier.tickets.map(({ text }) => text));
    if (!earlier && attempts !== null) this.#attempts.set(day, [...before, { key, request, tickets }]);
    this.#issued.push(...tickets);
  }

  async #submit({ process, player, back, isOwn, key }: Extract<Step, { kind: 'submit' }>): Promise<void> {
    const number = this.#issued.length - 1 - back;
    const ticket = this.#issued[number];
    if (!ticket) return;
    const who = isOwn ? ticket.player : player;
    const now = app.clock.now() + OFFSETS[process]!;
    const { status, body } = await this.#caller(process, who)
      .with({ 'service-client-nonce': ticket.text, ...(key && { 'idempotency-key': key }) })
      .post('/v1/client/scores', { board_id: this.boardId, player_name: 'Ann', value: number });
    const scope = key && `${who} ${key}`;
    const known = scope ? this.#keys.get(scope) : undefined;
    const code = body.code ?? status;
    if (known !== undefined) return expect(code).toBe(known === number ? 201 : 'CONFLICT');
    const refusal = this.#refusal(ticket, who, now);
    if (refusal) return expect(code).toBe(refusal);
    expect([code, body]).toEqual([201, body]);
    this.#used.add(uuidIn(ticket.text));
    if (scope) this.#keys.set(scope, number);
    const elapsed = Math.max(0, now - ticket.issuedAt);
    this.runs.push({ elapsed, attempt: ticket.attempt ?? 0, version: ticket.version });
  }

  #refusal(ticket: Issued, who: number, now: number): string | undefined {
    if (ticket.secret !== this.#secret || ticket.player !== who) return 'TICKET_INVALID';
    if (ticket.expiresAt <= now) return 'TICKET_EXPIRED';
    const isUncounted = this.#rules.attempts !== null && ticket.attempt === null;
    if (ticket.content !== this.#rules.content || isUncounted) return 'TICKET_STALE';
    return this.#used.has(uuidIn(ticket.text)) ? 'TICKET_USED' : undefined;
  }
}

/** A ticket that was issued again under another secret is the same one. */
function uuidIn(text: string): string {
  return Buffer.from(text.slice(4), 'base64url').subarray(0, 16).toString('hex');
}

function settingsOf({ attempts, content, hours }: Rules): Data {
  return { mode: 'REQUIRED', view: 'daily', advance: ADVANCE, attempts, content, hours };
}

test('starts and submissions of random histories are those of a plain model', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 40, size: 'max' }), async (steps) => {
      const rules = { attempts: 2, content: 'map 1', hours: 24 };
      const views = [{ name: 'daily', period: 'DAY' }];
      const { id } = await makeBoard(studio, game.id, {
        ...{ views, keepStrategy: 'ALL', tickets: settingsOf(rules) },
      });
      const players = [await startSession(app, game.id), await startSession(app, game.id)];
      const world = new World(
        id,
        players.map(({ session }) => session.accessToken),
      );
      for (const one of steps) await world.play(one);
      const { rows } = await app.database.pool.query(
        'select elapsed_ms as elapsed, attempt, game_version as version from runs where board_id = $1 order by event_seq',
        [uuidOf(id)],
      );
      expect(rows).toEqual(world.runs);
    }),
    { numRuns: runsOf(150, 12) },
  );
});
