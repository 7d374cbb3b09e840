-- Friends, tags, proofs and link codes of a client's player (leaderboard.leaderboard). Each returns a call to cancel, or an iterator over pages.
local errors = require("leaderboard.errors")
local json = require("leaderboard.json")
local reads = require("leaderboard.reads")
local request = require("leaderboard.request")
local Session = require("leaderboard.session")
local Tasks = require("leaderboard.tasks")

local players = {}

local TAGS = "/v1/client/tags"

--- Calls `change(session, headers)` with a nonce; once more with another one if that is refused. @return what `change` returns
local function with_nonce(self, call, change)
  local function attempt()
    return self.sessions:with(function(session)
      local nonces, missing = self.sessions:take_nonces(1)
      if not nonces then return nil, missing end
      return change(session, { [self.settings.header_prefix .. "-client-nonce"] = nonces[1] })
    end, call)
  end
  local answer, fault = attempt()
  if not fault or fault.status ~= 412 then return answer, fault end
  self.sessions:clear_nonces()
  return attempt()
end

--- Sends a change with a nonce. @param body nil: none
local function written(self, method, path, body, call)
  return with_nonce(self, call, function(session, headers)
    local ask = { method = method, path = path, body = body, token = session.access_token, headers = headers }
    return request.send(self.settings, ask, call)
  end)
end

local function asked(self, board_id, options, cursor)
  return { board_id = board_id, limit = options and options.limit, cursor = cursor, is_test = self.settings.test_mode or nil }
end

--- The player's friends, as `pages`: `id`, `display_name`. The list belongs to the game server, which changes it with its
-- API key. `options`: `limit`.
function players:friends(options)
  return reads.pages_of(self, function(cursor, call)
    local query = { limit = options and options.limit, cursor = cursor }
    return reads.page_of(self.sessions:call({ path = "/v1/client/friends", query = query }, call))
  end)
end

--- The player and its friends on a board, as `pages`, the best first: `among_rank` is the rank among them. `options`: `limit`.
function players:friends_ranking(board_id, options)
  return reads.pages_of(self, function(cursor, call)
    local query = asked(self, board_id, options, cursor)
    query.among = "friends"
    return reads.page_of(self.sessions:call({ path = "/v1/client/scores", query = query }, call))
  end)
end

--- These players on a board, up to 500, as `pages`, the best first; the client's own only if it is named. `options`: `limit`.
function players:ranking_of(board_id, player_ids, options)
  return reads.pages_of(self, function(cursor, call)
    local body = asked(self, board_id, options, cursor)
    body.player_ids = json.array(player_ids)
    return reads.page_of(self.sessions:call({ method = "POST", path = "/v1/client/scores/among", body = body }, call))
  end)
end

--- The player's tags: `done(tags, error)`, values by name.
function players:tags(done)
  return self:read(function(call)
    local answer, fault = self.sessions:call({ path = TAGS }, call)
    return answer and answer.tags, fault
  end, done)
end

--- Changes the tags that are named; false removes one. Views by tags move all of the player's runs to its new groups.
-- `done(tags, error)`: all tags; the error is FORBIDDEN for a tag that only the game server sets.
function players:set_tags(changed, done)
  local tags = {}
  for name, value in pairs(changed) do tags[name] = value or json.null end
  return self:read(function(call)
    local answer, fault = written(self, "PATCH", TAGS, { tags = tags }, call)
    return answer and answer.tags, fault
  end, done)
end

--- If the answer was lost, the session tells what became of it. @return the session; nil and the fault: nothing changed
local function became_unheard(self, before_id, fault, call)
  -- Some transports repeat a request whose connection broke.
  if not errors.is_unheard(fault) and fault.code ~= "INVALID_CODE" then return nil, fault end
  local me = self.sessions:call({ path = "/v1/client/me" }, call)
  if not me or me.identity_id == before_id then return nil, fault end
  return self.sessions:get(call)
end

--- Sends runs and recordings that wait: afterwards they could count for another player, or be refused.
-- @return a temporary error: some still wait; INVALID_REFRESH_TOKEN: the session has ended
local function send_all(self)
  local runs = Tasks.wait(function(resume) self:flush(resume) end)
  local files = runs > 0 and 0 or Tasks.wait(function(resume) self.recordings:flush(resume, self.settings.deadline) end)
  if runs + files == 0 then return nil end
  local failure = runs > 0 and self.sender.failure or self.recordings.failure
  if failure and (errors.is_temporary(failure) or failure == self.sessions.refusal) then return failure end
  return errors.new("TIMEOUT", failure and failure.message or "Runs or recordings of the player still wait to be sent.")
end

--- What a change of the session leads to. @param is_same it acts for the player of before, whose tickets were fetched ahead
local function acted(self, session, is_same)
  self.sessions:clear_nonces()
  if not is_same then self.settings.storage.save(self.place .. ".tickets", "[]") end
  self:flush()
  return Session.player_of(session)
end

