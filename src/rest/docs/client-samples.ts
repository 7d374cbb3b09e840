import type { Sample } from './sample.js';

// Lines of games that use the clients (clients/), shown next to the operations they replace. BASE, GAME and BOARD are
// variables of the reader. docs/guides/game-*.md has the same lines, and the console shows the first ones with the address and
// the ids of a board. Tests run those of TypeScript, Lua and C# unchanged and parse those of GDScript.

/** `begin` starts the game, `first` also shows the board; the others continue with its `leaderboard`. */
type Lines = Record<
  'begin' | 'first' | 'read' | 'runs' | 'boards' | 'rewards' | 'granted' | 'players' | 'live' | 'own',
  string
>;

/** No line names a device: each installation makes a name of its own, so each is a player. */

const TYPESCRIPT_BEGIN = `import { Leaderboard } from 'leaderboard-client';

const leaderboard = new Leaderboard({ url: BASE, gameId: GAME, playerName: 'Ann' });
const result = await leaderboard.submit({ boardId: BOARD, value: 1200 });
if (result.status === 'ranked') console.log(\`Rank \${result.rank}, before \${result.previousRank ?? 'none'}\`);
if (result.status === 'queued') console.log('Saved. It is sent later.', result.error?.message ?? '');
if (result.status === 'refused') console.log(\`Not counted: \${result.error.message}\`);`;

const TYPESCRIPT: Lines = {
  begin: TYPESCRIPT_BEGIN,
  first: `${TYPESCRIPT_BEGIN}
const { items } = await leaderboard.top(BOARD, { limit: 10 });
for (const { rank, playerName, value } of items) console.log(rank, playerName, value);`,
  read: `const mine = await leaderboard.mine(BOARD);
console.log(mine ? \`You are number \${mine.rank}\` : 'No score yet');
const around = await leaderboard.around(BOARD, { limit: 5 });
for (const { rank, playerName, value } of around.items) console.log(rank, playerName, value);
for await (const page of leaderboard.scores(BOARD, { limit: 100 })) console.log(page.items.length);`,
  runs: `import { startRun } from 'leaderboard-client/runs';

const run = await startRun(leaderboard, BOARD, { gameVersion: '1.4.2' });
if (!run.counts) console.log(\`This run will not count: \${run.error?.message}\`);
// Load the level with run.seed; the player begins:
run.begin();
console.log(run.split(), 'ms until the first point');
const ended = await run.finish({ value: 1100 });
console.log(ended.status, run.attemptsLeft ?? 'any number of', 'attempts left');`,
  boards: `for await (const { items } of leaderboard.boards({ isActive: true }))
  for (const { id, name } of items) console.log(id, name);
const board = await leaderboard.board(BOARD);
console.log(board.name, board.sortDirection, board.endsAt ?? 'without an end');`,
  rewards: `for await (const { items } of leaderboard.rewards()) {
  for (const { id, title } of items.filter(({ status }) => status === 'open')) {
    const claim = await leaderboard.claim(id);
    if (claim.status === 'claimed' && claim.isNew) console.log('Yours:', title, claim.reward.grant);
  }
}`,
  granted: `import { watchRewards } from 'leaderboard-client/live';

for await (const { id, title } of watchRewards(leaderboard)) console.log('You can claim', title, id);`,
  players: `import { friends, friendsRanking, setTags } from 'leaderboard-client/players';

for await (const { items } of friends(leaderboard)) console.log(items.map(({ displayName }) => displayName));
for await (const { items } of friendsRanking(leaderboard, BOARD))
  for (const { amongRank, playerName, value } of items) console.log(amongRank, playerName, value);
const tags = await setTags(leaderboard, { guild: 'Ravens' });
console.log(tags.guild);`,
  live: `import { watch } from 'leaderboard-client/live';

for await (const { version, entryCount, scores } of watch(leaderboard, BOARD, { limit: 10 })) {
  console.log(version, entryCount, scores.map(({ playerName }) => playerName));
}`,
  own: `import { watchOvertaken, watchRank } from 'leaderboard-client/live';

async function hear() {
  for await (const { by, count } of watchOvertaken(leaderboard, BOARD))
    if (count > 0) console.log(\`\${by.at(-1)?.playerName} has passed you\`);
}
void hear();
for await (const { entry, nextAbove, gapToNext } of watchRank(leaderboard, BOARD))
  console.log(entry?.rank, nextAbove && \`\${gapToNext} behind \${nextAbove.playerName}\`);`,
};

