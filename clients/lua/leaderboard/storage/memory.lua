-- Texts of this process: for tests, and where nothing may be stored.
local memory = {}

local serial = 0

function memory.new()
  serial = serial + 1
  local texts = {}
  return {
    id = "memory " .. serial .. "/",
    load = function(name) return texts[name] end,
    save = function(name, text)
      texts[name] = text
      return true
    end,
  }
end

return memory
