-- Texts in LÖVE's save directory.
-- luacheck: globals love
local file = require("leaderboard.storage.file")

local storage = {}

function storage.new()
  love.filesystem.createDirectory("leaderboard")
  return file.new(love.filesystem.getSaveDirectory() .. "/leaderboard")
end

return storage