const CSHARP_BEGIN = `using LeaderboardClient;

var leaderboard = new Leaderboard(new LeaderboardOptions { Url = BASE, GameId = GAME, PlayerName = "Ann" });
var result = await leaderboard.SubmitAsync(BOARD, 1200);
if (result is Ranked ranked) Show($"Rank {ranked.Rank}");
if (result is Queued queued) Show($"Saved. It is sent later. {queued.Error?.Message}");
if (result is Refused refused) Show($"Not counted: {refused.Error.Message}");`;

const CSHARP: Lines = {
  begin: CSHARP_BEGIN,
  first: `${CSHARP_BEGIN}
var top = await leaderboard.TopAsync(BOARD, 10);
foreach (var score in top.Items) Show($"{score.Rank} {score.PlayerName} {score.Value}");`,
  read: `var mine = await leaderboard.MineAsync(BOARD);
Show(mine == null ? "No score yet" : $"You are number {mine.Rank}");
var around = await leaderboard.AroundAsync(BOARD, 5);
foreach (var score in around.Items) Show($"{score.Rank} {score.PlayerName} {score.Value}");
var pages = leaderboard.Scores(BOARD, 100);
for (var page = await pages.NextAsync(); page != null; page = await pages.NextAsync())
    Show($"{page.Items.Count} scores");`,
  runs: `var run = await leaderboard.StartRunAsync(BOARD, "1.4.2");
if (!run.Counts) Show($"This run will not count: {run.Error.Message}");
// Load the level with run.Seed; the player begins:
run.Begin();
Show($"{run.Split()} ms until the first point");
var ended = await run.FinishAsync(1100);
Show(ended is Ranked ? "The run counts" : "The run is saved, or refused");`,
  boards: `var boards = leaderboard.Boards(isActive: true);
for (var page = await boards.NextAsync(); page != null; page = await boards.NextAsync())
    foreach (var board in page.Items) Show($"{board.Id} {board.Name}");
var own = await leaderboard.BoardAsync(BOARD);
Show($"{own.Name} {own.SortDirection} {own.EndsAt}");`,
  rewards: `var rewards = leaderboard.Rewards();
for (var page = await rewards.NextAsync(); page != null; page = await rewards.NextAsync())
    foreach (var reward in page.Items)
    {
        if (reward.Status != "open") continue;
        var claim = await leaderboard.ClaimAsync(reward.Id) as Claimed;
        if (claim != null && claim.IsNew) Show($"Yours: {reward.Title}");
    }`,
  granted: `using System;
using System.Threading;

var closing = new CancellationTokenSource();
Action<Reward> offer = reward => Show($"You can claim {reward.Title}");
await leaderboard.WatchRewardsAsync(offer, closing.Token);`,
  players: `using System.Collections.Generic;

var friends = leaderboard.Friends();
for (var page = await friends.NextAsync(); page != null; page = await friends.NextAsync())
    foreach (var friend in page.Items) Show(friend.DisplayName);
var ranking = leaderboard.FriendsRanking(BOARD);
for (var page = await ranking.NextAsync(); page != null; page = await ranking.NextAsync())
    foreach (var score in page.Items) Show($"{score.AmongRank} {score.PlayerName} {score.Value}");
var tags = await leaderboard.SetTagsAsync(new Dictionary<string, string> { { "guild", "Ravens" } });
Show(tags["guild"]);`,
  own: `using System;
using System.Threading;

var playing = new CancellationTokenSource();
Action<Overtaken> hear = state => Show(state.Count > 0 ? $"{state.By[0].PlayerName} has passed you" : "Nobody passed you");
var hearing = leaderboard.WatchOvertakenAsync(BOARD, hear, playing.Token);
Action<LiveRank> follow = state => Show($"Rank {state.Entry?.Rank}, {state.GapToNext} behind {state.NextAbove?.PlayerName}");
await leaderboard.WatchRankAsync(BOARD, follow, playing.Token);`,
  live: `using System;
using System.Threading;

var leaving = new CancellationTokenSource();
Action<LiveBoard> show = board => Show($"Version {board.Version}, {board.EntryCount} players");
await leaderboard.WatchAsync(BOARD, show, 10, null, leaving.Token);`,
};

const GDSCRIPT_BEGIN = `func _ready() -> void:
	Leaderboard.open(LeaderboardOptions.new(BASE, GAME, "Ann"))
	var result: LeaderboardResult = await Leaderboard.submit(BOARD, 1200)
	if result.status == "ranked": print("Rank ", result.rank)
	if result.status == "queued": print("Saved. It is sent later. ", result.error.message if result.error else "")
	if result.status == "refused": print("Not counted: ", result.error.message)`;

