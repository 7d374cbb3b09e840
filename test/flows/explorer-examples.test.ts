import { type OperationDefinitionNode, parse } from 'graphql';
import { type Example, examples } from '../../web/explorer/examples.js';
import { startApp, type TestApp } from '../support/app.js';
import type { Caller, Data } from '../support/http.js';
import { makeStudio, type Studio, startSession } from '../support/make.js';
import { submit } from '../support/play.js';
import { TestSocket } from '../support/socket.js';

// The examples are followed as their comments say: ids of earlier answers are put in place of the zeros, nothing else.

let app: TestApp;
let studio: Studio;
beforeAll(async () => {
  app = await startApp();
  studio = await makeStudio(app);
});
afterAll(() => app.close());

const NIL = '00000000-0000-0000-0000-000000000000';
/** Placeholders for values of earlier answers, and those values. */
const known = new Map<string, string>();
/** Names of the operations that were run. */
const ran: string[] = [];

function exampleOf(operation: string): Example {
  return examples.find(({ query }) => operationsOf(query).includes(operation))!;
}

function operationsOf(query: string): string[] {
  return parse(query)
    .definitions.filter((node): node is OperationDefinitionNode => node.kind === 'OperationDefinition')
    .map(({ name }) => name!.value);
}

/** The example's variables, with what is known by now; fails when something is left to be filled in. */
function variablesOf(operation: string): Record<string, unknown> {
  const { query, variables } = exampleOf(operation);
  const used = parse(query)
    .definitions.filter((node): node is OperationDefinitionNode => node.kind === 'OperationDefinition')
    .find(({ name }) => name?.value === operation)!
    .variableDefinitions!.map(({ variable }) => variable.name.value);
  let text = JSON.stringify(Object.fromEntries(used.map((name) => [name, variables[name]])));
  for (const [placeholder, value] of known) text = text.replaceAll(placeholder, value);
  expect(text).not.toContain(NIL);
  return JSON.parse(text);
}

async function run(caller: Caller, operationName: string): Promise<Data> {
  ran.push(operationName);
  const { query } = exampleOf(operationName);
  const variables = variablesOf(operationName);
  const { status, body } = await caller.post('/graphql', { query, variables, operationName });
  expect([operationName, status, body.errors]).toEqual([operationName, 200, undefined]);
  return body.data;
}

