import type { Sample } from './samples.js';

// Lines of games that use the clients (clients/), shown beside the operations that they stand for. BASE, GAME and BOARD are
// variables of the reader. docs/guides/game-*.md has the same lines; tests run those of TypeScript, Lua and C# as they stand
// and parse those of GDScript.

/** The first ones begin the game; the others go on with its `leaderboard`. */
type Lines = Record<'first' | 'read' | 'boards' | 'live', string>;

const TYPESCRIPT: Lines = {
  first: `import { Leaderboard } from 'leaderboard-client';

const leaderboard = new Leaderboard({ url: BASE, gameId: GAME, playerName: 'Ann' });
const result = await leaderboard.submit({ boardId: BOARD, value: 1200 });
if (result.status === 'ranked') console.log(\`Rank \${result.rank}, before \${result.previousRank ?? 'none'}\`);
if (result.status === 'queued') console.log('Saved. It is sent as soon as there is a connection.');
if (result.status === 'refused') console.log(\`Not counted: \${result.error.message}\`);
const { items } = await leaderboard.top(BOARD, { limit: 10 });
for (const { rank, playerName, value } of items) console.log(rank, playerName, value);`,
  read: `const mine = await leaderboard.mine(BOARD);
console.log(mine ? \`You are number \${mine.rank}\` : 'No score yet');
const around = await leaderboard.around(BOARD, { limit: 5 });
for (const { rank, playerName, value } of around.items) console.log(rank, playerName, value);
for await (const page of leaderboard.scores(BOARD, { limit: 100 })) console.log(page.items.length);`,
  boards: `for await (const { items } of leaderboard.boards({ isActive: true }))
  for (const { id, name } of items) console.log(id, name);
const board = await leaderboard.board(BOARD);
console.log(board.name, board.sortDirection, board.endsAt ?? 'without an end');`,
  live: `import { watch } from 'leaderboard-client/live';

for await (const { version, entryCount, scores } of watch(leaderboard, BOARD, { limit: 10 })) {
  console.log(version, entryCount, scores.map(({ playerName }) => playerName));
}`,
};

const CSHARP: Lines = {
  first: `using LeaderboardClient;

var options = new LeaderboardOptions { Url = BASE, GameId = GAME, PlayerName = "Ann" };
var leaderboard = new Leaderboard(options);
var result = await leaderboard.SubmitAsync(BOARD, 1200);
if (result is Ranked ranked) Show($"Rank {ranked.Rank}");
if (result is Queued) Show("Saved. It is sent as soon as there is a connection.");
if (result is Refused refused) Show($"Not counted: {refused.Error.Message}");
var top = await leaderboard.TopAsync(BOARD, 10);
foreach (var score in top.Items) Show($"{score.Rank} {score.PlayerName} {score.Value}");`,
  read: `var mine = await leaderboard.MineAsync(BOARD);
Show(mine == null ? "No score yet" : $"You are number {mine.Rank}");
var around = await leaderboard.AroundAsync(BOARD, 5);
foreach (var score in around.Items) Show($"{score.Rank} {score.PlayerName} {score.Value}");
var pages = leaderboard.Scores(BOARD, 100);
for (var page = await pages.NextAsync(); page != null; page = await pages.NextAsync())
    Show($"{page.Items.Count} scores");`,
  boards: `var boards = leaderboard.Boards(isActive: true);
for (var page = await boards.NextAsync(); page != null; page = await boards.NextAsync())
    foreach (var board in page.Items) Show($"{board.Id} {board.Name}");
var own = await leaderboard.BoardAsync(BOARD);
Show($"{own.Name} {own.SortDirection} {own.EndsAt}");`,
  live: `using System.Threading;

var leaving = new CancellationTokenSource();
Action<LiveBoard> show = board => Show($"Version {board.Version}, {board.EntryCount} players");
await leaderboard.WatchAsync(BOARD, show, 10, null, leaving.Token);`,
};

