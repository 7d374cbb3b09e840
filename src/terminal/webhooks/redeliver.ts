import type { Command } from 'commander';
import { does } from '../nouns/commands.js';
import { parseTime } from '../nouns/time.js';
import { UsageError } from '../output/failure.js';
import { got } from '../rest/client.js';

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
    const sent = await got(client.POST('/v1/webhook-endpoints/{endpoint_id}/redeliver', { params, body }));
    task.out.say(`Sending ${sent.count === 1 ? '1 delivery' : `${sent.count} deliveries`} again.`);
    task.out.record(sent);
  });
}
