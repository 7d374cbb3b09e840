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
      is_given = session.is_given, started_as = session.started_as, merge_refused = session.merge_refused,
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

--- The session of an answer, which begins now. `started_as`: whom the first of the player's sessions here acted for; a merge makes it
-- another one, an undo the same again.
function Session:begun(answer)
  self.origin_of, self.origin = self.settings.now(), self.settings.elapsed()
  local refused = answer.merge_refused
  return tokens(self.settings, answer, {
    started_at = self.origin_of, started_as = answer.identity_id, merge_refused = type(refused) == "string" and refused or nil,
  })
end

--- The player of a session, as games see it.
function Session.player_of(session)
  return { identity_id = session.identity_id, display_name = session.display_name, merge_refused = session.merge_refused }
end

--- Stores what `work` makes of the stored session, nil before the first one. Nobody renews it meanwhile.
-- @return session; nil and an error
function Session:change(work)
  return Tasks.locked(self.settings.storage.id .. self.name, function()
    local session, fault = work(self:stored())
    if not session then return nil, fault end
    self.refusal = nil
    self:keep(session)
    return session
  end)
end

--- A new session in place of the stored one. The same player is also the one of a merge, which may have happened on another device and
-- be undone by now. @return session; nil alone: it's that of another player, with whom runs that wait would count; nil and an error
function Session:after(stored, session, call)
  if not stored then return session end
  local first = stored.started_as or stored.identity_id
  local same = { [stored.identity_id] = true, [first] = true }
  if not same[session.identity_id] then
    local me, fault = request.send(self.settings, { path = "/v1/client/me", token = session.access_token }, call)
    if not me then return nil, fault end
    local is_merged = false
    for _, id in ipairs(me.merged_player_ids or {}) do is_merged = is_merged or same[id] end
    if not is_merged then return nil end
  end
  session.started_as = first
  return session
end

--- Goes on as the player of a proof or link code, which `ask(session)` sends: the service's answer has its session, or none where it is
-- the same player. The service may end the session before it answers; answers come in the order of their requests.
-- @param is_proven by a proof, which the device's next session needs, too
function Session:become(ask, is_proven)
  return self:change(function(stored)
    local answer, fault = ask(stored)
    if not answer then return nil, fault end
    local session = type(answer.session) == "table" and self:begun(answer.session)
    if session then
      session.is_given = is_proven
    else
      session = stored
      -- A device that is linked by now starts its sessions itself.
      session.is_given = is_proven and session.is_given or nil
    end
    session.merge_refused = nil
    return session
  end)
end

--- Takes the session that the game server started. @return session; nil and an error: another player's is stored
function Session:give(answer)
  return self:change(function(stored)
    local session, fault = self:after(stored, self:begun(answer))
    if not session then return nil, fault or errors.new("CONFLICT", OTHER_PLAYER, { status = 409 }) end
    session.is_given = true
    self:clear_nonces()
    return session
  end)
end

--- Starts the next session with a proof, in place of one that has ended. @param is_same it must be the same player's
function Session:resume(proof, is_same, call)
  return self:change(function(ended) return self:next(is_same and ended or nil, call, proof) end)
end

--- The device is unlinked: its next session is its own player's.
function Session:leave()
  return self:change(function(session)
    session.is_given = nil
    return session
  end)
end

--- @param ended the stored session, whose refresh token is void
-- @param given a proof; nil: what the game's option has
function Session:next(ended, call, given)
  local proof, missing = given, nil
  if not proof then proof, missing = self:proof() end
  if missing then return nil, missing end
  local is_given = ended and ended.is_given
  if is_given and not proof then
    self.refusal = errors.new("INVALID_REFRESH_TOKEN", ENDED, { status = 401 })
    return nil, self.refusal
  end
  local session, fault = self:start(proof, call)
  if not session or not is_given then return session, fault end
  session, fault = self:after(ended, session, call)
  if session or fault then return session, fault end
  self.refusal = errors.new("CONFLICT", OTHER_PLAYER, { status = 409 })
  return nil, self.refusal
end

--- @param refused an access token that is not good any more
function Session:renew(refused, call)
  return self:change(function(stored)
    -- Another client of this storage, or a parallel call, has a newer session.
    if stored and stored.access_token ~= refused and not self:expired(stored) then return stored end
    local session, fault
    if stored then session, fault = self:refresh(stored, call) end
    if not session and not fault then session, fault = self:next(stored, call) end
    return session, fault
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
