import { parseArgs } from 'node:util';
import { receive } from './receive.js';
import { answer, call, type Service } from './service.js';
import type { VerifiedRun } from './verify.js';

// A verifier of the demo's game (README.md): takes webhooks or asks a board for runs without a verdict, plays them again, and says
// what they give.

const PAUSE_MS = 5_000;

const { values: options } = parseArgs({
  options: {
    /** Ends once no run is left. */
    once: { type: 'boolean', default: false },
    /** Answers a pass in place of runs that were just recorded. */
    pass: { type: 'string' },
    /** Takes webhooks at this port in place of asking. */
    listen: { type: 'string' },
  },
});

const { BASE, KEY, BOARD, WEBHOOK_SECRET } = process.env;

function missing(names: string): never {
  console.error(`Set ${names}.`);
  process.exit(2);
}

/** Verifies the next runs of a board. @returns how many */
async function round(service: Service, board: string): Promise<number> {
  const query = new URLSearchParams({
    ...{ board_id: board, verdict: 'none', has_recording: 'true', sort: 'created_at:asc', limit: '50' },
    ...(options.pass !== undefined && { pass_id: options.pass }),
  });
  const { data } = await call<{ data: VerifiedRun[] }>(service, `/v1/score-events?${query}`);
  for (const run of data) await answer(service, run, options.pass);
  return data.length;
}

async function main(): Promise<void> {
  if (!BASE || !KEY) missing("BASE to the service's address, and KEY to a key with the scope VERIFY");
  const service = { base: BASE, key: KEY };
  if (options.listen !== undefined) {
    if (!WEBHOOK_SECRET) missing("WEBHOOK_SECRET to the endpoint's secret");
    return receive(service, WEBHOOK_SECRET, Number(options.listen));
  }
  if (!BOARD) missing("BOARD to a board's id");
  for (;;) {
    try {
      const verified = await round(service, BOARD);
      if (verified > 0) continue;
      if (options.once) return;
    } catch (error) {
      if (options.once) throw error;
      console.error(String(error));
    }
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}

main().catch((error) => {
  console.error(String(error));
  process.exit(1);
});
