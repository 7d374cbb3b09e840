import type { Command } from 'commander';
import { does } from '../nouns/commands.js';
import { parseTime } from '../nouns/time.js';
import { UsageError } from '../output/failure.js';
import { got } from '../rest/client.js';

/** Deliveries that one request sends again, at most. */
const PART = 10_000;

interface Which {
  id?: string[];
  failedSince?: string;
  after?: string;
  before?: string;
}

/** Adds `redeliver` to the webhook endpoints. */
export function redeliverCommand(webhooks: Command): void {
  const command = webhooks
    .command('redeliver')
    .description('send deliveries again: some, all that failed, or all of a span')
    .usage('[options] <endpoint>')
    .argument('[endpoint]', 'the endpoint (id)')
    .option('--id <ids...>', 'these deliveries')
    .option('--failed-since <time>', 'all that failed, created since then', parseTime)
    .option('--after <time>', 'all that were created from then on, with --before', parseTime)
    .option('--before <time>', 'the end of that span', parseTime);
  does(command, async (task) => {
    const [endpoint] = command.args;
    if (endpoint === undefined) throw new UsageError('give the id of the endpoint');
    const { id, failedSince, after, before }: Which = command.opts();
    const body = {
      ...(id && { ids: id }),
      ...(failedSince !== undefined && { failed_since: failedSince }),
      ...(after !== undefined && { created_after: after }),
      ...(before !== undefined && { created_before: before }),
    };
    const params = { path: { endpoint_id: endpoint } };
    const { client } = task.session;
    const send = () => got(client.POST('/v1/webhook-endpoints/{endpoint_id}/redeliver', { params, body }));
    const sent = await send();
    // Failed deliveries are sent again in parts.
    for (let part = sent; failedSince !== undefined && part.count === PART; sent.count += part.count) {
      part = await send();
    }
    task.out.say(`Sending ${sent.count === 1 ? '1 delivery' : `${sent.count} deliveries`} again.`);
    await task.out.record(sent);
  });
}
