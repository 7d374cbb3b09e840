import type { Data } from './http.js';
import type { Frame, TestSocket } from './socket.js';
import { patience } from './wait.js';

export const WATCH = `subscription ($id: ID!, $first: Int! = 3, $around: AroundInput, $isTest: Boolean) {
  boardChanged(boardId: $id, first: $first, around: $around, isTest: $isTest) {
    boardId version entries { totalCount nodes { rank playerName value } } } }`;

export const RANKS = `subscription ($id: ID!, $identityIds: [ID!]!, $isTest: Boolean) {
  rankChanged(boardId: $id, identityIds: $identityIds, isTest: $isTest) {
    version identityId entry { rank value valueDisplay playerName } previousRank totalCount
    nextAbove { rank value playerName } gapToNext } }`;

export const OVERTAKEN = `subscription ($id: ID!) {
  overtaken(boardId: $id) {
    version entry { rank value } previousRank totalCount count by { rank value playerName identityId } } }`;

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
  event.entries.nodes.map(({ rank, playerName, value }: Data) => `${rank} ${playerName} ${value}`);
