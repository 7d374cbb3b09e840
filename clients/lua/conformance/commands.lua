-- The commands of the conformance suite (clients/conformance/README.md, "Protocol"), for every Lua.
local file = require("leaderboard.storage.file")
local json = require("leaderboard.json")
local Leaderboard = require("leaderboard.leaderboard")

local driver = {
  --- The storage of a folder's name.
  storage_at = file.new,
}

--- A storage in which, once the client has `stuck`, the process ends at the first write of a recording's file.
local function faulty(storage, client, name)
  local save = storage.save
  storage.save = function(text_name, text)
    if client.fault == "stuck" and text_name:match("recordings%.%d$") then
      io.stdout:write(json.encode({ event = "storage", client = name, fault = "stuck" }), "\n")
      io.stdout:flush()
      os.exit(1)
    end
    return save(text_name, text)
  end
  return storage
end

local clients, watches, calls, runs = {}, {}, {}, {}
local all = {}

local function say(line)
  io.stdout:write(json.encode(line), "\n")
  io.stdout:flush()
end

local function place(page)
  local shown = { ranks = json.array({}), values = json.array({}), names = json.array({}), has_next = page.has_next }
  for i, score in ipairs(page.items) do
    shown.ranks[i], shown.values[i], shown.names[i] = score.rank, score.value, score.player_name
  end
  return shown
end

local function result_of(result)
  local shown = { status = result.status, key = result.run.key }
  if result.status == "ranked" then
    shown.rank, shown.previous_rank, shown.kept = result.rank, result.previous_rank, result.kept
    shown.is_personal_best, shown.held, shown.value = result.is_personal_best, result.held, result.score.value
  else
    shown.code, shown.message = result.error and result.error.code, result.error and result.error.message
  end
  return shown
end

local function claim_of(result)
  local fault = result.error or {}
  return {
    status = result.status, reward_id = result.reward_id, is_new = result.is_new, line = result.reward and result.reward.line,
    code = fault.code, message = fault.message,
  }
end

local function seconds(ms) return ms and ms / 1000 end

local commands = {}

