class_name LeaderboardCancel
extends RefCounted
## Ends what it was handed to: a read with CANCELLED, the wait for a submission as "queued".

signal cancelled

var is_cancelled := false


func cancel() -> void:
	if is_cancelled:
		return
	is_cancelled = true
	cancelled.emit()
