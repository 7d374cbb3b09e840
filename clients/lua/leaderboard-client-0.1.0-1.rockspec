rockspec_format = "3.0"
package = "leaderboard-client"
version = "0.1.0-1"
source = {
  url = "file://.",
}
description = {
  summary = "The leaderboard service in a game of LÖVE, Defold, Solar2D or plain Lua",
  detailed = "Sessions, submissions that are never lost or counted twice, ranks, lists and live boards. LuaSocket is needed by the transport for plain Lua alone.",
  license = "MIT",
  labels = { "leaderboard", "highscore", "game", "love2d", "defold" },
}
dependencies = {
  "lua >= 5.1, < 5.5",
}
build = {
  type = "builtin",
  modules = {
      ["leaderboard.base64"] = "leaderboard/base64.lua",
      ["leaderboard.claims"] = "leaderboard/claims.lua",
      ["leaderboard.codes"] = "leaderboard/codes.lua",
      ["leaderboard.errors"] = "leaderboard/errors.lua",
      ["leaderboard.json"] = "leaderboard/json.lua",
      ["leaderboard.leaderboard"] = "leaderboard/leaderboard.lua",
      ["leaderboard.live"] = "leaderboard/live.lua",
      ["leaderboard.players"] = "leaderboard/players.lua",
      ["leaderboard.queue"] = "leaderboard/queue.lua",
      ["leaderboard.reads"] = "leaderboard/reads.lua",
      ["leaderboard.recordings"] = "leaderboard/recordings.lua",
      ["leaderboard.request"] = "leaderboard/request.lua",
      ["leaderboard.runs"] = "leaderboard/runs.lua",
      ["leaderboard.sender"] = "leaderboard/sender.lua",
      ["leaderboard.session"] = "leaderboard/session.lua",
      ["leaderboard.sha256"] = "leaderboard/sha256.lua",
      ["leaderboard.storage.defold"] = "leaderboard/storage/defold.lua",
      ["leaderboard.storage.file"] = "leaderboard/storage/file.lua",
      ["leaderboard.storage.love"] = "leaderboard/storage/love.lua",
      ["leaderboard.storage.memory"] = "leaderboard/storage/memory.lua",
      ["leaderboard.storage.solar2d"] = "leaderboard/storage/solar2d.lua",
      ["leaderboard.tasks"] = "leaderboard/tasks.lua",
      ["leaderboard.transport.defold"] = "leaderboard/transport/defold.lua",
      ["leaderboard.transport.love"] = "leaderboard/transport/love.lua",
      ["leaderboard.transport.luasocket"] = "leaderboard/transport/luasocket.lua",
      ["leaderboard.transport.solar2d"] = "leaderboard/transport/solar2d.lua",
  },
  copy_directories = {},
}