const GDSCRIPT: Lines = {
  first: `func _ready() -> void:
	var options := LeaderboardOptions.new()
	options.url = BASE
	options.game_id = GAME
	options.player_name = "Ann"
	Leaderboard.open(options)
	var result: LeaderboardResult = await Leaderboard.submit(BOARD, 1200)
	if result.status == "ranked": print("Rank ", result.rank)
	if result.status == "queued": print("Saved. It is sent as soon as there is a connection.")
	if result.status == "refused": print("Not counted: ", result.error.message)`,
  read: `func show_ranks() -> void:
	var mine: LeaderboardAnswer = await Leaderboard.mine(BOARD)
	if mine.error == null and mine.data != null: print("You are number ", mine.data.rank)
	var around: LeaderboardAnswer = await Leaderboard.around(BOARD, 5)
	if around.error == null:
		for score in around.data.data: print(score.rank, " ", score.player_name, " ", score.value)`,
  boards: `func show_boards() -> void:
	var pages: LeaderboardPages = Leaderboard.boards()
	while pages.has_next():
		var page: LeaderboardAnswer = await pages.next()
		if page.error != null: return
		for board in page.data.data: print(board.id, " ", board.name)
	var own: LeaderboardAnswer = await Leaderboard.board(BOARD)
	if own.error == null: print(own.data.name, " ", own.data.sort_direction)`,
  live: `func show_live() -> void:
	var watching: LeaderboardWatch = Leaderboard.watch(BOARD, 10)
	watching.state.connect(func(board): print(board.version, " ", board.entry_count))
	watching.ended.connect(func(error): print("The watch has ended."))`,
};

const LUA: Lines = {
  first: `local Leaderboard = require("leaderboard.leaderboard")
local transport, storage = require("leaderboard.transport.love"), require("leaderboard.storage.love")

local options = { url = BASE, game_id = GAME, player_name = "Ann", transport = transport, storage = storage.new() }
local leaderboard = Leaderboard.new(options)
leaderboard:submit({ board_id = BOARD, value = 1200 }, function(result)
  if result.status == "ranked" then print("Rank " .. result.rank) end
  if result.status == "queued" then print("Saved. It is sent as soon as there is a connection.") end
  if result.status == "refused" then print("Not counted: " .. result.error.message) end
end)
function love.update() leaderboard:update() end`,
  read: `leaderboard:mine(BOARD, function(mine, fault)
  print(fault and fault.message or mine and "You are number " .. mine.rank or "No score yet")
end)
leaderboard:around(BOARD, { limit = 5 }, function(around)
  for _, score in ipairs(around and around.items or {}) do print(score.rank, score.player_name, score.value) end
end)`,
  boards: `local next_boards = leaderboard:boards({ is_active = true })
next_boards(function(page)
  for _, board in ipairs(page and page.items or {}) do print(board.id, board.name) end
end)
leaderboard:board(BOARD, function(board, fault)
  print(fault and fault.message or board.name, board and board.sort_direction)
end)`,
  live: `local watching = leaderboard:watch(BOARD, { limit = 10 }, function(board)
  for _, score in ipairs(board.scores) do print(board.version, score.rank, score.player_name) end
end, function(fault) print(fault and fault.message or "The watch has ended.") end)`,
};

/** The lines that have the effect of an operation. */
const OPERATIONS: Record<string, keyof Lines> = {
  startSession: 'first',
  refreshSession: 'first',
  getNonce: 'first',
  submitScore: 'first',
  submitScores: 'first',
  listClientScores: 'read',
  getClientScore: 'read',
  listClientBoards: 'boards',
  getBoardForClient: 'boards',
  watchBoardForClient: 'live',
};

/** The clients' way to an operation's effect; empty where games have none. */
export function clientSamplesOf(operationId: string): Sample[] {
  const lines = OPERATIONS[operationId];
  if (lines === undefined) return [];
  return [
    { language: 'TypeScript client', text: TYPESCRIPT[lines] },
    { language: 'C# client', text: CSHARP[lines] },
    { language: 'GDScript client', text: GDSCRIPT[lines] },
    { language: 'Lua client', text: LUA[lines] },
  ];
}
