-- Lines of standard input without waiting for them: LuaSocket's select takes everything that has a file descriptor.
local socket = require("socket")

local STDIN = { getfd = function() return 0 end, dirty = function() return false end }
io.stdin:setvbuf("no")

--- @return a line; false: it has ended; nil: there is none within `seconds`
return function(seconds)
  local ready = socket.select({ STDIN }, nil, seconds)
  if not ready[1] then return nil end
  return io.read("*l") or false
end
