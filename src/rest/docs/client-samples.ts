import type { Sample } from './samples.js';

// Lines of games that use the clients (clients/), shown beside the operations that they stand for. BASE, GAME and BOARD are
// variables of the reader. docs/guides/game-*.md has the same lines, and tests run them as they stand.

const TYPESCRIPT_FIRST = `import { Leaderboard } from 'leaderboard-client';

const leaderboard = new Leaderboard({ url: BASE, gameId: GAME, playerName: 'Ann' });
const result = await leaderboard.submit({ boardId: BOARD, value: 1200 });
if (result.status === 'ranked') console.log(\`Rank \${result.rank}, before \${result.previousRank ?? 'none'}\`);
if (result.status === 'queued') console.log('Saved. It is sent as soon as there is a connection.');
if (result.status === 'refused') console.log(\`Not counted: \${result.error.message}\`);
const { items } = await leaderboard.top(BOARD, { limit: 10 });
for (const { rank, playerName, value } of items) console.log(rank, playerName, value);`;

const TYPESCRIPT_READ = `const mine = await leaderboard.mine(BOARD);
console.log(mine ? \`You are number \${mine.rank}\` : 'No score yet');
const around = await leaderboard.around(BOARD, { limit: 5 });
for (const { rank, playerName, value } of around.items) console.log(rank, playerName, value);
for await (const page of leaderboard.scores(BOARD, { limit: 100 })) console.log(page.items.length);`;

const TYPESCRIPT_LIVE = `import { watch } from 'leaderboard-client/live';

for await (const { version, entryCount, scores } of watch(leaderboard, BOARD, { limit: 10 })) {
  console.log(version, entryCount, scores.map(({ playerName }) => playerName));
}`;

const LUA_FIRST = `local Leaderboard = require("leaderboard.leaderboard")
local transport, storage = require("leaderboard.transport.love"), require("leaderboard.storage.love")

local options = { url = BASE, game_id = GAME, player_name = "Ann", transport = transport, storage = storage.new() }
local leaderboard = Leaderboard.new(options)
leaderboard:submit({ board_id = BOARD, value = 1200 }, function(result)
  if result.status == "ranked" then print("Rank " .. result.rank) end
  if result.status == "queued" then print("Saved. It is sent as soon as there is a connection.") end
  if result.status == "refused" then print("Not counted: " .. result.error.message) end
end)
function love.update() leaderboard:update() end`;

const LUA_READ = `leaderboard:mine(BOARD, function(mine, fault)
  print(fault and fault.message or mine and "You are number " .. mine.rank or "No score yet")
end)
leaderboard:around(BOARD, { limit = 5 }, function(around)
  for _, score in ipairs(around and around.items or {}) do print(score.rank, score.player_name, score.value) end
end)`;

const LUA_LIVE = `local watching = leaderboard:watch(BOARD, { limit = 10 }, function(board)
  for _, score in ipairs(board.scores) do print(board.version, score.rank, score.player_name) end
end, function(fault) print(fault and fault.message or "The watch has ended.") end)`;

const FIRST = ['startSession', 'refreshSession', 'getNonce', 'submitScore', 'submitScores'];
const READ = ['listClientScores', 'getClientScore'];

/** The clients' way to an operation's effect; empty where games have none. */
export function clientSamplesOf(operationId: string): Sample[] {
  const lines = (typescript: string, lua: string): Sample[] => [
    { language: 'TypeScript client', text: typescript },
    { language: 'Lua client', text: lua },
  ];
  if (FIRST.includes(operationId)) return lines(TYPESCRIPT_FIRST, LUA_FIRST);
  if (READ.includes(operationId)) return lines(TYPESCRIPT_READ, LUA_READ);
  return operationId === 'watchBoardForClient' ? lines(TYPESCRIPT_LIVE, LUA_LIVE) : [];
}
