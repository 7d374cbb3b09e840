-- HTTP for LÖVE. http goes through LuaSocket, which LÖVE brings. https goes through the module `https` (part of LÖVE 12;
-- lua-https beside the game for LÖVE 11) in a thread, because it blocks: its responses arrive whole, and a watched board is
-- read every few seconds.
-- luacheck: globals love
local luasocket = require("leaderboard.transport.luasocket")

local WORKER = [[
local asks, answers = love.thread.getChannel("leaderboard.asks"), love.thread.getChannel("leaderboard.answers")
local https = require("https")
while true do
  local ask = asks:demand()
  local options = { method = ask.method, headers = ask.headers, data = ask.body }
  local ok, status, body, headers = pcall(https.request, ask.url, options)
  answers:push({ id = ask.id, status = ok and status or 0, body = ok and body or "", headers = ok and headers or {} })
end
]]

local transport = { streams = true, elapsed = love.timer.getTime }

local waiting, serial, thread = {}, 0, nil

local function by_thread(ask, done)
  if not thread then
    thread = love.thread.newThread(WORKER)
    thread:start()
  end
  serial = serial + 1
  waiting[serial] = { done = done, until_ = love.timer.getTime() + ask.timeout }
  local id = serial
  love.thread.getChannel("leaderboard.asks"):push({
    id = id, method = ask.method, url = ask.url, headers = ask.headers, body = ask.body,
  })
  return { cancel = function() waiting[id] = nil end }
end

--- To be called with the service's address before the first client is made, if it is an https one.
function transport.use(url)
  transport.streams = not url:find("^https:")
  return transport
end

--- As in leaderboard.transport.luasocket.
function transport.request(ask, done)
  if ask.url:find("^https:") then return by_thread(ask, done) end
  return luasocket.request(ask, done)
end

local function take(answer)
  local call = waiting[answer.id]
  waiting[answer.id] = nil
  if not call then return end
  if answer.status == 0 then return call.done(nil, "NETWORK") end
  local headers = {}
  for name, value in pairs(answer.headers) do headers[name:lower()] = value end
  call.done({ status = answer.status, headers = headers, body = answer.body })
end

function transport.update()
  luasocket.update()
  local answers = love.thread.getChannel("leaderboard.answers")
  local answer = answers:pop()
  while answer do
    take(answer)
    answer = answers:pop()
  end
  local now = love.timer.getTime()
  for id, call in pairs(waiting) do
    if now > call.until_ then
      waiting[id] = nil
      call.done(nil, "TIMEOUT")
      break
    end
  end
end

return transport
