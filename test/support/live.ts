import type { Data } from './http.js';
import type { Frame, TestSocket } from './socket.js';
import { patience } from './wait.js';

export const WATCH = `subscription ($id: ID!, $first: Int! = 3, $around: ID, $isTest: Boolean) {
  boardChanged(boardId: $id, first: $first, around: $around, isTest: $isTest) {
    id version entryCount scores { nodes { rank playerName value } } } }`;

export const RANKS = `subscription ($id: ID!, $identityIds: [ID!], $me: Boolean! = false, $isTest: Boolean) {
  rankChanged(boardId: $id, identityIds: $identityIds, me: $me, isTest: $isTest) {
    version identityId rank previousRank value playerName entryCount nextAbove { rank value playerName difference } } }`;

export const OVERTAKEN = `subscription ($id: ID!) {
  overtaken(boardId: $id) { version rank previousRank value entryCount count by { rank value playerName identityId } } }`;

/** Starts a subscription; its events are the socket's next frames with that id. */
export function begin(socket: TestSocket, query: string, variables: Data, id = 'watch'): void {
  socket.send({ type: 'subscribe', id, payload: { query, variables } });
}

/** The one field of a message's data. */
export function dataOf(frame: Frame): Data {
  if (frame.type !== 'next' || !frame.payload.data) throw new Error(JSON.stringify(frame));
  return Object.values<Data>(frame.payload.data)[0];
}

/** Reads events until one meets the condition; versions must never go back. */
export async function until(socket: TestSocket, holds: (event: Data) => boolean): Promise<Data> {
  const inTime = patience(`${holds}`);
  for (let version = -1; ; ) {
    inTime();
    const event = dataOf(await socket.next());
    expect(event.version).toBeGreaterThanOrEqual(version);
    version = event.version;
    if (holds(event)) return event;
  }
}

export const lines = (event: Data): string[] =>
  event.scores.nodes.map(({ rank, playerName, value }: Data) => `${rank} ${playerName} ${value}`);
