-- Base64: bytes as text that every storage holds.
local base64 = {}

local DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
local VALUES = {}
for i = 1, 64 do VALUES[DIGITS:byte(i)] = i - 1 end

local function digit(value) return DIGITS:sub(value + 1, value + 1) end

function base64.encode(bytes)
  local parts = {}
  for i = 1, #bytes, 3 do
    local a, b, c = bytes:byte(i, i + 2)
    local bits = a * 65536 + (b or 0) * 256 + (c or 0)
    parts[#parts + 1] = digit(math.floor(bits / 262144)) .. digit(math.floor(bits / 4096) % 64)
      .. (b and digit(math.floor(bits / 64) % 64) or "") .. (c and digit(bits % 64) or "")
  end
  return table.concat(parts)
end

function base64.decode(text)
  local parts = {}
  for i = 1, #text, 4 do
    local a, b, c, d = text:byte(i, i + 3)
    local bits = (VALUES[a] or 0) * 262144 + (VALUES[b] or 0) * 4096 + (VALUES[c] or 0) * 64 + (VALUES[d] or 0)
    local whole = string.char(math.floor(bits / 65536), math.floor(bits / 256) % 256, bits % 256)
    parts[#parts + 1] = whole:sub(1, d and 3 or c and 2 or 1)
  end
  return table.concat(parts)
end

return base64
