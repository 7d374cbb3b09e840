-- Claims of rewards: sent one after the other until each is answered; repeated, the service returns the first answer. The ids
-- of what was claimed are kept for ever, so nothing is handed out twice.
local errors = require("leaderboard.errors")
local json = require("leaderboard.json")
local request = require("leaderboard.request")
local Tasks = require("leaderboard.tasks")

local Claims = {}
Claims.__index = Claims

local function nobody() return { waiting = json.array({}), used = json.array({}) } end

function Claims.new(settings, tasks, session, name)
  return setmetatable({
    settings = settings, tasks = tasks, session = session, name = name, lock = settings.storage.id .. name .. ".send",
    -- By id: a list of functions. `unstored`: what the storage did not take; it lasts as long as this process.
    -- `held`: by the studio, or gone for the moment; they wait for the next call.
    -- `fresh`: their game has not been told that they wait.
    waiters = {}, unstored = nobody(), held = {}, fresh = {},
  }, Claims)
end

local function index_of(list, id)
  for i, other in ipairs(list) do
    if other == id then return i end
  end
end

local function add(list, id)
  if index_of(list, id) then return false end
  list[#list + 1] = id
  return true
end

local function drop(list, id)
  local i = index_of(list, id)
  if i then table.remove(list, i) end
end

function Claims:stored()
  local text = self.settings.storage.load(self.name)
  local stored, all = text and json.decode(text), nobody()
  for _, part in ipairs({ type(stored) == "table" and stored or {}, self.unstored }) do
    for name, list in pairs(all) do
      for _, id in ipairs(part[name] or {}) do add(list, id) end
    end
  end
  return all
end

--- Changes what is stored. @return what `change` returns
function Claims:change(change)
  local stored = self:stored()
  local result = change(stored)
  self.unstored = nobody()
  if not self.settings.storage.save(self.name, json.encode(stored)) then
    self.unstored = stored
    self.settings.on_trouble(errors.new("STORAGE", "Failed to save the claims."))
  end
  return result
end

--- Stores a claim and sends it. `done` gets its result, or one that is queued when `stop` (returned) is called.
function Claims:claim(id, done)
  if self:change(function(stored) return add(stored.waiting, id) end) then self.fresh[id] = true end
  self.waiters[id] = self.waiters[id] or {}
  table.insert(self.waiters[id], done)
  self:start()
  return function()
    drop(self.waiters[id] or {}, done)
    self.fresh[id] = nil
    done({ status = "queued", reward_id = id, error = self.failure })
  end
end

--- Sends waiting claims, immediately unless the service asked for a pause.
function Claims:start()
  self.held = {}
  if self.wake and not (self.failure and self.failure.retry_after) then self.wake() end
  if self.working or self.closed then return end
  self.working = true
  Tasks.spawn(function()
    self:work()
    self.working = false
  end)
end

function Claims:close()
  self.closed = true
  if self.current and self.current.abort then self.current.abort() end
  if self.wake then self.wake() end
  self:give_up()
end

--- Until the next call: claims stay, and those who wait for them learn why.
function Claims:give_up()
  for id in pairs(self.waiters) do self:answer({ status = "queued", reward_id = id, error = self.failure }) end
end

function Claims:due()
  for _, id in ipairs(self:stored().waiting) do
    if not self.held[id] then return id end
  end
  for id in pairs(self.waiters) do
    if not self.held[id] then return id end
  end
end

function Claims:work()
  local failures = 0
  while not self.closed do
    local id = self:due()
    if not id then return end
    local fault = Tasks.locked(self.lock, function() return self:send(id) end)
    if self.closed then return end
    if fault then
      failures, self.failure = failures + 1, fault
      self.settings.on_trouble(fault)
      local is_nonce = fault.status == 412
      if is_nonce then self.session:clear_nonces() end
      if fault == self.session.refusal or errors.is_locked(fault.code) then return self:give_up() end
      if not is_nonce or failures > 1 then
        Tasks.wait(function(resume)
          self.wake = self.tasks:after(errors.pause(failures, fault, self.settings.retry), resume)
        end)
        self.wake = nil
      end
    else
      failures, self.failure = 0, nil
    end
  end
end

--- @return an error after which it is sent again
function Claims:send(id)
  if self.closed then return end
  local reward, fault = self.session:with(function(session)
    local nonces, missing = self.session:take_nonces(1)
    if not nonces then return nil, missing end
    self.current = {}
    local answer, refusal = request.send(self.settings, {
      method = "POST", path = "/v1/client/rewards/" .. request.encoded(id) .. "/claim", token = session.access_token,
      headers = { [self.settings.header_prefix .. "-client-nonce"] = nonces[1] },
    }, self.current)
    self.current = nil
    return answer, refusal
  end)
  if self.closed then return end
  if not reward then
    local repeats = errors.is_temporary(fault) or fault.status == 401 or fault.status == 412 or errors.is_locked(fault.code)
    if repeats then return fault end
    -- What was claimed offline is not given up for a board that is deleted for the moment.
    local is_gone = fault.code == "NOT_FOUND" and not self.fresh[id]
    if fault.code == "INVALID_TRANSITION" or is_gone then
      self.held[id] = true
      return self:answer({ status = "queued", reward_id = id, error = fault })
    end
    self:change(function(stored) drop(stored.waiting, id) end)
    return self:tell({ status = "refused", reward_id = id, error = fault })
  end
  -- Stored before it is told: a game that ends now hands it out never, rather than twice.
  local is_new = self:change(function(stored)
    drop(stored.waiting, id)
    return add(stored.used, id)
  end)
  self:tell({ status = "claimed", reward_id = id, reward = reward, is_new = is_new })
end

function Claims:tell(result)
  self.settings.on_claim(result)
  self:answer(result)
end

function Claims:answer(result)
  local waiters = self.waiters[result.reward_id] or {}
  self.waiters[result.reward_id] = nil
  self.fresh[result.reward_id] = nil
  for _, done in ipairs(waiters) do done(result) end
end

return Claims
