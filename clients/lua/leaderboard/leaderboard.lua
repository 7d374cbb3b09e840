-- The leaderboard service in a game of Defold, LÖVE, Solar2D or plain Lua. Runs are never lost and never counted twice.
-- Nothing here throws or blocks: results arrive in callbacks within `update`, which the game calls in every frame.
local Claims = require("leaderboard.claims")
local errors = require("leaderboard.errors")
local live = require("leaderboard.live")
local players = require("leaderboard.players")
local Queue = require("leaderboard.queue")
local reads = require("leaderboard.reads")
local Recordings = require("leaderboard.recordings")
local runs = require("leaderboard.runs")
local Sender = require("leaderboard.sender")
local Session = require("leaderboard.session")
local sha256 = require("leaderboard.sha256")
local Tasks = require("leaderboard.tasks")

local Leaderboard = {}
Leaderboard.__index = Leaderboard
for _, part in ipairs({ reads, players, runs }) do
  for name, read in pairs(part) do Leaderboard[name] = read end
end

local function nothing() end

--- 128 random bits as hexadecimal text: of the system where it has them, otherwise of times, addresses and math.random.
local function random_key()
  local source = io and io.open and io.open("/dev/urandom", "rb")
  local bytes = source and source:read(16)
  if source then source:close() end
  if bytes and #bytes == 16 then
    return (bytes:gsub(".", function(byte) return string.format("%02x", byte:byte()) end))
  end
  local parts = {}
  for i = 1, 4 do parts[i] = string.format("%08x", math.random(0, 0xFFFFFF) * 256 + math.random(0, 255)) end
  local address = tostring({}):match("%x+$") or "0"
  return table.concat(parts) .. string.format("%x", os.time()) .. address
end

--- The clock without steps back: several platforms have none but the one that people set.
local function steady(clock)
  local last, lead = clock(), 0
  return function()
    local now = clock()
    if now < last then lead = lead + last - now end
    last = now
    return now + lead
  end
end

