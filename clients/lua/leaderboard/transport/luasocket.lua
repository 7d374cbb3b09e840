-- HTTP over LuaSocket without blocking: for LÖVE, plain Lua and other engines that bring LuaSocket. https needs LuaSec
-- (`ssl`). Only the look-up of the host's name blocks.
local socket = require("socket")

local luasocket = { streams = true, elapsed = socket.gettime }

local active = {}

--- Yields until `try` has a result. @return its results
local function patiently(try)
  while true do
    local result, fault, partial = try()
    if result then return result, fault, partial end
    if fault ~= "timeout" and fault ~= "wantread" and fault ~= "wantwrite" then return nil, fault, partial end
    coroutine.yield(partial)
  end
end

--- Fills a buffer as parts come. `more` is false at the end of the connection.
local function reader(conn, touch)
  local self = { buffer = "" }
  function self.more()
    local part, fault, partial = conn:receive(8192)
    local got = part or partial or ""
    if #got > 0 then
      self.buffer = self.buffer .. got
      touch()
      return true
    end
    if fault == "timeout" or fault == "wantread" or fault == "wantwrite" then
      coroutine.yield()
      return true
    end
    return false
  end
  function self.line()
    while true do
      local line, behind = self.buffer:match("^(.-)\r?\n()")
      if line then
        self.buffer = self.buffer:sub(behind)
        return line
      end
      if not self.more() then return nil end
    end
  end
  --- Passes `count` bytes on, as they come. @return true if all came
  function self.pass(count, take)
    while count > 0 do
      if self.buffer == "" and not self.more() then return false end
      local part = self.buffer:sub(1, count)
      if #part > 0 then
        self.buffer = self.buffer:sub(#part + 1)
        count = count - #part
        take(part)
      end
    end
    return true
  end
  return self
end

local function head_of(from)
  local line = from.line()
  local status = line and tonumber(line:match("^HTTP/%d%.%d (%d%d%d)"))
  if not status then return nil end
  local headers = {}
  while true do
    line = from.line()
    if not line then return nil end
    if line == "" then return { status = status, headers = headers } end
    local name, value = line:match("^([^:]+):%s*(.-)%s*$")
    if name then headers[name:lower()] = value end
  end
end

--- @return true: the whole body came
local function body_of(from, head, take)
  if head.status == 204 or head.status == 304 then return true end
  if (head.headers["transfer-encoding"] or ""):lower():find("chunked", 1, true) then
    while true do
      local line = from.line()
      local size = line and tonumber(line:match("^%x+"), 16)
      if not size then return false end
      if size == 0 then return true end
      if not from.pass(size, take) or not from.line() then return false end
    end
  end
  local length = tonumber(head.headers["content-length"])
  if length then return from.pass(length, take) end
  while from.more() do
    if from.buffer ~= "" then
      local part = from.buffer
      from.buffer = ""
      take(part)
    end
  end
  return true
end

--- A certificate's names, as `*.example.com`, and a host.
local function names(certificate, host)
  local extensions = certificate:extensions() or {}
  for _, name in ipairs((extensions["2.5.29.17"] or {}).dNSName or {}) do
    local pattern = name:lower():gsub("[%-%.%+]", "%%%0"):gsub("^%*", "[^.]+")
    if host:lower():match("^" .. pattern .. "$") then return true end
  end
  return false
end

--- @return the encrypted connection; nil: the other side did not prove its name
local function secured(conn, host)
  local ok, ssl = pcall(require, "ssl")
  if not ok then return nil end
  local settings = { mode = "client", protocol = "any", options = { "all", "no_sslv2", "no_sslv3" }, verify = "peer" }
  settings.cafile, settings.capath = luasocket.cafile, not luasocket.cafile and "/etc/ssl/certs" or nil
  local wrapped = ssl.wrap(conn, settings)
  if not wrapped then return nil end
  wrapped:sni(host)
  wrapped:settimeout(0)
  if not patiently(function() return wrapped:dohandshake() end) then return nil end
  local certificate = wrapped:getpeercertificate()
  return certificate and names(certificate, host) and wrapped or nil
end

--- Addresses of a host, the host itself where they cannot be listed.
local function addresses(host)
  local found = socket.dns.getaddrinfo and socket.dns.getaddrinfo(host) or {}
  local list, known = {}, {}
  for _, entry in ipairs(found) do
    if not known[entry.addr] then list[#list + 1] = entry.addr end
    known[entry.addr] = true
  end
  return #list > 0 and list or { host }
end

--- @return a connection to the first address that takes it
local function connected(call, scheme, host, port)
  for _, address in ipairs(addresses(host)) do
    local conn = socket.tcp()
    call.conn = conn
    conn:settimeout(0)
    local ok = patiently(function()
      local done, fault = conn:connect(address, port)
      if done or fault == "already connected" then return true end
      if fault == "timeout" or fault:lower():find("progress") then return nil, "timeout" end
      return nil, fault
    end)
    if ok and scheme == "http" then return conn end
    if ok then
      local safe = secured(conn, host)
      call.conn = safe or conn
      return safe
    end
    conn:close()
  end
  return nil
end

--- The whole of a request. @return answer; nil and a code
local function exchange(call, ask)
  local scheme, host, port, path = ask.url:match("^(https?)://([^/:]+):?(%d*)(.*)$")
  if not scheme then return nil, "NETWORK" end
  local conn = connected(call, scheme, host, tonumber(port) or (scheme == "https" and 443 or 80))
  if not conn then return nil, "NETWORK" end
  local lines = { ask.method .. " " .. (path == "" and "/" or path) .. " HTTP/1.1" }
  lines[2] = "host: " .. host .. (port ~= "" and ":" .. port or "")
  lines[3] = "connection: close"
  if ask.body then lines[4] = "content-length: " .. #ask.body end
  for name, value in pairs(ask.headers) do lines[#lines + 1] = name .. ": " .. value end
  local text, at = table.concat(lines, "\r\n") .. "\r\n\r\n" .. (ask.body or ""), 1
  while at <= #text do
    local last, fault, partial = conn:send(text, at)
    if not last and fault ~= "timeout" and fault ~= "wantwrite" and fault ~= "wantread" then return nil, "NETWORK" end
    at = (last or partial or at - 1) + 1
    if at <= #text then coroutine.yield() end
  end
  local from = reader(conn, call.touch)
  local head = head_of(from)
  if not head then return nil, "NETWORK" end
  if ask.on_part then call.touch() end
  local parts = {}
  local whole = body_of(from, head, function(part)
    if ask.on_part then ask.on_part(head, part) else parts[#parts + 1] = part end
  end)
  if not whole then return nil, "NETWORK" end
  head.body = table.concat(parts)
  return head
end

--- Sends a request. `done(answer)`: `status`, `headers` by lower-case names, `body`; `done(nil, code)`: NETWORK or TIMEOUT.
-- `ask`: `method`, `url`, `headers`, `body`, `timeout` seconds; for a stream `on_part(head, part)` for each part of the
-- body, and `silence`, the seconds that may pass between two.
-- @return a handle with `cancel`, after which nothing is called any more
function luasocket.request(ask, done)
  local call = { done = done, silence = ask.on_part and ask.silence, until_ = socket.gettime() + ask.timeout }
  call.touch = function()
    if call.silence then call.until_ = socket.gettime() + call.silence end
  end
  call.routine = coroutine.create(function()
    call.answer, call.code = exchange(call, ask)
  end)
  active[call] = true
  return { cancel = function() call.cancelled = true end }
end

local function finish(call, answer, code)
  active[call] = nil
  if call.conn then call.conn:close() end
  if not call.cancelled then call.done(answer, code) end
end

--- Goes on with all requests.
function luasocket.update()
  local now, calls = socket.gettime(), {}
  for call in pairs(active) do calls[#calls + 1] = call end
  for _, call in ipairs(calls) do
    if call.cancelled then
      finish(call)
    elseif now > call.until_ then
      finish(call, nil, "TIMEOUT")
    else
      local ok, fault = coroutine.resume(call.routine)
      if not ok then
        finish(call, nil, "NETWORK")
        error(fault, 0)
      end
      if coroutine.status(call.routine) == "dead" then finish(call, call.answer, call.code) end
    end
  end
end

return luasocket
