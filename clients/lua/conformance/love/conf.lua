function love.conf(settings)
  settings.identity = "leaderboard-conformance"
  settings.modules.window = false
  settings.modules.graphics = false
  settings.modules.audio = false
  settings.modules.sound = false
end
