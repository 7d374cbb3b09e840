import { parseArgs } from 'node:util';
import { type VerifiedRun, verify } from './verify.js';

// A verifier of the demo's game (README.md): asks a board for runs without a verdict, plays them again, and says what they give.

const NAME = 'arcade';
const VERSION = '1';
const PAUSE_MS = 5_000;

const { values: options } = parseArgs({
  options: {
    /** Ends once no run is left. */
    once: { type: 'boolean', default: false },
    /** Answers a pass in place of runs that were just recorded. */
    pass: { type: 'string' },
  },
});

const { BASE, KEY, BOARD } = process.env;
if (!BASE || !KEY || !BOARD) {
  console.error(
    "Set BASE to the service's address, KEY to a key with the scope VERIFY, and BOARD to a board's id.",
  );
  process.exit(2);
}
const headers = { 'service-api-key': KEY, 'content-type': 'application/json' };

async function call<T>(path: string, body?: object): Promise<T> {
  const sent = body && { method: 'POST', body: JSON.stringify(body) };
  const response = await fetch(BASE + path, { ...sent, headers, signal: AbortSignal.timeout(30_000) });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return (await response.json()) as T;
}

/** Verifies the next runs. @returns how many */
async function round(): Promise<number> {
  const query = new URLSearchParams({
    ...{ board_id: BOARD!, verdict: 'none', has_recording: 'true', sort: 'created_at:asc', limit: '50' },
    ...(options.pass !== undefined && { pass_id: options.pass }),
  });
  const { data } = await call<{ data: VerifiedRun[] }>(`/v1/score-events?${query}`);
  for (const run of data) {
    const file = await fetch(BASE + run.recording!.url, { signal: AbortSignal.timeout(30_000) });
    if (!file.ok) throw new Error(`The recording of ${run.id}: ${file.status}`);
    const said = verify(run, new Uint8Array(await file.arrayBuffer()));
    await call(`/v1/score-events/${run.id}/verdicts`, {
      ...{ verifier: NAME, verifier_version: VERSION, ...said },
      ...(options.pass !== undefined && { pass_id: options.pass }),
    });
    console.log(`${run.id} ${said.verdict}${said.reason ? `: ${said.reason}` : ''}`);
  }
  return data.length;
}

async function main(): Promise<void> {
  for (;;) {
    try {
      const verified = await round();
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
