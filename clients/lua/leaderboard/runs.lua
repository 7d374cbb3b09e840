-- Runs with tickets (leaderboard.leaderboard): when they began, their seed, and the time that was played.
local errors = require("leaderboard.errors")
local json = require("leaderboard.json")
local Tasks = require("leaderboard.tasks")

local runs = {}

local PATH = "/v1/client/tickets"
-- The service's bounds of splits, and of each in milliseconds.
local MOST_SPLITS, LATEST_SPLIT = 64, 2147483647
-- Seconds: a player waits for the start of a run.
local DEADLINE = 5

local function nothing() end

local function millis(seconds) return math.floor(seconds * 1000 + 0.5) end

--- Seconds since 1970 of a time like `2026-11-29T20:00:00.000Z`.
local function seconds_of(text)
  local year, month, day, hour, minute, second = tostring(text):match("^(%d+)-(%d+)-(%d+)T(%d+):(%d+):(%d+)")
  if not year then return 0 end
  year, month, day = tonumber(year), tonumber(month), tonumber(day)
  -- Years begin in March, so that the leap day is their last one.
  if month <= 2 then year, month = year - 1, month + 12 end
  local days = 365 * year + math.floor(year / 4) - math.floor(year / 100) + math.floor(year / 400)
    + math.floor((153 * (month - 3) + 2) / 5) + day - 719469
  return days * 86400 + tonumber(hour) * 3600 + tonumber(minute) * 60 + tonumber(second)
end

--- A run that is being played. Its time runs from `start_run` or, if the game calls it, from `begin`.
-- `counts`: false: it has no ticket, and `error` says why; a board that requires tickets will refuse it, so tell the player before
-- it begins. True as well on boards without tickets. `seed`: 0 to 2147483647; `attempt`: which of the limited attempts it is;
-- `attempts_left`; `expires_at`: when it must be submitted. nil: the board has none.
local Run = {}
Run.__index = Run

--- Seconds played so far, without pauses.
function Run:played()
  return self.before + (self.since and self.settings.elapsed() - self.since or 0)
end

--- The player begins now: what passed since `start_run`, such as loading, is idle time.
function Run:begin()
  self.before, self.since, self.splits = 0, self.settings.elapsed(), json.array({})
end

function Run:pause()
  self.before, self.since = self:played(), nil
end

function Run:resume()
  self.since = self.since or self.settings.elapsed()
end

--- Notes that the run passes its next point. Those beyond 64 are not kept. @return seconds played until then
function Run:split()
  local at = self:played()
  if #self.splits < MOST_SPLITS and millis(at) <= LATEST_SPLIT then table.insert(self.splits, millis(at)) end
  return at
end

--- Ends the run and submits it: `submission` and `done` as for `submit`, without `board_id`; by choice `run_ms`, whole
-- milliseconds by the game's clock, and `recording`, a string of bytes: the run's inputs, or whatever your game can show again. Its
-- hash goes with the score, the file is sent where the service wants it. Five wait at most, the newest ones. @return a call; its `cancel` ends the wait, not the run
function Run:finish(submission, done)
  self:pause()
  local whole = { run_ms = millis(self.before) }
  for name, value in pairs(submission) do whole[name] = value end
  whole.board_id = self.board_id
  whole.splits = #self.splits > 0 and self.splits or nil
  whole.ticket = self.ticket
  whole.recording_hash = whole.recording and self.settings.sha256(whole.recording)
  whole.idle_ms = self.ticket and math.max(0, millis(self.settings.elapsed() - self.origin - self.before))
  -- What another attempt would not change will be refused for its missing ticket.
  local fault = self.error
  local is_final = fault and not errors.is_temporary(fault) and fault.code ~= "CANCELLED" and fault.status ~= 401
  return self.leaderboard:submit(whole, done, is_final and fault or nil)
end

--- Tickets that were fetched ahead; none if they can't be read.
local function kept(self)
  local text = self.settings.storage.load(self.place .. ".tickets")
  local all = text and json.decode(text)
  return type(all) == "table" and all or json.array({})
end

--- By the device's clock. @param board_id nil: of any board
local function is_good(self, ticket, board_id)
  return (not board_id or ticket.board_id == board_id) and seconds_of(ticket.expires_at) > self.settings.now()