function commands.open(ask, transport)
  local client = { offset = seconds(ask.clock_offset_ms or 0), ahead = 0 }
  client.board = Leaderboard.new({
    url = ask.url, game_id = ask.game_id, device = ask.device, player_name = ask.player_name, test_mode = ask.test_mode,
    transport = transport, storage = faulty(driver.storage_at(ask.storage), client, ask.client),
    timeout = seconds(ask.timeout_ms), deadline = seconds(ask.deadline_ms), queue_limit = ask.queue_limit,
    retry = { first = seconds(ask.retry_first_ms or 500), most = seconds(ask.retry_most_ms or 60000) },
    proof = function(done) done(table.remove(ask.proofs or {}, 1)) end,
    now = function() return os.time() + client.offset end,
    elapsed = function() return transport.elapsed() + client.ahead end,
    on_result = function(result)
      local line = result_of(result)
      line.event, line.client = "result", ask.client
      say(line)
    end,
    on_dropped = function(run, fault)
      say({ event = "dropped", client = ask.client, key = run.key, value = run.value, code = fault.code })
    end,
    on_claim = function(result)
      local line = claim_of(result)
      line.event, line.client = "claim", ask.client
      say(line)
    end,
    on_recording = function(result)
      say({
        event = "recording", client = ask.client, key = result.key, status = result.status,
        code = result.error and result.error.code,
      })
    end,
    on_trouble = function(fault)
      say({ event = "trouble", client = ask.client, code = fault.code, message = fault.message })
    end,
  })
  clients[ask.client] = client
  all[#all + 1] = client.board
  say({ id = ask.id, result = {} })
end

--- Commands of one client; each gets the client, its command and a function that answers.
local own = {}

local function shown_player(answer)
  return function(player, fault)
    answer(player and {
      identity_id = player.identity_id, display_name = player.display_name, merge_refused = player.merge_refused,
    }, fault)
  end
end

function own.player(board, _, answer)
  return board:player(shown_player(answer))
end

function own.session(board, ask, answer)
  board:session(ask.tokens, shown_player(answer))
end

function own.prove(board, ask, answer)
  local proof = { provider = ask.provider, token = ask.token, on_conflict = ask.on_conflict, board_ids = ask.board_ids }
  return board:prove(proof, shown_player(answer))
end

function own.me(board, _, answer)
  return board:me(function(me, fault)
    if not me then return answer(nil, fault) end
    local accounts, linked = json.array({}), json.array({})
    for i, proof in ipairs(me.proofs) do accounts[i] = proof.provider end
    for _, device in ipairs(me.devices) do
      if device.is_linked then linked[#linked + 1] = device.device_id end
    end
    answer({
      identity_id = me.identity_id, device_id = me.device_id, accounts = accounts, devices = #me.devices, linked = linked,
      merged = json.array(me.merged_player_ids),
    })
  end)
end

function own.unlink(board, ask, answer)
  return board:unlink_device(ask.device_id, function(count, fault) answer({ count = count }, fault) end)
end

function own.link_code(board, _, answer)
  return board:link_code(function(made, fault) answer(made and { code = made.code }, fault) end)
end

function own.redeem(board, ask, answer)
  return board:redeem(ask.code, { on_conflict = ask.on_conflict, board_ids = ask.board_ids }, shown_player(answer))
end

function own.prepare(board, _, answer)
  return board:prepare(function(_, fault) answer({}, fault) end)
end

function own.submit(board, ask, answer)
  return board:submit({
    board_id = ask.board_id, value = ask.value, player_name = ask.player_name, value_display = ask.value_display,
    metadata = ask.metadata, tags = ask.tags, key = ask.key, deadline = seconds(ask.deadline_ms),
  }, function(result) answer(result_of(result)) end)
end

function own.start_run(board, ask, answer)
  local options = { game_version = ask.game_version, deadline = seconds(ask.deadline_ms) }
  return board:start_run(ask.board_id, options, function(run)
    runs[ask.run] = run
    answer({
      counts = run.counts, has_seed = run.seed ~= nil, attempt = run.attempt, attempts_left = run.attempts_left,
      code = run.error and run.error.code,
    })
  end)
end

for _, name in ipairs({ "begin", "pause", "resume", "split" }) do
  own[name] = function(_, ask, answer)
    local run = runs[ask.run]
    run[name](run)
    answer({})
  end
end

function own.finish(_, ask, answer)
  local recording = ask.recording and ask.recording:gsub("..", function(hex) return string.char(tonumber(hex, 16)) end)
  local submission = { value = ask.value, key = ask.key, deadline = seconds(ask.deadline_ms), recording = recording }
  return runs[ask.run]:finish(submission, function(result) answer(result_of(result)) end)
end

function own.fetch_tickets(board, ask, answer)
  return board:fetch_tickets(ask.board_id, ask.count, nil, function(count, fault) answer({ tickets = count }, fault) end)
end

function own.flush(board, ask, answer)
  board:flush(function(count) answer({ waiting = count }) end, seconds(ask.deadline_ms))
end

function own.waiting(board, _, answer)
  local values = json.array({})
  for i, run in ipairs(board:waiting()) do values[i] = run.value end
  answer({ values = values })
end

function own.top(board, ask, answer)
  return board:top(ask.board_id, ask, function(page, fault) answer(page and place(page), fault) end)
end

function own.all(board, ask, answer)
  local next_page, whole, pages = board:pages(ask.board_id, ask), { items = {} }, 0
  local function take(page, fault)
    if fault then return answer(nil, fault) end
    if not page then
      local shown = place(whole)
      shown.pages = pages
      return answer(shown)
    end
    pages = pages + 1
    for _, score in ipairs(page.items) do table.insert(whole.items, score) end
    next_page(take)
  end
  return next_page(take)
end

function own.boards(board, ask, answer)
  local next_page, names = board:boards(ask), json.array({})
  local function take(page, fault)
    if fault or not page then return answer({ names = names }, fault) end
    for _, one in ipairs(page.items) do table.insert(names, one.name) end
    next_page(take)
  end
  return next_page(take)
end

function own.board(board, ask, answer)
  return board:board(ask.board_id, function(one, fault) answer({ id = one and one.id }, fault) end)
end

function own.mine(board, ask, answer)
  return board:mine(ask.board_id, function(score, fault)
    answer({ rank = score and score.rank, value = score and score.value }, fault)
  end)
end

function own.around(board, ask, answer)
  return board:around(ask.board_id, ask, function(page, fault)
    local shown = page and place(page)
    if shown then shown.my_rank = page.mine and page.mine.rank end
    answer(shown, fault)
  end)
end

function own.around_value(board, ask, answer)
  return board:around_value(ask.board_id, ask.value, ask, function(page, fault) answer(page and place(page), fault) end)
end

function own.watch(board, ask, answer)
  watches[ask.watch] = board:watch(ask.board_id, ask, function(state)
    local shown = place({ items = state.scores })
    shown.event, shown.watch = "state", ask.watch
    shown.version, shown.entry_count = state.version, state.entry_count
    say(shown)
  end, function(fault)
    say({ event = "watch_ended", watch = ask.watch, code = fault and fault.code, message = fault and fault.message })
  end)
  answer({})
end

function own.rewards(board, ask, answer)
  local next_page, statuses, pages = board:rewards(ask), json.array({}), 0
  local function take(page, fault)
    if fault or not page then return answer({ statuses = statuses, pages = pages }, fault) end
    pages = pages + 1
    for _, reward in ipairs(page.items) do statuses[#statuses + 1] = reward.status end
    next_page(take)
  end
  return next_page(take)
end

function own.claim(board, ask, answer)
  return board:claim(ask.reward_id, { deadline = seconds(ask.deadline_ms) }, function(result) answer(claim_of(result)) end)
end

function own.watch_rewards(board, ask, answer)
  watches[ask.watch] = board:watch_rewards(function(reward)
    say({ event = "reward", watch = ask.watch, reward_id = reward.id, line = reward.line })
  end, function(fault)
    say({ event = "watch_ended", watch = ask.watch, code = fault and fault.code, message = fault and fault.message })
  end)
  answer({})
end

local function own_watch(kind, shown_of)
  return function(board, ask, answer)
    watches[ask.watch] = board["watch_" .. kind](board, ask.board_id, function(state)
      local shown = shown_of(state)
      shown.event, shown.watch = kind, ask.watch
      shown.rank, shown.previous_rank = state.entry and state.entry.rank, state.previous_rank
      say(shown)
    end, function(fault)
      say({ event = "watch_ended", watch = ask.watch, code = fault and fault.code, message = fault and fault.message })
    end)
    answer({})
  end
end

own.watch_rank = own_watch("rank", function(state)
  return { next_above = state.next_above and state.next_above.player_name, gap_to_next = state.gap_to_next }
end)

own.watch_overtaken = own_watch("overtaken", function(state)
  local names = json.array({})
  for i, entry in ipairs(state.by) do names[i] = entry.player_name end
  return { by = names, count = state.count }
end)

--- All pages: lists of the members that `names` has, by the name of their list.
local function listed(next_page, names, answer)
  local shown = {}
  for list in pairs(names) do shown[list] = json.array({}) end
  local function take(page, fault)
    if fault or not page then return answer(shown, fault) end
    for _, item in ipairs(page.items) do
      for list, member in pairs(names) do table.insert(shown[list], item[member]) end
    end
    next_page(take)
  end
  return next_page(take)
end

function own.friends(board, ask, answer)
  return listed(board:friends(ask), { names = "display_name" }, answer)
end

function own.friends_ranking(board, ask, answer)
  return listed(board:friends_ranking(ask.board_id, ask), { names = "player_name", among_ranks = "among_rank" }, answer)
end

function own.ranking_of(board, ask, answer)
  local next_page = board:ranking_of(ask.board_id, ask.player_ids, ask)
  return listed(next_page, { names = "player_name", among_ranks = "among_rank" }, answer)
end

function own.tags(board, _, answer)
  return board:tags(function(tags, fault) answer({ tags = tags }, fault) end)
end

function own.set_tags(board, ask, answer)
  local changed = {}
  for name, value in pairs(ask.tags) do changed[name] = value ~= "" and value end
  return board:set_tags(changed, function(tags, fault) answer({ tags = tags }, fault) end)
end

function own.unwatch(_, ask, answer)
  watches[ask.watch].cancel()
  answer({})
end

function own.clock(_, ask, answer)
  local client = clients[ask.client]
  client.offset, client.ahead = seconds(ask.offset_ms) or client.offset, seconds(ask.elapsed_ms) or client.ahead
  answer({})
end

function own.storage(_, ask, answer)
  clients[ask.client].fault = ask.fault
  answer({})
end

function own.close(board, _, answer)
  board:close()
  answer({})
end

--- Values of both players on the boards that a request named.
local function standings_of(details)
  local shown = json.array({})
  for _, detail in ipairs(details or {}) do
    local standings = detail.standings
    if standings then table.insert(shown, json.array({ standings.current.value, standings.proven.value })) end
  end
  return shown
end

--- Takes one line.
function driver.take(line, transport)
  local ask = json.decode(line)
  if ask["do"] == "open" then return commands.open(ask, transport) end
  if ask["do"] == "cancel" then
    if calls[ask.target] then calls[ask.target].cancel() end
    return say({ id = ask.id, result = {} })
  end
  local function answer(result, fault)
    calls[ask.id] = nil
    if fault then
      local shown = { code = fault.code, message = fault.message, standings = standings_of(fault.details) }
      return say({ id = ask.id, error = shown })
    end
    say({ id = ask.id, result = result })
  end
  local work = own[ask["do"]]
  if not work then return answer(nil, { code = "UNKNOWN_COMMAND", message = ask["do"] }) end
  calls[ask.id] = work(clients[ask.client].board, ask, answer)
end

--- Goes on with all clients.
function driver.update()
  for _, board in ipairs(all) do board:update() end
end

return driver
