-- Reads of a client (leaderboard.leaderboard): scores and boards. Each returns a call to cancel.
local request = require("leaderboard.request")

local reads = {}

--- The page of a list; nil and the error of its request.
function reads.page_of(list, fault)
  if not list then return nil, fault end
  return { items = list.data, has_next = list.pagination.has_next, has_previous = list.pagination.has_prev,
    next_cursor = list.pagination.next_cursor }
end

--- A page of scores, from within a task. @return page; nil and an error
function reads:page(query, call)
  if self.settings.test_mode then query.is_test = true end
  return reads.page_of(self.sessions:call({ path = "/v1/client/scores", query = query }, call))
end

--- An iterator over pages. `read(cursor, call)` reads one. The iterator's `done(page, error)` gets nil after the last page;
-- after an error the same page is read again.
function reads.pages_of(self, read)
  local cursor, ended
  return function(done)
    if ended then return self.tasks:later(done)(nil) end
    return self:read(function(call) return read(cursor, call) end, function(page, fault)
      if page then cursor, ended = page.next_cursor, page.next_cursor == nil end
      done(page, fault)
    end)
  end
end

--- The board from the top: `done({ items, has_next }, error)`. `options`: `limit`.
function reads:top(board_id, options, done)
  return self:read(function(call) return self:page({ board_id = board_id, limit = options.limit }, call) end, done)
end

--- The board from the top, a page at each call of the iterator: `local next_page = scores:pages(board_id)`;
-- `next_page(done)` calls `done(page, error)`, after the last page `done(nil)`.
function reads:pages(board_id, options)
  return reads.pages_of(self, function(cursor, call)
    return self:page({ board_id = board_id, limit = options and options.limit, cursor = cursor }, call)
  end)
end

--- Boards of the game and published ones of its studio, as `pages`. `options`: `game_id`, `is_active`, `limit`.
function reads:boards(options)
  options = options or {}
  return reads.pages_of(self, function(cursor, call)
    local query = { game_id = options.game_id, is_active = options.is_active, limit = options.limit, cursor = cursor }
    return reads.page_of(self.sessions:call({ path = "/v1/client/boards", query = query }, call))
  end)
end

--- Rewards of the player, open ones first, as `pages`. `options`: `limit`.
function reads:rewards(options)
  return reads.pages_of(self, function(cursor, call)
    local query = { limit = options and options.limit, cursor = cursor }
    return reads.page_of(self.sessions:call({ path = "/v1/client/rewards", query = query }, call))
  end)
end

--- `done(board, error)`.
function reads:board(board_id, done)
  return self:read(function(call)
    return self.sessions:call({ path = "/v1/client/boards/" .. request.encoded(board_id) }, call)
  end, done)
end

function reads:read_mine(board_id, call)
  local page, fault = self:page({ board_id = board_id, identity_id = "me", limit = 1 }, call)
  return page and page.items[1], fault
end

--- The player's score: `done(score, error)`; neither: there is none.
function reads:mine(board_id, done)
  return self:read(function(call) return self:read_mine(board_id, call) end, done)
end

--- The places around the player's score: `done({ items, mine, has_next, has_previous }, error)`; without a score no items.
function reads:around(board_id, options, done)
  return self:read(function(call)
    local mine, fault = self:read_mine(board_id, call)
    if fault then return nil, fault end
    if not mine then return { items = {}, has_next = false, has_previous = false } end
    local page
    page, fault = self:page({ board_id = board_id, around_score_id = mine.id, limit = options.limit }, call)
    for _, score in ipairs(page and page.items or {}) do
      if score.id == mine.id then page.mine = score end
    end
    return page, fault
  end, done)
end

--- The entries around a hypothetical value, which is the entry with `is_placeholder`.
function reads:around_value(board_id, value, options, done)
  return self:read(function(call)
    return self:page({ board_id = board_id, around_score_value = value, limit = options.limit }, call)
  end, done)
end

return reads
