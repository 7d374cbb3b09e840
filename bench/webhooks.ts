import 'reflect-metadata';
import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { idOf, uuidOf } from '../src/base/ids.js';
import { Seal } from '../src/mail/outbox.js';
import type { Disposal } from '../src/process/shutdown.js';
import { numberOf } from './support/arguments.js';
import { ServerCpu } from './support/cpu.js';
import { OwnGenerator } from './support/generator.js';
import { NEW_LEADERS } from './support/http-cases.js';
import { Clients, NONCE_SECONDS } from './support/http-clients.js';
import { type HttpData, openHttpData } from './support/http-data.js';
import { HttpLoad } from './support/http-load.js';
import { runBench } from './support/run.js';
import { startService } from './support/service-process.js';
import { median } from './support/statistics.js';
import { count, say, sayTable, times } from './support/table.js';
import { thisVersion } from './support/version.js';

const CONNECTIONS = 16;
/** As many requests are prepared as this many connections could send: 4,000 a second. */
const PREPARED_FOR = 2;
/** The service looks every ten seconds whether an endpoint asks for boards; endpoints hear of leaders ten seconds apart. */
const SETTLE_SECONDS = 12;

/** Of one slice; CPU in microseconds a submission. */
interface Slice {
  perSecond: number;
  gateway: number;
  postgres: number;
  delivered: number;
}

runBench({
  title:
    'Improving submissions over 16 connections, of which one in 200 takes the lead, to a board that ten ' +
    'webhook endpoints watch (board.leader_changed, span 10 s), and by turns without endpoints: CPU of ' +
    'node and Postgres for each submission.',
  duration: 'seven minutes, and one more when the board is built first',
  options: {
    entries: { fallback: '100k', doc: 'entries of the board' },
    endpoints: { fallback: '10', doc: 'endpoints that watch it' },
    pairs: { fallback: '7', doc: 'pairs of slices' },
    seconds: { fallback: '12', doc: 'length of a slice' },
    data: {
      fallback: path.join(os.tmpdir(), 'leaderboard-bench-data'),
      doc: 'directory of the board, which is kept from run to run (without DATABASE_URL)',
    },
  },
  keptIn: ({ data }) => path.resolve(data),
  async run(scratch, args, disposal) {
    const data = await openHttpData(scratch, 1, numberOf(args.entries));
    const dir = mkdtempSync(path.join(os.tmpdir(), 'leaderboard-bench-'));
    disposal.add(async () => rmSync(dir, { recursive: true, force: true }));
    const secrets = {
      jwtSecret: randomBytes(32).toString('hex'),
      keySecret: randomBytes(32).toString('hex'),
    };
    const { connectionString } = data.made;
    const client = new pg.Client({ connectionString, application_name: 'leaderboard bench' });
    client.on('error', () => undefined);
    await client.connect();
    disposal.add(() => client.end());
    const url = await startReceiver(disposal);
    const ids = await makeEndpoints(client, data, secrets.keySecret, url, Number(args.endpoints));
    const env = { WEBHOOK_ALLOW_HTTP: 'true', WEBHOOK_ALLOW_NETWORKS: '127.0.0.0/8' };
    const service = await startService(
      { connectionString, ...secrets, nonceSeconds: NONCE_SECONDS, env },
      disposal,
    );
    const load = new HttpLoad(new Clients(data, secrets, dir, thisVersion), new OwnGenerator(disposal));
    await load.warm(service);
    const [gateway, postgres] = [ServerCpu.of(service.pid)!, (await ServerCpu.find(client))!];

    const send = async (seconds: number) =>
      load.send(
        service,
        await load.traffic(NEW_LEADERS, 'REST', PREPARED_FOR, seconds),
        CONNECTIONS,
        seconds,
      );
    const delivered = async () => {
      const { rows } = await client.query<{ n: string }>(
        `select count(*) as n from webhook_deliveries where status = 'delivered' and endpoint_id = any($1::uuid[])`,
        [ids],
      );
      return Number(rows[0]!.n);
    };
    const slice = async (isOn: boolean): Promise<Slice> => {
      await client.query(
        'update webhook_endpoints set deleted_at = case when $2 then null else now() end where id = any($1::uuid[])',
        [ids, isOn],
      );
      await send(SETTLE_SECONDS);
      const traffic = await load.traffic(NEW_LEADERS, 'REST', PREPARED_FOR, Number(args.seconds));
      const [before, own, server] = [await delivered(), gateway.used(), postgres.used()];
      const { requests, perSecond } = await load.send(service, traffic, CONNECTIONS, Number(args.seconds));
      const used = {
        gateway: (gateway.used() - own) / requests,
        postgres: (postgres.used() - server) / requests,
      };
      return { ...used, perSecond, delivered: (await delivered()) - before };
    };
    const [without, watched]: [Slice[], Slice[]] = [[], []];
    for (let pair = 0; pair < Number(args.pairs); pair += 1) {
      for (const isOn of pair % 2 ? [true, false] : [false, true]) {
        (isOn ? watched : without).push(await slice(isOn));
      }
    }
    say(
      `${count(data.entries)} entries, ${args.endpoints} endpoints, medians of ${args.pairs} pairs of ${args.seconds} s.`,
    );
    sayTable(
      ['', 'submissions/s', 'CPU of node', 'of Postgres', 'both', 'ratio', 'deliveries'],
      [rowOf('no endpoint', without, without), rowOf('watched', watched, without)],
    );
  },
});

