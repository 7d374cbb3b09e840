import { type VerifiedRun, verify } from './verify.js';

const NAME = 'arcade';
const VERSION = '1';
const PATIENCE_MS = 30_000;

/** Where the service is, and the key that may give verdicts. */
export interface Service {
  base: string;
  key: string;
}

/** @throws Error on every status but a success */
export async function call<T>({ base, key }: Service, path: string, body?: object): Promise<T> {
  const sent = body && { method: 'POST', body: JSON.stringify(body) };
  const headers = { 'service-api-key': key, 'content-type': 'application/json' };
  const response = await fetch(base + path, { ...sent, headers, signal: AbortSignal.timeout(PATIENCE_MS) });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return (await response.json()) as T;
}

/** Downloads a run's recording, plays it again, and tells the service what it gives. @param pass that sent it again; undefined: none did */
export async function answer(service: Service, run: VerifiedRun, pass: string | undefined): Promise<void> {
  const file = await fetch(service.base + run.recording!.url, { signal: AbortSignal.timeout(PATIENCE_MS) });
  if (!file.ok) throw new Error(`The recording of ${run.id}: ${file.status}`);
  const said = verify(run, new Uint8Array(await file.arrayBuffer()));
  await call(service, `/v1/score-events/${run.id}/verdicts`, {
    ...{ verifier: NAME, verifier_version: VERSION, ...said },
    ...(pass !== undefined && { pass_id: pass }),
  });
  console.log(`${run.id} ${said.verdict}${said.reason ? `: ${said.reason}` : ''}`);
}
