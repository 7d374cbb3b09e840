-- Friends and tags of a client's player (leaderboard.leaderboard). Each returns a call to cancel, or an iterator over pages.
local json = require("leaderboard.json")
local reads = require("leaderboard.reads")
local request = require("leaderboard.request")

local players = {}

local TAGS = "/v1/client/tags"

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
  local function change(call)
    return self.sessions:with(function(session)
      local nonces, missing = self.sessions:take_nonces(1)
      if not nonces then return nil, missing end
      return request.send(self.settings, {
        method = "PATCH", path = TAGS, body = { tags = tags }, token = session.access_token,
        headers = { [self.settings.header_prefix .. "-client-nonce"] = nonces[1] },
      }, call)
    end, call)
  end
  return self:read(function(call)
    local answer, fault = change(call)
    if fault and fault.status == 412 then
      self.sessions:clear_nonces()
      answer, fault = change(call)
    end
    return answer and answer.tags, fault
  end, done)
end

return players