--- Sends a proof or a link code, after which the session may be another player's. What waits is sent first.
-- Not tried again: a proof is accepted once.
local function become(self, path, body, is_proven, call)
  local waits = send_all(self)
  if waits then return nil, waits end
  local before, missing = self.sessions:get(call)
  if not before then return nil, missing end
  local before_id = before.identity_id
  local session, fault = with_nonce(self, call, function(_, headers)
    return self.sessions:become(function(stored)
      local ask = { method = "POST", path = path, body = body, token = stored.access_token, headers = headers }
      return request.send(self.settings, ask, call)
    end, is_proven)
  end)
  if not session then session, fault = became_unheard(self, before_id, fault, call) end
  if not session then return nil, fault end
  return acted(self, session, session.identity_id == before_id)
end

--- Adds a proof to the client's player, who keeps all runs. One that belongs to another player makes the client go on as that one.
-- Runs and recordings that wait are sent first; while some can't be, it fails with NETWORK or the like. If the session has ended
-- (INVALID_REFRESH_TOKEN), the proof starts the next one; while runs wait, only one of their player does, and they are sent then.
-- `proof`: `provider` (its slug), `token`, and by choice `on_conflict`: `switch` (by default: the client's own player stays as it is), `merge` (all its runs count for the other one, where the game lets players merge; its own needs
-- a fresh proof, too) or `refuse`, with up to five `board_ids`, whose standings of both players are then in `details`
-- of the error. `done({ identity_id, display_name }, error)`: whom the client plays as now; errors PROOF_REFUSED (sign in again),
-- PROVIDER_UNAVAILABLE (try later), PLAYER_CONFLICT (ask the player), CONFLICT (the session that has ended was another player's, whose
-- runs wait). After NETWORK and the like, call it again with a fresh proof.
function players:prove(proof, done)
  return self:read(function(call)
    local player, fault = become(self, "/v1/client/proofs", Session.proof_body(proof), true, call)
    if player or fault ~= self.sessions.refusal or fault.code ~= "INVALID_REFRESH_TOKEN" then return player, fault end
    -- If nothing waits, it may be any player's.
    local waits = #self.queue:list() + Tasks.wait(function(resume) self.recordings:flush(resume, 0) end) > 0
    local session
    session, fault = self.sessions:resume({ provider = proof.provider, token = proof.token }, waits, call)
    return session and acted(self, session, waits), fault
  end, done or function() end, 0)
end

--- The player as it sees itself: `done({ identity_id, device_id, proofs, devices, merged_player_ids }, error)`. `device_id` is this
-- device; `proofs` are the accounts that prove who it is (`provider`, `kind`, the end of its `subject`, `proven_at`, `last_proven_at`);
-- `devices` act for it (`device_id`, `platform`, `status`, `last_seen_at`, and `is_linked` if `unlink_device` unlinks it);
-- `merged_player_ids` are players whose runs count for it since a merge.
function players:me(done)
  return self:read(function(call) return self.sessions:call({ path = "/v1/client/me" }, call) end, done)
end

--- Gives a linked or merged device of the player, this one included, its own player back; its sessions for this player end immediately.
-- Runs that were played stay the player's. From this device, runs and recordings that wait are sent first, as by `prove`.
-- `done(count, error)`: how many sessions have ended; the error NOT_FOUND: it isn't a device of the player.
function players:unlink_device(device_id, done)
  local is_own
  return self:read(function(call)
    local answer, fault
    if is_own == nil then
      answer, fault = self.sessions:call({ path = "/v1/client/me" }, call)
      if not answer then return nil, fault end
      is_own = answer.device_id == device_id
    end
    local waits = is_own and send_all(self)
    if waits then return nil, waits end
    local path = "/v1/client/devices/" .. request.encoded(device_id) .. "/unlink"
    answer, fault = written(self, "POST", path, nil, call)
    -- If its answer was lost, the session that the repetition needs has ended with it.
    local is_lost = is_own and fault ~= nil and fault == self.sessions.refusal
    if not answer and not is_lost then return nil, fault end
    local count = answer and answer.count or 1
    if is_own and count > 0 then acted(self, self.sessions:leave(), false) end
    return count
  end, done or function() end)
end

--- Makes a code to show on this device, for `redeem` on another one: good for ten minutes, and once. A new one replaces it.
-- `done({ code, expires_at }, error)`.
function players:link_code(done)
  return self:read(function(call) return written(self, "POST", "/v1/client/link-codes", nil, call) end, done)
end

--- Links this device to the player whose device shows the code: the client goes on as that one, and so do later sessions of the
-- device. Runs that wait are sent first. `code` as the player types it; `options`: `on_conflict`, `board_ids`, as of `prove`.
-- `done({ identity_id, display_name }, error)`; errors INVALID_CODE (wrong, expired or used), PLAYER_CONFLICT (ask the player).
function players:redeem(code, options, done)
  options = options or {}
  local body = {
    code = code:match("^%s*(.-)%s*$"), on_conflict = options.on_conflict, board_ids = options.board_ids and json.array(options.board_ids),
  }
  return self:read(function(call)
    return become(self, "/v1/client/link-codes/redeem", body, false, call)
  end, done or function() end, 0)
end

return players
