-- HTTP by Solar2D's network.request, whose answers come whole: a watched board is read every few seconds.
-- luacheck: globals network system
local solar2d = { streams = false, elapsed = function() return system.getTimer() / 1000 end }

--- As in leaderboard.transport.luasocket.
function solar2d.request(ask, done)
  local handle
  handle = network.request(ask.url, ask.method, function(event)
    if event.phase and event.phase ~= "ended" then return end
    if event.isError or not event.status or event.status < 0 then return done(nil, "NETWORK") end
    local headers = {}
    for name, value in pairs(event.responseHeaders or {}) do headers[name:lower()] = value end
    done({ status = event.status, headers = headers, body = event.response })
  end, { headers = ask.headers, body = ask.body, timeout = ask.timeout, handleRedirects = false })
  return { cancel = function() network.cancel(handle) end }
end

return solar2d
