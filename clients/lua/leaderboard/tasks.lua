-- Work that waits, without threads: coroutines that `update` resumes. Nothing yields across pcall, which Lua 5.1
-- cannot do.
local Tasks = {}
Tasks.__index = Tasks

--- @param elapsed seconds, never going back if the platform has such a clock
function Tasks.new(elapsed)
  return setmetatable({ elapsed = elapsed, timers = {}, serial = 0 }, Tasks)
end

local function step(routine, ...)
  local ok, fault = coroutine.resume(routine, ...)
  if not ok then error(debug and debug.traceback(routine, fault) or fault, 0) end
end

--- Runs `work` until it waits for the first time.
function Tasks.spawn(work)
  step(coroutine.create(work))
end

--- Waits until the function that `start` gets is called. @return its arguments
function Tasks.wait(start)
  local routine = coroutine.running()
  local results, waiting
  start(function(...)
    if results then return end
    results = { n = select("#", ...), ... }
    if waiting then step(routine) end
  end)
  if not results then
    waiting = true
    coroutine.yield()
  end
  return (table.unpack or unpack)(results, 1, results.n)
end

--- Calls `due` once after `seconds`. @return a function that calls it now, and one that cancels it
function Tasks:after(seconds, due)
  self.serial = self.serial + 1
  local timer = { at = self.elapsed() + seconds, serial = self.serial, due = due }
  self.timers[timer] = true
  local function now()
    if not self.timers[timer] then return end
    self.timers[timer] = nil
    due()
  end
  return now, function() self.timers[timer] = nil end
end

--- A function that calls `callback` of the game at the next update: a fault of the game ends none of the work here.
function Tasks:later(callback)
  return function(...)
    local results = { n = select("#", ...), ... }
    self:after(0, function() callback((table.unpack or unpack)(results, 1, results.n)) end)
  end
end

function Tasks:update()
  local now = self.elapsed()
  local due = {}
  for timer in pairs(self.timers) do
    if timer.at <= now then due[#due + 1] = timer end
  end
  table.sort(due, function(a, b)
    if a.at ~= b.at then return a.at < b.at end
    return a.serial < b.serial
  end)
  for _, timer in ipairs(due) do
    if self.timers[timer] then
      self.timers[timer] = nil
      timer.due()
    end
  end
end

local holders = {}

--- Runs `work` while no other holder of the name runs. @return what `work` returns
function Tasks.locked(name, work)
  if holders[name] then
    Tasks.wait(function(go) table.insert(holders[name], go) end)
  else
    holders[name] = {}
  end
  local results = { n = 0 }
  local function keep(...) results = { n = select("#", ...), ... } end
  keep(work())
  local next = table.remove(holders[name], 1)
  if next then next() else holders[name] = nil end
  return (table.unpack or unpack)(results, 1, results.n)
end

return Tasks
