import { uuid7, uuidOf } from '../../src/base/ids.js';
import type { TestApp } from './app.js';
import type { Caller, Data } from './http.js';
import { change, changeFault } from './make.js';

const FLAG = `id accountId gameId boardId identityId deviceId scoreEventId flagType confidence status metadata
  comparedEventIds isTest reviewedAt reviewerDecision reviewerId createdAt updatedAt`;

const CREATE = `mutation ($input: CreateScoreFlagInput!) { createScoreFlag(input: $input) { scoreFlag { ${FLAG} } } }`;
const REVIEW = `mutation ($input: ReviewScoreFlagInput!) { reviewScoreFlag(input: $input) { scoreFlag { ${FLAG} } } }`;

/** Raises a manual flag. */
export async function flag(admin: Caller, scoreEventId: string, more: Data = {}): Promise<Data> {
  const data = await admin.data(CREATE, { input: { scoreEventId, ...more } });
  return data.createScoreFlag.scoreFlag;
}

/** Changes a flag. Must succeed. */
export async function review(admin: Caller, id: string, input: Data): Promise<Data> {
  if ('deleted' in input) return change(admin, 'ScoreFlag', id, input);
  return (await admin.data(REVIEW, { input: { id, ...input } })).reviewScoreFlag.scoreFlag;
}

export function reviewFault(admin: Caller, id: string, input: Data): Promise<string> {
  if ('deleted' in input) return changeFault(admin, 'ScoreFlag', id, input);
  return admin.code(REVIEW, { input: { id, ...input } });
}

const BOARD = `boardId runs moved undone failure podium { rank before { playerName value } after { playerName value } moves }`;
export const RUNS = `mutation ($input: ReviewIdentityInput!) { reviewIdentity(input: $input) {
  identityReview { id status decision boards { ${BOARD} } } boards { ${BOARD} } bannedDevices { id } } }`;

/** Confirms or clears all runs of a player or a device. */
export async function reviewRuns(admin: Caller, input: Data): Promise<Data> {
  const { identityReview, ...more } = (await admin.data(RUNS, { input: targeted(input) })).reviewIdentity;
  return { review: identityReview, ...more };
}

export function targeted({ identityId, deviceId, ...input }: Data): Data {
  return { target: { ...(identityId && { identityId }), ...(deviceId && { deviceId }) }, ...input };
}

const UNDO = `mutation ($id: ID!) {
  undoIdentityReview(input: { id: $id }) { identityReview { id status undoneById boards { ${BOARD} } } } }`;

export async function undo(admin: Caller, id: string): Promise<Data> {
  return (await admin.data(UNDO, { id })).undoIdentityReview.identityReview;
}

/** An open alert about a board: what notices them has too few runs in most tests. @param id bare uuid @returns its id */
export async function makeAlert(
  { database, clock }: TestApp,
  accountId: string,
  { id: boardId, gameId }: Data,
  id = uuid7(),
): Promise<string> {
  const now = new Date(clock.now());
  await database.knex('alerts').insert({
    ...{ id, account_id: uuidOf(accountId), game_id: uuidOf(gameId), board_id: uuidOf(boardId) },
    ...{ kind: 'median_jump', status: 'open', metadata: {}, created_at: now, updated_at: now },
  });
  return `alr_${id}`;
}

/** A player created by the game server. */
export async function makePlayer(admin: Caller, gameId: string, externalKey: string): Promise<string> {
  const { createIdentity } = await admin.data(
    'mutation ($input: CreateIdentityInput!) { createIdentity(input: $input) { identity { id } } }',
    { input: { gameId, kind: 'CUSTOM', externalKey } },
  );
  return createIdentity.identity.id;
}

const PLAY = `mutation ($input: CreateScoreEventInput!) {
  createScoreEvent(input: $input) { submission { score { id status value } scoreEvent { id } } } }`;

/** Submits as a game server does. @returns the event's id */
export async function play(
  admin: Caller,
  boardId: string,
  identityId: string,
  value: number,
  more: Data = {},
): Promise<string> {
  const data = await admin.data(PLAY, { input: { boardId, identityId, value, playerName: 'P', ...more } });
  return data.createScoreEvent.submission.scoreEvent.id;
}

/** A player's scores on a board, including hidden ones: `value status`. */
export async function entriesOf(app: TestApp, boardId: string, identityId: string): Promise<string[]> {
  const rows: Data[] = await app.database
    .knex('entries as e')
    .join('board_rankings as r', function on() {
      this.on('r.board_id', 'e.board_id').andOn('r.generation', 'e.generation');
    })
    .where({ 'e.board_id': boardId.slice(4), 'e.identity_id': identityId.slice(4) })
    .orderBy('e.seq')
    .select('e.value', 'e.status');
  return rows.map(({ value, status }) => `${value} ${status}`);
}
