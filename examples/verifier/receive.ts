import { createHmac, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { answer, type Service } from './service.js';

const LONGEST_BODY = 256 * 1_024;
/** Seconds that clocks may differ, and that a request may have been on its way: older ones are replays. */
const TOLERANCE_S = 300;

/** What a webhook `run.verify` says, as far as a verifier needs it. */
interface Told {
  type: string;
  data: {
    score_event_id: string;
    pass_id: string | null;
    value: number;
    run: { seed: number | null; game_version: string | null } | null;
    recording: { url: string };
  };
}

/** True if the service signed the request (https://www.standardwebhooks.com) with one of its secrets, and not long ago. */
function isSigned(headers: IncomingHttpHeaders, body: string, secret: string): boolean {
  const [id, at] = [headers['webhook-id'], headers['webhook-timestamp']];
  if (!(Math.abs(Date.now() / 1_000 - Number(at)) <= TOLERANCE_S)) return false;
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const wanted = Buffer.from(
    `v1,${createHmac('sha256', key).update(`${id}.${at}.${body}`).digest('base64')}`,
  );
  return String(headers['webhook-signature'])
    .split(' ')
    .map((one) => Buffer.from(one))
    .some((one) => one.length === wanted.length && timingSafeEqual(one, wanted));
}

/**
 * Takes webhooks `run.verify` and answers each with a verdict before it is acknowledged: one that fails is sent again, and a verdict
 * that is given twice is the first one.
 * @param port 0: any
 */
export async function receive(service: Service, secret: string, port: number): Promise<void> {
  const server = createServer(async (request, response) => {
    let body = '';
    request.setEncoding('utf8');
    for await (const part of request) {
      body += part;
      if (body.length > LONGEST_BODY) return response.writeHead(413, { connection: 'close' }).end();
    }
    if (!isSigned(request.headers, body, secret)) return response.writeHead(401).end();
    try {
      const { type, data } = JSON.parse(body) as Told;
      if (type === 'run.verify') {
        const { score_event_id: id, value, run, recording, pass_id: pass } = data;
        await answer(service, { id, event_payload: { value }, run, recording }, pass ?? undefined);
      }
      response.writeHead(204).end();
    } catch (error) {
      console.error(String(error));
      response.writeHead(503).end();
    }
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  console.log(`listening on ${(server.address() as AddressInfo).port}`);
  await once(server, 'close');
}
