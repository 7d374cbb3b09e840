-- The driver for plain Lua 5.4 with LuaSocket.
local here = arg[0]:match("^(.*)/[^/]*$")
package.path = here .. "/../?.lua;" .. here .. "/?.lua;" .. package.path
local driver = require("commands")
local read = require("input")
local transport = require("leaderboard.transport.luasocket")

while true do
  local line = read(0.002)
  if line == false then return end
  if line then driver.take(line, transport) end
  driver.update()
end
