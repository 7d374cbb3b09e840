import 'reflect-metadata';
import { createHash, randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { bootstrap } from '../src/accounts/keys/bootstrap.js';
import { readConfig } from '../src/config/table.js';
import { numberOf } from './support/arguments.js';
import { ServerCpu } from './support/cpu.js';
import { send } from './support/rest-caller.js';
import { runBench } from './support/run.js';
import { startService } from './support/service-process.js';
import { median } from './support/statistics.js';
import { count, micros, say, sayTable, times } from './support/table.js';

/** Bytes of a recording. */
const FILE_BYTES = 42_000;
/** Nonces of a request. */
const ISSUED_AT_A_TIME = 100;
/** Nonces and tickets are made before the slice in which they are used. */
const NONCE_SECONDS = 3_600;
/** Players each submit once before anything is measured, and recordings belong to different ones. */
const PLAYERS = 400;

const OFF = { a: 'off', b: 'off', c: 'off' };
/** Players here submit more often than any person plays. */
const CLOCK_ALONE = {
  rate_limit: OFF,
  velocity_seconds: OFF,
  duplicate_seconds: OFF,
  progression_percent: OFF,
  outlier_z: OFF,
};

interface Player {
  authorization: string;
  value: number;
}

interface Slice {
  perSecond: number;
  gateway: number;
  postgres: number;
}

/** Kinds of submissions that are measured by turns; the first one is what the others are compared with. */
interface Comparison {
  title: string;
  kinds: [name: string, slice: () => Promise<Slice>][];
}

runBench({
  title:
    'Submissions with tickets against those with nonces, and submissions beside 20 uploads of recordings a second, by turns on one ' +
    'service: CPU of node and of Postgres a submission by the scheduler’s counters, the client’s apart.',
  duration: 'about 5 minutes',
  options: {
    rounds: { fallback: '7', doc: 'slices of each kind' },
    submissions: { fallback: '2000', doc: 'submissions of a slice' },
    uploads: { fallback: '20', doc: 'recordings a second' },
    seconds: { fallback: '5', doc: 'length of a slice with uploads, and of one without' },
    connections: { fallback: '16', doc: 'submissions under way at a time' },
  },
  async run(scratch, args, disposal) {
    const [rounds, each, connections] = [args.rounds, args.submissions, args.connections].map(numberOf) as [
      number,
      number,
      number,
    ];
    const made = await scratch.create();
    const secrets = {
      keySecret: randomBytes(32).toString('hex'),
      jwtSecret: randomBytes(32).toString('hex'),
    };
    const settings = { ...readConfig({}), ...secrets };
    const key = await bootstrap(made.open().knex, settings, { email: 'root@example.com' }, new Date());
    const { connectionString } = made;
    const service = await startService(
      {
        ...{ connectionString, ...secrets, nonceSeconds: NONCE_SECONDS },
        env: { NEW_DEVICES_PER_HOUR: 'off' },
      },
      disposal,
    );
    const bench = new Runs(`http://127.0.0.1:${service.port}`, key!, connections);
    await bench.begin();
    const cpu = () => ({
      gateway: ServerCpu.of(service.pid)?.used() ?? Number.NaN,
      postgres: scratch.cpu?.used() ?? Number.NaN,
    });
    const measured = async (work: () => Promise<number>): Promise<Slice> => {
      const [before, since] = [cpu(), performance.now()];
      const done = await work();
      const seconds = (performance.now() - since) / 1_000;
      const after = cpu();
      return {
        perSecond: done / seconds,
        gateway: (after.gateway - before.gateway) / done,
        postgres: (after.postgres - before.postgres) / done,
      };
    };
    const submitted = (board: string, route: string) => async () => {
      const passes = await bench.passes(board, route, each);
      return measured(() => bench.submitAll(board, passes));
    };
    const started = (board: string, route: string) => () =>
      measured(() => bench.startAndSubmit(board, route, each));
    const beside = (uploads: number) => async () => {
      const seconds = Number(args.seconds);
      const files = await bench.announced(uploads * seconds);
      return measured(() => bench.submitBeside(files, uploads, seconds));
    };
    const comparisons: Comparison[] = [
      {
        title: 'A submission',
        kinds: [
          ['with a nonce, no tickets', submitted(bench.board('plain'), 'nonce')],
          ['with a ticket, ASKED', submitted(bench.board('asked'), 'tickets')],
          ['with a ticket, REQUIRED', submitted(bench.board('required'), 'tickets')],
        ],
      },
      {
        title: 'Start and submission together',
        kinds: [
          ['a nonce fetched alone', started(bench.board('plain'), 'nonce')],
          ['a ticket, ASKED', started(bench.board('asked'), 'tickets')],
          ['a ticket, REQUIRED', started(bench.board('required'), 'tickets')],
        ],
      },
      {
        title: `Submissions beside uploads of ${count(FILE_BYTES)} bytes`,
        kinds: [
          ['none', beside(0)],
          [`${args.uploads} a second`, beside(numberOf(args.uploads))],
        ],
      },
    ];
    for (const { title, kinds } of comparisons) sayComparison(title, await byTurns(kinds, rounds));
    say(`Medians of ${rounds} slices; ${bench.stored} recordings stored, ${bench.refused} refused.`);
  },
});

async function byTurns(
  kinds: Comparison['kinds'],
  rounds: number,
): Promise<{ name: string; slices: Slice[] }[]> {
  const results = kinds.map(([name]) => ({ name, slices: [] as Slice[] }));
  // The first requests of a kind run interpreted.
  for (const [, slice] of kinds) await slice();
  const order = [...kinds.entries()];
  for (let round = 0; round < rounds; round += 1) {
    for (const [n, [, slice]] of order) results[n]!.slices.push(await slice());
    // What a kind leaves behind does not always fall upon the same one.
    order.reverse();
  }
  return results;
}

/** Ratios are medians of those of the rounds: neighbours in time share the machine's other work. */
function sayComparison(title: string, results: { name: string; slices: Slice[] }[]): void {
  const [first] = results;
  const cpuOf = ({ gateway, postgres }: Slice) => gateway + postgres;
  const rows = results.map(({ name, slices }) => {
    const ratio = (of: (slice: Slice) => number) =>
      times(median(slices.map((slice, round) => of(slice) / of(first!.slices[round]!))));
    return [
      name,
      micros(median(slices.map(({ gateway }) => gateway))),
      micros(median(slices.map(({ postgres }) => postgres))),
      ratio(cpuOf),
      count(median(slices.map(({ perSecond }) => perSecond))),
      ratio(({ perSecond }) => perSecond),
    ];
  });
  sayTable([title, 'node', 'Postgres', 'CPU ÷ first', 'a second', '÷ first'], rows);
}

/** What is sent in place of a nonce, and by whom. */
interface Pass {
  player: Player;
  nonce: string;
}

interface Announced extends Pass {
  eventId: string;
  file: Buffer;
}

/** Players of a game with a board of each kind. */
class Runs {
  readonly #boards = new Map<string, string>();
  readonly #players: Player[] = [];
  #value = 0;
  /** Whose recording comes next. */
  #next = 0;
  stored = 0;
  refused = 0;

  constructor(
    private readonly url: string,
    private readonly key: string,
    private readonly connections: number,
  ) {}

  board(name: string): string {
    return this.#boards.get(name)!;
  }

  async begin(): Promise<void> {
    const admin = { 'service-api-key': this.key };
    const account = await this.#call('POST', '/v1/accounts', { name: 'Bench' }, admin);
    const owner = { account_id: account.id };
    const rules = { ...owner, name: 'Arcade', anti_cheat_settings: CLOCK_ALONE };
    const game = await this.#call('POST', '/v1/games', rules, admin);
    const clock = { min_seconds: 0, slack_seconds: 60, pauses: true };
    const kinds = {
      plain: {},
      asked: { tickets: { mode: 'asked', seed: 'run', clock } },
      required: { tickets: { mode: 'required', seed: 'run', clock } },
      recorded: { recordings: { keep_top: 1_000 } },
    };
    for (const [name, rules] of Object.entries(kinds)) {
      const body = { ...owner, game_id: game.id, name, keep_strategy: 'best', ...rules };
      this.#boards.set(name, (await this.#call('POST', '/v1/boards', body, admin)).id);
    }
    await this.#each(PLAYERS, async (n) => {
      const session = { game_id: game.id, client_fingerprint: `player ${n}` };
      const { access_token: token } = await this.#call('POST', '/v1/client/sessions', session, {});
      this.#players[n] = { authorization: `Bearer ${token}`, value: 0 };
    });
    for (const [name, route] of [
      ['plain', 'nonce'],
      ['asked', 'tickets'],
      ['required', 'tickets'],
      ['recorded', 'nonce'],
    ] as const)
      await this.submitAll(this.board(name), await this.passes(this.board(name), route, PLAYERS));
  }

  /** @param route `nonce` or `tickets` */
  async passes(boardId: string, route: string, wanted: number): Promise<Pass[]> {
    const passes: Pass[] = [];
    const share = Math.ceil(wanted / PLAYERS);
    await this.#each(PLAYERS, async (n) => {
      const player = this.#players[n]!;
      for (let left = share; left > 0; left -= ISSUED_AT_A_TIME)
        for (const nonce of await this.#issued(boardId, route, player, Math.min(left, ISSUED_AT_A_TIME)))
          passes.push({ player, nonce });
    });
    return passes.slice(0, wanted);
  }

  /** @returns how many were submitted */
  async submitAll(boardId: string, passes: readonly Pass[]): Promise<number> {
    await this.#each(passes.length, (n) => this.#submit(boardId, passes[n]!));
    return passes.length;
  }

  /** Each run gets its nonce or ticket when it begins. */
  async startAndSubmit(boardId: string, route: string, wanted: number): Promise<number> {
    await this.#each(wanted, async (n) => {
      const player = this.#players[n % PLAYERS]!;
      const [nonce] = await this.#issued(boardId, route, player, 1);
      await this.#submit(boardId, { player, nonce: nonce! });
    });
    return wanted;
  }

  /** Runs that have announced a recording; each player's at most one, which its next run would displace. */
  async announced(wanted: number): Promise<Announced[]> {
    const boardId = this.board('recorded');
    const files: Announced[] = [];
    await this.#each(wanted, async () => {
      const player = this.#players[this.#next % PLAYERS]!;
      this.#next += 1;
      const [first, second] = await this.#issued(boardId, 'nonce', player, 2);
      const file = randomBytes(FILE_BYTES);
      const recording_hash = createHash('sha256').update(file).digest('hex');
      const { recording } = await this.#submit(boardId, { player, nonce: first! }, { recording_hash });
      files.push({ player, nonce: second!, eventId: recording.score_event_id, file });
    });
    return files;
  }

  /** Submits as many as are answered while files are sent at a steady rate. @returns how many were submitted */
  async submitBeside(files: readonly Announced[], rate: number, seconds: number): Promise<number> {
    const boardId = this.board('plain');
    const end = performance.now() + 1_000 * seconds;
    let done = 0;
    const submitter = async (n: number) => {
      const player = this.#players[n % PLAYERS]!;
      while (performance.now() < end) {
        for (const nonce of await this.#issued(boardId, 'nonce', player, 50)) {
          if (performance.now() >= end) return;
          await this.#submit(boardId, { player, nonce });
          done += 1;
        }
      }
    };
    const uploads = files.map(async (file, n) => {
      await delay((1_000 * n) / rate);
      await this.#upload(file);
    });
    await Promise.all([...Array.from({ length: this.connections }, (_, n) => submitter(n)), ...uploads]);
    return done;
  }

  async #upload({ player, nonce, eventId, file }: Announced): Promise<void> {
    const answer = await fetch(`${this.url}/v1/client/score-events/${eventId}/recording`, {
      method: 'PUT',
      headers: {
        authorization: player.authorization,
        'service-client-nonce': nonce,
        'content-type': 'application/octet-stream',
      },
      body: new Uint8Array(file),
    });
    await answer.text();
    if (answer.ok) this.stored += 1;
    else this.refused += 1;
  }

  #submit(boardId: string, { player, nonce }: Pass, more: object = {}): Promise<Answer> {
    this.#value += 1;
    const body = { board_id: boardId, player_name: 'Player', value: this.#value, ...more };
    const headers = { authorization: player.authorization, 'service-client-nonce': nonce };
    return this.#call('POST', '/v1/client/scores', body, headers);
  }

  async #issued(
    boardId: string,
    route: string,
    { authorization }: Player,
    wanted: number,
  ): Promise<string[]> {
    if (route === 'tickets') {
      const all: string[] = [];
      while (all.length < wanted) {
        const body = { board_id: boardId };
        const { tickets } = await this.#call('POST', '/v1/client/tickets', body, { authorization });
        all.push(tickets[0]!.ticket);
      }
      return all;
    }
    const answer = await this.#call('GET', `/v1/client/nonce?count=${wanted}`, undefined, { authorization });
    return (answer.nonces ?? [answer]).map(({ nonce_value }) => nonce_value);
  }

  /** So many at a time as there are connections. */
  async #each(wanted: number, work: (n: number) => Promise<unknown>): Promise<void> {
    let next = 0;
    const worker = async () => {
      while (next < wanted) {
        next += 1;
        await work(next - 1);
      }
    };
    await Promise.all(Array.from({ length: this.connections }, worker));
  }

  #call(
    method: string,
    route: string,
    body: object | undefined,
    headers: Record<string, string>,
  ): Promise<Answer> {
    return send(this.url + route, method, headers, body);
  }
}

interface Answer {
  id: string;
  access_token: string;
  tickets: { ticket: string }[];
  nonce_value: string;
  /** Absent: one was asked for. */
  nonces?: { nonce_value: string }[];
  recording: { score_event_id: string };
}
