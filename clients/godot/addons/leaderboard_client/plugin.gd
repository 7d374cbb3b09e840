@tool
extends EditorPlugin
## Adds the autoload `Leaderboard`.

const AUTOLOAD := "Leaderboard"


func _enable_plugin() -> void:
	add_autoload_singleton(AUTOLOAD, "leaderboard.gd")


func _disable_plugin() -> void:
	remove_autoload_singleton(AUTOLOAD)
