import { setTimeout as delay } from 'node:timers/promises';
import type { Command } from 'commander';
import { signatureOf } from '../base/outbound/webhook-signature.js';
import { does } from '../nouns/commands.js';
import { UsageError } from '../output/failure.js';
import type { Task } from '../output/task.js';
import { got } from '../rest/client.js';

const POLL_MS = 1_000;
/** Deliveries that are read at a time; more follow with the next read. */
const PAGE = 100;

/** Adds `listen` to the webhook endpoints: forwards what an endpoint gets to a receiver on this machine. */
export function listenCommand(webhooks: Command): void {
  const command = webhooks
    .command('listen')
    .description(
      'forward new deliveries of an endpoint to a local receiver, signed with WEBHOOK_SECRET if that is set',
    )
    .usage('[options] <endpoint>')
    .argument('[endpoint]', 'the endpoint (id); it can be paused')
    .option('--to <url>', 'where to, like http://localhost:8080/hooks');
  does(command, async (task) => {
    const [endpoint] = command.args;
    const { to }: { to?: string } = command.opts();
    if (endpoint === undefined) throw new UsageError('give the id of the endpoint');
    if (to === undefined || !URL.canParse(to))
      throw new UsageError('give the receiver: --to http://localhost:8080/hooks');
    await forward(task, endpoint, to);
  });
}

/** Forwards deliveries until the command is interrupted. */
async function forward(task: Task, endpoint: string, to: string): Promise<void> {
  const seen = new Set((await newest(task, endpoint)).map(({ id }) => id));
  task.out.say(`Forwarding new deliveries of ${endpoint} to ${to}. Ctrl-C ends it.`);
  for (;;) {
    const fresh = (await newest(task, endpoint)).filter(({ id }) => !seen.has(id)).toReversed();
    for (const { id, type } of fresh) {
      seen.add(id);
      task.out.say(`${type} ${id} → ${await handOver(task, id, to)}`);
    }
    await delay(POLL_MS);
  }
}

async function newest({ session: { client } }: Task, endpoint: string) {
  const params = { path: { endpoint_id: endpoint }, query: { limit: PAGE } };
  return (await got(client.GET('/v1/webhook-endpoints/{endpoint_id}/deliveries', { params }))).data;
}

/** @returns the receiver's status, or why there is none */
async function handOver({ session: { client } }: Task, id: string, to: string): Promise<string> {
  const params = { path: { delivery_id: id } };
  const { request } = await got(client.GET('/v1/webhook-deliveries/{delivery_id}', { params }));
  const body = JSON.stringify(request);
  const at = Math.floor(Date.now() / 1_000);
  const secret = process.env.WEBHOOK_SECRET;
  const signed = { 'webhook-signature': secret ? signatureOf([secret], id, at, body) : '' };
  const headers = {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': String(at),
    ...signed,
  };
  try {
    return String((await fetch(to, { method: 'POST', headers, body })).status);
  } catch (error) {
    return `no answer (${(error as Error).message})`;
  }
}
