-- Sends the waiting runs, many in one request and one request at a time, until each is answered. Of clients with one
-- storage one sends at a time; a client that finds its run sent by another sends it again, and its key brings the first
-- answer.
local errors = require("leaderboard.errors")
local json = require("leaderboard.json")
local request = require("leaderboard.request")
local Tasks = require("leaderboard.tasks")

local Sender = {}
Sender.__index = Sender

-- The service's bound of items in one request.
local MOST_IN_REQUEST = 100

--- True if the same run may be counted later: with another nonce or session, too.
local function repeats(fault)
  return errors.is_temporary(fault) or fault.status == 401 or fault.status == 412
end

--- @param recordings get the answers before their runs leave the queue
function Sender.new(settings, tasks, session, queue, recordings, name)
  return setmetatable({
    settings = settings, tasks = tasks, session = session, queue = queue, recordings = recordings,
    lock = settings.storage.id .. name,
    -- By key: { run, done }, in `order` as they came.
    waiters = {}, order = {}, sent = {}, idle = {}, most = MOST_IN_REQUEST,
    -- By key: when a run with a ticket ended, by the clock that never goes back (of an earlier process, the device's clock knows);
    -- and the error of a ticket that came too late: its run is sent once more, with a nonce.
    ended = {}, late = {},
  }, Sender)
end

--- Stores a run, then its recording (`keep`), and sends it. `done` gets its result, or one that is queued when `stop` (returned) is called.
function Sender:submit(run, done, keep)
  if run.ticket then self.ended[run.key] = self.settings.elapsed() end
  self.queue:add(run, self.sent)
  if keep then keep() end
  self.waiters[run.key] = { run = run, done = done }
  table.insert(self.order, run.key)
  self:start()
  return function() self:release(run) end
end

--- Ends the wait for a run, which stays in the queue.
function Sender:release(run)
  self:answer(run.key, { status = "queued", run = run, error = self.failure })
end

function Sender:answer(key, result)
  local waiter = self.waiters[key]
  if not waiter then return end
  self.waiters[key] = nil
  for i, other in ipairs(self.order) do
    if other == key then
      table.remove(self.order, i)
      break
    end
  end
  waiter.done(result)
end

--- Sends waiting runs, immediately unless the service asked for a pause.
-- @param done called when nothing can be done any more now
function Sender:start(done)
  if done then table.insert(self.idle, done) end
  self.again = true
  if self.wake and not (self.failure and self.failure.retry_after) then self.wake() end
  if self.working or self.closed then
    if self.closed then self:rest() end
    return
  end
  self.working = true
  Tasks.spawn(function()
    self:work()
    self.working = false
    self:rest()
  end)
end

function Sender:rest()
  local idle = self.idle
  self.idle = {}
  for _, done in ipairs(idle) do done() end
end

function Sender:close()
  self.closed = true
  if self.current then self.current.cancel() end
  if self.wake then self.wake() end
  self:give_up()
end

function Sender:give_up()
  for _, key in ipairs({ (table.unpack or unpack)(self.order) }) do self:release(self.waiters[key].run) end
end

function Sender:work()
  local failures = 0
  while not self.closed do
    self.again = false
    local more, fault = Tasks.locked(self.lock, function()
      if self.closed then return false end
      return self:send_some()
    end)
    if self.closed then return end
    if fault then
      failures = failures + 1
      self.failure = fault
      self.settings.on_trouble(fault)
      local is_nonce = fault.status == 412
      if is_nonce then self.session:clear_nonces() end
      local is_final = fault == self.session.refusal or errors.is_locked(fault.code) or not repeats(fault)
      if is_final then return self:give_up() end
      -- A refused nonce is replaced immediately; if the new ones are refused, too, that is a failure.
      if not is_nonce or failures > 1 then
        Tasks.wait(function(resume)
          self.wake = self.tasks:after(errors.pause(failures, fault, self.settings.retry), resume)
        end)
        self.wake = nil
      end
    else
      failures, self.failure = 0, nil
      if not more and not self.again then return end
    end
  end
end

--- Stored runs, then those of waiters that another client has sent.
function Sender:due()
  local runs, stored = self.queue:list(), {}
  for _, run in ipairs(runs) do stored[run.key] = true end
  for _, key in ipairs(self.order) do
    if not stored[key] then runs[#runs + 1] = self.waiters[key].run end
  end
  local due = {}
  for i = 1, math.min(#runs, self.most) do due[i] = runs[i] end
  return due
end

--- @return false: nothing waits; true: something was sent; nil and an error
function Sender:send_some()
  local runs = self:due()
  if #runs == 0 then return false end
  for _, run in ipairs(runs) do self.sent[run.key] = true end
  local results, fault = self:request(runs)
  self.sent = {}
  if not results and fault.status == 413 and #runs > 1 then
    self.most = math.ceil(#runs / 2)
    return true
  end
  if results then fault = self:settle(runs, results) end
  self.queue:trim()
  if fault then return nil, fault end
  self.most = MOST_IN_REQUEST
  return true
end

function Sender:ticket_of(run)
  return not self.late[run.key] and run.ticket or nil
end

--- Milliseconds until the end of the run, and since then.
function Sender:idle_of(run)
  local ended = self.ended[run.key]
  local waited = ended and self.settings.elapsed() - ended or self.settings.now() - run.created_at
  return math.floor((run.idle_ms or 0) + math.max(0, waited) * 1000 + 0.5)
end

function Sender:request(runs)
  return self.session:with(function(session)
    local without = 0
    for _, run in ipairs(runs) do
      if not self:ticket_of(run) then without = without + 1 end
    end
    local nonces, fault = self.session:take_nonces(without)
    if not nonces then return nil, fault end
    local items = json.array({})
    for i, run in ipairs(runs) do
      local ticket = self:ticket_of(run)
      items[i] = {
        board_id = run.board_id, player_name = run.player_name or session.display_name or "", value = run.value,
        value_display = run.value_display, metadata = run.metadata, tags = run.tags, session_ms = run.session_ms,
        run_ms = run.run_ms, splits = run.splits, recording_hash = run.recording_hash, idle_ms = ticket and self:idle_of(run),
        nonce = ticket or table.remove(nonces, 1), idempotency_key = run.key,
      }
    end
    self.current = { cancel = function() if self.current.abort then self.current.abort() end end }
    local path = "/v1/client/scores/batch"
    local ask = { method = "POST", path = path, body = { items = items }, token = session.access_token }
    local answer
    answer, fault = request.send(self.settings, ask, self.current)
    self.current = nil
    if not answer then return nil, fault end
    if type(answer.results) ~= "table" or #answer.results ~= #runs then
      return nil, errors.new("NOT_THE_SERVICE", "The service returned a different number of results than was sent.", { status = 200 })
    end
    return answer.results
  end)
end

local function ranked(run, item)
  return {
    status = "ranked", run = run, rank = item.score.rank, previous_rank = item.previous_rank,
    kept = item.kept, is_personal_best = item.is_personal_best, held = item.held, score = item.score,
    recording = item.recording,
  }
end

--- @return an error of an item that must be sent again, once all others are settled
function Sender:settle(runs, results)
  local final, keys, again, events = {}, {}, nil, {}
  for i, item in ipairs(results) do
    local run = runs[i]
    if item.score then
      final[#final + 1] = ranked(run, item)
    else
      local fault = errors.of(item.error, item.status) or errors.new("NOT_THE_SERVICE", "The service returned no result for this run.")
      local before = self.late[run.key]
      local is_late = fault.code == "TICKET_EXPIRED" or fault.code == "TICKET_STALE"
      if repeats(fault) or errors.is_locked(fault.code) then
        again = again or fault
      elseif is_late and not before then
        self.late[run.key] = fault
      else
        if before and fault.code == "TICKET_REQUIRED" then fault = before end
        final[#final + 1] = { status = "refused", run = run, error = fault }
      end
    end
  end
  for _, result in ipairs(final) do
    local key = result.run.key
    keys[key], self.late[key], self.ended[key] = true, nil, nil
    events[key] = result.recording and result.recording.score_event_id or false
    -- The service's name for the player is the one of its newest run, unless an administrator gave it another.
    if result.kept and not self.settings.test_mode then self.session:named(result.score.player_name) end
  end
  if #final > 0 then
    self.recordings:settle(events)
    self.queue:remove(keys)
  end
  for _, result in ipairs(final) do
    self.settings.on_result(result)
    if result.status == "refused" then self.settings.on_dropped(result.run, result.error) end
    self:answer(result.run.key, result)
  end
  return again
end

return Sender
