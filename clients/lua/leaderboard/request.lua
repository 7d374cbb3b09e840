-- One request and its whole answer, as JSON.
local errors = require("leaderboard.errors")
local json = require("leaderboard.json")
local Tasks = require("leaderboard.tasks")

local request = {}

-- Bytes a second of the slowest connection that sends a file.
local SLOWEST = 20000

--- A text of an address; numbers as bodies have them.
local function encoded(value)
  local text = type(value) == "number" and json.encode(value) or tostring(value)
  return (text:gsub("[^%w%-_.~]", function(char) return string.format("%%%02X", char:byte()) end))
end

request.encoded = encoded

--- Path and query; absent parameters are left out.
function request.path(path, query)
  local names, parts = {}, {}
  for name in pairs(query or {}) do names[#names + 1] = name end
  table.sort(names)
  for _, name in ipairs(names) do parts[#parts + 1] = name .. "=" .. encoded(query[name]) end
  return #parts == 0 and path or path .. "?" .. table.concat(parts, "&")
end

--- Seconds of a `retry-after`: a number, as the service sends it, at most an hour; nil: none.
local function retry_after(answer)
  local text = (answer.headers["retry-after"] or ""):match("^%s*(%d+%.?%d*)%s*$")
  return text and math.min(json.number(text), 3600)
end

local function strange(answer)
  local message = "The response (" .. tostring(answer.status) .. ") is not from the leaderboard service. Check the URL."
  return errors.new("NOT_THE_SERVICE", message, {
    status = answer.status, retry_after = retry_after(answer),
  })
end

--- The body of an answer. @return body; nil and an error for everything that is not the service's success
function request.body_of(answer)
  local body = json.decode(answer.body or "")
  if type(body) ~= "table" then return nil, strange(answer) end
  if answer.status >= 200 and answer.status < 300 then return body end
  return nil, errors.of(body, answer.status, retry_after(answer)) or strange(answer)
end

--- Sends a request from within a task.
-- @param ask method, path, query, body (a table) or file (bytes as they are), token, headers
-- @param call an operation that may be cancelled; nil: none
-- @return body; nil and an error
function request.send(settings, ask, call)
  if call and call.cancelled then return nil, errors.new("CANCELLED", "The call was cancelled.") end
  local headers = { accept = "application/json" }
  for name, value in pairs(ask.headers or {}) do headers[name] = value end
  if ask.token then headers.authorization = "Bearer " .. ask.token end
  local body
  if ask.body then
    headers["content-type"] = "application/json"
    local fault
    body, fault = json.encode(ask.body)
    if not body then return nil, errors.new("VALIDATION_FAILED", "The request has " .. fault .. ".") end
  end
  if ask.file then
    body, headers["content-type"] = ask.file, "application/octet-stream"
  end
  local answer, fault = Tasks.wait(function(resume)
    local handle = settings.transport.request({
      method = ask.method or "GET",
      url = settings.url .. request.path(ask.path, ask.query),
      headers = headers,
      body = body,
      timeout = settings.timeout + (ask.file and #ask.file / SLOWEST or 0),
    }, resume)
    if call then
      call.abort = function()
        handle.cancel()
        resume(nil, "CANCELLED")
      end
    end
  end)
  if call then call.abort = nil end
  if not answer then return nil, errors.new(fault or "NETWORK", "No response from " .. settings.url .. ".") end
  return request.body_of(answer)
end

return request
