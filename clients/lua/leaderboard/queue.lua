-- Runs that wait, oldest first, in the storage that later starts of the game share.
local errors = require("leaderboard.errors")
local json = require("leaderboard.json")

local Queue = {}
Queue.__index = Queue

function Queue.new(settings, name)
  -- `unstored`: runs that the storage did not take; they last as long as this process.
  return setmetatable({ settings = settings, name = name, unstored = {} }, Queue)
end

function Queue:stored()
  local text = self.settings.storage.load(self.name)
  local runs = text and json.decode(text)
  return type(runs) == "table" and runs or json.array({})
end

function Queue:save(runs)
  local text = json.encode(json.array(runs))
  if text and self.settings.storage.save(self.name, text) then return true end
  self.settings.on_trouble(errors.new("STORAGE", "Failed to save the waiting runs."))
  return false
end

function Queue:list()
  local runs = self:stored()
  for _, run in ipairs(self.unstored) do runs[#runs + 1] = run end
  return runs
end

--- Drops the oldest runs beyond the limit, the newest one never. While the oldest are under way none is dropped instead of
-- them: `trim` follows. @return true: the rest is stored
function Queue:save_bounded(runs, sent)
  local limit, dropped, kept = self.settings.queue_limit, {}, {}
  for i, run in ipairs(runs) do
    if #runs - #dropped > limit and i < #runs and #kept == 0 and not sent[run.key] then
      dropped[#dropped + 1] = run
    else
      kept[#kept + 1] = run
    end
  end
  local stored = self:save(kept)
  for _, run in ipairs(stored and dropped or {}) do
    self.settings.on_dropped(run, errors.new("QUEUE_FULL", "More than " .. limit .. " runs are waiting to be sent."))
  end
  return stored
end

--- Stores a run; it is durable afterwards as far as the storage is.
-- @param sent keys of runs that are under way, which do not give way to new ones
function Queue:add(run, sent)
  local runs = json.array({})
  for _, other in ipairs(self:list()) do
    if other.key ~= run.key then runs[#runs + 1] = other end
  end
  runs[#runs + 1] = run
  if self:save_bounded(runs, sent) then
    self.unstored = {}
  else
    self.unstored[#self.unstored + 1] = run
  end
end

--- Drops what a request that was under way kept beyond the limit.
function Queue:trim()
  local runs = self:stored()
  if #runs > self.settings.queue_limit then self:save_bounded(runs, {}) end
end

--- @param keys a set
function Queue:remove(keys)
  local function others(runs)
    local kept = json.array({})
    for _, run in ipairs(runs) do
      if not keys[run.key] then kept[#kept + 1] = run end
    end
    return kept
  end
  local is_stored = self:save(others(self:list()))
  self.unstored = is_stored and {} or others(self.unstored)
end

return Queue