const both = ({ gateway, postgres }: Slice) => gateway + postgres;

function rowOf(name: string, own: readonly Slice[], reference: readonly Slice[]): string[] {
  const middle = (of: (slice: Slice) => number) => median(own.map(of));
  return [
    name,
    count(middle(({ perSecond }) => perSecond)),
    `${Math.round(middle(({ gateway }) => gateway))} µs`,
    `${Math.round(middle(({ postgres }) => postgres))} µs`,
    `${Math.round(middle(both))} µs`,
    times(median(own.map((slice, pair) => both(slice) / both(reference[pair]!)))),
    count(own.reduce((sum, { delivered }) => sum + delivered, 0)),
  ];
}

/** Accepts everything. @returns its address */
async function startReceiver(disposal: Disposal): Promise<string> {
  const receiver = createServer((request, response) => {
    request.resume();
    request.on('end', () => response.writeHead(204).end());
  });
  receiver.listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  disposal.add(async () => {
    receiver.closeAllConnections();
    receiver.close();
  });
  return `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;
}

const ENDPOINT = `
  insert into webhook_endpoints (id, account_id, name, url, events, population, format, ordered, closing_minutes,
    leader_seconds, overtaken_top,
    status, sealed_secret, epoch, watching_since, created_at, updated_at, deleted_at)
  values ($1, $2, 'bench', $3, '{board.leader_changed}', 'production', 'json', false, 60, 10, 10, 'active', $4,
    gen_random_uuid(), now(), now(), now(), now())`;

/** Endpoints that are deleted until a slice needs them. Those of an earlier run go. @returns bare uuids */
async function makeEndpoints(
  client: pg.Client,
  { accountId }: HttpData,
  keySecret: string,
  url: string,
  many: number,
): Promise<string[]> {
  for (const table of [
    'webhook_deliveries',
    'webhook_leaders',
    'webhook_boards',
    'webhook_endpoints',
    'webhook_events',
  ]) {
    await client.query(`delete from ${table}`);
  }
  const seal = new Seal(keySecret, 'secrets of webhooks');
  const ids = Array.from({ length: many }, () => randomUUID());
  for (const id of ids) {
    const secret = `whsec_${randomBytes(32).toString('base64')}`;
    const sealed = seal.close(idOf('webhookEndpoint', id), secret);
    await client.query(ENDPOINT, [id, uuidOf(accountId), url, sealed]);
  }
  return ids;
}
