-- JSON in plain Lua 5.1 and newer. Null is nil: a member that is null is absent after decoding.
local json = {}

local ARRAY = {}

--- Marks a table as a list, which an empty table is not by itself.
function json.array(list)
  return setmetatable(list, ARRAY)
end

local ESCAPES = { ['"'] = '\\"', ["\\"] = "\\\\", ["\n"] = "\\n", ["\r"] = "\\r", ["\t"] = "\\t" }

local function quoted(text)
  local escaped = text:gsub('[%c"\\\127]', function(char)
    return ESCAPES[char] or string.format("\\u%04x", char:byte())
  end)
  return '"' .. escaped .. '"'
end

--- The decimal sign of the locale, which the game may change at any time; several bytes in some.
local function sign()
  return string.format("%.1f", 0.5):match("^0(.-)5$") or "."
end

local function replaced(text, from, to)
  local start, stop = text:find(from, 1, true)
  return start and text:sub(1, start - 1) .. to .. text:sub(stop + 1) or text
end

local function number(value)
  if value ~= value or value == math.huge or value == -math.huge then
    return nil, "a number that is not finite"
  end
  if value == math.floor(value) and math.abs(value) < 1e15 then
    return string.format("%.0f", value)
  end
  return replaced(string.format("%.17g", value), sign(), ".")
end

--- The number that a text of digits is, in any locale; nil: it is none. Before 5.3 Lua reads the locale's sign alone.
function json.number(text)
  return text and (tonumber(text) or tonumber(replaced(text, ".", sign())))
end

--- What is encoded as null: a member that is nil is absent.
json.null = {}

local encode

local function list(value)
  local parts = {}
  for i = 1, #value do
    local part, fault = encode(value[i])
    if not part then return nil, fault end
    parts[i] = part
  end
  return "[" .. table.concat(parts, ",") .. "]"
end

local function object(value)
  local names = {}
  for name in pairs(value) do names[#names + 1] = tostring(name) end
  table.sort(names)
  local parts = {}
  for i, name in ipairs(names) do
    local part, fault = encode(value[name])
    if not part then return nil, fault end
    parts[i] = quoted(name) .. ":" .. part
  end
  return "{" .. table.concat(parts, ",") .. "}"
end

function encode(value)
  local kind = type(value)
  if kind == "string" then return quoted(value) end
  if kind == "number" then return number(value) end
  if kind == "boolean" then return tostring(value) end
  if value == json.null then return "null" end
  if kind ~= "table" then return nil, "a " .. kind end
  if getmetatable(value) == ARRAY or value[1] ~= nil then return list(value) end
  return object(value)
end

--- @return the text; nil and the fault if there is a value that JSON does not have
json.encode = encode

local function utf8(code)
  local char = string.char
  if code < 0x80 then return char(code) end
  if code < 0x800 then return char(0xC0 + math.floor(code / 0x40), 0x80 + code % 0x40) end
  if code < 0x10000 then
    return char(0xE0 + math.floor(code / 0x1000), 0x80 + math.floor(code / 0x40) % 0x40, 0x80 + code % 0x40)
  end
  return char(
    0xF0 + math.floor(code / 0x40000),
    0x80 + math.floor(code / 0x1000) % 0x40,
    0x80 + math.floor(code / 0x40) % 0x40,
    0x80 + code % 0x40
  )
end

local PLAIN = { b = "\b", f = "\f", n = "\n", r = "\r", t = "\t", ['"'] = '"', ["\\"] = "\\", ["/"] = "/" }

--- @return the text at `at` (behind the quote) and the place behind it; nil: it is not closed
local function text(source, at)
  local parts = {}
  while true do
    local stop = source:find('["\\]', at)
    if not stop then return nil end
    parts[#parts + 1] = source:sub(at, stop - 1)
    if source:sub(stop, stop) == '"' then return table.concat(parts), stop + 1 end
    local letter = source:sub(stop + 1, stop + 1)
    at = stop + 2
    if letter == "u" then
      local code = tonumber(source:sub(at, at + 3), 16)
      if not code then return nil end
      at = at + 4
      local low = code >= 0xD800 and code < 0xDC00 and tonumber(source:match("^\\u(%x%x%x%x)", at) or "", 16)
      if low then
        code = 0x10000 + (code - 0xD800) * 0x400 + low - 0xDC00
        at = at + 6
      end
      parts[#parts + 1] = utf8(code)
    elseif PLAIN[letter] then
      parts[#parts + 1] = PLAIN[letter]
    else
      return nil
    end
  end
end

local WORDS = { ["true"] = true, ["false"] = false }
local DEEPEST = 100

local value

local function members(source, at, depth)
  local result = {}
  at = source:match("^%s*()", at)
  if source:sub(at, at) == "}" then return result, at + 1 end
  while true do
    local name, member
    at = source:match('^%s*"()', at)
    if not at then return nil end
    name, at = text(source, at)
    at = name and source:match("^%s*:()", at)
    if not at then return nil end
    member, at = value(source, at, depth)
    if not at then return nil end
    result[name] = member
    local sign
    sign, at = source:match("^%s*([,}])()", at)
    if not sign then return nil end
    if sign == "}" then return result, at end
  end
end

local function items(source, at, depth)
  local result = json.array({})
  at = source:match("^%s*()", at)
  if source:sub(at, at) == "]" then return result, at + 1 end
  while true do
    local item
    item, at = value(source, at, depth)
    if not at then return nil end
    result[#result + 1] = item
    local sign
    sign, at = source:match("^%s*([,%]])()", at)
    if not sign then return nil end
    if sign == "]" then return result, at end
  end
end

--- @return the value at `at` and the place behind it; the place is nil where there is none
function value(source, at, depth)
  if depth > DEEPEST then return nil end
  at = source:match("^%s*()", at)
  local sign = source:sub(at, at)
  if sign == '"' then return text(source, at + 1) end
  if sign == "{" then return members(source, at + 1, depth + 1) end
  if sign == "[" then return items(source, at + 1, depth + 1) end
  local word, after = source:match("^(%l+)()", at)
  if word == "null" then return nil, after end
  if word then return WORDS[word], WORDS[word] ~= nil and after or nil end
  local digits, behind = source:match("^(-?%d[%d.eE+-]*)()", at)
  local result = json.number(digits)
  return result, result and behind
end

--- @return the value; nil and a fault if the text is not JSON. A text that is `null` is nil without a fault.
function json.decode(source)
  local result, at = value(source, 1, 0)
  if not at or not source:find("^%s*$", at) then return nil, "not JSON" end
  return result
end

return json
