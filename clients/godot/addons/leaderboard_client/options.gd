class_name LeaderboardOptions
extends RefCounted
## The options of a client, with every default. Times are milliseconds.

## Address of the service, e.g. https://scores.example.com; a path in it is kept.
var url := ""
var game_id := ""
## The installation or the player, 1 to 128 characters: the same text is the same player. Empty:
## made once and stored.
var device := ""
## Awaited when a session starts, the first one and those in place of one that has ended: returns
## a fresh statement of who the player is, as of `players.prove`, or null for the player of the
## device. It must not use the client. For a player who signs in later, call `players.prove`.
var proof := Callable()
## Name of submissions that bring none.
var player_name := ""
var platform := ""
## Stored with the device.
var metadata := {}
## True: submissions are test data.
var test_mode := false
## An object with `read(name) -> String` (empty: there is none) and `write(name, text) -> bool`.
## If it has `is_unread(name) -> bool`: true if that text is there and its last read failed.
var storage: Object = LeaderboardFiles.new()
## An object with `now() -> int` and `elapsed() -> int`, which never goes back.
var clock: Object = LeaderboardClock.new()
## For one request.
var timeout_ms := 10_000
## For a submission's answer or a read, retries included.
var deadline_ms := 15_000
## The wait after a failure: half to all of it, doubled each time up to `retry_most_ms`.
var retry_first_ms := 500
var retry_most_ms := 60_000
## Waiting runs that are kept; beyond them the oldest one is dropped.
var queue_limit := 500
## The service's setting HEADER_PREFIX.
var header_prefix := "service"


func _init(its_url := "", its_game_id := "", its_player_name := "") -> void:
	url = its_url
	game_id = its_game_id
	player_name = its_player_name


## What the last read of a name returned is not what is stored.
func is_unread(name: String) -> bool:
	return storage.has_method("is_unread") and storage.is_unread(name)


## The wait after the nth failure in a row: the one that the service asks for, otherwise a part of
## a growing span.
func pause_after(failures: int, error: LeaderboardError) -> int:
	# All were told to wait equally long, so they return one after the other.
	if error.retry_after >= 0.0:
		return ceili(error.retry_after * 1000.0 + randf() * retry_first_ms)
	var most := minf(retry_most_ms, retry_first_ms * pow(2.0, mini(failures - 1, 30)))
	return ceili(most * (0.5 + randf() / 2.0))
