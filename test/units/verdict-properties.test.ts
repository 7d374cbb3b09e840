import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { type App, makeApp } from '../../src/app.js';
import { idOf, uuidOf } from '../../src/base/ids.js';
import { makeLog } from '../../src/base/log.js';
import { verifyBoard } from '../../src/rankings/upkeep/verify.js';
import { SETTINGS, startApp, type TestApp } from '../support/app.js';
import { HOUR, MINUTE } from '../support/clock.js';
import type { TestDatabase } from '../support/database.js';
import { flag as raiseFlag, review, reviewRuns, undo as undoReview } from '../support/flags.js';
import { Caller, type Data, send } from '../support/http.js';
import { runsOf } from '../support/lane.js';
import {
  change,
  makeBoard,
  makeGame,
  makeKey,
  makeStudio,
  type Studio,
  startSession,
} from '../support/make.js';
import { takeNonce } from '../support/play.js';
import { expected, listed } from '../support/ranked-reads.js';
import { rederiveAll } from '../support/rederive.js';
import { until } from '../support/wait.js';

// Random histories of recorded runs and their verdicts on one board, by two services on one database, compared with a plain model after
// every step: what each flag says is a function of the verdicts and reviews that were not taken back, in whatever order they came.

const LONG = 100_000_000;
const RUNS = runsOf(25, 3);
const HOLD_HOURS = 10;
const VERDICT_HOURS = 5;
const FILE = 'left left jump';
const HASH = createHash('sha256').update(FILE).digest('hex');
const VERIFIERS = ['a', 'b', 'c'];
const CHECKS = ['rate_limit', 'velocity_seconds', 'duplicate_seconds', 'progression_percent', 'outlier_z'];

let app: TestApp;
let second: App;
let studio: Studio;
let game: Data;
let urls: string[];
let keys: Caller[];

beforeAll(async () => {
  let clone: TestDatabase | undefined;
  const settings = { accessTokenSeconds: LONG, refreshTokenSeconds: LONG };
  app = await startApp(settings, {}, (made) => {
    clone = made;
    return made.open();
  });
  second = await makeApp({
    ...{ settings: { ...SETTINGS, ...settings, dataDir: app.dataDir }, database: clone!.open() },
    ...{ clock: app.clock.now, log: makeLog('fatal'), wakeJobs: false },
  });
  urls = [app.url, `http://127.0.0.1:${await second.listen(0, '127.0.0.1')}`];
  studio = await makeStudio(app);
  // Only verdicts flag runs, whatever the tier.
  const off = { a: 'off', b: 'off', c: 'off' };
  game = await makeGame(studio);
  await change(studio.admin, 'Game', game.id, {
    antiCheatSettings: Object.fromEntries(
      CHECKS.map((name) => [
        name.replace(/_([a-z])/g, (_whole, letter) => letter.toUpperCase()),
        Object.fromEntries(Object.keys(off).map((tier) => [tier, { value: null }])),
      ]),
    ),
  });
  const { key } = await makeKey(app.superadmin, studio.accountId, studio.userId, { scopes: ['VERIFY'] });
  keys = urls.map((url) => new Caller(url, { 'service-api-key': key }));
});
afterAll(async () => {
  await second.close();
  await app.close();
});

const STATUSES = ['pending', 'confirmed_cheat', 'false_positive', 'dismissed'] as const;
type Status = (typeof STATUSES)[number];
const verdict = fc.constantFrom(
  'verified' as const,
  'rejected' as const,
  'rejected' as const,
  'unknown' as const,
);
const mode = fc.constantFrom('log' as const, 'hold' as const, 'decide' as const);
type Said = 'verified' | 'rejected' | 'unknown';
type Mode = 'log' | 'hold' | 'decide';

const of = <K extends string, R extends object>(kind: K, more: { [N in keyof R]: fc.Arbitrary<R[N]> }) =>
  fc.record({ kind: fc.constant(kind), ...more } as never) as unknown as fc.Arbitrary<{ kind: K } & R>;
const PLAYERS = 4;
const nth = { nth: fc.nat() };

