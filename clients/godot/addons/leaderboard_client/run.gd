class_name LeaderboardRun
extends RefCounted
## A run that is being played: `Leaderboard.start_run`. Its time runs from there or, if the game
## calls it, from `begin`.

## The service's bounds of splits, and of each in milliseconds.
const MOST_SPLITS := 64
const LATEST_SPLIT := 2147483647

var board_id: String
## False: it has no ticket, and `error` says why. A board that requires tickets will refuse it, so
## tell the player before it begins. True as well on boards without tickets.
var counts: bool
## Seed for the game's random numbers, 0 to 2147483647; null: the board gives none.
var seed_value: Variant
## Which of the limited attempts it is, from 1; null: they are not limited.
var attempt: Variant
## Attempts that are left after it; null: not limited, or not known.
var attempts_left: Variant
## When the run must be submitted, like 2026-11-29T20:00:00.000Z; null: there is no limit.
var expires_at: Variant
var error: LeaderboardError

var _submit: Callable
var _clock: Object
var _ticket: Variant
## When its ticket was requested, by the clock that never goes back.
var _origin: int
var _splits: Array[int] = []
## Played until the last pause.
var _before := 0
## Since when it is played; -1: paused.
var _since: int


## `submit`: that of the client. `ticket`: empty if it has none.
func _init(
	its_board_id: String,
	submit: Callable,
	clock: Object,
	origin: int,
	ticket: Dictionary,
	its_error: LeaderboardError
) -> void:
	board_id = its_board_id
	error = its_error
	counts = its_error == null
	_submit = submit
	_clock = clock
	_origin = origin
	_ticket = ticket.get("ticket")
	seed_value = _whole(ticket.get("seed"))
	attempt = _whole(ticket.get("attempt"))
	expires_at = ticket.get("expires_at")
	_since = clock.elapsed()


## Milliseconds played so far, without pauses.
func played_ms() -> int:
	return _before + (0 if _since < 0 else int(_clock.elapsed()) - _since)


## The player begins now: what passed since `start_run`, such as loading, is idle time.
func begin() -> void:
	_before = 0
	_splits.clear()
	_since = _clock.elapsed()


func pause() -> void:
	_before = played_ms()
	_since = -1


func resume() -> void:
	if _since < 0:
		_since = _clock.elapsed()


## Notes that the run passes its next point: milliseconds played until then. Those beyond 64 are not
## kept.
func split() -> int:
	var at := played_ms()
	if _splits.size() < MOST_SPLITS and at <= LATEST_SPLIT:
		_splits.append(at)
	return at


## Ends the run and submits it, as `Leaderboard.submit` does. `more` may have run_ms, too: its
## length in milliseconds by the game's clock; and recording, a PackedByteArray: the run's inputs,
## or whatever your game can show again. Its hash goes with the score, the file is sent where the
## service wants it. Five wait at most, the newest ones.
func finish(
	value: float, more := {}, cancel: LeaderboardCancel = null
) -> LeaderboardResult:
	pause()
	var whole := {"run_ms": _before}
	whole.merge(more, true)
	if not _splits.is_empty():
		whole.splits = _splits.duplicate()
	if whole.has("recording"):
		whole.recording_hash = LeaderboardRecordings.hash_of(whole.recording)
	if _ticket != null:
		whole.ticket = _ticket
		whole.idle_ms = maxi(0, int(_clock.elapsed()) - _origin - _before)
	# What another attempt would not change will be refused for its missing ticket.
	if error != null and error.code != "CANCELLED" and error.status != 401:
		if not error.is_temporary():
			whole.refusal = error
	return await _submit.call(board_id, value, whole, cancel)


static func _whole(value: Variant) -> Variant:
	return null if value == null else int(value)
