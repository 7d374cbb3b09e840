-- Texts as files of a folder: written to a temporary name, then renamed, so a killed process leaves the old or the new text.
-- A text that can't be read for a moment is not taken for none: its file is not overwritten before it was read.
local file = {}

-- ENOENT, the same number in every C library.
local MISSING = 2

--- @return the text; nil and whether there is one that can't be read
local function read(path)
  local handle, _, code = io.open(path, "rb")
  if not handle then return nil, code ~= MISSING end
  local text = handle:read("*a")
  handle:close()
  return text, text == nil
end

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
  -- Names whose last `load` failed though there is a file.
  local unread = {}
  return {
    id = folder .. "/",
    --- @return the text; nil and true: it can't be read now
    load = function(name)
      local path = path_of(name)
      local text, failed = read(path)
      if not text and not failed then
        -- The process was killed between the last two steps of a `save`; an empty file before it wrote.
        text, failed = read(path .. ".new")
        if text == "" then text = nil end
      end
      unread[name] = failed or nil
      return text, failed
    end,
    save = function(name, text)
      if unread[name] then return false end
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
