class_name LeaderboardPages
extends RefCounted
## A list, read page by page on demand.

var _read: Callable
var _cursor := ""
var _is_over := false


func _init(read: Callable) -> void:
	_read = read


func has_next() -> bool:
	return not _is_over


## The next page, as `Leaderboard.top` has it. After an error the same page is read again.
func next(cancel: LeaderboardCancel = null) -> LeaderboardAnswer:
	var answer: LeaderboardAnswer = await _read.call(_cursor, cancel)
	if answer.error == null:
		var position: Dictionary = answer.data.get("pagination", {})
		var cursor: Variant = position.get("next_cursor")
		_is_over = cursor == null
		_cursor = "" if cursor == null else cursor
	return answer
