import { graphqlExamples } from './graphql-examples.js';

let examples: Awaited<ReturnType<typeof graphqlExamples>>;
beforeAll(async () => {
  examples = await graphqlExamples();
});
afterAll(() => examples.close());

test('operations whose types graphql-codegen makes read a dashboard', async () => {
  expect(await examples.start('codegen')).toContain('5 players, live');
}, 300_000);

test('Apollo Client has one board from two reads, pages, a part beside an error, and both live transports', async () => {
  expect(await examples.start('apollo')).toContain('over WebSocket and as server-sent events');
}, 300_000);
