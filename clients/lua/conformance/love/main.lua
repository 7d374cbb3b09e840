-- The driver for LÖVE, without a window.
local here = love.filesystem.getSource()
package.path = here .. "/../../?.lua;" .. here .. "/../?.lua;" .. package.path
local driver = require("commands")
local read = require("input")
local transport = require("leaderboard.transport.love")

function love.update()
  local line = read(0.002)
  if line == false then return love.event.quit() end
  if line then driver.take(line, transport) end
  driver.update()
end
