-- The functions of Defold and Solar2D that their transports and storages call, made of LuaSocket and files, so that those
-- modules run without their engine. Only what the engines' manuals promise: whole answers, in a later frame.
-- luacheck: globals http sys socket network system
local file = require("leaderboard.storage.file")
local luasocket = require("leaderboard.transport.luasocket")

local engines = {}

--- @return transport, and the storage of a folder's name
function engines.defold()
  socket = require("socket")
  http = {
    request = function(url, method, callback, headers, body, options)
      luasocket.request({
        url = url, method = method, headers = headers or {}, body = body, timeout = options.timeout,
      }, function(answer)
        local response = answer and { status = answer.status, response = answer.body, headers = answer.headers }
        callback({}, 1, response or { status = 0 })
      end)
    end,
  }
  sys = {
    get_save_file = function(application, name) return application .. "/" .. name end,
    save = function(path, content)
      local folder, name = path:match("^(.*)/([^/]*)$")
      return file.new(folder).save(name, content.text)
    end,
    load = function(path)
      local folder, name = path:match("^(.*)/([^/]*)$")
      return { text = file.new(folder).load(name) }
    end,
  }
  return require("leaderboard.transport.defold"), require("leaderboard.storage.defold").new
end

function engines.solar2d()
  local documents
  network = {
    request = function(url, method, listener, params)
      return luasocket.request({
        url = url, method = method, headers = params.headers or {}, body = params.body, timeout = params.timeout,
      }, function(answer)
        if not answer then return listener({ isError = true, phase = "ended", status = -1 }) end
        listener({ isError = false, phase = "ended", status = answer.status, response = answer.body,
          responseHeaders = answer.headers })
      end)
    end,
    cancel = function(handle) handle.cancel() end,
  }
  system = {
    DocumentsDirectory = "documents",
    getTimer = function() return luasocket.elapsed() * 1000 end,
    pathForFile = function() return documents end,
  }
  local storage = require("leaderboard.storage.solar2d")
  return require("leaderboard.transport.solar2d"), function(folder)
    documents = folder
    return storage.new()
  end
end

--- Continues with what the engine does next to the game.
engines.update = luasocket.update

return engines