--- A client for one player of one game.
-- `options`: `url`, `game_id`, `transport` (leaderboard.transport.…), `storage` (leaderboard.storage.…); and, by choice,
-- `device` (the player's or installation's name; by default made once and stored), `player_name`, `platform`, `metadata`,
-- `test_mode`, `timeout` of a request (10 s), `deadline` of a submission or read (15 s),
-- `retry` = { first = 0.5, most = 60 }, `queue_limit` (500), `poll_seconds` (5), `now` and `elapsed` (clocks, seconds),
-- `proof(done)`, which is called when a session starts, the first one and those in place of one that has ended, and calls `done` with
-- a fresh statement of who the player is, as of `prove`, with nil for the player of the device, or with nil and why there is none now,
-- `header_prefix` (the service's HEADER_PREFIX), `on_result(result)`, `on_dropped(run, error)`, `on_trouble(error)`, and
-- `on_claim(result)` for each claim of a reward that is answered, also of an earlier start: hand it out if `is_new`; and
-- `on_recording(result)` for each recording that is `stored` or `refused` (`status`, `key` of its run, `error`). `sha256(bytes)`:
-- the engine's own, as hexadecimal text, which is faster.
function Leaderboard.new(options)
  local settings = {}
  for name, value in pairs(options) do settings[name] = value end
  settings.url = options.url:gsub("/+$", "")
  settings.timeout = options.timeout or 10
  settings.deadline = options.deadline or 15
  settings.retry = options.retry or { first = 0.5, most = 60 }
  settings.queue_limit = options.queue_limit or 500
  settings.header_prefix = options.header_prefix or "service"
  settings.poll_seconds = options.poll_seconds or 5
  settings.now = options.now or os.time
  settings.elapsed = steady(options.elapsed or options.transport.elapsed or os.time)
  local tasks = Tasks.new(settings.elapsed)
  settings.on_result = tasks:later(options.on_result or nothing)
  local on_dropped = tasks:later(options.on_dropped or nothing)
  settings.on_claim = tasks:later(options.on_claim or nothing)
  settings.on_recording = tasks:later(options.on_recording or nothing)
  settings.sha256 = options.sha256 or sha256
  settings.on_trouble = tasks:later(options.on_trouble or nothing)
  settings.proof = options.proof and function(resume)
    tasks:after(0, function()
      local ok, fault = pcall(options.proof, resume)
      if ok then return end
      resume(nil, fault)
      error(fault, 0)
    end)
  end
  local base = "leaderboard." .. settings.game_id
  local device = settings.device or settings.storage.load(base .. ".device")
  if not device then
    device = random_key()
    settings.storage.save(base .. ".device", device)
  end
  local place = base .. "." .. device .. (settings.test_mode and ".test" or "")
  local self = setmetatable({ settings = settings, tasks = tasks, device = device, place = place, random_key = random_key }, Leaderboard)
  self.sessions = Session.new(settings, device, place .. ".session")
  self.recordings = Recordings.new(settings, self.tasks, self.sessions, place .. ".recordings")
  settings.on_dropped = function(run, fault)
    self.recordings:settle({ [run.key] = false })
    on_dropped(run, fault)
  end
  self.queue = Queue.new(settings, place .. ".runs")
  self.sender = Sender.new(settings, self.tasks, self.sessions, self.queue, self.recordings, place .. ".send")
  self.claims = Claims.new(settings, self.tasks, self.sessions, place .. ".claims")
  -- Runs, claims and recordings of an earlier start of the game.
  self.recordings:start()
  if #self.queue:list() > 0 then self.sender:start() end
  if #self.claims:stored().waiting > 0 then self.claims:start() end
  return self
end

--- Goes on with all work; once in every frame.
function Leaderboard:update()
  if self.settings.transport.update then self.settings.transport.update() end
  self.tasks:update()
end

--- Pauses a task; the call's cancelling ends the pause.
function Leaderboard:sleep(seconds, call)
  Tasks.wait(function(resume)
    local now = self.tasks:after(seconds, resume)
    if call then call.abort = now end
  end)
  if call then call.abort = nil end
end

--- An operation that may be cancelled: `call.cancel()`.
local function new_call()
  local call = {}
  call.cancel = function()
    call.cancelled = true
    if call.abort then call.abort() end
  end
  return call
end

--- Runs a read again after temporary failures, within the deadline (by default that of the options). `done(value, error)`.
function Leaderboard:read(work, done, deadline)
  local call = new_call()
  local settings = self.settings
  done = self.tasks:later(done)
  local stop = settings.elapsed() + (deadline or settings.deadline)
  Tasks.spawn(function()
    local failures = 0
    while true do
      local value, fault = work(call)
      failures = failures + 1
      local pause = fault and errors.pause(failures, fault, settings.retry)
      if call.cancelled then value, fault = nil, errors.new("CANCELLED", "The call was cancelled.") end
      if not fault or not errors.is_temporary(fault) or settings.elapsed() + pause > stop then
        return done(value, fault)
      end
      self:sleep(pause, call)
    end
  end)
  return call
end

--- Starts a session or resumes the stored one. `done({ identity_id, display_name, merge_refused }, error)`. `merge_refused`: the code of
-- why the merge that the option `proof` asked for (`on_conflict = "merge"`) did not begin; the session goes on as the proven player, the
-- other one stays as it is, and `prove` tries again. nil: nothing kept it from beginning.
function Leaderboard:player(done)
  return self:read(function(call)
    local session, fault = self.sessions:get(call)
    return session and Session.player_of(session), fault
  end, done)
end

--- Plays as the player whose session the game server started (`POST /v1/identities/{identity_id}/sessions`), for games with a
-- login of their own: `tokens` is what the server got. Call it before anything else, and again when a call fails with
-- `INVALID_REFRESH_TOKEN`: the session has ended, and no other one is started in its place. Runs wait until then. Use a client
-- with its own `device` for each player. `done({ identity_id, display_name }, error)`; the error `CONFLICT`: the session stored
-- for this `device` is that of another player, who isn't merged with this one.
function Leaderboard:session(tokens, done)
  done = self.tasks:later(done or nothing)
  Tasks.spawn(function()
    local session, fault = self.sessions:give(tokens)
    if not session then return done(nil, fault) end
    if #self.queue:list() > 0 then self.sender:start() end
    if #self.claims:stored().waiting > 0 then self.claims:start() end
    done(Session.player_of(session))
  end)
end

--- Session and nonces ahead, for example when a run is about to end. `done(true, error)`.
function Leaderboard:prepare(done)
  return self:read(function(call) return self.sessions:prepare(call) end, done or nothing)
end

--- Stores a run and sends it until it is answered.
-- `submission`: `board_id`, `value`, and by choice `player_name`, `value_display`, `metadata`, `tags` (values of the tags that the
-- board declares, by name), `key`, `deadline`.
-- `done(result)`: `result.status` is `ranked` (`rank`, `previous_rank`, `kept`, `is_personal_best`, `score`, and
-- `held` with `value` and `rank` of a run that waits for a review and is ranked nowhere), `refused` (`error`) or, at the deadline, `queued`: the run is still sent, by this or a later start of the game.
-- @param refusal of leaderboard.runs: why the run can't count, known before it is sent
-- @return a call; its `cancel` ends the wait, not the run
function Leaderboard:submit(submission, done, refusal)
  done = self.tasks:later(done or nothing)
  local run = {
    board_id = submission.board_id, value = submission.value,
    player_name = submission.player_name or self.settings.player_name,
    value_display = submission.value_display, metadata = submission.metadata,
    key = submission.key or random_key(), created_at = self.settings.now(), session_ms = self.sessions:age(),
    tags = submission.tags, ticket = submission.ticket, idle_ms = submission.idle_ms, run_ms = submission.run_ms,
    splits = submission.splits, recording_hash = submission.recording_hash,
  }
  local value = run.value
  if type(value) ~= "number" or value ~= value or value == math.huge or value == -math.huge then
    refusal = errors.new("VALIDATION_FAILED", "The value must be a finite number.")
  end
  if refusal then
    done({ status = "refused", run = run, error = refusal })
    return { cancel = nothing }
  end
  local no_timer = nothing
  local recording = submission.recording
  local stop = self.sender:submit(run, function(result)
    no_timer()
    done(result)
  end, recording and function() self.recordings:keep(run.key, recording) end)
  local _
  _, no_timer = self.tasks:after(submission.deadline or self.settings.deadline, stop)
  return { cancel = stop }
end

--- Claims a reward and sends it until it is answered; safe to repeat. `done(result)`: `result.status` is `claimed` (`reward`, and
-- `is_new` once for each reward of this installation: hand it out now), `refused` (`error`, `REWARD_GONE` if it has expired or was
-- revoked) or, at the deadline, `queued`. `options`: `deadline`.
-- @return a call; its `cancel` ends the wait, not the claim
function Leaderboard:claim(reward_id, options, done)
  done = self.tasks:later(done or nothing)
  local ended, no_timer = false, nothing
  local stop = self.claims:claim(reward_id, function(result)
    if ended then return end
    ended = true
    no_timer()
    done(result)
  end)
  local _
  _, no_timer = self.tasks:after(options and options.deadline or self.settings.deadline, stop)
  return { cancel = stop }
end

--- Sends waiting runs, claims and recordings now. `done(count)`: the number of runs that still wait when no more can be done, or at the deadline.
function Leaderboard:flush(done, deadline)
  local finished = false
  done = self.tasks:later(done or nothing)
  local function finish()
    if finished then return end
    finished = true
    done(#self.queue:list())
  end
  self.claims:start()
  self.recordings:start()
  if #self.queue:list() == 0 then return finish() end
  self.tasks:after(deadline or self.settings.deadline, finish)
  self.sender:start(finish)
end

--- Runs that wait, oldest first.
function Leaderboard:waiting()
  return self.queue:list()
end

--- States of a board: the present one, then the newest after each change; the version never goes back.
-- `options`: `limit`, `around` (`me`, a score or, where the transport streams, a player). A transport that does not stream
-- reads every `poll_seconds`: `version` then counts the changes that were seen, and `entry_count` is absent.
-- `on_end(error)` when it is over.
-- @return a call to cancel
function Leaderboard:watch(board_id, options, on_state, on_end)
  local call = new_call()
  live.watch(self, board_id, options or {}, call, self.tasks:later(on_state), self.tasks:later(on_end or nothing))
  return call
end

--- The player's own rank: the present state, then each change of rank, value, name or the next player above. A state has
-- `entry` (nil: not ranked), `previous_rank`, `next_above`, `gap_to_next` and `total_count`; a transport that does not stream
-- reads every `poll_seconds`, and its states have `entry` and `previous_rank` alone. `on_end(error)` when it is over.
-- @return a call to cancel
function Leaderboard:watch_rank(board_id, on_state, on_end)
  local call = new_call()
  live.watch_own(self, "rank", board_id, call, self.tasks:later(on_state), self.tasks:later(on_end or nothing))
  return call
end

--- Players who overtake the client's own: first its rank, with nobody in `by`, then whenever some pass. A state has `entry`,
-- `previous_rank`, `by` (best first, at most ten), `count` and `total_count`; a transport that does not stream reads every
-- `poll_seconds`, and its states have nobody in `by`. `on_end(error)` when it is over.
-- @return a call to cancel
function Leaderboard:watch_overtaken(board_id, on_state, on_end)
  local call = new_call()
  live.watch_own(self, "overtaken", board_id, call, self.tasks:later(on_state), self.tasks:later(on_end or nothing))
  return call
end

--- Rewards of the player: the open ones, then each that is granted, each once. `on_end(error)` when it is over.
-- @return a call to cancel
function Leaderboard:watch_rewards(on_reward, on_end)
  local call = new_call()
  live.watch_rewards(self, call, self.tasks:later(on_reward), self.tasks:later(on_end or nothing))
  return call
end

--- Ends all work. Waiting runs, claims and recordings stay stored; submissions that wait for an answer end as `queued`.
function Leaderboard:close()
  self.sender:close()
  self.claims:close()
  self.recordings:close()
end

return Leaderboard