test('every example does what its comment says, one after the other', async () => {
  const { admin } = studio;
  const { me } = await run(admin, 'WhoAmI');
  expect(me).toMatchObject({ kind: 'ADMIN', superAdmin: false, account: { id: studio.accountId } });
  known.set(`acc_${NIL}`, me.account.id);

  const { createGame } = await run(admin, 'CreateGame');
  known.set(`gam_${NIL}`, createGame.game.id);
  const { createBoard } = await run(admin, 'CreateBoard');
  expect(createBoard.board).toMatchObject({ sortDirection: 'DESC', keepStrategy: 'BEST' });
  known.set(`brd_${NIL}`, createBoard.board.id);

  const empty = await run(admin, 'TopOfBoard');
  expect(empty.board).toMatchObject({
    id: createBoard.board.id,
    ranking: { totalCount: 0, entries: { nodes: [] } },
  });

  const { startDeviceSession } = await run(app.anyone, 'StartSession');
  const client = app.anyone.with({ authorization: `Bearer ${startDeviceSession.session.accessToken}` });
  const { issueNonces } = await run(client, 'IssueNonce');
  known.set('from IssueNonce', issueNonces.nonces[0].value);
  const { submitScore } = await run(client, 'SubmitScore');
  expect(submitScore.submission).toMatchObject({
    kept: true,
    previousRank: null,
    score: { rank: 1, playerName: 'Ada' },
  });

  const { issueNonces: several } = await run(client, 'IssueNonces');
  for (const [i, place] of ['first', 'second'].entries()) {
    known.set(`${place} of IssueNonces`, several.nonces[i].value);
  }
  const { submitScores } = await run(client, 'SubmitScores');
  expect(submitScores.results).toMatchObject([
    { kept: true, score: { rank: 1, value: 1300 } },
    { kept: false, score: { rank: 1, value: 1300 } },
  ]);

  const top = await run(admin, 'TopOfBoard');
  expect(top.board.ranking.entries.nodes).toEqual([{ rank: 1, playerName: 'Ada', value: 1300 }]);

  const { publicBoard } = await run(app.anyone, 'PublicTop');
  expect(publicBoard).toMatchObject({ phase: 'LIVE', ranking: { totalCount: 1 } });
  const { accounts, jobs } = await run(app.superadmin, 'Operate');
  expect(accounts.nodes).toContainEqual(
    expect.objectContaining({ games: { nodes: [{ name: 'Comet Racer' }] } }),
  );
  expect(jobs.length).toBeGreaterThan(3);

  const { updateBoard } = await run(admin, 'DeclareViews');
  expect(updateBoard.board.views).toContainEqual({ name: 'weekly', status: 'LIVE', progress: null });
  const week = (await run(admin, 'ThisWeek')).board;
  expect(week.ranking.entries.nodes).toEqual([{ rank: 1, playerName: 'Ada', value: 1300 }]);
  expect(week.weekly.periods.nodes).toMatchObject([{ state: 'OPEN', totalCount: 1 }]);

  ran.push('WatchBoard');
  const socket = await TestSocket.connect(app.url, admin.headers);
  const { query } = exampleOf('WatchBoard');
  const first = await socket.run(query, variablesOf('WatchBoard'));
  expect(first.payload.data.boardChanged).toMatchObject({ entries: { totalCount: 1 } });
  const other = await startSession(app, createGame.game.id);
  await submit(other, createBoard.board.id, 2_000, { playerName: 'Grace' });
  const second = await socket.next();
  await socket.close();
  expect(second.payload.data.boardChanged.entries.nodes).toMatchObject([
    { rank: 1, playerName: 'Grace' },
    { rank: 2, playerName: 'Ada' },
  ]);

  const event = (
    await admin.data(
      `{ scoreEvents(filter: {boardId: "${createBoard.board.id}"}, orderBy: {field: CREATED_AT}, first: 1) { nodes { id identityId } } }`,
    )
  ).scoreEvents.nodes[0];
  known.set(`sev_${NIL}`, event.id);
  known.set(`ide_${NIL}`, event.identityId);
  const { createScoreEvents } = await run(admin, 'SubmitMatch');
  expect(createScoreEvents.results).toMatchObject([{ score: {} }, { score: { value: 1500 } }]);

  const { createScoreFlag } = await run(admin, 'RaiseFlag');
  known.set(`flg_${NIL}`, createScoreFlag.scoreFlag.id);
  const { scoreFlags } = await run(admin, 'PendingFlags');
  expect(scoreFlags.nodes).toContainEqual(expect.objectContaining({ id: createScoreFlag.scoreFlag.id }));
  const { previewScoreFlagReview } = await run(admin, 'PreviewReview');
  expect(previewScoreFlagReview.before).toMatchObject({ rank: 2 });
  const { reviewScoreFlag } = await run(admin, 'ReviewFlag');
  expect(reviewScoreFlag.scoreFlag).toMatchObject({
    status: 'CONFIRMED_CHEAT',
    identity: { trustTier: 'C' },
  });

  const { reviewIdentity } = await run(admin, 'ReviewRuns');
  expect(reviewIdentity).toMatchObject({ identityReview: null, boards: [{ board: { name: 'Best runs' } }] });
  const { query: reviewing } = exampleOf('ReviewRuns');
  const { runs } = variablesOf('ReviewRuns') as Data;
  const applied = await admin.post('/graphql', {
    ...{ query: reviewing, operationName: 'ReviewRuns' },
    variables: { runs: { ...runs, dryRun: false } },
  });
  known.set(`rev_${NIL}`, applied.body.data.reviewIdentity.identityReview.id);
  const { undoIdentityReview } = await run(admin, 'UndoReview');
  expect(undoIdentityReview.identityReview.status).toMatch(/UNDO/);

  const { previewBoardTemplate } = await run(admin, 'NextBoards');
  expect(previewBoardTemplate.map(({ name }: Data) => name)[0]).toBe('Cup, week 2 of 2030');
  const { createBoardTemplate } = await run(admin, 'CreateTemplate');
  const { boardTemplates } = await run(admin, 'Templates');
  expect(boardTemplates.nodes).toMatchObject([{ id: createBoardTemplate.boardTemplate.id }]);

  expect(ran.toSorted()).toEqual(
    expect.arrayContaining(examples.flatMap(({ query }) => operationsOf(query))),
  );
});

test('the comments name only what is there: each example opens with one', () => {
  for (const { query } of examples) expect(query).toMatch(/^# \S/);
});