end

local function count_of(self, board_id)
  local count = 0
  for _, ticket in ipairs(kept(self)) do
    if is_good(self, ticket, board_id) then count = count + 1 end
  end
  return count
end

--- The stored ticket of a board that ends first, which no later start of the game gets; nil: there is none.
local function take(self, board_id)
  local all, first = kept(self), nil
  for i, ticket in ipairs(all) do
    local is_first = not first or seconds_of(ticket.expires_at) < seconds_of(all[first].expires_at)
    if is_good(self, ticket, board_id) and is_first then first = i end
  end
  if not first then return nil end
  local ticket = table.remove(all, first)
  -- A ticket that stays stored could be used twice.
  return self.settings.storage.save(self.place .. ".tickets", json.encode(json.array(all))) and ticket or nil
end

--- The start of a request; its key makes it safe to repeat.
local function asked(self, body)
  return { method = "POST", path = PATH, body = body, headers = { ["idempotency-key"] = self.random_key() } }
end

--- Starts a run: gets its ticket, or one that was fetched ahead where the service can't be reached. `done(run)`: `run.counts` and
-- `run.error` say if it has one. `options`: `game_version` (up to 32 bytes, stored with the run), `deadline` for the ticket,
-- retries included (5 s).
-- @return a call to cancel
function runs:start_run(board_id, options, done)
  options = options or {}
  local settings, origin, late = self.settings, self.settings.elapsed(), false
  local deadline = options.deadline or DEADLINE
  local call, no_timer, _
  local function start(ticket, attempts_left, fault)
    done(setmetatable({
      leaderboard = self, settings = settings, board_id = board_id, origin = origin,
      ticket = ticket and ticket.ticket, seed = ticket and ticket.seed, attempt = ticket and ticket.attempt,
      expires_at = ticket and ticket.expires_at, attempts_left = attempts_left, error = fault, counts = not fault,
      before = 0, since = settings.elapsed(), splits = json.array({}),
    }, Run))
  end
  local ask = asked(self, { board_id = board_id, game_version = options.game_version })
  -- With a ticket at hand nobody waits for a second attempt.
  local patience = count_of(self, board_id) > 0 and 0 or deadline
  call = self:read(function(own) return self.sessions:call(ask, own) end, function(answer, fault)
    no_timer()
    if answer then return start(answer.tickets[1], answer.attempts_left) end
    if late then fault = errors.new("TIMEOUT", "No ticket within " .. deadline .. " seconds.") end
    -- The board has no tickets.
    if fault.code == "BAD_REQUEST" then return start() end
    local ticket = errors.is_temporary(fault) and take(self, board_id)
    start(ticket or nil, nil, not ticket and fault or nil)
  end, patience)
  _, no_timer = self.tasks:after(deadline, function()
    late = true
    call.cancel()
  end)
  return call
end

--- Fetches tickets for runs without a connection until so many of the board are stored: up to its `advance`. Call it while there is
-- a connection, for example at each start of the game. Where attempts are limited, each takes one. `done(count, error)`: how many
-- are stored; the error is `BAD_REQUEST` if the board has no tickets or not so many, `ATTEMPTS_USED_UP`. `options`: `game_version`.
-- @return a call to cancel
function runs:fetch_tickets(board_id, count, options, done)
  local ask
  return self:read(function(call)
    return Tasks.locked(self.settings.storage.id .. self.place .. ".tickets", function()
      local have = count_of(self, board_id)
      if have >= count then return have end
      local version = options and options.game_version
      ask = ask or asked(self, { board_id = board_id, count = count - have, advance = true, game_version = version })
      local answer, fault = self.sessions:call(ask, call)
      if not answer then return nil, fault end
      local all = json.array({})
      for _, ticket in ipairs(kept(self)) do
        if is_good(self, ticket) then all[#all + 1] = ticket end
      end
      for _, ticket in ipairs(answer.tickets) do
        ticket.board_id = board_id
        all[#all + 1] = ticket
      end
      if self.settings.storage.save(self.place .. ".tickets", json.encode(all)) then return have + #answer.tickets end
      return nil, errors.new("STORAGE", "Failed to save the tickets.")
    end)
  end, done or nothing)
end

return runs