const GDSCRIPT: Lines = {
  begin: GDSCRIPT_BEGIN,
  first: `${GDSCRIPT_BEGIN}
	var top: LeaderboardAnswer = await Leaderboard.top(BOARD, 10)
	if top.error == null:
		for score in top.data.data: print(score.rank, " ", score.player_name, " ", score.value)`,
  read: `func show_ranks() -> void:
	var mine: LeaderboardAnswer = await Leaderboard.mine(BOARD)
	if mine.error == null and mine.data != null: print("You are number ", mine.data.rank)
	var around: LeaderboardAnswer = await Leaderboard.around(BOARD, 5)
	if around.error == null:
		for score in around.data.data: print(score.rank, " ", score.player_name, " ", score.value)`,
  runs: `func play() -> void:
	var run: LeaderboardRun = await Leaderboard.start_run(BOARD, {"game_version": "1.4.2"})
	if not run.counts: print("This run will not count: ", run.error.message)
	# Load the level with run.seed_value; the player begins:
	run.begin()
	print(run.split(), " ms until the first point")
	var ended: LeaderboardResult = await run.finish(1100)
	print(ended.status)`,
  boards: `func show_boards() -> void:
	var pages: LeaderboardPages = Leaderboard.boards()
	while pages.has_next():
		var page: LeaderboardAnswer = await pages.next()
		if page.error != null: return
		for board in page.data.data: print(board.id, " ", board.name)
	var own: LeaderboardAnswer = await Leaderboard.board(BOARD)
	if own.error == null: print(own.data.name, " ", own.data.sort_direction)`,
  rewards: `func claim_rewards() -> void:
	var pages: LeaderboardPages = Leaderboard.rewards()
	while pages.has_next():
		var page: LeaderboardAnswer = await pages.next()
		if page.error != null: return
		for reward in page.data.data:
			if reward.status != "open": continue
			var claim: LeaderboardClaim = await Leaderboard.claim(reward.id)
			if claim.is_new: print("Yours: ", claim.reward.title)`,
  granted: `func hear_of_rewards() -> void:
	var watching: LeaderboardWatch = Leaderboard.watch_rewards()
	watching.reward.connect(func(reward): print("You can claim ", reward.title))
	watching.ended.connect(func(error): print("The watch has ended."))`,
  players: `func show_friends() -> void:
	var pages: LeaderboardPages = Leaderboard.players.friends_ranking(BOARD)
	while pages.has_next():
		var page: LeaderboardAnswer = await pages.next()
		if page.error != null: return
		for score in page.data.data: print(score.among_rank, " ", score.player_name, " ", score.value)
	var tags: LeaderboardAnswer = await Leaderboard.players.set_tags({"guild": "Ravens"})
	if tags.error == null: print(tags.data.guild)`,
  own: `func follow_rank() -> void:
	var hearing: LeaderboardWatch = Leaderboard.watch_overtaken(BOARD)
	hearing.state.connect(func(state): print(state.count, " have passed you"))
	var watching: LeaderboardWatch = Leaderboard.watch_rank(BOARD)
	watching.state.connect(func(state): print("Rank ", state.entry.rank if state.entry else "none"))`,
  live: `func show_live() -> void:
	var watching: LeaderboardWatch = Leaderboard.watch(BOARD, 10)
	watching.state.connect(func(board): print(board.version, " ", board.entry_count))
	watching.ended.connect(func(error): print("The watch has ended."))`,
};

const LUA_BEGIN = `local transport, storage = require("leaderboard.transport.love"), require("leaderboard.storage.love").new()
local options = { url = BASE, game_id = GAME, player_name = "Ann", transport = transport, storage = storage }
local leaderboard = require("leaderboard.leaderboard").new(options)
leaderboard:submit({ board_id = BOARD, value = 1200 }, function(result)
  print(result.rank and "Rank " .. result.rank or result.status, result.error and result.error.message or "")
end)
function love.update() leaderboard:update() end`;

