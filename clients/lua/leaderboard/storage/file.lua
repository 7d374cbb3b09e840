-- Texts as files of a folder: written to a temporary name, then renamed, so a killed process leaves the old or the new text.
local file = {}

--- @param folder made at the first write if it is not there
function file.new(folder)
  local function path_of(name)
    return folder .. "/" .. name:gsub("[^%w._-]", function(char) return string.format("%%%02x", char:byte()) end)
  end
  local function opened(path)
    local handle = io.open(path, "wb")
    if handle then return handle end
    os.execute((package.config:sub(1, 1) == "\\" and 'mkdir "' or 'mkdir -p "') .. folder:gsub('"', "") .. '"')
    return io.open(path, "wb")
  end
  return {
    id = folder .. "/",
    load = function(name)
      local handle = io.open(path_of(name), "rb")
      if not handle then return nil end
      local text = handle:read("*a")
      handle:close()
      return text
    end,
    save = function(name, text)
      local path = path_of(name)
      local handle = opened(path .. ".new")
      if not handle then return false end
      local written = handle:write(text)
      if not handle:close() or not written then return false end
      if os.rename(path .. ".new", path) then return true end
      -- Windows does not rename to an existing file.
      os.remove(path)
      return os.rename(path .. ".new", path) and true or false
    end,
  }
end

return file
