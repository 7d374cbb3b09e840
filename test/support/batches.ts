import type { Answer, Caller, Data } from './http.js';
import type { Player } from './make.js';

export const SCORES = '/v1/client/scores/batch';
export const EVENTS = '/v1/score-events/batch';

export async function takeNonces({ client }: Player, count: number): Promise<string[]> {
  const { body } = await client.get(`/v1/client/nonce?count=${count}`);
  return body.nonces.map(({ nonce_value }: Data) => nonce_value);
}

/** `201`, or status and code, of each result. */
export function gist({ status, body }: Answer<Data>): unknown[] {
  expect([status, body.code]).toEqual([200, undefined]);
  return body.results.map((result: Data) =>
    result.error ? `${result.status} ${result.error.code}` : result.status,
  );
}

/** Values of the board's events, in order of id. */
export async function eventsOf(admin: Caller, boardId: string): Promise<number[]> {
  const { body } = await admin.get(`/v1/score-events?board_id=${boardId}&limit=100&sort=id:asc`);
  return body.data.map(({ event_payload: { value, delta } }: Data) => value ?? delta);
}

/** 1, 2, … count */
export const upTo = (count: number): number[] => Array.from({ length: count }, (_, i) => i + 1);
