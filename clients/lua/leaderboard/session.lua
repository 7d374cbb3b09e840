-- The session of a device, in its storage. An expired access token is refreshed, once for all calls that wait for it;
-- where the refresh is refused, a session is started for the same device, which is the same player; not in place of one that
-- the game server or a proof started. Nonces are fetched ahead.
local errors = require("leaderboard.errors")
local json = require("leaderboard.json")
local request = require("leaderboard.request")
local Tasks = require("leaderboard.tasks")

local Session = {}
Session.__index = Session

-- Seconds before its end at which a token is exchanged.
local MARGIN = 30
-- Half of a nonce's life by default: its end is a time of the service's clock, which the device's clock may not share.
local NONCE_GOOD_FOR = 30
-- Fetched beyond the need, so that the next submissions are one request.
local NONCES_AHEAD = 4
local MOST_NONCES = 100

local ENDED = "The session has ended. Sign in again, and pass a new session of your game server to session(), or a new proof to the "
  .. "option `proof`."
local OTHER_PLAYER =
  "The session stored here is that of another player. Use a client with its own `device` for each player."

function Session.new(settings, device, name)
  return setmetatable({ settings = settings, device = device, name = name, nonces = {} }, Session)
end

--- Whole milliseconds since the session started; 0 before the first one. nil: stored by an earlier version of the client.
function Session:age()
  local session = self.current or self:stored()
  if not session then return 0 end
  if not session.started_at then return nil end
  local elapsed = self.settings.elapsed()
  -- The device's clock is read once: a player may set it while the game runs.
  if self.origin_of ~= session.started_at then
    self.origin_of, self.origin = session.started_at, elapsed - (self.settings.now() - session.started_at)
  end
  return math.max(0, math.floor((elapsed - self.origin) * 1000))
end

--- The service's name for the player has become this one.
function Session:named(display_name)
  local session = self:stored()
  if not session or session.display_name == display_name then return end
  session.display_name = display_name
  self:keep(session)
end

--- A session that can't be stored is good for this process.
function Session:keep(session)
  self.current = session
  if not self.settings.storage.save(self.name, json.encode(session)) then
    self.settings.on_trouble(errors.new("STORAGE", "Failed to save the session."))
  end
end

function Session:expired(session)
  return self.settings.now() > session.expires_at - MARGIN
end

function Session:stored()
  local text = self.settings.storage.load(self.name)
  local session = text and json.decode(text)
  if type(session) == "table" and session.refresh_token then return session end
  return self.current
end

--- The session with the tokens and the player of an answer.
local function tokens(settings, answer, session)
  session.identity_id = answer.identity_id or session.identity_id
  -- A new player has no name yet.
  if answer.display_name then session.display_name = answer.display_name ~= "" and answer.display_name or nil end
  session.access_token, session.refresh_token = answer.access_token, answer.refresh_token
  session.expires_at = settings.now() + answer.expires_in
  return session
end

--- @return session; nil and an error; nil alone: the refresh token is void
function Session:refresh(session, call)
  local path = "/v1/client/sessions/refresh"
  local body = { refresh_token = session.refresh_token }
  local answer, fault = request.send(self.settings, { method = "POST", path = path, body = body }, call)
  if answer then
    return tokens(self.settings, answer, {
      identity_id = session.identity_id, display_name = session.display_name, started_at = session.started_at,
      is_given = session.is_given,
    })
  end
  -- It is void after a refresh whose answer was lost, too.
  if fault.status == 401 or fault.status == 422 then return nil end
  return nil, fault
end

--- Members of a request that has a proof.
function Session.proof_body(proof)
  return {
    provider = proof.provider, token = proof.token, on_conflict = proof.on_conflict,
    board_ids = proof.board_ids and json.array(proof.board_ids),
  }
end

--- What the game's option `proof` has; nil: there is none. @return nil and an error: it failed
function Session:proof()
  if not self.settings.proof then return nil end
  local proof, failure = Tasks.wait(self.settings.proof)
  -- As a provider that does not answer the service: it is tried again.
  if failure then return nil, errors.new("PROVIDER_UNAVAILABLE", tostring(failure), { status = 503 }) end
  return proof
end

--- @param proof nil: the player of the device
function Session:start(proof, call)
  local settings = self.settings
  local body = {
    game_id = settings.game_id, client_fingerprint = self.device, platform = settings.platform,
    metadata = settings.metadata, test_mode = settings.test_mode, proof = proof and Session.proof_body(proof),
  }
  local answer, fault = request.send(settings, { method = "POST", path = "/v1/client/sessions", body = body }, call)
  if not answer then
    -- Another attempt does not change it, whatever its status.
    if not errors.is_temporary(fault) then self.refusal = fault end
    return nil, fault
  end
  local session = self:begun(answer)
  session.is_given = proof ~= nil
  return session
end

--- The session of an answer, which begins now.
function Session:begun(answer)
  self.origin_of, self.origin = self.settings.now(), self.settings.elapsed()
  return tokens(self.settings, answer, { started_at = self.origin_of })
