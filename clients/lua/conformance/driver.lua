-- The driver for plain Lua 5.4 with LuaSocket: `driver.lua [defold|solar2d|comma]`, with the modules of an engine whose functions
-- are made here (engines.lua), or with the numbers of a locale (comma.lua).
local here = arg[0]:match("^(.*)/[^/]*$")
package.path = here .. "/../?.lua;" .. here .. "/?.lua;" .. package.path
if arg[1] == "comma" then require("comma") end
local driver = require("commands")
local read = require("input")
local transport = require("leaderboard.transport.luasocket")

local engine, update = arg[1], nil
if engine and engine ~= "comma" then
  local engines = require("engines")
  transport, driver.storage_at = engines[engine]()
  update = engines.update
end

while true do
  local line = read(0.002)
  if line == false then return end
  if line then driver.take(line, transport) end
  if update then update() end
  driver.update()
end
