-- Texts in Solar2D's folder of documents.
-- luacheck: globals system
local file = require("leaderboard.storage.file")

local storage = {}

function storage.new()
  return file.new(system.pathForFile(nil, system.DocumentsDirectory))
end

return storage
