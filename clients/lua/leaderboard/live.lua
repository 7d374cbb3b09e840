-- A window of a board as it changes: server-sent events where the transport streams, otherwise a read every few seconds.
local errors = require("leaderboard.errors")
local json = require("leaderboard.json")
local request = require("leaderboard.request")
local Tasks = require("leaderboard.tasks")

local live = {}

-- Three heartbeats of the service, seconds.
local SILENCE = 45

--- An error within a stream has no status of its own.
local function status_of(code)
  if code == "UNAVAILABLE" or code == "INTERNAL" or code == "ACCOUNT_MOVED" then return 503 end
  if code == "RATE_LIMITED" then return 429 end
  return code and code:find("TOKEN") and 401 or 400
end

--- @return a function that takes parts of a stream and calls `take(event, data)` for each event
function live.parser(take)
  local text = ""
  return function(part)
    text = text .. part
    while true do
      local stop, behind = text:find("\n\n", 1, true)
      if not stop then return end
      local event, data = "message", {}
      for line in (text:sub(1, stop) .. "\n"):gmatch("(.-)\n") do
        local name, value = line:match("^(%a+):%s?(.*)$")
        if name == "event" then event = value end
        if name == "data" then data[#data + 1] = value end
      end
      text = text:sub(behind + 1)
      if #data > 0 then take(event, table.concat(data, "\n")) end
    end
  end
end

--- One connection, whose events of `kind` are shown. `version(player)`: the newest one that was shown of that player. @return nil and an error when it is over; nil alone: its end was no error
local function follow(client, kind, path, call, version, show)
  return client.sessions:with(function(session)
    local fault, answer, content = nil, nil, {}
    local parse = live.parser(function(event, data)
      local body = json.decode(data)
      if event == kind and body then show(body) end
      if event == "error" and body then fault = errors.of(body, status_of(body.code)) end
    end)
    local headers = { accept = "text/event-stream", authorization = "Bearer " .. session.access_token }
    local known = version(session.identity_id)
    if known then headers["last-event-id"] = json.encode(known) end
    local ended, code = Tasks.wait(function(resume)
      local handle = client.settings.transport.request({
        method = "GET", url = client.settings.url .. path, headers = headers,
        timeout = client.settings.timeout, silence = SILENCE,
        on_part = function(head, part)
          answer = head
          if head.status == 200 then return parse(part) end
          content[#content + 1] = part
        end,
      }, resume)
      call.abort = function()
        handle.cancel()
        resume(nil, "CANCELLED")
      end
    end)
    call.abort = nil
    if fault then return nil, fault end
    if answer and answer.status ~= 200 then
      answer.body = table.concat(content)
      return request.body_of(answer)
    end
    return nil, errors.new(ended and "NETWORK" or code or "NETWORK", "The live stream ended.")
  end, call)
end

--- The window by a read. @return scores; nil and an error
local function polled(client, board_id, options, call)
  local query = { board_id = board_id, limit = options.limit }
  if options.around then
    local mine, fault
    if options.around == "me" then mine, fault = client:read_mine(board_id, call) end
    if fault then return nil, fault end
    query.around_score_id = mine and mine.id or options.around:match("^scr_.*")
  end
  local page, fault = client:page(query, call)
  return page and page.items, fault
end

--- Versions that were shown: those of a player say nothing of another one's, whom the session acts for after a merge or sign-in.
-- @return `newest(player)`, of the last connection without it, and `note(version)`
local function versions()
  local of, newest
  return function(player)
    if player and player ~= of then of, newest = player, nil end
    return newest
  end, function(version) newest = version end
end

--- Shows each state to `on_state` and the end to `on_end(error)`; without an error: it was cancelled.
function live.watch(client, board_id, options, call, on_state, on_end)
  local newest, note = versions()
  local shown
  local function show(state)
    -- Never back, after a connection to a process that is behind, too.
    if newest() and state.version <= newest() then return end
    note(state.version)
    on_state(state)
  end
  local function known(player) return newest(options.around == "me" and player or nil) end
  local path = request.path("/v1/client/boards/" .. request.encoded(board_id) .. "/live", {
    limit = options.limit, around = options.around, is_test = client.settings.test_mode,
  })
  live.keep(client, call, newest, on_end, function()
    if client.settings.transport.streams then
      local _, fault = follow(client, "board", path, call, known, show)
      return fault
    end
    local scores, fault = polled(client, board_id, options, call)
    local text = scores and json.encode(scores)
    if text and text ~= shown then
      shown = text
      show({ id = board_id, version = (newest() or 0) + 1, scores = scores })
    end
    return fault
  end)
end

--- Whether a player's score differs from the one before, for a transport that does not stream; of `overtaken`, whether it fell.
local function has_moved(kind, before, now)
  if kind == "overtaken" then return before and now and now.rank > before.rank end
  if not before or not now then return before ~= now end
  return before.rank ~= now.rank or before.value ~= now.value or before.player_name ~= now.player_name
end

--- Shows states of the client's own player, of `kind` `rank` or `overtaken`, and the end to `on_end(error)`.
function live.watch_own(client, kind, board_id, call, on_state, on_end)
  local newest, note = versions()
  local last
  local is_test = kind == "rank" and client.settings.test_mode or nil
  local path = request.path("/v1/client/boards/" .. request.encoded(board_id) .. "/" .. kind .. "/live", { is_test = is_test })
  local function show(state)
    if newest() and state.version <= newest() then return end
    note(state.version)
    on_state(state)
  end
  local function known(player)
    newest(player)
    return nil
  end
  live.keep(client, call, newest, on_end, function()
    if client.settings.transport.streams then
      local _, fault = follow(client, kind, path, call, known, show)
      return fault
    end
    local mine, fault = client:read_mine(board_id, call)
    if fault then return fault end
    if not newest() or has_moved(kind, last, mine) then
      local before = newest() and last and last.rank
      local count = kind == "overtaken" and (before and mine.rank - before or 0) or nil
      local by = kind == "overtaken" and {} or nil
      show({ board_id = board_id, version = (newest() or 0) + 1, entry = mine, previous_rank = before, count = count, by = by })
    end
    last = mine
  end)
end

--- Shows each open or granted reward of the player once, and the end to `on_end(error)`.
function live.watch_rewards(client, call, on_reward, on_end)
  local told, count = {}, 0
  local function show(reward)
    if told[reward.id] then return end
    told[reward.id], count = true, count + 1
    on_reward(reward)
  end
  live.keep(client, call, function() return count end, on_end, function()
    if client.settings.transport.streams then
      local _, fault = follow(client, "reward", "/v1/client/rewards/live", call, function() return nil end, show)
      return fault
    end
    local query = { status = "open", limit = 100 }
    local list, fault = client.sessions:call({ path = "/v1/client/rewards", query = query }, call)
    for i = #(list and list.data or {}), 1, -1 do show(list.data[i]) end
    return fault
  end)
end

--- Runs `once`, a connection or a read, again and again until the call is cancelled or an error stays.
-- @param progress changes with everything that was shown @param once returns an error
function live.keep(client, call, progress, on_end, once)
  Tasks.spawn(function()
    local failures = 0
    while not call.cancelled do
      local before = progress()
      local fault = once()
      if call.cancelled then break end
      -- A refreshed session ends streams of its old token with 401.
      local first = failures == 0 or progress() ~= before
      if fault and not errors.is_temporary(fault) and not (fault.status == 401 and first) then return on_end(fault) end
      if fault then client.settings.on_trouble(fault) end
      failures = fault and (progress() ~= before and 1 or failures + 1) or 0
      local pause = fault and errors.pause(failures, fault, client.settings.retry) or client.settings.poll_seconds
      client:sleep(pause, call)
    end
    on_end(nil)
  end)
end

return live