interface Played {
  player: number;
  amount: number;
  process: number;
  hasTicket: boolean;
}
interface Spoken {
  nth: number;
  verifier: number;
  said: Said;
  process: number;
  /** The same verdict, sent once more at the same moment to the other process. */
  isDoubled: boolean;
  /** What another verifier says at the same moment. */
  other: Said | null;
}
const spoken = {
  ...{ ...nth, verifier: fc.nat(VERIFIERS.length - 1), said: verdict, process: fc.nat(1) },
  ...{ isDoubled: fc.boolean(), other: fc.option(verdict, { freq: 4 }) },
};

const step = fc.oneof(
  {
    weight: 5,
    arbitrary: of<'play', { wave: Played[] }>('play', {
      wave: fc.array(
        fc.record({
          ...{ player: fc.nat(PLAYERS - 1), amount: fc.integer({ min: 1, max: 12 }) },
          ...{ process: fc.nat(1), hasTicket: fc.boolean() },
        }),
        { minLength: 1, maxLength: 4 },
      ),
    }),
  },
  {
    weight: 4,
    arbitrary: of<'put', { nth: number; process: number }>('put', { ...nth, process: fc.nat(1) }),
  },
  { weight: 12, arbitrary: of<'verdict', Spoken>('verdict', spoken) },
  { weight: 3, arbitrary: of<'passVerdict', Spoken>('passVerdict', spoken) },
  {
    weight: 2,
    arbitrary: of<'undoVerdicts', { verifier: number; hours: number | null }>('undoVerdicts', {
      verifier: fc.nat(VERIFIERS.length - 1),
      hours: fc.option(fc.constantFrom(0, 1, 6)),
    }),
  },
  { weight: 1, arbitrary: of<'pass', object>('pass', {}) },
  { weight: 2, arbitrary: of<'apply', { dryRun: boolean }>('apply', { dryRun: fc.boolean() }) },
  { weight: 2, arbitrary: of<'undoPass', { nth: number }>('undoPass', nth) },
  {
    weight: 4,
    arbitrary: of<'review', { nth: number; status: Status }>('review', {
      ...nth,
      status: fc.constantFrom(...STATUSES),
    }),
  },
  { weight: 1, arbitrary: of<'note', { nth: number }>('note', nth) },
  { weight: 1, arbitrary: of<'delete', { nth: number }>('delete', nth) },
  { weight: 1, arbitrary: of<'restore', { nth: number }>('restore', nth) },
  { weight: 1, arbitrary: of<'flag', { nth: number }>('flag', nth) },
  {
    weight: 1,
    arbitrary: of<'runs', { player: number; decision: Exclude<Status, 'pending'> }>('runs', {
      player: fc.nat(PLAYERS - 1),
      decision: fc.constantFrom('confirmed_cheat', 'false_positive', 'dismissed'),
    }),
  },
  { weight: 1, arbitrary: of<'undoRuns', { nth: number }>('undoRuns', nth) },
  { weight: 2, arbitrary: of<'wait', { hours: number }>('wait', { hours: fc.constantFrom(1, 4, 6) }) },
  {
    weight: 2,
    arbitrary: of<'set', { mode: Mode | null; verifyTop: number; holdTop: number }>('set', {
      ...{
        mode: fc.option(mode, { freq: 6 }),
        verifyTop: fc.integer({ min: 0, max: 3 }),
        holdTop: fc.nat(1),
      },
    }),
  },
  { weight: 1, arbitrary: of<'remove', { player: number }>('remove', { player: fc.nat(PLAYERS - 1) }) },
  {
    weight: 1,
    arbitrary: of<'erase', { player: number; keeps: boolean }>('erase', {
      player: fc.nat(PLAYERS - 1),
      keeps: fc.boolean(),
    }),
  },
);
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

const history = fc.record({
  keepStrategy: fc.constantFrom('all' as const, 'best' as const, 'last' as const),
  sortDirection: fc.constantFrom('asc' as const, 'desc' as const),
  mode,
  verifyTop: fc.integer({ min: 0, max: 4 }),
  steps: fc.array(step, { minLength: 12, maxLength: 45 }),
});

interface Verdict {
  verifier: string;
  said: Said;
  mode: Mode;
  at: number;
  isUndone: boolean;
  /** Null: on the stored run. */
  pass: Pass | null;
}

