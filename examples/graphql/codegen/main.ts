// A studio's dashboard with operations that TypeScript knows, by graphql-codegen's client preset and fetch.
// LEADERBOARD_URL and LEADERBOARD_API_KEY name a service and a studio; npm start.
import { graphql } from './generated/gql.js';
import type { TypedDocumentString } from './generated/graphql.js';

const url = process.env.LEADERBOARD_URL ?? 'http://localhost:3000';
const key = process.env.LEADERBOARD_API_KEY ?? '';

const Dashboard = graphql(`
  query Dashboard($accountId: ID!) {
    account(id: $accountId) {
      name
      games(first: 3, orderBy: [{ field: NAME, direction: ASC }]) {
        totalCount { value }
        nodes {
          name
          boards(first: 5) {
            nodes {
              name
              phase
              endsAt
              ranking {
                totalCount
                entries(first: 3) { nodes { rank playerName value } }
              }
            }
          }
          scoreFlags(filter: { status: PENDING }, first: 1) { totalCount { value isExact } }
        }
      }
    }
  }
`);

const Me = graphql(`query Me { me { accountId user { displayName } } }`);

async function run<Data, Variables>(
  operation: TypedDocumentString<Data, Variables>,
  ...[variables]: Variables extends Record<string, never> ? [] : [Variables]
): Promise<Data> {
  const response = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'service-api-key': key },
    body: JSON.stringify({ query: operation.toString(), variables }),
  });
  const { data, errors } = (await response.json()) as { data?: Data; errors?: { message: string }[] };
  // Fields that fail are null beside their errors; here nothing may.
  if (!data || errors) throw new Error(errors?.map(({ message }) => message).join(' '));
  return data;
}

const { me } = await run(Me);
if (!me) throw new Error('Set LEADERBOARD_API_KEY.');
const { account } = await run(Dashboard, { accountId: me.accountId });
console.log(`${account?.name}: ${account?.games?.totalCount?.value} games, seen by ${me.user?.displayName}`);
for (const game of account?.games?.nodes ?? []) {
  const { value, isExact } = game.scoreFlags?.totalCount ?? { value: 0, isExact: true };
  console.log(`\n${game.name}: ${value}${isExact ? '' : '+'} runs to review`);
  for (const board of game.boards?.nodes ?? []) {
    console.log(`  ${board.name}: ${board.ranking?.totalCount} players, ${board.phase.toLowerCase()}`);
    for (const { rank, playerName, value } of board.ranking?.entries?.nodes ?? []) {
      console.log(`    ${rank}. ${playerName} ${value}`);
    }
  }
}