end

--- True also if the stored session's player was merged into that one, which its refresh tells.
function Session:is_of(stored, identity_id)
  if stored.identity_id == identity_id then return true end
  local refreshed = self:refresh(stored)
  if refreshed then self:keep(refreshed) end
  return refreshed ~= nil and refreshed.identity_id == identity_id
end

--- Goes on as the player of a proof or link code: the service's `answer` has its session, or none where it is the same player.
-- @param is_proven by a proof, which the device's next session needs, too
function Session:become(answer, is_proven)
  return Tasks.locked(self.settings.storage.id .. self.name, function()
    local session = type(answer.session) == "table" and self:begun(answer.session)
    if session then
      session.is_given = is_proven
    else
      session = self:stored()
      -- A device that is linked by now starts its sessions itself.
      session.is_given = is_proven and session.is_given or nil
    end
    self.refusal = nil
    self:clear_nonces()
    self:keep(session)
    return session
  end)
end

--- Takes the session that the game server started. @return session; nil and an error: another player's is stored
function Session:give(answer)
  return Tasks.locked(self.settings.storage.id .. self.name, function()
    local stored = self:stored()
    if stored and not self:is_of(stored, answer.identity_id) then
      return nil, errors.new("CONFLICT", OTHER_PLAYER, { status = 409 })
    end
    local session = self:begun(answer)
    session.is_given = true
    self.refusal = nil
    self:clear_nonces()
    self:keep(session)
    return session
  end)
end

--- @param ended the stored session, whose refresh token is void
function Session:next(ended, call)
  local proof, missing = self:proof()
  if missing then return nil, missing end
  local is_given = ended and ended.is_given
  if is_given and not proof then
    self.refusal = errors.new("INVALID_REFRESH_TOKEN", ENDED, { status = 401 })
    return nil, self.refusal
  end
  local session, fault = self:start(proof, call)
  if session and is_given and session.identity_id ~= ended.identity_id then
    self.refusal = errors.new("CONFLICT", OTHER_PLAYER, { status = 409 })
    return nil, self.refusal
  end
  return session, fault
end

--- @param refused an access token that is not good any more
function Session:renew(refused, call)
  return Tasks.locked(self.settings.storage.id .. self.name, function()
    local stored = self:stored()
    -- Another client of this storage, or a parallel call, has a newer session.
    if stored and stored.access_token ~= refused and not self:expired(stored) then
      self.current = stored
      return stored
    end
    local session, fault
    if stored then session, fault = self:refresh(stored, call) end
    if not session and not fault then session, fault = self:next(stored, call) end
    if not session then return nil, fault end
    self:keep(session)
    return session
  end)
end

function Session:get(call)
  local current = self.current
  if current and not self:expired(current) then return current end
  return self:renew(current and current.access_token, call)
end

--- Calls `work` with the session; once more with a new one if the token is refused. @return what `work` returns
function Session:with(work, call)
  local session, fault = self:get(call)
  if not session then return nil, fault end
  local answer
  answer, fault = work(session)
  if answer or fault.status ~= 401 or fault.code == "PROOF_REFUSED" then return answer, fault end
  session, fault = self:renew(session.access_token, call)
  if not session then return nil, fault end
  return work(session)
end

--- @return body; nil and an error
function Session:call(ask, call)
  return self:with(function(session)
    ask.token = session.access_token
    return request.send(self.settings, ask, call)
  end, call)
end

function Session:fresh_nonces()
  local oldest = self.settings.elapsed() - NONCE_GOOD_FOR
  while self.nonces[1] and self.nonces[1].at <= oldest do table.remove(self.nonces, 1) end
  return #self.nonces
end

function Session:fetch_nonces(count, call)
  local at = self.settings.elapsed()
  local answer, fault = self:call({ path = "/v1/client/nonce", query = { count = count } }, call)
  if not answer then return nil, fault end
  self.nonces = {}
  for _, nonce in ipairs(answer.nonces or { answer }) do
    table.insert(self.nonces, { text = nonce.nonce_value, at = at })
  end
  return true
end

--- Session and some nonces. @return true; nil and an error
function Session:prepare(call)
  if self:fresh_nonces() > 0 then return true end
  return self:fetch_nonces(NONCES_AHEAD, call)
end

--- @param count up to 100 @return a list; nil and an error
function Session:take_nonces(count)
  -- All of one age: a run whose nonce is too old must not be overtaken by a later one of the same request.
  if self:fresh_nonces() < count then
    local ok, fault = self:fetch_nonces(math.min(count + NONCES_AHEAD, MOST_NONCES))
    if not ok then return nil, fault end
  end
  if #self.nonces < count then
    return nil, errors.new("NOT_THE_SERVICE", "The service returned too few nonces.", { status = 200 })
  end
  local taken = {}
  for i = 1, count do taken[i] = table.remove(self.nonces, 1).text end
  return taken
end

--- After one was refused, all are under suspicion.
function Session:clear_nonces()
  self.nonces = {}
end

return Session
