-- Texts in Defold's save files, which sys.save writes to a temporary name and renames.
-- luacheck: globals sys
local storage = {}

--- @param application the game's name, as in sys.get_save_file
function storage.new(application)
  local function path_of(name)
    return sys.get_save_file(application, (name:gsub("[^%w._-]", "_")))
  end
  return {
    id = application .. "/",
    load = function(name) return sys.load(path_of(name)).text end,
    save = function(name, text)
      local ok, saved = pcall(sys.save, path_of(name), { text = text })
      return ok and saved
    end,
  }
end

return storage
