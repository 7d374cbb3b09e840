import { uuidOf } from '../../src/base/ids.js';
import { cloneDatabase, type TestDatabase } from '../support/database.js';
import { Caller, type Data } from '../support/http.js';
import { DataDir, type Program, settingsOn, startService, superadminOf } from '../support/process.js';

// Two whole processes on one database.

let clone: TestDatabase;
let dir: DataDir;
const services: { program: Program; url: string }[] = [];
let gameId = '';
let accountId = '';

beforeAll(async () => {
  clone = await cloneDatabase();
  dir = new DataDir();
  for (let i = 0; i < 2; i += 1)
    services.push(await startService({ ...settingsOn(clone, dir), LOG_LEVEL: 'warn' }));
  const admin = superadminOf(services[0]!.url);
  accountId = (await admin.post('/v1/accounts', { name: 'Tickets' })).body.id;
  gameId = (
    await admin.post('/v1/games', { account_id: accountId, name: 'Tickets', anti_cheat_enabled: false })
  ).body.id;
});
afterAll(async () => {
  await Promise.all(services.map(({ program }) => program.running && program.kill('SIGTERM')));
  await dir.remove();
  await clone.drop();
});

async function board(settings: Data): Promise<string> {
  const { body } = await superadminOf(services[0]!.url).post('/v1/boards', {
    ...{ account_id: accountId, game_id: gameId, name: `Board ${Math.random()}`, keep_strategy: 'best' },
    tickets: { mode: 'required', ...settings },
  });
  if (!body.id) throw new Error(JSON.stringify(body));
  return body.id;
}

async function player(): Promise<Caller[]> {
  const start = { game_id: gameId, client_fingerprint: `device ${Math.random()}` };
  const { body } = await new Caller(services[0]!.url).post('/v1/client/sessions', start);
  return services.map(({ url }) => new Caller(url, { authorization: `Bearer ${body.access_token}` }));
}

const events = async (id: string) =>
  (
    await clone
      .open()
      .pool.query('select count(*)::int as n from score_events where board_id = $1', [uuidOf(id)])
  ).rows[0].n;

test('attempts are exact with fifty concurrent requests in two processes, and so is the use of each ticket', async () => {
  for (let round = 0; round < 5; round += 1) {
    const id = await board({ attempts: 3 });
    const callers = await player();
    const issued = await Promise.all(
      Array.from({ length: 50 }, (_, i) => callers[i % 2]!.post('/v1/client/tickets', { board_id: id })),
    );
    if (issued.every(({ status }) => status !== 200)) throw new Error(JSON.stringify(issued[0]!.body));
    const tickets = issued.filter(({ status }) => status === 200).map(({ body }) => body.tickets[0]);
    expect(tickets.map(({ attempt }) => attempt).sort()).toEqual([1, 2, 3]);
    expect(new Set(issued.map(({ body }) => body.code))).toEqual(new Set([undefined, 'ATTEMPTS_USED_UP']));
    const sent = await Promise.all(
      Array.from({ length: 50 }, (_, i) =>
        callers[i % 2]!.with({
          'service-client-nonce': tickets[i % 3]!.ticket,
          'idempotency-key': `run ${i}`,
        }).post('/v1/client/scores', { board_id: id, player_name: 'Ann', value: i }),
      ),
    );
    const codes = sent.map(({ status, body }) => body.code ?? status);
    expect(codes.filter((code) => code === 201)).toHaveLength(3);
    expect(codes.filter((code) => code === 'TICKET_USED')).toHaveLength(47);
    expect(await events(id)).toBe(3);
  }
});

test('a repeated request for an attempt gets the same ticket from both processes', async () => {
  const id = await board({ attempts: 2, seed: 'run' });
  const callers = await player();
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, i) =>
      callers[i % 2]!.post('/v1/client/tickets', { board_id: id, idempotency_key: 'start 1' }),
    ),
  );
  expect(new Set(answers.map(({ body }) => JSON.stringify(body.tickets))).size).toBe(1);
  expect(answers[0]!.body.tickets[0].attempt).toBe(1);
});

test('a process killed under submissions: each is sent again to the other one with its key and ticket, and counts once', async () => {
  const id = await board({ attempts: 100 });
  const players = await Promise.all(Array.from({ length: 20 }, player));
  const runs = await Promise.all(
    players.flatMap((callers) =>
      Array.from({ length: 5 }, async (_, i) => {
        const { body } = await callers[1]!.post('/v1/client/tickets', { board_id: id });
        return { callers, ticket: body.tickets[0].ticket, key: `run ${i}`, value: i };
      }),
    ),
  );
  const submit = (caller: Caller, { ticket, key, value }: Data) =>
    caller
      .with({ 'service-client-nonce': ticket, 'idempotency-key': key })
      .post('/v1/client/scores', { board_id: id, player_name: 'Ann', value });
  let answered = 0;
  const first = runs.map((run) =>
    submit(run.callers[0]!, run).then(
      ({ status }) => {
        answered += 1;
        // As soon as some are answered, and others are not.
        if (answered === 20) services[0]!.program.child.kill('SIGKILL');
        return status;
      },
      () => 'lost',
    ),
  );
  const results = await Promise.all(first);
  expect(results.filter((result) => result === 'lost').length).toBeGreaterThan(0);
  const again = await Promise.all(runs.map((run) => submit(run.callers[1]!, run)));
  expect(new Set(again.map(({ status }) => status))).toEqual(new Set([201]));
  expect(await events(id)).toBe(100);
  const { rows } = await clone
    .open()
    .pool.query('select count(*)::int as n, count(distinct ticket)::int as d from runs where board_id = $1', [
      uuidOf(id),
    ]);
  expect(rows).toEqual([{ n: 100, d: 100 }]);
  console.info(`killed: ${results.filter((result) => result === 'lost').length} of 100 lost their response`);
});
