class_name LeaderboardError
extends RefCounted
## An error of the service or of the way to it.
##
## Codes are constants of LeaderboardCodes: the service's, and NETWORK (no answer), TIMEOUT (none in
## time), NOT_THE_SERVICE (an answer that the service does not send, e.g. the page of a hotel's
## Wi-Fi), CANCELLED, QUEUE_FULL, STORAGE.

var code: String
## The service's own sentence where it answered.
var message: String
## HTTP status; 0: there was no answer.
var status: int
## Id of the request in the logs of the service.
var request_id := ""
## What the service says of each part of the request. With PLAYER_CONFLICT: `standings` of both
## players on the boards that the proof or code named.
var details := []
## Seconds that the service asks to wait; negative: it asks for none.
var retry_after := -1.0


func _init(its_code: String, its_message: String, its_status := 0) -> void:
	code = its_code
	message = its_message
	status = its_status


## The error of an envelope; null: the body is none.
static func of(body: Variant, its_status: int) -> LeaderboardError:
	if not body is Dictionary:
		return null
	if not body.get("code") is String or not body.get("error") is String:
		return null
	var error := LeaderboardError.new(body.code, body.error, its_status)
	error.request_id = str(body.get("request_id", ""))
	if body.get("details") is Array:
		error.details = body.details
	return error


static func strange(its_status: int) -> LeaderboardError:
	var text := "The response (%d) is not from the leaderboard service. Check the URL." % its_status
	return LeaderboardError.new("NOT_THE_SERVICE", text, its_status)


static func cancelled() -> LeaderboardError:
	return LeaderboardError.new("CANCELLED", "The request was cancelled.")


## True if no answer of the service arrived: it may have done what it was asked for.
func is_unheard() -> bool:
	return code in ["NETWORK", "TIMEOUT", "NOT_THE_SERVICE"]


## True if the same request may succeed later.
func is_temporary() -> bool:
	return is_unheard() or status == 408 or status == 429 or status >= 500


## Refusals of the device or its account, which an administrator may lift: runs wait.
func is_lock() -> bool:
	return code in [LeaderboardCodes.DEVICE_BLOCKED, LeaderboardCodes.ACCOUNT_SUSPENDED]