const LUA: Lines = {
  begin: LUA_BEGIN,
  first: `${LUA_BEGIN}
leaderboard:top(BOARD, { limit = 10 }, function(top)
  for _, score in ipairs(top and top.items or {}) do print(score.rank, score.player_name, score.value) end
end)`,
  read: `leaderboard:mine(BOARD, function(mine, fault)
  print(fault and fault.message or mine and "You are number " .. mine.rank or "No score yet")
end)
leaderboard:around(BOARD, { limit = 5 }, function(around)
  for _, score in ipairs(around and around.items or {}) do print(score.rank, score.player_name, score.value) end
end)`,
  runs: `leaderboard:start_run(BOARD, { game_version = "1.4.2" }, function(run)
  if not run.counts then print("This run will not count: " .. run.error.message) end
  -- Load the level with run.seed; the player begins:
  run:begin()
  print(run:split() .. " s until the first point")
  run:finish({ value = 1100 }, function(ended) print("The run is " .. ended.status) end)
end)`,
  boards: `local next_boards = leaderboard:boards({ is_active = true })
next_boards(function(page)
  for _, board in ipairs(page and page.items or {}) do print(board.id, board.name) end
end)
leaderboard:board(BOARD, function(board, fault)
  print(fault and fault.message or board.name, board and board.sort_direction)
end)`,
  rewards: `local next_rewards = leaderboard:rewards()
next_rewards(function(page)
  for _, reward in ipairs(page and page.items or {}) do
    if reward.status == "open" then
      leaderboard:claim(reward.id, {}, function(claim) if claim.is_new then print("Yours:", reward.title) end end)
    end
  end
end)`,
  granted: `local hearing = leaderboard:watch_rewards(function(reward) print("You can claim " .. reward.title) end)`,
  players: `local next_friends = leaderboard:friends_ranking(BOARD)
next_friends(function(page)
  for _, score in ipairs(page and page.items or {}) do print(score.among_rank, score.player_name, score.value) end
end)
leaderboard:set_tags({ guild = "Ravens" }, function(tags, fault)
  print(fault and fault.message or tags.guild)
end)`,
  own: `local hearing = leaderboard:watch_overtaken(BOARD, function(state)
  if state.count > 0 then print("Rank " .. state.entry.rank .. ", passed by " .. state.count) end
end)
local following = leaderboard:watch_rank(BOARD, function(state)
  print(state.entry and "Rank " .. state.entry.rank or "Not ranked", state.gap_to_next)
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
  issueTickets: 'runs',
  getAttempts: 'runs',
  listClientBoards: 'boards',
  getBoardForClient: 'boards',
  listClientRewards: 'rewards',
  claimReward: 'rewards',
  watchRewards: 'granted',
  listClientFriends: 'players',
  listClientScoresAmong: 'players',
  getClientTags: 'players',
  setClientTags: 'players',
  watchRank: 'own',
  watchOvertaken: 'own',
  watchBoardForClient: 'live',
};

/** Views are read by the TypeScript client alone. */
const VIEWS = `import { viewsOf } from 'leaderboard-client/views';

const views = viewsOf(leaderboard, BOARD);
const { mine, items } = await views.around({ view: 'weekly', limit: 11 });
for (const { view, of, rank, total } of await views.standings()) console.log(view, of, rank, total);
for await (const page of views.periods('weekly')) console.log(page.items.map(({ key }) => key));`;

const OF_VIEWS = [
  'getBoardViewsForClient',
  'listBoardPeriodsForClient',
  'listBoardGroupsForClient',
  'getStandingForClient',
  'getStandingsForClient',
];

/** The clients' way to an operation's effect; empty where games have none. */
export function clientSamplesOf(operationId: string): Sample[] {
  if (OF_VIEWS.includes(operationId)) return [{ language: 'TypeScript client', text: VIEWS }];
  const lines = OPERATIONS[operationId];
  if (lines === undefined) return [];
  return [
    { language: 'TypeScript client', text: TYPESCRIPT[lines] },
    { language: 'C# client', text: CSHARP[lines] },
    { language: 'GDScript client', text: GDSCRIPT[lines] },
    { language: 'Lua client', text: LUA[lines] },
  ];
}

/** The address of the service and the ids of a game and a board. */
type Reader = Record<'BASE' | 'GAME' | 'BOARD', string>;

/** The lines with which a game begins, for one board; `guide` is the client's page below `/guides`. */
export function beginningsFor(reader: Reader): { language: string; guide: string; text: string }[] {
  const filled = (text: string) =>
    // A text of JSON is one of each of these languages.
    text.replace(/\b(BASE|GAME|BOARD)\b/g, (name) => JSON.stringify(reader[name as keyof Reader]));
  return [
    { language: 'TypeScript', guide: 'game-typescript', text: filled(TYPESCRIPT.begin) },
    { language: 'C#', guide: 'game-csharp', text: filled(CSHARP.begin) },
    { language: 'GDScript', guide: 'game-godot', text: filled(GDSCRIPT.begin) },
    { language: 'Lua', guide: 'game-lua', text: filled(LUA.begin) },
  ];
}
