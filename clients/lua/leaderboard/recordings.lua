-- Recordings of runs: they wait beside the queue, five at most, the newest kept; are sent once their runs are answered, one at a
-- time. Each is stored after its run.
local base64 = require("leaderboard.base64")
local errors = require("leaderboard.errors")
local json = require("leaderboard.json")
local request = require("leaderboard.request")
local Tasks = require("leaderboard.tasks")

local Recordings = {}
Recordings.__index = Recordings

-- Files may be large.
local MOST = 5

function Recordings.new(settings, tasks, session, name)
  return setmetatable({
    settings = settings, tasks = tasks, session = session, name = name, lock = settings.storage.id .. name .. ".send",
    -- By slot: files that the storage did not take; they last as long as this process. `known`: the list, where it can't be stored.
    -- `changes`: of a list that could not be read.
    unstored = {}, known = nil, changes = {}, idle = {},
  }, Recordings)
end

--- As stored, oldest first: the run's `key`, the `slot` of its file's name, and `event_id` where the service wants it; nil: it
-- can't be read now.
function Recordings:list()
  if self.known then return self.known end
  local text, failed = self.settings.storage.load(self.name)
  if failed then return nil end
  local all = text and json.decode(text)
  return type(all) == "table" and all or json.array({})
end

function Recordings:file_of(slot) return self.name .. "." .. slot end

function Recordings:trouble()
  self.settings.on_trouble(errors.new("STORAGE", "Failed to save the recordings."))
end

--- Stores the list, then deletes files that it has no more.
function Recordings:store(before, all)
  self.known = nil
  if not self.settings.storage.save(self.name, json.encode(json.array(all))) then
    self.known = all
    self:trouble()
  end
  local left = {}
  for _, one in ipairs(all) do left[one.slot] = true end
  for _, one in ipairs(before) do
    if not left[one.slot] then
      self.unstored[one.slot] = nil
      self.settings.storage.save(self:file_of(one.slot), "")
    end
  end
end

--- Changes the list, after the changes that it waits for; waits itself while the list can't be read.
-- @param change gets the list and returns the new one; nil: none but those
-- @return false: they wait
function Recordings:change(change)
  self.changes[#self.changes + 1] = change
  if #self.changes == 0 then return true end
  local before = self:list()
  if not before then return false end
  local all, changes = before, self.changes
  self.changes = {}
  for _, one in ipairs(changes) do all = one(all) end
  self:store(before, all)
  return true
end

--- Keeps the file of a run that is stored.
function Recordings:keep(key, file)
  local text = base64.encode(file)
  local is_kept = self:change(function(before)
    local all, taken = {}, {}
    for _, one in ipairs(before) do
      if one.key ~= key then all[#all + 1] = one end
    end
    while #all >= MOST do table.remove(all, 1) end
    for _, one in ipairs(all) do taken[one.slot] = true end
    local slot = 1
    while taken[slot] do slot = slot + 1 end
    self.unstored[slot] = nil
    if not self.settings.storage.save(self:file_of(slot), text) then
      self.unstored[slot] = text
      self:trouble()
    end
    all[#all + 1] = { key = key, slot = slot }
    return all
  end)
  if not is_kept then self:trouble() end
end

--- Runs are answered: their recordings are wanted, or go.
-- @param answers by key: the event that wants it; false: none does
function Recordings:settle(answers)
  local before, is_concerned = self:list(), #self.changes > 0
  for _, one in ipairs(before or {}) do is_concerned = is_concerned or answers[one.key] ~= nil end
  if before and not is_concerned then return end
  self:change(function(listed)
    local all = {}
    for _, one in ipairs(listed) do
      local event_id = answers[one.key]
      if event_id == nil then
        all[#all + 1] = one
      elseif event_id then
        all[#all + 1] = { key = one.key, slot = one.slot, event_id = event_id }
      end
    end
    return all
  end)
  self:start()
end

--- Sends those that are wanted, immediately unless the service asked for a pause.
function Recordings:start()
  self.again = true
  if self.wake and not (self.failure and self.failure.retry_after) then self.wake() end
  if self.working or self.closed then return end
  self.working = true
  Tasks.spawn(function()
    self:work()
    self.working = false
    local idle = self.idle
    self.idle = {}
    for _, done in ipairs(idle) do done() end
  end)
end

--- Sends them now. `done(count)`: how many are wanted and not sent when no more can be done, or at the deadline.
function Recordings:flush(done, deadline)
  local finished, no_timer, _ = false, nil, nil
  local function finish()
    if finished then return end
    finished = true
    no_timer()
    local count = 0
    for _, one in ipairs(self:list() or {}) do
      if one.event_id then count = count + 1 end
    end
    done(count)
  end
  _, no_timer = self.tasks:after(deadline, finish)
  if self.closed then return finish() end
  table.insert(self.idle, finish)
  self:start()
end

function Recordings:close()
  self.closed = true
  if self.current and self.current.abort then self.current.abort() end
  if self.wake then self.wake() end
end

function Recordings:work()
  local failures = 0
  while not self.closed do
    self.again = false
    local more, fault = Tasks.locked(self.lock, function() return self:send_next() end)
    if self.closed then return end
    if fault then
      failures, self.failure = failures + 1, fault
      self.settings.on_trouble(fault)
      local is_nonce = fault.status == 412
      if is_nonce then self.session:clear_nonces() end
      if fault == self.session.refusal or errors.is_locked(fault.code) then return end
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

--- @return false: none is wanted; true: one is settled; nil and an error after which it is sent again
function Recordings:send_next()
  local listed, next = self:change() and self:list(), nil
  if not listed then return nil, errors.new("STORAGE", "Failed to read the recordings.") end
  for _, one in ipairs(listed) do
    if one.event_id and not next then next = one end
  end
  if not next or self.closed then return false end
  local file = base64.decode(self.unstored[next.slot] or self.settings.storage.load(self:file_of(next.slot)) or "")
  local fault
  if file == "" then
    fault = errors.new("STORAGE", "The recording is not in the storage any more.")
  else
    fault = self:send(next, file)
    if self.closed then return false end
    local repeats = fault and (errors.is_temporary(fault) or fault.status == 401 or fault.status == 412)
    if repeats or fault and errors.is_locked(fault.code) then return nil, fault end
  end
  self:settle({ [next.key] = false })
  self.settings.on_recording({ key = next.key, status = fault and "refused" or "stored", error = fault })
  return true
end

function Recordings:send(next, file)
  local _, fault = self.session:with(function(session)
    local nonces, missing = self.session:take_nonces(1)
    if not nonces then return nil, missing end
    self.current = {}
    local answer, refusal = request.send(self.settings, {
      method = "PUT", path = "/v1/client/score-events/" .. request.encoded(next.event_id) .. "/recording",
      token = session.access_token, file = file, headers = { [self.settings.header_prefix .. "-client-nonce"] = nonces[1] },
    }, self.current)
    self.current = nil
    return answer, refusal
  end)
  return fault
end

return Recordings
