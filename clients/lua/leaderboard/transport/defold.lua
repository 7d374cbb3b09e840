-- HTTP by Defold's http.request, whose answers come whole: a watched board is read every few seconds.
-- luacheck: globals http
local socket = _G.socket or require("builtins.scripts.socket")

local defold = { streams = false, elapsed = socket.gettime }

--- As in leaderboard.transport.luasocket.
function defold.request(ask, done)
  local cancelled = false
  http.request(ask.url, ask.method, function(_, _, response)
    if cancelled then return end
    -- 0: there was no answer.
    if response.status == 0 then return done(nil, "NETWORK") end
    local headers = {}
    for name, value in pairs(response.headers or {}) do headers[name:lower()] = value end
    done({ status = response.status, headers = headers, body = response.response })
  end, ask.headers, ask.body, { timeout = ask.timeout, ignore_cache = true })
  return { cancel = function() cancelled = true end }
end

return defold
