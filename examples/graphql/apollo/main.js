// A game with Apollo Client 4: a session, a score with its nonce, the ranking in pages, and its changes live over WebSocket
// and over server-sent events. LEADERBOARD_URL, GAME_ID and BOARD_ID name a service and a published board; npm start.
import assert from 'node:assert/strict';
import { gql } from '@apollo/client';
import { createClient } from './clients.js';

const { LEADERBOARD_URL: url, GAME_ID: gameId, BOARD_ID: boardId } = process.env;
assert(url && gameId && boardId, 'Set LEADERBOARD_URL, GAME_ID and BOARD_ID.');

const START = gql`
  mutation Start($input: StartDeviceSessionInput!) {
    startDeviceSession(input: $input) { session { accessToken identityId } }
  }
`;
const NONCE = gql`
  mutation Nonce { issueNonces(input: { count: 1 }) { nonces { value } } }
`;
const SUBMIT = gql`
  mutation Submit($input: SubmitScoreInput!) {
    submitScore(input: $input) { submission { kept score { id rank board { id name } } } }
  }
`;
const PAGE = gql`
  query Page($board: ID!, $after: String) {
    board(by: { id: $board }) {
      id
      name
      ranking {
        entries(first: 2, after: $after) {
          edges { cursor node { rank playerName value } }
          pageInfo { hasNextPage endCursor }
        }
      }
    }
  }
`;
const TOTAL = gql`
  query Total($board: ID!, $view: String!) {
    board(by: { id: $board }) {
      id
      ranking { totalCount }
      missing: ranking(view: $view) { totalCount }
    }
  }
`;
const CHANGED = gql`
  subscription Changed($board: ID!) {
    boardChanged(boardId: $board, first: 3) {
      version
      entries { nodes { rank playerName value } totalCount }
    }
  }
`;

const visitor = createClient(url);
const { data: started } = await visitor.client.mutate({
  mutation: START,
  variables: { input: { gameId, clientFingerprint: `apollo-example-${Date.now()}`, platform: 'web' } },
});
await visitor.close();
const headers = { authorization: `Bearer ${started.startDeviceSession.session.accessToken}` };
const player = createClient(url, headers);
const events = createClient(url, headers, 'events');

/** Every state of the board from now on. */
function watch({ client }) {
  const states = [];
  const subscription = client
    .subscribe({ query: CHANGED, variables: { board: boardId } })
    .subscribe(({ data, error }) => states.push(data?.boardChanged ?? error));
  return { states, stop: () => subscription.unsubscribe() };
}

async function until(holds, what) {
  const deadline = Date.now() + 30_000;
  while (!holds()) {
    assert(Date.now() < deadline, what);
    await new Promise((done) => setTimeout(done, 20));
  }
}

async function submit(value) {
  const { data: issued } = await player.client.mutate({ mutation: NONCE });
  const [nonce] = issued.issueNonces.nonces;
  const { data, error } = await player.client.mutate({
    mutation: SUBMIT,
    variables: { input: { boardId, playerName: 'Apollo', value, nonce: nonce.value } },
  });
  if (error) throw error;
  return data.submitScore.submission;
}

const watched = [watch(player), watch(events)];
await until(() => watched.every(({ states }) => states.length > 0), 'The first state came neither way.');

const { score } = await submit(1_000_000);
console.log(`Rank ${score.rank} on ${score.board.name}.`);

// The board that the score leads to, and the one that is read, are one object of the cache.
const pages = player.client.watchQuery({ query: PAGE, variables: { board: boardId } });
const watching = pages.subscribe(() => {});
await until(() => !pages.getCurrentResult().loading, 'The first page did not come.');
const first = pages.getCurrentResult().data.board;
assert.equal(player.client.cache.identify(first), player.client.cache.identify(score.board));
const { endCursor: after } = first.ranking.entries.pageInfo;
await pages.fetchMore({ variables: { board: boardId, after } });
const shownNow = () => pages.getCurrentResult().data.board.ranking.entries.edges.map(({ node }) => node);
await until(() => shownNow().length > 2, 'The second page is not beside the first.');
const shown = shownNow();
assert.deepEqual(
  shown.map(({ rank }) => rank),
  shown.map((_entry, i) => i + 1),
);
console.table(shown.map(({ rank, playerName, value }) => ({ rank, playerName, value })));

// A field that fails leaves the others: the view is unknown, the count is there. The pages that were read stay.
const { data: part, error } = await player.client.query({
  query: TOTAL,
  variables: { board: boardId, view: 'missing' },
});
assert.equal(part.board.missing, null);
assert.equal(error.errors[0].extensions.code, 'INVALID_VIEW');
assert(part.board.ranking.totalCount >= shown.length);
assert.equal(pages.getCurrentResult().data.board.ranking.entries.edges.length, shown.length);

watching.unsubscribe();

await submit(2_000_000);
for (const { states, stop } of watched) {
  const leads = () => states.at(-1)?.entries?.nodes[0]?.value === 2_000_000;
  await until(leads, `The new leader was not reported: ${JSON.stringify(states.at(-1))}`);
  stop();
}
console.log('The new leader came over WebSocket and as server-sent events.');
await player.close();
await events.close();
