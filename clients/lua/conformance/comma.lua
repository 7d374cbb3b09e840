-- Numbers as Lua 5.1 writes and reads them in a locale whose decimal sign is a comma: that alone, in every direction.
local format, number, text_of = string.format, tonumber, tostring

local function with_comma(text) return (text:gsub("(%d)%.(%d)", "%1,%2")) end

function string.format(pattern, ...)
  local text = format(pattern, ...)
  return pattern:find("%%[%d.]*[efg]") and with_comma(text) or text
end

function tostring(value)
  return type(value) == "number" and with_comma(text_of(value)) or text_of(value)
end

function tonumber(value, base)
  if base or type(value) ~= "string" then return number(value, base) end
  if value:find(".", 1, true) then return nil end
  return number((value:gsub(",", ".")))
end
