import { strict as assert } from 'node:assert';
import { lstatSync, mkdtempSync, readdirSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Driver, Line } from './driver.js';
import { FaultProxy, isOn } from './proxy.js';
import type { Fields, Ground, Runner } from './run.js';
import type { Award, Requests, Scenario, Step } from './scenario.js';

const PATIENCE_MS = 20_000;

/** Files of a storage that list runs, or recordings, as all clients name them. */
const LIST = /(runs|recordings)([0-9A-F]{64})?$/;
const AWAY = '.away';

/** One scenario on its way: its game and boards, its proxy, and what its clients have reported. */
export class Course {
  /** Events of drivers that were killed. */
  readonly #earlier: Line[] = [];
  readonly #open = new Set<string>();
  #first: number;
  readonly #started = new Map<string, { id: number; answer: Promise<Line> }>();

  private constructor(
    private readonly runner: Runner,
    private readonly ground: Ground,
    private readonly proxy: FaultProxy,
    private readonly folder: string,
    private readonly names: Record<string, string>,
  ) {
    this.#first = runner.driver.events.length;
  }

  static async begin(scenario: Scenario, runner: Runner, ground: Ground): Promise<Course> {
    const rules = { keep_strategy: 'best', ...scenario.board };
    const names: Record<string, string> = await ground.makeGame(scenario.game ?? {}, rules);
    for (const [name, fields] of Object.entries(scenario.boards ?? {}))
      names[name] = await ground.makeBoard(names.game!, { keep_strategy: 'best', ...fields });
    const proxy = await FaultProxy.open(() => ground.url);
    const folder = mkdtempSync(path.join(os.tmpdir(), 'leaderboard-client-'));
    return new Course(runner, ground, proxy, folder, names);
  }