interface Pass {
  id: string;
  status: 'open' | 'applied' | 'undone' | 'cancelled';
}

/** A decision by hand, by a review of all runs, or by a pass. Null: a note only. */
interface Decision {
  status: Status | null;
  by: string | null;
}

interface Flag {
  /** Undefined: not seen yet. */
  id: string | undefined;
  type: 'verdict' | 'manual';
  /** Raised at submission or by a person: it is there even if nothing speaks for it. */
  isKept: boolean;
  isDeleted: boolean;
  log: Decision[];
  /** When people see it. */
  peopleFrom: number;
}

interface Run {
  event: string;
  player: number;
  amount: number;
  seq: number;
  at: number;
  isHeld: boolean;
  holdEnded: boolean;
  /** It was asked for: it may be sent. */
  isWanted: boolean;
  isStored: boolean;
  flags: Flag[];
  verdicts: Verdict[];
}

type Settled = 'doubted' | 'confirmed_cheat' | 'dismissed' | 'unknown' | null;

class Story {
  readonly runs: Run[] = [];
  readonly #passes: Pass[] = [];
  readonly #reviews: string[] = [];
  readonly #undone = new Set<string>();
  readonly #state: ('there' | 'removed' | 'erased' | 'kept')[] = Array.from(
    { length: PLAYERS },
    () => 'there',
  );
  counted = 0;

  constructor(
    readonly boardId: string,
    private readonly rules: { keepStrategy: 'all' | 'best' | 'last'; sortDirection: 'asc' | 'desc' },
    private readonly players: Awaited<ReturnType<typeof startSession>>[],
    private set: { mode: Mode | null; verifyTop: number; holdTop: number },
  ) {}

  get #now() {
    return app.clock.now();
  }

  get #waitingTop() {
    return this.set.mode === null || this.set.mode === 'log' ? 0 : this.set.verifyTop;
  }

  /** What verdicts on the stored run say together. */
  #settled({ verdicts }: Run): Settled {
    const own = verdicts.filter(
      ({ pass, isUndone, mode: was }) => pass === null && !isUndone && was !== 'log',
    );
    const rejects = own.filter(({ said }) => said === 'rejected');
    const clears = own.some(({ said }) => said === 'verified');
    if (rejects.length > 0 && clears) return 'doubted';
    if (rejects.some(({ mode: was }) => was === 'decide')) return 'confirmed_cheat';
    if (rejects.length > 0) return 'doubted';
    if (clears) return 'dismissed';
    return own.length > 0 ? 'unknown' : null;
  }

  #standing({ log }: Flag): Decision[] {
    return log.filter(({ by }) => by === null || !this.#undone.has(by));
  }

  #isShown(run: Run, flag: Flag): boolean {
    const accuses = flag.type === 'verdict' && ['doubted', 'confirmed_cheat'].includes(this.#settled(run)!);
    return !flag.isDeleted && (flag.isKept || accuses || this.#standing(flag).length > 0);
  }

  #statusOf(run: Run, flag: Flag): Status {
    const decided = this.#standing(flag).findLast(({ status }) => status !== null)?.status;
    if (decided) return decided;
    const settled = flag.type === 'verdict' ? this.#settled(run) : null;
    return settled === 'dismissed' || settled === 'confirmed_cheat' ? settled : 'pending';
  }

  #shown(run: Run) {
    return run.flags
      .filter((flag) => this.#isShown(run, flag))
      .map((flag) => ({ flag, status: this.#statusOf(run, flag) }));
  }

  #effectOf(run: Run): 'exclude' | 'hold' | 'review' | 'include' {
    const shown = this.#shown(run);
    const pending = shown.filter(({ status }) => status === 'pending');
    if (shown.some(({ status }) => status === 'confirmed_cheat')) return 'exclude';
    if (run.isHeld && !run.holdEnded && pending.some(({ flag }) => flag.type !== 'manual')) return 'hold';
    return pending.length > 0 ? 'review' : 'include';
  }

  #counts(run: Run): boolean {
    const isThere = ['there', 'kept'].includes(this.#state[run.player]!);
    return isThere && ['review', 'include'].includes(this.#effectOf(run));
  }

  #ranking(more: Run[] = []) {
    const { keepStrategy, sortDirection } = this.rules;
    const boardType = keepStrategy === 'all' ? 'run_runs' : 'run_identity';
    const counting = [...this.runs.filter((run) => this.#counts(run)), ...more];
    return expected(
      { boardType, keepStrategy, sortDirection } as never,
      counting.map(({ player, event, amount, seq }) => ({ slot: String(player), event, amount, seq })),
    );
  }

  /** Alive, so that clients and verifiers find its runs. */
  #isAlive = ({ player }: Pick<Run, 'player'>) => this.#state[player] === 'there';

  async play(wave: Played[]): Promise<void> {
    app.clock.advance(MINUTE);
    const answers = await Promise.all(
      wave
        .filter((one) => this.#isAlive(one))
        .map(async ({ player, amount, process, hasTicket }) => {
          const client = new Caller(urls[process]!, this.players[player]!.client.headers);
          const nonce = hasTicket
            ? (await client.got(client.post('/v1/client/tickets', { board_id: this.boardId }))).tickets[0]
                .ticket
            : await takeNonce(client);
          const sent = { board_id: this.boardId, value: amount, player_name: 'Ann', recording_hash: HASH };
          return client.got(client.with({ 'service-client-nonce': nonce }).post('/v1/client/scores', sent));
        }),
    );
    await this.#meet(answers);
  }

  /** Takes the new events in their order: a run that would be among the first waits for its verdict. */
  async #meet(answers: Data[]): Promise<void> {
    const { rows } = await app.database.pool.query(
      `select e.id, e.identity_id, e.amount, e.seq, e.disposition, r.wanted_until is not null as wanted
       from score_events e left join recordings r on r.board_id = e.board_id and r.event_seq = e.seq
       where e.board_id = $1 and e.seq > $2 order by e.seq`,
      [uuidOf(this.boardId), this.runs.at(-1)?.seq ?? 0],
    );
    expect(rows).toHaveLength(answers.length);
    for (const { id, identity_id, amount, seq, disposition, wanted } of rows) {
      const player = this.players.findIndex(({ session }) => session.identityId === `ide_${identity_id}`);
      const run: Run = {
        ...{ event: `sev_${id}`, player, amount, seq, at: this.#now, isHeld: false, holdEnded: false },
        ...{ isWanted: wanted, isStored: false, flags: [], verdicts: [] },
      };
      const before = this.#ranking().map((one) => JSON.stringify(one));
      const rank = 1 + this.#ranking([run]).findIndex((one) => !before.includes(JSON.stringify(one)));
      run.isHeld = rank > 0 && rank <= this.#waitingTop;
      if (run.isHeld) {
        const peopleFrom = this.#now + VERDICT_HOURS * HOUR;
        run.flags.push({
          id: undefined,
          type: 'verdict',
          isKept: true,
          isDeleted: false,
          log: [],
          peopleFrom,
        });
      }
      expect([seq, disposition]).toEqual([seq, run.isHeld ? 'held' : 'accepted']);
      if (run.isHeld) expect(wanted).toBe(true);
      const answer = answers.find(({ score_event: event }) => event?.id === run.event);
      if (answer) expect(answer.held?.rank).toBe(run.isHeld ? rank : undefined);
      this.runs.push(run);
    }
  }

  async put(run: Run, process: number): Promise<void> {
    if (!run.isWanted || !this.#isAlive(run) || this.#now >= run.at + 20 * HOUR) return;
    const client = new Caller(urls[process]!, this.players[run.player]!.client.headers);
    const { status } = await send(`${urls[process]}/v1/client/score-events/${run.event}/recording`, {
      method: 'PUT',
      headers: { ...client.headers, 'service-client-nonce': await takeNonce(client) },
      body: FILE,
    });
    expect(status).toBe(200);
    run.isStored = true;
  }

  /** Gives verdicts at the same moment, each of which is stored once. */
  async verdict(
    run: Run,
    pass: Pass | null,
    { verifier, said, process, isDoubled, other }: Spoken,
  ): Promise<void> {
    const next = VERIFIERS[(verifier + 1) % VERIFIERS.length]!;
    const given: [string, Said, number][] = [[VERIFIERS[verifier]!, said, process]];
    if (isDoubled) given.push([VERIFIERS[verifier]!, said, 1 - process]);
    if (other) given.push([next, other, 1 - process]);
    const answers = await Promise.all(
      given.map(async ([name, what, at]) => {
        const { status, body } = await keys[at]!.post(`/v1/score-events/${run.event}/verdicts`, {
          ...{ verdict: what, verifier: name, reason: `${name} says ${what}` },
          ...(pass && { pass_id: pass.id }),
        });
        return `${status} ${body.code ?? body.verdict}`;
      }),
    );
    const isFound = ['there', 'kept'].includes(this.#state[run.player]!);
    const refused = isFound ? !run.isStored && '400 INVALID_TRANSITION' : '404 NOT_FOUND';
    for (const [index, [name, what]] of given.entries()) {
      if (refused) {
        expect(answers[index]).toBe(refused);
        continue;
      }
      const first = run.verdicts.find((one) => one.verifier === name && one.pass === pass && !one.isUndone);
      expect(answers[index]).toBe(`201 ${first?.said ?? what}`);
      if (first) continue;
      run.verdicts = run.verdicts.filter((one) => one.verifier !== name || one.pass !== pass);
      run.verdicts.push({
        ...{ verifier: name, said: what, mode: this.set.mode ?? 'log', at: this.#now, isUndone: false, pass },
      });
      if (!pass && this.set.mode !== null && this.set.mode !== 'log') this.#settle(run);
    }
  }

  /** Has the flag follow the verdicts. */
  #settle(run: Run): void {
    const settled = this.#settled(run);
    let flag = run.flags.find(({ type }) => type === 'verdict');
    if (!flag && (settled === 'doubted' || settled === 'confirmed_cheat')) {
      flag = { id: undefined, type: 'verdict', isKept: false, isDeleted: false, log: [], peopleFrom: 0 };
      run.flags.push(flag);
    }
    if (flag && settled !== 'dismissed') flag.peopleFrom = Math.min(flag.peopleFrom, this.#now);
  }

  async undoVerdicts(verifier: string, hours: number | null): Promise<void> {
    const since = hours === null ? 0 : this.#now - hours * HOUR;
    const { undone_count: count } = await studio.admin.got(
      studio.admin.post(`/v1/boards/${this.boardId}/undo-verdicts`, {
        verifier,
        ...(hours !== null && { since: new Date(since).toISOString() }),
      }),
    );
    let taken = 0;
    for (const run of this.runs) {
      const own = run.verdicts.filter((one) => one.verifier === verifier && !one.isUndone && one.at >= since);
      for (const one of own) one.isUndone = true;
      taken += own.length;
      if (own.some(({ pass }) => pass === null)) this.#settle(run);
    }
    expect(count).toBe(taken);
  }

  async pass(): Promise<void> {
    const { status, body } = await studio.admin.post(`/v1/boards/${this.boardId}/reverify`, {});
    const refused = this.set.mode === null || this.#passes.some((one) => one.status === 'open');
    expect(status >= 300).toBe(refused);
    if (refused) return;
    expect(body.recording_count).toBe(this.runs.filter(({ isStored }) => isStored).length);
    this.#passes.push({ id: body.id, status: 'open' });
    await app.app.jobs.run('verification-passes');
  }

  get openPass(): Pass | undefined {
    return this.#passes.find(({ status }) => status === 'open');
  }

  async apply(pass: Pass, dryRun: boolean): Promise<void> {
    const apply = { dry_run: dryRun };
    const before = this.#ranking();
    const body = await studio.admin.got(studio.admin.post(`/v1/verification-passes/${pass.id}/apply`, apply));
    if (dryRun) return;
    expect(body.verification_pass.status).toBe('applied');
    pass.status = 'applied';
    for (const run of this.runs) {
      const said = run.verdicts.filter((one) => one.pass === pass && !one.isUndone).map((one) => one.said);
      const [rejects, clears] = [said.includes('rejected'), said.includes('verified')];
      let flag = run.flags.find(({ type }) => type === 'verdict');
      if (clears && !rejects && flag && this.#isShown(run, flag) && this.#statusOf(run, flag) === 'pending')
        flag.log.push({ status: 'dismissed', by: pass.id });
      if (clears || !rejects || flag?.isDeleted) continue;
      if (!flag) {
        flag = { id: undefined, type: 'verdict', isKept: false, isDeleted: false, log: [], peopleFrom: 0 };
        run.flags.push(flag);
      }
      flag.log.push({ status: 'confirmed_cheat', by: pass.id });
    }
    if (body.effect.runs === 0) expect(this.#ranking()).toEqual(before);
  }

  async undoPass(position: number): Promise<void> {
    const pass = this.#passes[position % this.#passes.length];
    if (!pass) return;
    const { status } = await studio.admin.got(
      studio.admin.post(`/v1/verification-passes/${pass.id}/undo`, {}),
    );
    if (pass.status === 'applied') {
      this.#undone.add(pass.id);
      pass.status = 'undone';
    } else if (pass.status === 'open') pass.status = 'cancelled';
    expect(status).toBe(pass.status);
  }

  #chosen(position: number, isDeleted = false) {
    const all = this.runs
      .filter((run) => this.#isAlive(run))
      .flatMap((run) => run.flags.map((flag) => ({ run, flag })))
      .filter(({ run, flag }) => (isDeleted ? flag.isDeleted : this.#isShown(run, flag)));
    return all[position % all.length];
  }

  async review(
    position: number,
    input: { status?: Status; note?: string; deleted?: boolean },
  ): Promise<void> {
    const chosen = this.#chosen(position, input.deleted === false);
    if (!chosen) return;
    const { run, flag } = chosen;
    const { status, note, deleted } = input;
    await review(studio.admin, flag.id!, {
      ...(status && { status: status.toUpperCase() }),
      ...(note && { reviewerDecision: note }),
      ...(deleted !== undefined && { deleted }),
    });
    if (status && this.#statusOf(run, flag) !== status) flag.log.push({ status, by: null });
    if (note) flag.log.push({ status: null, by: null });
    if (deleted === undefined) return;
    flag.isDeleted = deleted;
    flag.isKept = true;
  }

  async flag(run: Run): Promise<void> {
    if (!this.#isAlive(run)) return;
    const { id } = await raiseFlag(studio.admin, run.event);
    run.flags.push({ id, type: 'manual', isKept: true, isDeleted: false, log: [], peopleFrom: 0 });
  }

  async reviewAll(player: number, decision: Exclude<Status, 'pending'>): Promise<void> {
    if (this.#state[player] !== 'there') return;
    const { identityId } = this.players[player]!.session;
    const done = await reviewRuns(studio.admin, { identityId, decision: decision.toUpperCase() });
    const by = done.review.id;
    this.#reviews.push(by);
    for (const run of this.runs.filter((one) => one.player === player)) {
      const shown = this.#shown(run);
      for (const { flag } of shown) flag.log.push({ status: decision, by });
      if (shown.length > 0 || decision !== 'confirmed_cheat') continue;
      const log = [{ status: decision, by }];
      run.flags.push({ id: undefined, type: 'manual', isKept: false, isDeleted: false, log, peopleFrom: 0 });
    }
  }

  async undoAll(position: number): Promise<void> {
    const id = this.#reviews[position % this.#reviews.length];
    if (!id) return;
    await undoReview(studio.admin, id);
    this.#undone.add(id);
  }

  async wait(hours: number): Promise<void> {
    app.clock.advance(hours * HOUR);
    await app.app.jobs.run('end-holds');
    for (const run of this.runs) run.holdEnded ||= run.at + HOLD_HOURS * HOUR <= this.#now;
  }

  async change(set: Story['set']): Promise<void> {
    const verdicts = set.mode && {
      ...{ mode: set.mode.toUpperCase(), verifyTop: set.verifyTop, hours: VERDICT_HOURS, confirmed: true },
    };
    await change(studio.admin, 'Board', this.boardId, { verdicts, holdTop: set.holdTop });
    this.set = set;
    const waits = this.#waitingTop > 0;
    for (const run of this.runs.filter(({ isHeld, holdEnded }) => isHeld && !holdEnded)) {
      const waiting = this.#shown(run).find(
        ({ flag, status }) => flag.type === 'verdict' && status === 'pending',
      );
      if (!waits && waiting) waiting.flag.peopleFrom = Math.min(waiting.flag.peopleFrom, this.#now);
      if (set.holdTop === 0 && !(waits && waiting)) run.holdEnded = true;
    }
  }

  async remove(player: number): Promise<void> {
    const was = this.#state[player];
    if (was !== 'there' && was !== 'removed') return;
    const { identityId } = this.players[player]!.session;
    const deleted = was === 'there';
    await studio.admin.got(studio.admin.patch(`/v1/identities/${identityId}`, { deleted }));
    this.#state[player] = deleted ? 'removed' : 'there';
  }

  async erase(player: number, keeps: boolean): Promise<void> {
    const was = this.#state[player];
    if (was !== 'there' && was !== 'removed') return;
    const { identityId } = this.players[player]!.session;
    const scores = keeps ? 'keep' : 'remove';
    await studio.admin.got(studio.admin.post(`/v1/identities/${identityId}/erase`, { scores }));
    const path = `/v1/identities/${identityId}/erasure`;
    await until(async () => (await studio.admin.got(studio.admin.get(path))).finished_at !== null);
    this.#state[player] = keeps && was === 'there' ? 'kept' : 'erased';
    for (const run of this.runs) if (run.player === player) run.isStored = run.isWanted = false;
  }

  async do(one: Step): Promise<void> {
    const chosen = 'nth' in one ? this.runs[one.nth % this.runs.length] : undefined;
    if (one.kind === 'play') await this.play(one.wave);
    if (one.kind === 'put' && chosen) await this.put(chosen, one.process);
    if (one.kind === 'verdict' && chosen) await this.verdict(chosen, null, one);
    if (one.kind === 'passVerdict' && chosen && this.openPass) await this.verdict(chosen, this.openPass, one);
    if (one.kind === 'undoVerdicts') await this.undoVerdicts(VERIFIERS[one.verifier]!, one.hours);
    if (one.kind === 'pass') await this.pass();
    if (one.kind === 'apply' && this.openPass) await this.apply(this.openPass, one.dryRun);
    if (one.kind === 'undoPass') await this.undoPass(one.nth);
    if (one.kind === 'review') await this.review(one.nth, { status: one.status });
    if (one.kind === 'note') await this.review(one.nth, { note: 'A note.' });
    if (one.kind === 'delete') await this.review(one.nth, { deleted: true });
    if (one.kind === 'restore') await this.review(one.nth, { deleted: false });
    if (one.kind === 'flag' && chosen) await this.flag(chosen);
    if (one.kind === 'runs') await this.reviewAll(one.player, one.decision);
    if (one.kind === 'undoRuns') await this.undoAll(one.nth);
    if (one.kind === 'wait') await this.wait(one.hours);
    if (one.kind === 'set') await this.change(one);
    if (one.kind === 'remove') await this.remove(one.player);
    if (one.kind === 'erase') await this.erase(one.player, one.keeps);
  }

  async check(): Promise<void> {
    const { pool } = app.database;
    const { rows } = await pool.query(
      'select * from score_flags where board_id = $1 order by event_seq, flag_type, id',
      [uuidOf(this.boardId)],
    );
    // Flags that the service raised are met here, one of each kind in a run.
    const known = new Set(this.runs.flatMap(({ flags }) => flags.map(({ id }) => id)));
    for (const run of this.runs) {
      for (const flag of run.flags.filter(({ id }) => id === undefined)) {
        const row = rows.find(
          ({ id, event_seq, flag_type }) =>
            Number(event_seq) === run.seq && flag_type === flag.type && !known.has(idOf('scoreFlag', id)),
        );
        flag.id = row && idOf('scoreFlag', row.id);
        known.add(flag.id);
      }
    }
    const line = (id: string | undefined, status: string, isOpen: boolean) =>
      `${id} ${status}${isOpen ? ' open' : ''}`;
    const isOpen = (status: string, from: number) => status === 'pending' && from <= this.#now;
    expect(
      rows
        .filter(({ deleted_at }) => !deleted_at)
        .map((row) =>
          line(idOf('scoreFlag', row.id), row.status, isOpen(row.status, row.people_from?.getTime() ?? 0)),
        )
        .toSorted(),
    ).toEqual(
      this.runs
        .flatMap((run) => this.#shown(run))
        .map(({ flag, status }) => line(flag.id, status, isOpen(status, flag.peopleFrom)))
        .toSorted(),
    );
    const truth = await listed(app.database, this.boardId, false);
    expect(truth.map(({ value, seq }) => ({ value, seq }))).toEqual(this.#ranking());
    const caught = await pool.query<{ id: string }>(
      `select 'ide_' || id as id from identities where id = any($1) and trust_tier = 'c' order by id`,
      [this.players.map(({ session }) => uuidOf(session.identityId))],
    );
    const cheaters = this.runs.filter((run) =>
      this.#shown(run).some(({ status }) => status === 'confirmed_cheat'),
    );
    const alive = (ids: string[]) =>
      this.players
        .map(({ session }) => session.identityId)
        .filter((id, player) => this.#state[player] === 'there' && ids.includes(id));
    expect(alive(caught.rows.map(({ id }) => id))).toEqual(
      alive(cheaters.map(({ player }) => this.players[player]!.session.identityId)),
    );
    expect(await verifyBoard(app.database, this.boardId)).toEqual([]);
  }

  /** What readers see of verdicts, at either process. */
  async checkReads(): Promise<void> {
    const admins = urls.map((url) => new Caller(url, studio.admin.headers));
    const isVerified = ({ verdicts }: Run) => {
      const said = verdicts
        .filter(({ pass, isUndone }) => !isUndone && (pass === null || pass.status === 'applied'))
        .map((one) => one.said);
      return said.includes('verified') && !said.includes('rejected');
    };
    const lines = this.#ranking().map(({ seq }) => isVerified(this.runs.find((run) => run.seq === seq)!));
    for (const admin of admins) {
      const { board } = await admin.data(
        'query ($id: ID!) { board(by: { id: $id }) { verdicts { mode } ranking { entries(first: 100) { nodes { verifiedAt } } } } }',
        { id: this.boardId },
      );
      const shown = board.ranking.entries.nodes.map(({ verifiedAt }: Data) => verifiedAt !== null);
      expect(shown).toEqual(this.set.mode === null ? lines.map(() => false) : lines);
    }
    expect(await rederiveAll(app.database, this.boardId, new Date(this.#now))).toBe(0);
  }

  /** Ends what counts against the account's passes. */
  async end(): Promise<void> {
    if (this.openPass) await this.undoPass(this.#passes.indexOf(this.openPass));
    this.counted = this.runs.reduce((sum, { verdicts }) => sum + verdicts.length, 0);
  }
}

test('after any history of verdicts, reviews, passes and their undos, flags and rankings are what a plain model says', async () => {
  let verdicts = 0;
  await fc.assert(
    fc.asyncProperty(history, async ({ keepStrategy, sortDirection, mode: first, verifyTop, steps }) => {
      const { id } = await makeBoard(studio, game.id, {
        ...{ keepStrategy: keepStrategy.toUpperCase(), sortDirection: sortDirection.toUpperCase() },
        ...{ holdTop: 0, holdHours: HOLD_HOURS, recordings: { keepTop: 1_000 }, tickets: { mode: 'ASKED' } },
        verdicts: { mode: first.toUpperCase(), verifyTop, hours: VERDICT_HOURS, confirmed: true },
      });
      const players = await Promise.all(Array.from({ length: PLAYERS }, () => startSession(app, game.id)));
      const story = new Story(id, { keepStrategy, sortDirection }, players, {
        mode: first,
        verifyTop,
        holdTop: 0,
      });
      // Something to talk about.
      for (const one of [1, 2, 3, 4]) {
        const played = { player: one % PLAYERS, amount: 3 * one, process: one % 2, hasTicket: one > 2 };
        await story.play([played]);
        await story.put(story.runs.at(-1)!, one % 2);
      }
      await story.check();
      for (const one of steps) {
        await story.do(one);
        await story.check();
      }
      await story.checkReads();
      await story.end();
      verdicts += story.counted;
    }),
    { numRuns: RUNS },
  );
  expect(verdicts).toBeGreaterThan(4 * RUNS);
}, 36_000_000);
