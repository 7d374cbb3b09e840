class_name LeaderboardRace
extends RefCounted
## A value that comes later; of several that bring one, the first one's counts.

signal ended

var is_over := false
var value: Variant


func end(with: Variant = null) -> void:
	if is_over:
		return
	is_over = true
	value = with
	ended.emit()


func wait() -> Variant:
	if not is_over:
		await ended
	return value