  get #driver(): Driver {
    return this.runner.driver;
  }

  /** Closes its clients. */
  async close(): Promise<void> {
    for (const client of this.#open)
      await this.#expect(this.#driver.send({ do: 'close', client }).answer, {});
  }

  async end(): Promise<void> {
    this.ground.limit(undefined);
    this.proxy.restore();
    await this.proxy.close();
    rmSync(this.folder, { recursive: true, force: true });
  }

  log(): string {
    const events = this.#events().map((event) => JSON.stringify(event));
    const requests = this.proxy.seen.slice(-20).map(({ on, at }) => `${at.toFixed(0)} ${on}`);
    return [...events.slice(-10), ...requests].join('\n');
  }

  #events(): Line[] {
    return [...this.#earlier, ...this.#driver.events.slice(this.#first)];
  }

  /** Texts like `$board` are the ids of this run. */
  #resolved<T>(value: T): T {
    const text = JSON.stringify(value).replace(
      /\$(\w+)/g,
      (whole, name: string) => this.names[name] ?? whole,
    );
    return JSON.parse(text) as T;
  }

  async take(step: Step): Promise<void> {
    const { proxy, ground } = this;
    if ('open' in step) return this.#openClient(step.open);
    if ('call' in step && step.until !== undefined) return this.#repeat(step.call, step.until);
    if ('call' in step) return this.#call(step);
    if ('start' in step) return void this.#started.set(step.start.as, this.#send(step.start));
    if ('answer' in step) return this.#expect(this.#started.get(step.answer)!.answer, step.expect);
    if ('cancel' in step) {
      const { id: target } = this.#started.get(step.cancel)!;
      return this.#expect(this.#driver.send({ do: 'cancel', target }).answer, undefined);
    }
    if ('fault' in step) return proxy.add(this.#resolved(step.fault));
    if ('clear_faults' in step) return proxy.clear();
    if ('network' in step) return this.#network(step.network);
    if ('advance' in step) return ground.advance(step.advance);
    if ('limit' in step) {
      return step.limit === 'off'
        ? ground.limit(undefined)
        : ground.limit(step.limit.items, step.limit.retry_after);
    }
    if ('admin' in step) return ground.patch(this.#resolved(step.admin.patch), step.admin.body);
    if ('award' in step) return this.#award(step);
    if ('revoke' in step) return ground.revoke(this.#resolved(step.revoke));
    if ('crowd' in step) return this.#crowd(step.crowd);
    if ('befriend' in step) return this.#befriend(step.befriend);
    if ('sign_in' in step) return this.#signIn(step);
    if ('prove' in step) return this.#prove(step);
    if ('link' in step) return this.#link(step);
    if ('merge' in step) return this.#merge(step);
    if ('undo_merge' in step) return ground.undoMerge(await this.#named(step.undo_merge));
    if ('same_player' in step) return this.#samePlayer(step.same_player);
    if ('end_sessions' in step) return ground.endSessions(await this.#named(step.end_sessions));
    if ('run_tags' in step) return assert.deepEqual(await ground.runTags(this.names.board!), step.run_tags);
    if ('kill' in step) return this.#kill();
    if ('lists' in step) return step.lists === 'readable' ? this.#giveBack() : this.#takeAway();
    if ('counted' in step) {
      const board = this.#resolved(step.on ?? '$board');
      return this.#until(() => ground.counted(board), step.counted);
    }
    if ('runs' in step) {
      const runs = await ground.runs(this.#resolved(step.on ?? '$board'));
      return assert.deepEqual(
        runs.map((run, i) => partOf(run, step.runs[i])),
        step.runs,
      );
    }
    if ('recordings' in step) {
      const board = this.#resolved(step.on ?? '$board');
      return this.#until(() => ground.recordings(board), step.recordings);
    }
    if ('flags' in step)
      return assert.deepEqual(await ground.flags(this.#resolved(step.on ?? '$board')), step.flags);
    if ('refusals' in step) return this.#refusals(step.refusals);
    if ('players' in step) return assert.equal(await ground.players(this.names.game!), step.players);
    if ('wait' in step) return this.#wait(step.wait);
    if ('never' in step) {
      return assert.deepEqual(
        this.#events().filter((event) => matches(event, this.#resolved(step.never))),
        [],
      );
    }
    if ('happened' in step) {
      const pattern = this.#resolved(step.happened);
      return assert.equal(this.#events().filter((event) => matches(event, pattern)).length, step.times);
    }
    if ('requests' in step) return this.#requests(step.requests);
    return this.#versions(step.versions_rise);
  }

  /** Stored lists of runs and recordings can't be read: each is a link to itself, which fails for every user of the system. */
  #takeAway(): void {
    for (const file of readdirSync(this.folder, { recursive: true, encoding: 'utf8' })) {
      if (!LIST.test(file)) continue;
      const list = path.join(this.folder, file);
      renameSync(list, list + AWAY);
      symlinkSync(path.basename(list), list);
    }
  }

  /** They can be read again. @throws if one was overwritten meanwhile */
  #giveBack(): void {
    for (const file of readdirSync(this.folder, { recursive: true, encoding: 'utf8' })) {
      if (!file.endsWith(AWAY)) continue;
      const list = path.join(this.folder, file.slice(0, -AWAY.length));
      assert.ok(lstatSync(list).isSymbolicLink(), `${list} was overwritten`);
      renameSync(list + AWAY, list);
    }
  }

  /** Each line's reward is named by its line. */
  async #award({ award, on = '$board', expires_days: days }: Award): Promise<void> {
    Object.assign(this.names, await this.ground.award(this.#resolved(on), award, days ?? null));
  }

  async #crowd(count: number): Promise<void> {
    Object.assign(this.names, await this.ground.crowd(this.names.game!, this.names.board!, count));
  }

  #befriend(friends: string[]): Promise<void> {
    const ids = friends.map((name) => this.names[name.replaceAll(' ', '')]!);
    return this.ground.befriend(this.names.game!, ids);
  }

  /** The game server starts a session for a player of its own, whose id then is `$<name>`, and the client gets it. */
  async #signIn({
    sign_in: name,
    client = 'a',
    expect,
  }: {
    sign_in: string;
    client?: string;
    expect?: unknown;
  }) {
    const tokens = await this.ground.startSession(this.names.game!, name);
    this.names[name] ??= tokens.identity_id as string;
    await this.#expect(this.#driver.send({ do: 'session', client, tokens }).answer, expect);
  }

  /** A command, and by choice names for members of its result, whose texts then are `$<name>`. */
  async #call({
    call,
    expect,
    names = {},
  }: {
    call: Fields;
    expect?: unknown;
    names?: Record<string, string>;
  }) {
    const { answer } = this.#send(call);
    await this.#expect(answer, expect);
    const { result = {} } = await answer;
    for (const [member, name] of Object.entries(names)) this.names[name] = result[member] as string;
  }

  /** The client proves that it is played by the account of a name. @param as the answer is checked later */
  async #prove({ prove: name, expect, as, ...fields }: Fields): Promise<void> {
    const token = await this.ground.tokenOf(this.names.game!, name as string);
    const sent = this.#send({ ...fields, do: 'prove', provider: 'login', token });
    if (as === undefined) await this.#expect(sent.answer, expect);
    else this.#started.set(as as string, sent);
  }

  /** A client makes a code, and another one redeems it. */
  async #link({ link: client, to, expect, ...fields }: Fields): Promise<void> {
    const { code } = await this.#asked({ do: 'link_code', client });
    await this.#expect(this.#send({ ...fields, do: 'redeem', client: to, code }).answer, expect);
  }

  /** An administrator merges two players. */
  async #merge({ merge: source, into }: Fields): Promise<void> {
    await this.ground.merge(await this.#named(source), await this.#named(into));
  }

  /** The id that a name has, or the player of a client of that name. */
  async #named(name: unknown): Promise<string> {
    return this.names[name as string] ?? (await this.#playerOf(name));
  }

  async #samePlayer(clients: string[]): Promise<void> {
    const players = await Promise.all(clients.map((client) => this.#playerOf(client)));
    assert.equal(new Set(players).size, 1, players.join(', '));
  }

  async #playerOf(client: unknown): Promise<string> {
    return (await this.#asked({ do: 'player', client })).identity_id as string;
  }

  async #asked(command: Fields): Promise<Fields> {
    const { error, result } = await this.#send(command).answer;
    assert.equal(error, undefined, error && `${error.code} ${error.message}`);
    return result as Fields;
  }

  async #openClient({
    storage = 'phone',
    proofs_of: names = [],
    on_conflict,
    ...fields
  }: Fields): Promise<void> {
    const proofs = await Promise.all(
      (names as string[]).map(async (name) => ({
        provider: 'login',
        token: await this.ground.tokenOf(this.names.game!, name),
        ...(on_conflict !== undefined && { on_conflict }),
      })),
    );
    const command = {
      ...(proofs.length > 0 && { proofs }),
      ...{ do: 'open', client: 'a', url: this.proxy.url, game_id: this.names.game, player_name: 'Ann' },
      ...{ timeout_ms: 10_000, deadline_ms: 20_000, retry_first_ms: 20, retry_most_ms: 200 },
      ...{ storage: path.join(this.folder, storage as string), ...fields },
    };
    this.#open.add(command.client);
    await this.#expect(this.#driver.send(command).answer, undefined);
  }

  #send({ as: _as, ...fields }: Fields): { id: number; answer: Promise<Line> } {
    return this.#driver.send({ client: 'a', board_id: this.names.board, ...this.#resolved(fields) });
  }

  async #expect(answer: Promise<Line>, wanted: unknown): Promise<void> {
    const { error, result } = await answer;
    const got = error ? { error: error.code, standings: error.standings } : result;
    if (wanted === undefined) assert.equal(error, undefined, error && `${error.code} ${error.message}`);
    else assert.deepEqual(partOf(got, this.#resolved(wanted)), this.#resolved(wanted), JSON.stringify(got));
  }

  #repeat(call: Fields, wanted: unknown): Promise<void> {
    const pattern = this.#resolved(wanted);
    return this.#until(async () => partOf((await this.#send(call).answer).result, pattern), pattern);
  }

  /** Each code as the answer to one command. A refused token, not a refused proof, is renewed once, and the request sent once more. */
  async #refusals({ on, call, codes }: { on: string; call: Fields; codes: Record<string, number> }) {
    for (const [code, status] of Object.entries(codes)) {
      const times = status === 401 && code !== 'PROOF_REFUSED' ? 2 : 1;
      this.proxy.add({ on, do: 'refuse', code, status, times });
      await this.#expect(this.#send(call).answer, { error: code });
    }
  }

  #network(state: 'cut' | 'back' | 'reset'): void {
    if (state === 'cut') this.proxy.cut();
    else if (state === 'back') this.proxy.restore();
    else this.proxy.reset();
  }

  async #kill(): Promise<void> {
    const driver = this.#driver;
    await this.runner.kill();
    this.#earlier.push(...driver.events.slice(this.#first));
    this.#first = 0;
    this.#open.clear();
  }

  /** Reads until the value is the wanted one: clients work on their own. */
  async #until(read: () => Promise<unknown>, wanted: unknown): Promise<void> {
    const deadline = Date.now() + PATIENCE_MS;
    for (;;) {
      const got = await read();
      if (JSON.stringify(got) === JSON.stringify(wanted)) return;
      if (Date.now() > deadline) assert.deepEqual(got, wanted);
      await delay(10);
    }
  }

  #wait(wanted: Fields): Promise<void> {
    const pattern = this.#resolved(wanted);
    return this.#until(async () => this.#events().some((event) => matches(event, pattern)), true);
  }

  async #requests(wanted: Requests): Promise<void> {
    const { on, exactly, at_least, at_most, apart_ms, last_apart_ms } = this.#resolved(wanted);
    const seen = () => this.proxy.seen.filter((one) => isOn(on, one.on));
    if (at_least !== undefined) await this.#until(async () => seen().length >= at_least, true);
    const times = seen().map(({ at }) => at);
    const gaps = times.slice(1).map((at, i) => at - times[i]!);
    const shown = `${times.length} requests, ${gaps.map((gap) => gap.toFixed(0))} ms apart`;
    if (exactly !== undefined) assert.equal(times.length, exactly);
    if (at_most !== undefined) assert.ok(times.length <= at_most, shown);
    if (apart_ms !== undefined) assert.ok(Math.min(...gaps) >= apart_ms, shown);
    if (last_apart_ms !== undefined) assert.ok(gaps.at(-1)! >= last_apart_ms, shown);
  }

  #versions(watch: string): void {
    const versions = this.#events()
      .filter((event) => event.event === 'state' && event.watch === watch)
      .map(({ version }) => version as number);
    assert.ok(versions.length > 1, `${versions.length} states`);
    assert.deepEqual(
      versions,
      [...new Set(versions)].toSorted((a, b) => a - b),
    );
  }
}

/** True if each wanted member is equal. */
function matches(line: Line, wanted: Fields): boolean {
  return JSON.stringify(partOf(line, wanted)) === JSON.stringify(wanted);
}

/** The members of `got` that `wanted` has, in its order; absent ones are null. */
function partOf(got: unknown, wanted: unknown): unknown {
  if (typeof wanted !== 'object' || wanted === null || Array.isArray(wanted)) return got;
  const record = (got ?? {}) as Fields;
  return Object.fromEntries(Object.keys(wanted).map((name) => [name, record[name] ?? null]));
}
