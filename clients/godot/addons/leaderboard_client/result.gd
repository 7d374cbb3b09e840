class_name LeaderboardResult
extends RefCounted
## The state of a submission.

## - "ranked": it was counted, and the members below are set.
## - "queued": it is stored and is sent until it is answered; `error` is the last failure, or null.
## - "refused": it will never count; `error` says why.
var status: String
## The run as it was stored: board_id, value, player_name, value_display, metadata, key.
var run: Dictionary
var rank := 0
## The rank before; 0: there was no score.
var previous_rank := 0
## True if the player's score now shows this run.
var kept := false
## True if no earlier run of the player is as good; null: the service does not know.
var is_personal_best: Variant
## The run as {value, rank}, if it waits for a review and is ranked nowhere, `rank` being the one it
## would have had; null: it is not held.
var held: Variant
## The event that wants the run's recording; empty: none does.
var recording_event := ""
## The player's score after this run.
var score := {}
var error: LeaderboardError


static func queued(its_run: Dictionary, its_error: LeaderboardError) -> LeaderboardResult:
	return _of("queued", its_run, its_error)


static func refused(its_run: Dictionary, its_error: LeaderboardError) -> LeaderboardResult:
	return _of("refused", its_run, its_error)


## The result of an item that was stored.
static func ranked(its_run: Dictionary, item: Dictionary) -> LeaderboardResult:
	var result := _of("ranked", its_run, null)
	result.score = item.score
	result.rank = int(item.score.rank)
	var before: Variant = item.get("previous_rank")
	result.previous_rank = 0 if before == null else int(before)
	result.kept = item.get("kept", true)
	result.is_personal_best = item.get("is_personal_best")
	var wanted: Variant = item.get("recording")
	result.recording_event = "" if wanted == null else str(wanted.score_event_id)
	var waiting: Variant = item.get("held")
	result.held = null if waiting == null else {value = waiting.value, rank = int(waiting.rank)}
	return result


static func _of(
	its_status: String, its_run: Dictionary, its_error: LeaderboardError
) -> LeaderboardResult:
	var result := LeaderboardResult.new()
	result.status = its_status
	result.run = its_run
	result.error = its_error
	return result
